import { byStartThenId, type LinkedSpan } from './cycles.ts'

/**
 * The first of some spans of a trace, by start and id, or the last one, while spans are added and removed. Only when it
 * is removed itself and none that replaces it is as far, the others are searched.
 */
export class Extreme<N extends LinkedSpan> {
  readonly #sign: 1 | -1
  readonly #includes: (node: N) => boolean
  #node: N | undefined
  /** Set after `#node` was removed: no other is further. */
  #bound: N | undefined

  constructor(which: 'first' | 'last', includes: (node: N) => boolean) {
    this.#sign = which === 'first' ? 1 : -1
    this.#includes = includes
  }

  add(node: N): void {
    if (!this.#includes(node)) return
    const far = this.#node ?? this.#bound
    if (far && this.#sign * byStartThenId(node, far) > 0) return
    this.#node = node
    this.#bound = undefined
  }

  remove(node: N): void {
    if (this.#node?.span_id !== node.span_id) return
    this.#bound = this.#node
    this.#node = undefined
  }

  /** `all`: the spans that were added and not removed, and any others of the trace. */
  among(all: Iterable<N>): N | undefined {
    if (!this.#bound) return this.#node
    this.#bound = undefined
    for (const node of all) this.add(node)
    return this.#node
  }
}
