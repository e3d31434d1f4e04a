import { isJsonObject, type JsonObject } from '@spanhouse/model'
import { handlerUriOf, hostedUrl, webAddressOf } from './revision-url.ts'
import { isManaged, type RuntimeSettings } from './uri.ts'

/** The roles of a workflow; stored with the artifact, not with its revisions. */
export interface RoleFlags {
  is_application: boolean
  is_evaluator: boolean
  is_snippet: boolean
}

/** Flags derived from a revision's data and slug. Values sent by callers are ignored. */
export interface RevisionFlags {
  is_managed: boolean
  is_custom: boolean
  is_llm: boolean
  is_hook: boolean
  is_code: boolean
  is_match: boolean
  is_feedback: boolean
  is_agent: boolean
  is_skill: boolean
  is_chat: boolean
  has_url: boolean
  has_script: boolean
  /** Whether a function of this process handles it; never true over HTTP. */
  has_handler: boolean
  is_static: boolean
}

/** Slugs with this prefix are reserved for workflows that are part of the program. */
export const STATIC_SLUG_PREFIX = '__ag__'

const CHAT_TYPES = new Set(['message', 'messages'])

/** All derived flags, also for a revision without data. */
export function revisionFlags(data: JsonObject | null, slug: string, settings: RuntimeSettings): RevisionFlags {
  const content = data ?? {}
  const uri = handlerUriOf(content)
  const isWeb = webAddressOf(content) !== undefined
  const isSkill = uri?.key === 'skill'
  return {
    is_managed: uri !== null && isManaged(uri, settings),
    is_custom: isWeb || uri?.kind === 'custom',
    is_llm: uri?.key === 'llm',
    is_hook: isWeb || uri?.key === 'hook',
    is_code: uri?.key === 'code',
    is_match: uri?.key === 'match',
    is_feedback: uri?.key === 'feedback',
    is_agent: uri?.key === 'agent',
    is_skill: isSkill,
    is_chat: uri?.key === 'chat' || takesMessages(content),
    has_url: !isSkill && (isWeb || Boolean(content.url) || (uri !== null && hostedUrl(uri, settings) !== undefined)),
    has_script: !isSkill && Boolean(content.script),
    has_handler: false,
    is_static: slug.startsWith(STATIC_SLUG_PREFIX),
  }
}

function takesMessages({ schemas }: JsonObject): boolean {
  const inputs = isJsonObject(schemas) ? schemas.inputs : undefined
  const properties = isJsonObject(inputs) ? inputs.properties : undefined
  if (!isJsonObject(properties)) return false
  return Object.values(properties).some(one => isJsonObject(one) && CHAT_TYPES.has(one['x-ag-type-ref'] as string))
}

/** Role names as flags. */
export const rolesOf = (roles: readonly string[]): RoleFlags => ({
  is_application: roles.includes('application'),
  is_evaluator: roles.includes('evaluator'),
  is_snippet: roles.includes('snippet'),
})
