import type { FastifyInstance } from 'fastify'
import type { Parts } from '../../parts.ts'
import { accessRoutes } from './access.ts'
import { adminRoutes } from './admin.ts'
import { adminEntityRoutes } from './admin-entities.ts'
import { keyRoutes } from './keys.ts'
import { organizationRoutes } from './organizations.ts'
import { profileRoutes } from './profile.ts'
import { projectRoutes } from './projects.ts'
import { providerRoutes } from './providers.ts'
import { quotaRoutes } from './quotas.ts'
import { secretRoutes } from './secrets.ts'
import { workspaceRoutes } from './workspaces.ts'

/** Accounts, permissions and secrets. */
export const accountRoutes = (parts: Parts): ((app: FastifyInstance) => void)[] => [
  keyRoutes(parts),
  accessRoutes(parts),
  profileRoutes(parts),
  projectRoutes(parts),
  quotaRoutes(parts),
  workspaceRoutes(parts),
  organizationRoutes(parts),
  secretRoutes(parts),
  providerRoutes(parts),
  adminRoutes(parts),
  adminEntityRoutes(parts),
]
