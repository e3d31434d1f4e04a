import type { Json, JsonObject } from '@spanhouse/model'
import { invalid } from '@spanhouse/model'
import { afterEach, expect, test, vi } from 'vitest'
import type { Handler } from '../handler.ts'
import { type Run, RunError, type RunEvent } from '../index.ts'
import { type InvokeOptions, invoke, type RunContext } from './invoke.ts'
import { OUTPUT_BYTES_MAX, RUN_MS_MAX, STREAM_SILENT_MS_MAX } from './limits.ts'
import type { RunRequest } from './run-request.ts'
import type { RunSpan, SpanStart } from './run-trace.ts'

afterEach(() => void vi.useRealTimers())

const handlerOf = (run: Handler['run'], more: Partial<Handler> = {}): Handler => ({
  key: 'probe',
  kind: 'builtin',
  roles: ['evaluator'],
  run,
  ...more,
})

const requestOf = ({
  labels,
  ...more
}: Partial<Omit<RunRequest, 'labels'>> & { labels?: object } = {}): RunRequest => ({
  parameters: {},
  revision: {},
  flags: {},
  isStreamed: false,
  ...more,
  labels: { references: {}, links: {}, baggage: {}, ...labels },
})

/** Runs to the end and returns what became of it: the answer, the spans, the events and the defects. */
async function ran(handler: Handler, request: RunRequest, more: Partial<InvokeOptions> = {}) {
  const seen = { spans: [] as RunSpan[], events: [] as RunEvent[], defects: [] as unknown[], traces: 0 }
  const invocation = invoke(handler, request, {
    openMeans: () => ({}) as never,
    record: async spans => {
      seen.traces++
      seen.spans = spans
    },
    signal: new AbortController().signal,
    onEvent: event => seen.events.push(event),
    onDefect: error => seen.defects.push(error),
    ...more,
  })
  const { recorded, ...result } = await invocation.result
  await recorded
  expect(seen.traces).toBe(more.record ? 0 : 1)
  const ag = seen.spans[0]?.attributes.ag as Record<string, any> | undefined
  return { ...invocation, ...result, ...seen, root: seen.spans[0], ag }
}

test('a run answers, and leaves a root span with everything it was given', async () => {
  const handler = handlerOf(({ inputs }) => ({ got: inputs?.a ?? null }))
  const request = requestOf({
    parameters: { p: 1 },
    inputs: { a: 'x' },
    outputs: 'y',
    sessionId: 's-1',
    flags: { is_mine: true, trim: true },
    labels: {
      references: { evaluator: { slug: 'e' } },
      selector: { key: 'k' },
      links: { invocation: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) } },
      tags: { t: 'u' },
      meta: { m: 1 },
      baggage: { 'ag.user.id': 'me', 'ag.type.trace': 'unknown', 'ag.references.evaluator.slug': 'other' },
    },
  })
  const { status, outputs, root, ag, trace_id, span_id } = await ran(handler, request)
  expect([status, outputs]).toEqual([{ code: 200, message: 'Success' }, { got: 'x' }])
  expect(root).toMatchObject({
    trace_id,
    span_id,
    span_name: 'probe_v0',
    span_kind: 'SPAN_KIND_SERVER',
    status_code: 'STATUS_CODE_OK',
    links: [{ trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), attributes: { key: 'invocation' } }],
  })
  expect(Object.keys(root?.attributes ?? {}).toSorted()).toEqual(['ag', 'ag.user.id'])
  expect(ag).toEqual({
    session: { id: 's-1' },
    references: { evaluator: { slug: 'e' } },
    selector: { key: 'k' },
    type: { trace: 'annotation', span: 'workflow' },
    flags: { is_mine: true, is_evaluator: true },
    tags: { t: 'u' },
    meta: { m: 1 },
    data: {
      inputs: { parameters: { p: 1 }, inputs: { a: 'x' }, outputs: 'y' },
      parameters: { p: 1 },
      outputs: { got: 'x' },
    },
  })
})

test.each<[string, Handler['roles'], object, string]>([
  ['an evaluator', ['evaluator'], {}, 'annotation'],
  ['an application', ['application'], {}, 'invocation'],
  ['a linked application', ['application'], { links: true }, 'annotation'],
  [
    'both, referred to as an evaluator',
    ['application', 'evaluator'],
    { reference: 'evaluator_revision' },
    'annotation',
  ],
  [
    'both, linked, referred to as an application',
    ['application', 'evaluator'],
    { reference: 'application', links: true },
    'invocation',
  ],
  ['both, linked', ['application', 'evaluator'], { links: true }, 'annotation'],
  ['both, and nothing said', ['application', 'evaluator'], {}, 'invocation'],
])('the trace of %s', async (_what, roles, { links, reference }: { links?: boolean; reference?: string }, type) => {
  const labels = {
    references: reference ? { [reference]: { slug: 's' } } : {},
    links: links ? { invocation: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) } } : {},
  }
  const { ag } = await ran(
    handlerOf(() => 1, { roles }),
    requestOf({ labels }),
  )
  expect(ag?.type.trace).toBe(type)
})

test("a run inside a caller's trace does not say what that trace is", async () => {
  const parent = { trace_id: 'c'.repeat(32), span_id: 'd'.repeat(16) }
  const { ag } = await ran(
    handlerOf(() => 1),
    requestOf({ parent }),
  )
  expect(ag?.type).toEqual({ span: 'workflow' })
  expect(ag?.flags).toEqual({ is_evaluator: true })
})

test.each<[Partial<RunRequest>, JsonObject | undefined]>([
  [{}, undefined],
  [{ inputs: { a: 1 } }, { a: 1 }],
  [{ inputs: { inputs: { a: 1 } } }, { a: 1 }],
  [{ inputs: { inputs: { inputs: { a: 1 } } } }, { inputs: { a: 1 } }],
  [{ inputs: { inputs: { a: 1 }, messages: [] } }, { a: 1, messages: [] }],
  [{ inputs: { inputs: { a: 1 }, b: 2 } }, { inputs: { a: 1 }, b: 2 }],
  [{ inputs: { inputs: 3 } }, { inputs: 3 }],
  [
    { inputs: { a: 1 }, messages: [{ role: 'user' }] },
    { a: 1, messages: [{ role: 'user' }] },
  ],
  [{ inputs: { messages: [] }, messages: [{ role: 'user' }] }, { messages: [] }],
  [{ messages: [{ role: 'user' }] }, { messages: [{ role: 'user' }] }],
])('the inputs of %j', async (given, expected) => {
  let seen: Run | undefined
  await ran(
    handlerOf(run => {
      seen = run
      return null
    }),
    requestOf(given),
  )
  expect(seen?.inputs).toEqual(expected)
})

test('a chat shows its history beside the other inputs', async () => {
  const handler = handlerOf(() => 1, { key: 'chat', roles: ['application'] })
  const { ag, root } = await ran(handler, requestOf({ inputs: { a: 1 }, messages: [{ role: 'user' }] }))
  expect(ag?.data.inputs).toEqual({ inputs: { a: 1 }, messages: [{ role: 'user' }] })
  expect([root?.span_name, ag?.flags]).toEqual(['chat_v0', { is_application: true, is_chat: true }])
})

test('the judged trace is linked and not repeated', async () => {
  const trace = { trace_id: 'c'.repeat(32), spans: { r: { span_id: 'd'.repeat(16), attributes: { big: 'x' } } } }
  const { root } = await ran(
    handlerOf(() => 1),
    requestOf({ trace }),
  )
  expect(root?.links).toEqual([{ trace_id: 'c'.repeat(32), span_id: 'd'.repeat(16), attributes: { key: 'trace' } }])
  expect(JSON.stringify(root)).not.toContain('big')
  const links = { invocation: { trace_id: 'c'.repeat(32), span_id: 'e'.repeat(16) } }
  const again = await ran(
    handlerOf(() => 1),
    requestOf({ trace, labels: { links } }),
  )
  expect(again.root?.links).toHaveLength(1)
})

const FAILED_CALL = 'v0:workflows:prompt-completion-error'

test.each<[string, () => unknown, object]>([
  [
    'a RunError',
    () => new RunError(400, 'v0:schemas:missing-input', 'Missing'),
    { code: 400, fragment: 'v0:schemas:missing-input', message: 'Missing' },
  ],
  [
    "a provider's 401",
    () => new RunError(401, FAILED_CALL, 'no', { providerStatus: 401 }),
    { code: 424, message: 'no' },
  ],
  [
    "a provider's 429",
    () => new RunError(429, FAILED_CALL, 'slow', { providerStatus: 429, retryAfterSeconds: 7 }),
    { code: 429, retryAfterSeconds: 7 },
  ],
  [
    'a Problem',
    () => invalid('wrong'),
    { code: 400, message: 'wrong', fragment: 'v1:sdk:unknown-workflow-invoke-error' },
  ],
  ['a defect', () => new TypeError('secret text'), { code: 500, fragment: 'v1:sdk:unknown-workflow-invoke-error' }],
  ['no error at all', () => 'secret text', { code: 500 }],
])('%s becomes a status and an exception of the root', async (_what, make, expected) => {
  const thrown = make()
  const handler = handlerOf(() => {
    throw thrown
  })
  const { status, outputs, root, ag, defects } = await ran(handler, requestOf())
  expect(status).toMatchObject(expected)
  expect(JSON.stringify([status, root])).not.toContain('secret text')
  expect([outputs, ag?.data.outputs]).toEqual([undefined, undefined])
  expect(root).toMatchObject({
    status_code: 'STATUS_CODE_ERROR',
    status_message: status.message,
    events: [
      { name: 'exception', attributes: { 'exception.type': status.fragment, 'exception.message': status.message } },
    ],
  })
  expect(defects).toEqual(status.code === 500 ? [thrown] : [])
})

test('calls are spans below the root, with what they were and cost, failed ones too', async () => {
  const handler = handlerOf(async ({ means }) => means as unknown as Json)
  const openMeans = ({ trace }: RunContext) =>
    (async () => {
      const start: SpanStart = { name: 'llm.chat', type: 'chat', kind: 'SPAN_KIND_CLIENT', inputs: { prompt: [] } }
      await trace
        .during(start, async () => {
          throw new RunError(503, 'v0:workflows:prompt-completion-error', 'down')
        })
        .catch(() => {})
      return trace.during(start, async notes => {
        notes.outputs = { completion: [] }
        notes.tokens = { total: 3 }
        notes.meta = { response: { model: 'm' } }
        return 'answer'
      })
    })() as never
  const request = requestOf({ labels: { references: { evaluator: { slug: 'e' } } } })
  const { spans, span_id, trace_id, outputs } = await ran(handler, request, { openMeans })
  expect(outputs).toBe('answer')
  expect(spans).toHaveLength(3)
  for (const child of spans.slice(1)) {
    expect(child).toMatchObject({ trace_id, parent_id: span_id, span_name: 'llm.chat', span_kind: 'SPAN_KIND_CLIENT' })
    expect(child.attributes.ag).toMatchObject({ references: { evaluator: { slug: 'e' } }, type: { span: 'chat' } })
  }
  const [, failed, answered] = spans
  expect(failed).toMatchObject({ status_code: 'STATUS_CODE_ERROR', events: [{ name: 'exception' }] })
  expect(answered?.attributes.ag).toMatchObject({
    data: { inputs: { prompt: [] }, outputs: { completion: [] } },
    metrics: { tokens: { incremental: { total: 3 } } },
    meta: { response: { model: 'm' } },
  })
})

test("the caller's trace goes on", async () => {
  const parent = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) }
  const { root, ag, trace_id } = await ran(
    handlerOf(() => 1),
    requestOf({ parent, parameters: { p: 1 } }),
  )
  expect([trace_id, root?.trace_id, root?.parent_id]).toEqual([parent.trace_id, parent.trace_id, parent.span_id])
  expect(ag?.data.parameters).toEqual({ p: 1 })
})

test('a run that does not end is ended', async () => {
  vi.useFakeTimers()
  const hanging = handlerOf(() => new Promise<never>(() => {}))
  const running = ran(hanging, requestOf())
  await vi.advanceTimersByTimeAsync(RUN_MS_MAX)
  const { status, root } = await running
  expect(status).toMatchObject({ code: 504, message: 'The run took longer than 60 s.' })
  expect(root?.status_code).toBe('STATUS_CODE_ERROR')
})

test('a run that is ended while it waits says for what', async () => {
  vi.useFakeTimers()
  const openMeans = ({ wait }: RunContext) => ({ evaluate: async () => wait('It waited for a turn.') }) as never
  const waiting = handlerOf(async ({ means }) => {
    await means.evaluate({} as never)
    return new Promise<never>(() => {})
  })
  const running = ran(waiting, requestOf(), { openMeans })
  await vi.advanceTimersByTimeAsync(RUN_MS_MAX)
  const { status } = await running
  expect(status.message).toBe('The run took longer than 60 s. It waited for a turn.')
})

test('a stream may take longer, as long as it says something', async () => {
  vi.useFakeTimers()
  const handler = handlerOf(async ({ emit }) => {
    for (let n = 0; n < 4; n++) {
      await new Promise(resolve => setTimeout(resolve, STREAM_SILENT_MS_MAX - 1))
      emit({ type: 'message', data: { text: String(n) } })
    }
    return new Promise<never>(() => {})
  })
  const running = ran(handler, requestOf({ isStreamed: true }))
  await vi.advanceTimersByTimeAsync(5 * STREAM_SILENT_MS_MAX)
  const { status, events } = await running
  expect(status).toMatchObject({ code: 504, message: 'The run produced no output for 60 s.' })
  expect(events.map(event => event.type)).toEqual([...Array(4).fill('message'), 'error'])
})

test('when the caller goes away the run ends, and its trace says so', async () => {
  const caller = new AbortController()
  let heard: AbortSignal | undefined
  const handler = handlerOf(({ signal }) => {
    heard = signal
    return new Promise<never>(() => {})
  })
  const running = ran(handler, requestOf(), { signal: caller.signal })
  await new Promise(resolve => setTimeout(resolve))
  caller.abort()
  const { root } = await running
  expect(heard?.aborted).toBe(true)
  expect(root).toMatchObject({
    status_code: 'STATUS_CODE_ERROR',
    status_message: expect.stringContaining('disconnected'),
  })
})

test('a call that goes on after the end of its run has failed with it', async () => {
  const caller = new AbortController()
  const start: SpanStart = { name: 'llm.chat', type: 'chat', kind: 'SPAN_KIND_CLIENT', inputs: { prompt: [] } }
  const openMeans = ({ trace }: RunContext) => trace.during(start, () => new Promise<never>(() => {})) as never
  const handler = handlerOf(({ means }) => means as unknown as Promise<Json>)
  const running = ran(handler, requestOf(), { signal: caller.signal, openMeans })
  await new Promise(resolve => setTimeout(resolve))
  caller.abort()
  const { spans } = await running
  expect(spans).toHaveLength(2)
  expect(spans[1]).toMatchObject({ status_code: 'STATUS_CODE_ERROR', events: [{ name: 'exception' }] })
  expect(spans[1]?.attributes.ag).toMatchObject({ data: { inputs: { prompt: [] } } })
})

test('outputs have a limit', async () => {
  const { status, root } = await ran(
    handlerOf(() => 'x'.repeat(OUTPUT_BYTES_MAX)),
    requestOf(),
  )
  expect(status).toMatchObject({ code: 400, message: expect.stringContaining(String(OUTPUT_BYTES_MAX)) })
  expect(root?.status_code).toBe('STATUS_CODE_ERROR')
  const largest = await ran(
    handlerOf(() => 'x'.repeat(OUTPUT_BYTES_MAX - 2)),
    requestOf(),
  )
  expect(largest.status.code).toBe(200)
})

test('what cannot be stored is left out of the trace, which says so', async () => {
  let deep: Json = 1
  for (let n = 0; n < 1_000; n++) deep = [deep]
  const { status, ag } = await ran(
    handlerOf(() => 1),
    requestOf({ inputs: { deep } }),
  )
  expect(status.code).toBe(200)
  expect(ag?.data).toEqual({ parameters: {}, outputs: 1 })
  expect(ag?.meta.omitted.inputs).toContain('nested')
})

test('a failure to record fails nothing', async () => {
  const failing = { record: async () => Promise.reject(new Error('full')) }
  const { status, defects } = await ran(
    handlerOf(() => 1),
    requestOf(),
    failing,
  )
  expect([status.code, defects]).toEqual([200, [new Error('full')]])
})

test('nobody who did not ask for a stream is told anything; a stream ends with done, once', async () => {
  const handler = handlerOf(({ emit }) => {
    emit({ type: 'message', data: { text: 'hi' } })
    return 1
  })
  expect((await ran(handler, requestOf())).events).toEqual([])
  const { events, trace_id } = await ran(handler, requestOf({ isStreamed: true }))
  expect(events).toEqual([
    { type: 'message', data: { text: 'hi' } },
    { type: 'done', data: { stopReason: 'stop', traceId: trace_id } },
  ])
  const silent = await ran(
    handlerOf(() => 1),
    requestOf({ isStreamed: true }),
  )
  expect(silent.events).toEqual([])
})

test('a handler that cannot be run says so', async () => {
  expect((await ran(handlerOf(undefined), requestOf())).status).toMatchObject({ code: 400 })
})

test('a session id is made where none is given', async () => {
  const { session_id, ag } = await ran(
    handlerOf(() => 1),
    requestOf(),
  )
  expect(session_id).toMatch(/^[0-9a-f]{32}$/)
  expect(ag?.session.id).toBe(session_id)
})
