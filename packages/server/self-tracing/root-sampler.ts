import type { Attributes, Context, SpanKind } from '@opentelemetry/api'
import { type Sampler, SamplingDecision, type SamplingResult } from '@opentelemetry/sdk-trace-node'
import { PROJECT_ATTRIBUTE } from '@spanhouse/telemetry'

/** Traces that a process records in a second, however many requests it serves. */
export const TRACES_PER_SECOND_MAX = 20

/**
 * Decides at its root whether a trace is recorded: the first ones of each second are. Nothing that is done for the
 * project of these traces is recorded, so that looking at them or evaluating them makes no more of them.
 */
export class RootSampler implements Sampler {
  readonly #ownProject: string
  readonly #onSkipped: () => void
  readonly #now: () => number
  #second = 0
  #begun = 0

  constructor(ownProject: string, onSkipped: () => void, now = Date.now) {
    this.#ownProject = ownProject
    this.#onSkipped = onSkipped
    this.#now = now
  }

  shouldSample(
    _context: Context,
    _traceId: string,
    _name: string,
    _kind: SpanKind,
    attributes: Attributes,
  ): SamplingResult {
    if (attributes[PROJECT_ATTRIBUTE] === this.#ownProject) return { decision: SamplingDecision.NOT_RECORD }
    const second = Math.floor(this.#now() / 1_000)
    if (second !== this.#second) {
      this.#second = second
      this.#begun = 0
    }
    if (++this.#begun <= TRACES_PER_SECOND_MAX) return { decision: SamplingDecision.RECORD_AND_SAMPLED }
    this.#onSkipped()
    return { decision: SamplingDecision.NOT_RECORD }
  }

  toString(): string {
    return `RootSampler{${TRACES_PER_SECOND_MAX}/s}`
  }
}
