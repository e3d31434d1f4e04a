import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { type Browser, chromium, type Page } from 'playwright-core'
import { exportOf, newTraceId, type OtlpSpan, otlpSpan } from '../test/otlp.ts'
import { measureTyping } from './web-typing.ts'

const RUNS = 7
const SPANS_PER_EXPORT = 2_000

/** What a person at a browser waits for, in milliseconds: medians of new visits with an empty cache. */
export async function benchWeb(): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-web-'))
  const server = await startServerProcess({ dataDir })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  try {
    const large = await storeTrace(server, 10_000)
    const list = `${server.url}/w/traces#key=${server.apiKey}`
    const trace = `${server.url}/w/traces/${large}?view=tree#key=${server.apiKey}`
    return {
      firstLoad: { goalMs: 1_000, ...(await measure(browser, list, '[data-row="0"]')) },
      traceOf10000: { goalMs: 500, ...(await measure(browser, trace, '[role="treeitem"]')) },
      typing: await measureTyping(browser, server),
    }
  } finally {
    await browser.close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function storeTrace({ url, apiKey }: { url: string; apiKey: string }, count: number): Promise<string> {
  const traceId = newTraceId()
  const began = BigInt(Date.now() - 60_000) * 1_000_000n
  const headers = { authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' }
  const spans: OtlpSpan[] = []
  for (let index = 0; index < count; index++) {
    const parent = spans[Math.floor((index - 1) / 8)]
    const start = began + BigInt(index) * 1_000_000n
    const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 5_000_000n) }
    spans.push(otlpSpan({ traceId, name: `step ${index}`, ...times, ...(parent && { parentSpanId: parent.spanId }) }))
  }
  for (let at = 0; at < count; at += SPANS_PER_EXPORT) {
    const body = JSON.stringify(exportOf(...spans.slice(at, at + SPANS_PER_EXPORT)))
    await fetch(`${url}/api/otlp/v1/traces`, { method: 'POST', headers, body })
  }
  for (;;) {
    const answer = await fetch(`${url}/api/traces/${traceId}/skeleton?limit=1`, { headers })
    if (((await answer.json()) as { total: number }).total === count) return traceId
    await delay(200)
  }
}

async function measure(browser: Browser, address: string, shows: string): Promise<object> {
  const runs: { rowsMs: number; lcpMs: number; bytes: number }[] = []
  for (let run = 0; run < RUNS; run++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(address, { waitUntil: 'commit' })
    await page.locator(shows).first().waitFor()
    runs.push(await figuresOf(page))
    await context.close()
  }
  const median = (of: 'rowsMs' | 'lcpMs' | 'bytes'): number =>
    Math.round(runs.map(run => run[of]).toSorted((one, other) => one - other)[RUNS >> 1] as number)
  return { rowsMs: median('rowsMs'), lcpMs: median('lcpMs'), bytes: median('bytes'), runs: RUNS }
}

/** Text of a script, because the types of a browser are not those of this program. */
const figuresOf = (page: Page): Promise<{ rowsMs: number; lcpMs: number; bytes: number }> =>
  page.evaluate(`new Promise(resolve => {
    const rowsMs = performance.now()
    const bytes = performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0)
    new PerformanceObserver(list => resolve({ rowsMs, bytes, lcpMs: list.getEntries().at(-1).startTime }))
      .observe({ type: 'largest-contentful-paint', buffered: true })
  })`)
