import { isJsonObject, isRawJson, type Json, type JsonObject } from '@spanhouse/model'
import { copyOf } from '../canonical/copy.ts'
import { mergeBelow, unflatten } from '../canonical/unflatten.ts'
import { parseObjectText } from '../json/json-text.ts'
import { braintrust } from './braintrust.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import type { Convention, Found, Recognised, Row, SentAttributes, SentSpan } from './convention.ts'
import { geminiCli } from './gemini-cli.ts'
import { genAi } from './gen-ai.ts'
import { genkit } from './genkit.ts'
import { googleAdk } from './google-adk.ts'
import { laminar } from './laminar.ts'
import { langfuse } from './langfuse.ts'
import { langSmith } from './langsmith.ts'
import { langWatch } from './langwatch.ts'
import { mastra } from './mastra.ts'
import { mlflow } from './mlflow.ts'
import { openInference } from './openinference.ts'
import { openLlmetry } from './openllmetry.ts'
import { tanStackAi } from './tanstack-ai.ts'
import { putCachedInPrompt } from './usage.ts'
import { vercelAi } from './vercel-ai.ts'
import { voltAgent } from './voltagent.ts'

/** Later conventions win if several set the same place. `ag.*` itself wins over all of them. */
export const CONVENTIONS: readonly Convention[] = [
  langfuse,
  langSmith,
  langWatch,
  laminar,
  mlflow,
  braintrust,
  genkit,
  mastra,
  openLlmetry,
  openInference,
  voltAgent,
  tanStackAi,
  genAi,
  googleAdk,
  claudeCode,
  codex,
  geminiCli,
  vercelAi,
]

/** The results of all conventions for a span; undefined if it follows none. */
export function recognise(span: SentSpan): Recognised | undefined {
  const readings = withEvents(readingsIn(span.attributes), span.events)
  if (!readings) return undefined
  let ag: JsonObject | undefined
  let repeatsUsage = false
  let failure: Recognised['failure']
  for (let index = 0; index < CONVENTIONS.length; index++) {
    const own = readings[index]
    const found = own && foundBy(CONVENTIONS[index] as Convention, own, span, ag)
    if (!found) continue
    repeatsUsage ||= found.repeatsUsage
    failure = found.failure ?? failure
    if (ag?.type) dropTask(found.ag)
    // Replaces the results of earlier conventions in the same places; their attributes remain.
    if (ag) mergeBelow(found.ag, ag)
    ag = found.ag
  }
  if (!ag) return undefined
  putCachedInPrompt(ag)
  for (const name of IDENTIFIED) idAsText(ag[name])
  return { ag, repeatsUsage, failure }
}

const IDENTIFIED = ['session', 'user', 'agent']

/** Applications often number their users; ids are texts. */
function idAsText(member: Json | undefined): void {
  if (!isJsonObject(member)) return
  const { id } = member
  if (typeof id === 'number') member.id = String(id)
  else if (id !== undefined && isRawJson(id)) member.id = id.rawJSON
}

/** `task` only means that no better type is known, so it does not displace another type. */
function dropTask(found: JsonObject): void {
  if (isJsonObject(found.type) && found.type.span === 'task') delete found.type
}

/** A row that applies to a key, with complete places. */
interface Reading {
  index: number
  row: Row
  to: string | null
  otherwise?: string
}
type Readings = [Reading, Json][]

/** The attributes of each convention, in their order; undefined if no convention has any. */
function readingsIn(attributes: SentAttributes): (Readings | undefined)[] | undefined {
  let readings: (Readings | undefined)[] | undefined
  for (const key of attributes.keys()) {
    const concerned = readingsOf(key)
    if (concerned.length === 0) continue
    const value = attributes.get(key) as Json
    readings ??= CONVENTIONS.map(() => undefined)
    for (const reading of concerned) {
      const own = readings[reading.index]
      if (own) own.push([reading, value])
      else readings[reading.index] = [[reading, value]]
    }
  }
  return readings
}

/** Adds the conventions that only events of the span follow. */
function withEvents(
  readings: (Readings | undefined)[] | undefined,
  events: SentSpan['events'],
): (Readings | undefined)[] | undefined {
  if (events.length === 0) return readings
  let result = readings
  for (const [index, { eventPrefix }] of CONVENTIONS.entries()) {
    if (eventPrefix === undefined || result?.[index]) continue
    if (!events.some(({ name }) => name.startsWith(eventPrefix))) continue
    result ??= CONVENTIONS.map(() => undefined)
    result[index] = []
  }
  return result
}

function foundBy(
  convention: Convention,
  readings: Readings,
  span: SentSpan,
  earlier: JsonObject | undefined,
): Recognised | undefined {
  try {
    const found: Found = new Map()
    for (const [reading, value] of readings) read(reading, value, found)
    convention.complete?.(found, span, earlier)
    putTextInputsAside(found)
    if (found.size === 0) return undefined
    return {
      ag: unflatten(found).tree,
      repeatsUsage: convention.repeatsUsage?.(span.attributes) ?? false,
      failure: convention.failure?.(span.attributes),
    }
  } catch {
    // As documented in `Convention`: everything that was sent is stored anyway, under its original key.
    return undefined
  }
}

function read({ row, to, otherwise }: Reading, value: Json, found: Found): void {
  if (value === null || to === null) return
  // A copy, because the sent value is stored as well, and both trees are modified.
  const copy = copyOf(value)
  const meant = row.read ? row.read(copy) : copy
  if (meant !== undefined && meant !== null) found.set(to, meant)
  else if (otherwise !== undefined && meant === undefined) found.set(otherwise, copy)
}

/** Inputs that are not an object have no place in `ag`, so they must not displace values below the inputs. */
function putTextInputsAside(found: Found): void {
  const inputs = found.get('data.inputs')
  if (inputs === undefined || isJsonObject(inputs)) return
  if (typeof inputs === 'string' && parseObjectText(inputs)) return
  for (const place of found.keys())
    if (place.startsWith('data.inputs.')) {
      found.delete('data.inputs')
      found.set('unsupported.data.inputs', inputs)
      return
    }
}

/** Senders use the same few keys for all their spans. */
const known = new Map<string, readonly Reading[]>()
const KNOWN_MAX = 10_000
const REMEMBERED_LENGTH_MAX = 200
const NONE: readonly Reading[] = []

function readingsOf(key: string): readonly Reading[] {
  const remembered = known.get(key)
  if (remembered) return remembered
  const readings = CONVENTIONS.flatMap((_, index) => readingOf(key, index) ?? [])
  const result = readings.length > 0 ? readings : NONE
  if (known.size === KNOWN_MAX) known.clear()
  if (key.length <= REMEMBERED_LENGTH_MAX) known.set(key, result)
  return result
}

const exactRows = CONVENTIONS.map(({ rows }) => new Map(rows.map(row => [row.from, row])))
const prefixRows = CONVENTIONS.map(({ rows }) => rows.filter(({ from }) => from.endsWith('*')))

function readingOf(key: string, index: number): Reading | undefined {
  const exact = exactRows[index]?.get(key)
  if (exact) return { index, row: exact, to: exact.to, otherwise: exact.otherwise }
  const row = prefixRows[index]?.find(({ from }) => key.startsWith(from.slice(0, -1)))
  if (!row) return undefined
  const sent = key.slice(row.from.length - 1)
  const rest = row.rename?.(sent) ?? sent
  return {
    index,
    row,
    to: row.to?.replace('*', () => rest) ?? null,
    otherwise: row.otherwise?.replace('*', () => sent),
  }
}
