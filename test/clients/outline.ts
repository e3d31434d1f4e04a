import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Derived,
  isJsonObject,
  type Json,
  type JsonObject,
  measureSpan,
  nestSpans,
  parseJson,
  rollUp,
  type Span,
  type TreeNode,
} from '@spanhouse/model'
import { decodeTraces, encodeTraces, toSpan } from '@spanhouse/otlp'
import { priceSpan } from '@spanhouse/prices'
import { CLIENTS, type Client } from './clients.ts'

const ROOT = join(import.meta.dirname, '../..')
export const DOCUMENT = join(ROOT, 'docs/clients.md')

/** A trace of a recording: its spans with their totals. */
export interface RecordedTrace {
  spans: Span[]
  totals: ReadonlyMap<string, Derived>
}

/** The spans of a fixture as the writer stores them, by trace. */
export function recordedTraces(fixture: string): RecordedTrace[] {
  const text = readFileSync(join(ROOT, `packages/otlp/fixtures/${fixture}.json`), 'utf8')
  const spans = [...decodeTraces(encodeTraces(parseJson(text)))].map(decoded => toSpan(decoded, 0))
  for (const span of spans) priceSpan(span)
  return [...Map.groupBy(spans, span => span.trace_id).values()].map(list => ({
    spans: list,
    totals: rollUp(new Map(list.map(span => [span.span_id, measureSpan(span)]))),
  }))
}

const [ERRORS, PROMPT, COMPLETION, TOKENS, COSTS] = [0, 1, 2, 3, 6]

/** The sums over all traces of a recording. Costs are in microdollars. */
export function sumsOf(traces: readonly RecordedTrace[]) {
  const roots = traces.flatMap(({ spans, totals }) => topsOf(spans).map(span => totals.get(span.span_id) as Derived))
  const sum = (index: number, unit: number): number =>
    roots.reduce((all, { cumulative }) => all + Number(cumulative[index]), 0) / unit
  return {
    prompt: sum(PROMPT, 1e3),
    completion: sum(COMPLETION, 1e3),
    total: sum(TOKENS, 1e3),
    errors: sum(ERRORS, 1e3),
    microdollars: Math.round(sum(COSTS, 1e9) * 100) / 100,
  }
}

function topsOf(spans: readonly Span[]): Span[] {
  const ids = new Set(spans.map(span => span.span_id))
  return spans.filter(({ parent_id }) => parent_id === undefined || !ids.has(parent_id))
}

export const allValues = (traces: readonly RecordedTrace[], name: 'session_id' | 'user_id'): string[] => [
  ...new Set(traces.flatMap(({ spans }) => spans.flatMap(span => span[name] ?? []))),
]

function rowOf({ fixture, packages }: Client): string {
  const traces = recordedTraces(fixture)
  const spans = traces.flatMap(trace => trace.spans)
  const have = (test: (data: JsonObject, span: Span) => boolean): number =>
    spans.filter(span => test(span.attributes.ag.data as JsonObject, span)).length
  const { prompt, completion, errors, microdollars } = sumsOf(traces)
  const cells = [
    packages,
    spans.length,
    have(({ inputs }) => inputs !== undefined),
    have(({ outputs }) => outputs !== undefined),
    have((_, span) => modelOf(span) !== undefined),
    `${prompt} + ${completion}`,
    microdollars,
    allValues(traces, 'session_id').length > 0 ? 'yes' : '–',
    allValues(traces, 'user_id').length > 0 ? 'yes' : '–',
    errors,
  ]
  return `| ${cells.join(' | ')} |`
}

function modelOf(span: Span): Json | undefined {
  const { meta } = span.attributes.ag
  const nameIn = (part: Json | undefined): Json | undefined => (isJsonObject(part) ? part.model : undefined)
  return isJsonObject(meta) ? (nameIn(meta.response) ?? nameIn(meta.request)) : undefined
}

/** A line for each span, indented by its depth: name, type, model, tokens and errors, totals if they differ. */
function linesOf({ span, spans }: TreeNode<Span>, totals: ReadonlyMap<string, Derived>, depth: number): string[] {
  const { cumulative } = totals.get(span.span_id) as Derived
  const { data } = span.attributes.ag as { data: JsonObject }
  const said = [
    span.span_type,
    modelOf(span),
    data.inputs !== undefined && `in {${Object.keys(data.inputs as JsonObject).join(', ')}}`,
    data.outputs !== undefined && `out ${shapeOf(data.outputs)}`,
    cumulative[TOKENS] !== 0n && `tokens ${Number(cumulative[TOKENS]) / 1e3}`,
    cumulative[ERRORS] !== 0n && `errors ${Number(cumulative[ERRORS]) / 1e3}`,
  ].filter(Boolean)
  const line = `${'  '.repeat(depth)}${span.span_name}: ${said.join('; ')}`
  return [line, ...[...(spans?.values() ?? [])].flat().flatMap(child => linesOf(child, totals, depth + 1))]
}

function shapeOf(outputs: Json): string {
  if (isJsonObject(outputs)) return `{${Object.keys(outputs).join(', ')}}`
  return Array.isArray(outputs) ? 'list' : typeof outputs
}

function outlineOf(fixture: string): string {
  const lines = recordedTraces(fixture).flatMap(({ spans, totals }) =>
    [...nestSpans(spans).values()].flat().flatMap(node => linesOf(node, totals, 0)),
  )
  return `## ${fixture}\n\n    ${lines.join('\n    ')}\n`
}

/** The documentation of what is recognised of each client, from the recordings. */
export function documentation(): string {
  return `# Clients

What Spanhouse recognises of the traces that these packages send, each recorded with a model server that always gives the
same answer. How many spans there are, and how many of them have inputs, outputs and a model; the totals of prompt and
completion tokens and of costs in millionths of a US dollar; whether a session and a user are known; the errors. Written
by \`node test/clients/outline.ts\` from the recordings in \`packages/otlp/fixtures\`; a test compares the two.

| Packages | Spans | Inputs | Outputs | Model | Tokens | Costs | Session | User | Errors |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${CLIENTS.map(rowOf).join('\n')}

The traces, one line for each span: its name, type and model, the members of its inputs and outputs, and the tokens and
errors of the span with everything below it.

${CLIENTS.map(({ fixture }) => outlineOf(fixture)).join('\n')}`
}

if (import.meta.main) writeFileSync(DOCUMENT, documentation())
