import type { ProjectPrincipal } from '@spanhouse/access'
import type { Models } from '@spanhouse/models'
import type { OutboundFetch } from '@spanhouse/outbound'
import { type Means, type RunContext, workMeans } from '@spanhouse/runtime'
import type { Sandbox } from '@spanhouse/sandbox'
import type { CodeRuntimes } from '../code-runtimes.ts'
import { callModels } from './call-models.ts'
import { callEmbedding } from './embed.ts'
import { evaluateCode } from './evaluate.ts'
import { modelRunError } from './model-run-error.ts'
import { type ModelRoutes, untilReadable } from './model-secrets.ts'
import { postTo } from './post.ts'

/** The clients that runs of all projects share. */
export interface MeansParts {
  models: Models
  secrets: ModelRoutes
  outbound: OutboundFetch
  sandbox: Sandbox
  codeRuntimes: CodeRuntimes
}

/** Whose run it is. */
export interface RunOwner {
  principal: ProjectPrincipal
  /** The name of a canned reply that replaces the model's. */
  mock: string | undefined
  /** Nobody waits for its response: it waits for the database instead of failing. */
  isPatient?: boolean
}

/**
 * The means of one run, bound to its project and trace: each call records a span, and is cancelled when the run ends.
 */
export function openMeans(parts: MeansParts, { principal, mock, isPatient }: RunOwner, context: RunContext): Means {
  const { project_id } = principal
  const { models } = parts
  const secrets = isPatient ? untilReadable(parts.secrets, context.signal) : parts.secrets
  return {
    chat: (plan, onEvent) => callModels({ models, secrets, project_id, mock, context }, plan, onEvent),
    requireKey: async ({ model, connection }) => {
      await secrets.routeTo(project_id, model, connection).catch(error => Promise.reject(modelRunError(error)))
    },
    embed: call => callEmbedding({ models, secrets, project_id, context }, call),
    evaluate: code => evaluateCode(parts, { owner: project_id, context }, code),
    post: request => postTo(parts.outbound, context, request),
    ...workMeans(project_id),
  }
}
