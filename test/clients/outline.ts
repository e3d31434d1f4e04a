import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Derived,
  isJsonObject,
  type Json,
  type JsonObject,
  measureSpan,
  type NestedSpan,
  nestSpans,
  parseJson,
  type Span,
  type TreeNode,
} from '@spanhouse/model'
import { rollUp } from '@spanhouse/model/totals/roll-up.testing.ts'
import { decodeTraces, encodeTraces, toSpan } from '@spanhouse/otlp'
import { priceSpan } from '@spanhouse/prices'
import { CLIENTS, type Client } from './clients.ts'

const ROOT = join(import.meta.dirname, '../..')
export const DOCUMENT = join(ROOT, 'docs/clients.md')

/** What is seen of a span: as converted from a recording, or as the interface returns it. */
export interface SeenSpan extends NestedSpan {
  trace_id: string
  span_type: string
  session_id?: string | undefined
  user_id?: string | undefined
  ag: JsonObject & { data: JsonObject }
  /** Of the span and everything below it. */
  totals: Totals
}

export interface Totals {
  prompt: number
  completion: number
  total: number
  errors: number
  microdollars: number
}

/** The text of a fixture: OTLP/JSON. */
export const recordingOf = (fixture: string): string =>
  readFileSync(join(ROOT, `packages/otlp/fixtures/${fixture}.json`), 'utf8')

/** The spans of a fixture as the writer stores them. */
export function recordedSpans(fixture: string): SeenSpan[] {
  const spans = [...decodeTraces(encodeTraces(parseJson(recordingOf(fixture))))].map(decoded => toSpan(decoded, 0))
  for (const span of spans) priceSpan(span)
  return tracesOf(spans).flatMap(trace => {
    const derived = rollUp(new Map(trace.map(span => [span.span_id, measureSpan(span)])))
    return trace.map(span => toSeen(span, derived.get(span.span_id) as Derived))
  })
}

function toSeen(span: Span, { cumulative }: Derived): SeenSpan {
  const [errors = 0, prompt = 0, completion = 0, total = 0, , , costs = 0] = cumulative.map(Number)
  const totals = {
    prompt: prompt / 1e3,
    completion: completion / 1e3,
    total: total / 1e3,
    errors: errors / 1e3,
    microdollars: costs / 1e9,
  }
  return { ...span, ag: span.attributes.ag as SeenSpan['ag'], totals }
}

const tracesOf = <S extends { trace_id: string }>(spans: readonly S[]): S[][] => [
  ...Map.groupBy(spans, span => span.trace_id).values(),
]

/** The sums over all traces. */
export function sumsOf(spans: readonly SeenSpan[]): Totals {
  const tops = topsOf(spans)
  const sum = (name: keyof Totals): number => tops.reduce((all, { totals }) => all + totals[name], 0)
  return {
    prompt: sum('prompt'),
    completion: sum('completion'),
    total: sum('total'),
    errors: sum('errors'),
    microdollars: Math.round(sum('microdollars') * 100) / 100,
  }
}

function topsOf(spans: readonly SeenSpan[]): SeenSpan[] {
  const ids = new Set(spans.map(span => span.span_id))
  return spans.filter(({ parent_id }) => parent_id === undefined || !ids.has(parent_id as string))
}

export const allValues = (spans: readonly SeenSpan[], name: 'session_id' | 'user_id'): string[] => [
  ...new Set(spans.flatMap(span => span[name] ?? [])),
]

function rowOf({ fixture, packages }: Client): string {
  const spans = recordedSpans(fixture)
  const have = (test: (data: JsonObject, span: SeenSpan) => boolean): number =>
    spans.filter(span => test(span.ag.data, span)).length
  const { prompt, completion, errors, microdollars } = sumsOf(spans)
  const cells = [
    packages,
    spans.length,
    have(({ inputs }) => inputs !== undefined),
    have(({ outputs }) => outputs !== undefined),
    have((_, span) => modelOf(span) !== undefined),
    `${prompt} + ${completion}`,
    microdollars,
    allValues(spans, 'session_id').length > 0 ? 'yes' : '–',
    allValues(spans, 'user_id').length > 0 ? 'yes' : '–',
    errors,
  ]
  return `| ${cells.join(' | ')} |`
}

function modelOf({ ag: { meta } }: SeenSpan): Json | undefined {
  const nameIn = (part: Json | undefined): Json | undefined => (isJsonObject(part) ? part.model : undefined)
  return isJsonObject(meta) ? (nameIn(meta.response) ?? nameIn(meta.request)) : undefined
}

/** A line for each span, indented by its depth: name, type, model, tokens and errors, totals if they differ. */
function linesOf({ span, spans }: TreeNode<SeenSpan>, depth: number): string[] {
  const {
    totals: { total, errors },
    ag: { data },
  } = span
  const said = [
    span.span_type,
    modelOf(span),
    data.inputs !== undefined && `in {${Object.keys(data.inputs as JsonObject).join(', ')}}`,
    data.outputs !== undefined && `out ${shapeOf(data.outputs)}`,
    total !== 0 && `tokens ${total}`,
    errors !== 0 && `errors ${errors}`,
  ].filter(Boolean)
  const line = `${'  '.repeat(depth)}${span.span_name}: ${said.join('; ')}`
  return [line, ...[...(spans?.values() ?? [])].flat().flatMap(child => linesOf(child, depth + 1))]
}

function shapeOf(outputs: Json): string {
  if (isJsonObject(outputs)) return `{${Object.keys(outputs).join(', ')}}`
  return Array.isArray(outputs) ? 'list' : typeof outputs
}

/** The section of the documentation about a client. */
export function outlineOf(fixture: string, spans: readonly SeenSpan[]): string {
  const lines = tracesOf(spans).flatMap(trace =>
    [...nestSpans(trace).values()].flat().flatMap(node => linesOf(node, 0)),
  )
  return `## ${fixture}\n\n    ${lines.join('\n    ')}\n`
}

/** The documentation of what is recognised of each client, from the recordings. */
export function documentation(): string {
  return `# Clients

What Spanhouse recognises of the traces that these packages send, each recorded with a model server that always gives the
same answer. How many spans there are, and how many of them have inputs, outputs and a model; the totals of prompt and
completion tokens and of costs in millionths of a US dollar; whether a session and a user are known; the errors. Written
by \`npx node test/clients/outline.ts\` from the recordings in \`packages/otlp/fixtures\`; a test compares the two.

| Packages | Spans | Inputs | Outputs | Model | Tokens | Costs | Session | User | Errors |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${CLIENTS.map(rowOf).join('\n')}

The traces, one line for each span: its name, type and model, the members of its inputs and outputs, and the tokens and
errors of the span with everything below it.

${CLIENTS.map(({ fixture }) => outlineOf(fixture, recordedSpans(fixture))).join('\n')}`
}

if (import.meta.main) writeFileSync(DOCUMENT, documentation())
