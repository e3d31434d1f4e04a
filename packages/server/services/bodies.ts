import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { KINDS } from '@spanhouse/registry'
import { RunError } from '@spanhouse/runtime'
import {
  json,
  jsonList,
  jsonObject,
  looseReference,
  optional,
  recordOf,
  spanId,
  storedObject,
  traceId,
  z,
} from '@spanhouse/validation'
import { problemAnswer } from '../http/openapi.ts'

const SESSION_ID = /^[A-Za-z0-9._:-]{1,128}$/

/** The maximum number of references, and of links, in one request. */
const NAMED_MAX = 100

const link = z.object({
  trace_id: traceId,
  span_id: spanId,
})

/** A revision, or only its data, which is held to the rules of a stored one (section 1.3). */
const sentRevision = optional(
  jsonObject.superRefine((revision, context) => {
    const place = isRecord(revision) ? ['data'] : []
    const { error } = KINDS.workflow.content.data.safeParse(isRecord(revision) ? (revision.data ?? {}) : revision)
    for (const issue of error?.issues ?? []) context.addIssue({ ...issue, path: [...place, ...issue.path] })
  }),
).meta({ description: 'A revision, or only its data.' })

const isRecord = (revision: JsonObject): boolean => Object.hasOwn(revision, 'data')

/** The members that invoke and inspect share. */
const envelope = {
  references: optional(recordOf(optional(looseReference), { max: NAMED_MAX })),
  selector: optional(z.object({ key: optional(z.string()), path: optional(z.string()) })),
  flags: optional(storedObject),
  tags: optional(storedObject),
  meta: optional(storedObject),
  session_id: optional(z.string()).meta({ description: `Generated if absent. ${SESSION_ID.source}` }),
  version: optional(z.string()),
}

/**
 * A request to run (contract of the runtime, section 8.3). Unknown members are ignored, except in a revision's data.
 */
export const invokeBody = z.object({
  ...envelope,
  links: optional(recordOf(link, { max: NAMED_MAX })),
  data: optional(
    z.object({
      inputs: optional(jsonObject),
      parameters: optional(jsonObject),
      revision: sentRevision,
      outputs: json.optional(),
      trace: optional(jsonObject),
      testcase: optional(jsonObject),
      messages: optional(jsonList).meta({ description: 'A chat history; used if the inputs have none.' }),
      links: json.optional(),
    }),
  ),
})
export type InvokeBody = z.output<typeof invokeBody>

/** Of a request whose own body cannot be read. */
export const EMPTY_BODY: InvokeBody = invokeBody.parse({})

/** A request to describe what would run (section 8.9). */
export const inspectBody = z.object({
  ...envelope,
  revision: sentRevision,
  data: optional(z.object({ revision: sentRevision, parameters: optional(jsonObject) })),
})
export type InspectBody = z.output<typeof inspectBody>

/** The response (section 8.6). */
export const resultAnswer = z.object({
  version: z.string(),
  status: z.object({ code: z.int(), message: z.string(), type: z.string().optional(), details: jsonObject.optional() }),
  trace_id: z.string().optional(),
  span_id: z.string().optional(),
  session_id: z.string().optional(),
  data: z.object({ outputs: json }).optional(),
})

/** Describes the response to a run that failed or was not begun. */
export const failedRun = z
  .union([problemAnswer, resultAnswer])
  .meta({ description: 'A request that was not served has a `detail`, a run that failed a `status`.' })

export type Links = Record<string, { trace_id: string; span_id: string }>

/** The links of a request, including valid ones inside its data. */
export const linksOf = ({ links, data }: Pick<InvokeBody, 'links' | 'data'>): Links => ({
  ...linksIn(data?.links),
  ...links,
})

function linksIn(value: Json | undefined): Links {
  if (!isJsonObject(value)) return {}
  const found = Object.entries(value).slice(0, NAMED_MAX)
  return Object.fromEntries(
    found.flatMap(([name, one]) => {
      const { data, success } = link.safeParse(one)
      return success ? [[name, data]] : []
    }),
  )
}

/**
 * The revision data in a request, which may be a whole revision or only its data. Undefined if it is empty, which
 * counts as absent.
 */
export function sentRevisionData(revision: JsonObject | undefined): JsonObject | undefined {
  if (revision === undefined) return undefined
  const data = isRecord(revision) ? revision.data : revision
  return isJsonObject(data) && Object.keys(data).length > 0 ? data : undefined
}

export const nonEmpty = (object: JsonObject | undefined): JsonObject | undefined =>
  object && Object.keys(object).length > 0 ? object : undefined

export const isSessionId = (text: string): boolean => SESSION_ID.test(text)

/** Throws a 400 if the session id is malformed. */
export function checkedSessionId(text: string | undefined): string | undefined {
  if (text === undefined || isSessionId(text)) return text
  const message = 'session_id must have 1 to 128 letters, digits, dots, underscores, colons or hyphens.'
  throw new RunError(400, 'v0:schemas:invalid-input', message, { details: { path: 'session_id' } })
}
