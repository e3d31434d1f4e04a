import { tagsOf } from '../canonical/messages.ts'

/** Byte ranges of an export: start, end, start, end, and so on. */
export type Stretches = number[]

/** The content of a `ResourceSpans` or `ScopeSpans` apart from its members: resource or scope, schema URL. */
export interface GroupOutline {
  rest: Stretches
}
export interface ScopeOutline extends GroupOutline {
  resource: GroupOutline
}

/** The position of one span: its bytes including tag and length, and the scope it belongs to. */
export interface SpanOutline {
  start: number
  end: number
  scope: ScopeOutline
}

/** A message to write: ranges to copy, then messages in one field. */
interface Cut {
  stretches: Stretches
  inner: Cut[]
  innerTag: number
  bytes: number
}

const RESOURCE_SPANS_TAG = tagsOf('TracesData').resourceSpans
const SCOPE_SPANS_TAG = tagsOf('ResourceSpans').scopeSpans

/**
 * A `TracesData` of only the given spans, in their order. No span is re-encoded: bytes are copied from the export,
 * resource and scope are repeated, and only the length prefixes around them are new.
 */
export function cutTraces(bytes: Uint8Array, spans: readonly SpanOutline[]): Uint8Array {
  const traces = treeOf(spans)
  measure(traces)
  const target = new Uint8Array(traces.bytes)
  write(traces, bytes, target, 0)
  return target
}

function treeOf(spans: readonly SpanOutline[]): Cut {
  const traces: Cut = { stretches: [], inner: [], innerTag: RESOURCE_SPANS_TAG, bytes: 0 }
  let resource = traces
  let scope = traces
  let last: SpanOutline | undefined
  for (const span of spans) {
    if (span.scope.resource !== last?.scope.resource) resource = open(traces, span.scope.resource, SCOPE_SPANS_TAG)
    if (span.scope !== last?.scope) scope = open(resource, span.scope, 0)
    append(scope.stretches, span.start, span.end)
    last = span
  }
  return traces
}

function open(parent: Cut, { rest }: GroupOutline, innerTag: number): Cut {
  const cut = { stretches: [...rest], inner: [], innerTag, bytes: 0 }
  parent.inner.push(cut)
  return cut
}

/** Adjacent ranges become one. */
export function append(stretches: Stretches, start: number, end: number): void {
  if (stretches.at(-1) === start) stretches[stretches.length - 1] = end
  else stretches.push(start, end)
}

export function bytesIn(stretches: Stretches): number {
  let bytes = 0
  for (let at = 0; at < stretches.length; at += 2) bytes += (stretches[at + 1] as number) - (stretches[at] as number)
  return bytes
}

function measure(cut: Cut): void {
  cut.bytes = bytesIn(cut.stretches)
  for (const inner of cut.inner) {
    measure(inner)
    cut.bytes += 1 + varintBytes(inner.bytes) + inner.bytes
  }
}

function write(cut: Cut, source: Uint8Array, target: Uint8Array, position: number): number {
  let at = position
  for (let index = 0; index < cut.stretches.length; index += 2) {
    const stretch = source.subarray(cut.stretches[index], cut.stretches[index + 1])
    target.set(stretch, at)
    at += stretch.length
  }
  for (const inner of cut.inner) {
    target[at] = cut.innerTag
    at = write(inner, source, target, writeVarint(inner.bytes, target, at + 1))
  }
  return at
}

function varintBytes(value: number): number {
  let count = 1
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) count++
  return count
}

function writeVarint(value: number, target: Uint8Array, position: number): number {
  let at = position
  let rest = value
  for (; rest > 127; rest >>>= 7) target[at++] = (rest & 127) | 128
  target[at] = rest
  return at + 1
}
