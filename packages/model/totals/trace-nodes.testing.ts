import fc from 'fast-check'
import { AMOUNTS } from './amounts.ts'
import type { TraceNode } from './trace-node.ts'

/** A span of which nothing else is known. */
export const plainNode = (span: Pick<TraceNode, 'span_id' | 'parent_id' | 'start_time' | 'own'>): TraceNode => ({
  ...span,
  claimed: null,
  declared_trace_type: null,
  is_trace_type_explicit: false,
  repeats_usage: false,
  is_call: false,
  is_step: false,
  call: null,
  failure: null,
  session_id: '',
  user_id: '',
})

const amounts = fc.oneof(
  fc.constant(AMOUNTS.map(() => 0n)),
  // Few and small, so that some are sums of others.
  fc.tuple(...AMOUNTS.map(() => fc.bigInt({ min: 0n, max: 2n }))),
  fc.tuple(...AMOUNTS.map(() => fc.bigInt({ min: -5n, max: 1000n }))),
)
const actor = fc.constantFrom('', '', '', 'ada', 'bo', null)
const id = fc.integer({ min: 1, max: 12 }).map(n => n.toString(16).padStart(16, '0'))

/**
 * A span of a small trace: few ids and few times, so that parents are found, missing, their own, and in cycles, and
 * starts tie.
 */
export const drawnNode: fc.Arbitrary<TraceNode> = fc
  .record({
    span_id: id,
    parent_id: fc.option(id, { freq: 4 }),
    start_time: fc.integer({ min: 0, max: 3 }),
    own: amounts,
    claimed: fc.option(amounts),
    declared_trace_type: fc.constantFrom(null, null, 'annotation', 'invocation', 'unknown'),
    is_trace_type_explicit: fc.boolean(),
    repeats_usage: fc.boolean(),
    kind: fc.constantFrom('call', 'call', 'step', 'other'),
    models: fc.constantFrom([], [], ['a'], ['b'], ['a', 'b']),
    source: fc.constantFrom('', 'one', 'two'),
    duration: fc.integer({ min: 0, max: 3 }),
    session_id: actor,
    user_id: actor,
    failure: fc.constantFrom(
      null,
      { type: 'A', message: '' },
      { type: 'A', message: 'no such city' },
      { type: 'B', message: 'the tool failed: no such city' },
      { type: 'B', message: 'short' },
    ),
  })
  .map(({ kind, models, source, duration, failure, ...one }) => ({
    ...one,
    failure: one.own[0] === 0n ? null : failure,
    is_call: kind === 'call',
    is_step: kind === 'step',
    call:
      kind === 'call' && one.own.slice(1, 4).some(Boolean)
        ? { models, source, end_time: one.start_time + duration }
        : null,
    // What a span only suggests is always an annotation.
    declared_trace_type:
      one.declared_trace_type && !one.is_trace_type_explicit ? 'annotation' : one.declared_trace_type,
  }))
