import type { ProjectPrincipal } from '@spanhouse/access'
import type { Models } from '@spanhouse/models'
import type { OutboundFetch } from '@spanhouse/outbound'
import { type Means, type RunContext, workMeans } from '@spanhouse/runtime'
import type { Sandbox } from '@spanhouse/sandbox'
import { callModels } from './call-models.ts'
import { callEmbedding } from './embed.ts'
import { evaluateCode } from './evaluate.ts'
import { postTo } from './post.ts'
import { ProjectSecrets, type SecretStore } from './project-secrets.ts'

/** What runs of all projects reach the outside world with. */
export interface MeansParts extends SecretStore {
  models: Models
  outbound: OutboundFetch
  /** Started when the first run needs it. */
  sandbox(): Sandbox
}

/** For whose run means are opened. */
export interface RunOwner {
  principal: ProjectPrincipal
  /** Names a canned reply in place of the model's. */
  mock: string | undefined
}

/** The means of one run, bound to its project and trace: each call is a span, and ends when the run does. */
export function openMeans(parts: MeansParts, { principal, mock }: RunOwner, context: RunContext): Means {
  const { project_id } = principal
  const secrets = new ProjectSecrets(parts, project_id)
  return {
    chat: (plan, onEvent) => callModels({ models: parts.models, secrets, mock, context }, plan, onEvent),
    embed: call => callEmbedding({ models: parts.models, secrets, context }, call),
    evaluate: code => evaluateCode(parts.sandbox(), { owner: project_id, context }, code),
    post: request => postTo(parts.outbound, context, request),
    ...workMeans(project_id),
  }
}
