import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { type Export, encodeExport, fixed64, int, makeExport, text } from './exports.ts'
import { sendAll, untilWritten, writtenOf } from './load.ts'
import { quantile } from './measured.ts'

const SPANS_PER_EXPORT = 500
/** Children of one step. */
const STEP_SPANS = 100
const TENTHS = 10
const PAUSE_MS = 500
const TRACE_ID = createHash('sha256').update('large').digest().subarray(0, 16)
const START_MS = Date.UTC(2026, 10, 1)
const SEED = 41
const TOKENS_PER_CALL = 7

/**
 * One trace of N spans, whose root comes last: what each tenth of it costs, and the time from the answer to an
 * export of another trace until a query returns its span, alone and meanwhile.
 */
export async function benchLargeTrace({ spans }: { spans: number }): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-large-'))
  const server = await startServerProcess({ dataDir })
  try {
    await sendAll(server, [makeExport(SEED, 0, START_MS)], { concurrency: 1 })
    const alone = await lagsOf(server, 1, delay(20 * PAUSE_MS))
    const sending = ingest(server, spans)
    const meanwhile = await lagsOf(server, 1_000, sending)
    const tenths = await sending
    return { spans, tenths, lagMs: { alone, meanwhile }, ...(await readBack(server, spans)) }
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function ingest(server: ServerProcess, spans: number): Promise<object[]> {
  const tenths: object[] = []
  for (let tenth = 0; tenth < TENTHS; tenth++) {
    const [from, to] = [(spans * tenth) / TENTHS, (spans * (tenth + 1)) / TENTHS]
    const [started, cpuBefore] = [performance.now(), await server.cpuSeconds()]
    const before = await writtenOf(server)
    await sendAll(server, exportsOf(from, to, spans), { concurrency: 2 })
    // The neighbour's spans are counted, too, so this is early by a few.
    await untilWritten(server, before + (to - from))
    const cpu = (await server.cpuSeconds()) - cpuBefore
    tenths.push({
      cpuMicrosPerSpan: Math.round((cpu / (to - from)) * 1e6),
      spansPerSecond: Math.round(((to - from) / (performance.now() - started)) * 1000),
    })
    process.stderr.write(`${to} of ${spans}: ${JSON.stringify(tenths.at(-1))}\n`)
  }
  return tenths
}

const idOf = (at: number): Buffer => createHash('sha1').update(`large/${at}`).digest().subarray(0, 8)

/** Steps after their children, the root last: it has the number `spans - 1`. */
function* exportsOf(from: number, to: number, spans: number): Generator<Export> {
  for (let first = from; first < to; first += SPANS_PER_EXPORT) {
    const count = Math.min(SPANS_PER_EXPORT, to - first)
    yield encodeExport(
      'bench',
      Array.from({ length: count }, (_, at) => spanOf(first + at, spans)),
    )
  }
}

const isStep = (at: number): boolean => at % STEP_SPANS === STEP_SPANS - 1

function spanOf(at: number, spans: number): object {
  const root = spans - 1
  const step = Math.min(root, at - (at % STEP_SPANS) + STEP_SPANS - 1)
  const parent = at === root ? undefined : isStep(at) ? root : step
  const startMs = START_MS + (at === root ? 0 : Math.floor(at / 10))
  return {
    traceId: TRACE_ID,
    spanId: idOf(at),
    ...(parent !== undefined && { parentSpanId: idOf(parent) }),
    name: at === root ? 'root' : isStep(at) ? 'step' : 'call',
    kind: 1,
    startTimeUnixNano: fixed64(BigInt(startMs) * 1_000_000n),
    endTimeUnixNano: fixed64(BigInt(startMs + 5) * 1_000_000n),
    attributes: isCall(at, spans)
      ? [text('gen_ai.operation.name', 'chat'), int('gen_ai.usage.input_tokens', TOKENS_PER_CALL)]
      : [text('ag.type.node', 'task')],
    status: { code: 1 },
  }
}

const isCall = (at: number, spans: number): boolean => at !== spans - 1 && !isStep(at)

async function lagsOf(server: ServerProcess, from: number, end: Promise<unknown>): Promise<object> {
  let isOver = false
  void end.finally(() => {
    isOver = true
  })
  const lags: number[] = []
  for (let number = from; !isOver; number++) {
    const sent = makeExport(SEED, number, START_MS)
    await sendAll(server, [sent], { concurrency: 1 })
    const started = performance.now()
    while (!(await isVisible(server, sent.sample.trace_id))) await delay(10)
    lags.push(performance.now() - started)
    await delay(PAUSE_MS)
  }
  const at = (share: number): number => Math.round(quantile(lags, share))
  return { samples: lags.length, p50: at(0.5), p95: at(0.95), max: at(1) }
}

async function isVisible({ url, apiKey }: ServerProcess, trace_id: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/traces/${trace_id}`, { headers: { authorization: `ApiKey ${apiKey}` } })
  const { count } = (await answer.json()) as { count?: number }
  return (count ?? 0) > 0
}

interface Root {
  attributes: { ag: { metrics: { tokens?: { cumulative: { total: number } } } } }
}

/** The totals of the root, which must be those of all calls, and how long its first rows take. */
async function readBack({ url, apiKey }: ServerProcess, spans: number): Promise<object> {
  const headers = { authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' }
  const calls = Array.from({ length: spans }, (_, at) => at).filter(at => isCall(at, spans)).length
  const conditions = [
    { field: 'trace_id', operator: 'is', value: TRACE_ID.toString('hex') },
    { field: 'parent_id', operator: 'is', value: null },
  ]
  const body = JSON.stringify({ filtering: { conditions } })
  const until = performance.now() + 10_000
  let total: number | undefined
  do {
    const answer = await fetch(`${url}/api/spans/query`, { method: 'POST', headers, body })
    const { spans: found } = (await answer.json()) as { spans: Root[] }
    total = found[0]?.attributes.ag.metrics.tokens?.cumulative.total
  } while (total !== calls * TOKENS_PER_CALL && performance.now() < until)
  if (total !== calls * TOKENS_PER_CALL) throw new Error(`the root has ${total} tokens of ${calls * TOKENS_PER_CALL}`)
  const started = performance.now()
  const skeleton = await fetch(`${url}/api/traces/${TRACE_ID.toString('hex')}/skeleton`, { headers })
  const bytes = (await skeleton.arrayBuffer()).byteLength
  return {
    rootTokens: total,
    skeleton: { status: skeleton.status, ms: Math.round(performance.now() - started), bytes },
  }
}
