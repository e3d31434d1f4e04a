import type { Derived, Micros, SpanId, TraceId, TraceNode, Uuid } from '@spanhouse/model'

/** When and from whom a version came. Spans of one message share one object: there is one of these to many of those. */
export interface Version {
  readonly accepted_at: Micros
  readonly created_at: Micros
  readonly created_by_id: Uuid
}

/** What the writer keeps of a stored span: enough to recognise it again and to sum up its trace. */
export interface StoredNode extends TraceNode {
  /** As it stands in the store. */
  derived: Derived
  /** Eight characters, one for each byte. */
  readonly content_hash: string
  version: Version
}

/** Which trace is meant: two projects may have the same trace id. */
export interface TracePlace {
  readonly project_id: Uuid
  readonly trace_id: TraceId
}

/** The skeleton of one trace, exactly as stored. */
export interface TraceState extends TracePlace {
  nodes: Map<SpanId, StoredNode>
  /** Given up waiting for a root: the earliest span stands for the trace. */
  isRootless: boolean
  /** What was accepted up to then was deleted; 0: nothing was. */
  deleted_at: Micros
}

export const traceKey = (project_id: Uuid, trace_id: TraceId): string => `${project_id}${trace_id}`

/**
 * The traces that were written lately, at most `spansMax` spans of them or one trace that is larger alone; the longest
 * untouched go first. What is not here may still be stored: the writer then asks the store. So a trace that was never
 * kept would be read again from the store for each batch that adds to it.
 */
export class TraceMemory {
  /** With the number of spans that each was counted with: a trace grows while it is here. */
  readonly #traces = new Map<string, { trace: TraceState; counted: number }>()
  readonly #spansMax: number
  #spans = 0

  constructor(spansMax: number) {
    this.#spansMax = spansMax
  }

  get spans(): number {
    return this.#spans
  }

  get(key: string): TraceState | undefined {
    return this.#traces.get(key)?.trace
  }

  /** Keeps the trace in its new state as the one touched last. */
  put(key: string, trace: TraceState): void {
    this.forget(key)
    const counted = trace.nodes.size
    this.#traces.set(key, { trace, counted })
    this.#spans += counted
    for (const oldest of this.#traces.keys()) {
      if (this.#spans <= this.#spansMax || oldest === key) return
      this.forget(oldest)
    }
  }

  forget(key: string): void {
    const kept = this.#traces.get(key)
    if (!kept) return
    this.#traces.delete(key)
    this.#spans -= kept.counted
  }
}
