import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { type Browser, chromium, type Page } from 'playwright-core'
import { exportOf, newTraceId, type OtlpSpan, otlpSpan } from '../../test/otlp.ts'
import { median } from '../measured.ts'
import { settled } from './settled.ts'
import { measureTyping } from './typing.ts'

const RUNS = 7
const SPANS_PER_EXPORT = 2_000

/** Characters of the longest text: an export takes at most 10 MiB. */
const TEXT_CHARACTERS = 9_000_000

/** Waiting times of a person at a browser, in milliseconds: medians of new visits with an empty cache. */
export async function benchWeb(): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-web-'))
  const server = await startServerProcess({ dataDir })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  try {
    const addressOf = (path: string): string => `${server.url}/w/${path}#key=${server.apiKey}`
    const traces = { traceOf10000: 10_000, traceOf100000: 100_000 }
    const found: Record<string, object> = {}
    for (const [name, spans] of Object.entries(traces)) {
      const address = addressOf(`traces/${await storeTrace(server, spans)}?view=tree`)
      const goalMs = spans > 10_000 ? 1_000 : 500
      found[name] = { goalMs, ...(await measure(browser, address, '[role="treeitem"]')) }
      found[`${name}Scrolled`] = {
        goals: { frameCpuMsP95: 8, longestTaskMs: 50 },
        ...(await scroll(browser, address, spans)),
      }
    }
    const text = addressOf(`traces/${await storeText(server)}?view=tree`)
    return {
      firstLoad: { goalMs: 1_000, ...(await measure(browser, addressOf('traces'), '[data-row="0"]')) },
      dashboard: { goalMs: 1_000, ...(await measure(browser, addressOf('dashboard'), 'table tbody tr')) },
      ...found,
      textOf9Mb: { goalMs: 300, clickToTextMs: await measureClick(browser, text) },
      typing: await measureTyping(browser, server),
    }
  } finally {
    await browser.close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A trace with a long output in its second span; returns when it can be read. */
async function storeText({ url, apiKey }: { url: string; apiKey: string }): Promise<string> {
  const traceId = newTraceId()
  const now = String(BigInt(Date.now()) * 1_000_000n)
  const times = { traceId, startTimeUnixNano: now, endTimeUnixNano: now }
  const root = otlpSpan({ ...times, name: 'short' })
  const text = 'lorem ipsum '.repeat(TEXT_CHARACTERS / 12)
  await sendSpans({ url, apiKey }, [
    root,
    otlpSpan({ ...times, name: 'long', parentSpanId: root.spanId }, { 'ag.data.outputs': text }),
  ])
  return traceId
}

/** From the click on a span with a long text until its text can be read: the median of new visits. */
async function measureClick(browser: Browser, address: string): Promise<number> {
  const found: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.addInitScript(`addEventListener('pointerdown', () => { globalThis.clickedAt = performance.now() }, true)
      ${noteShown(`document.body?.textContent.includes('of 9M characters')`)}`)
    await page.goto(address)
    await page.getByRole('treeitem', { name: 'long' }).click()
    found.push((await page.evaluate('shown.then(at => Math.round(at - clickedAt))')) as number)
    await context.close()
  }
  return median(found)
}

/** Scrolls a trace with the wheel for a while, then jumps to its end. */
async function scroll(browser: Browser, address: string, spans: number): Promise<object> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('treeitem').first().waitFor()
  // The whole trace is loaded when its tree is as high as all of its rows.
  const isLoaded = `document.querySelector('[role="tree"]').scrollHeight >= ${spans} * 24`
  // Not waitForFunction, which the page's policy against eval does not allow.
  while (!(await page.evaluate(isLoaded))) await delay(50)
  await page.evaluate(`globalThis.tasks = []
    new PerformanceObserver(list => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })`)
  await page.getByRole('tree').hover()
  await browser.startTracing(page, {
    categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
  })
  for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, WHEEL_PX)
  const frameCpuMsP95 = workOfFrames(JSON.parse((await browser.stopTracing()).toString()))
  const longestTaskMs = (await page.evaluate('Math.round(Math.max(0, ...tasks))')) as number
  const began = performance.now()
  await page.getByRole('tree').focus()
  await page.keyboard.press('End')
  await page.getByRole('treeitem', { name: `step ${lastOf(spans)}` }).waitFor()
  const jumpMs = Math.round(performance.now() - began)
  await context.close()
  return { frameCpuMsP95, longestTaskMs, jumpMs }
}

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** Microseconds; `tdur` is processor time. */
  ts: number
  tdur?: number
  args: { name?: string }
}

/** Processor time of the page's main thread from one frame to the next, in ms: the 95th percentile. */
function workOfFrames({ traceEvents }: { traceEvents: TraceEvent[] }): number {
  // One of these ends the work of each frame.
  const frames = traceEvents.filter(({ name }) => name === 'Layerize').toSorted((one, other) => one.ts - other.ts)
  const works = frames.map(() => 0)
  for (const { name, ph, pid, tid, ts, tdur = 0 } of traceEvents) {
    if (name !== 'RunTask' || ph !== 'X') continue
    const at = frames.findIndex(frame => frame.ts >= ts)
    if (frames[at]?.pid === pid && frames[at]?.tid === tid) works[at] = (works[at] as number) + tdur / 1000
  }
  return works.toSorted((one, other) => one - other)[Math.floor(works.length * 0.95)] ?? Number.NaN
}

/** Ten rows a frame: two notches of a wheel. */
const WHEEL_PX = 240

const CHILDREN = 8

/** The span at the end of the tree: the last child of the last child, and so on. */
function lastOf(spans: number): number {
  let last = 0
  while (last * CHILDREN + 1 < spans) last = Math.min(last * CHILDREN + CHILDREN, spans - 1)
  return last
}

async function storeTrace({ url, apiKey }: { url: string; apiKey: string }, count: number): Promise<string> {
  const traceId = newTraceId()
  const began = BigInt(Date.now() - 60_000) * 1_000_000n
  const spans: OtlpSpan[] = []
  for (let index = 0; index < count; index++) {
    const parent = spans[Math.floor((index - 1) / CHILDREN)]
    const start = began + BigInt(index) * 1_000_000n
    const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 5_000_000n) }
    spans.push(otlpSpan({ traceId, name: `step ${index}`, ...times, ...(parent && { parentSpanId: parent.spanId }) }))
  }
  await sendSpans({ url, apiKey }, spans)
  return traceId
}

/** Exports the spans of a trace, and returns when all of them can be read. */
async function sendSpans({ url, apiKey }: { url: string; apiKey: string }, spans: readonly OtlpSpan[]): Promise<void> {
  const headers = { authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' }
  for (let at = 0; at < spans.length; at += SPANS_PER_EXPORT) {
    const body = JSON.stringify(exportOf(...spans.slice(at, at + SPANS_PER_EXPORT)))
    const answer = await fetch(`${url}/api/otlp/v1/traces`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`not accepted: ${answer.status} ${await answer.text()}`)
  }
  for (;;) {
    const answer = await fetch(`${url}/api/traces/${spans[0]?.traceId}/skeleton?limit=1`, { headers })
    if (((await answer.json()) as { total: number }).total === spans.length) return
    await delay(200)
  }
}

async function measure(browser: Browser, address: string, shows: string): Promise<object> {
  const runs: { rowsMs: number; lcpMs: number; bytes: number }[] = []
  for (let run = 0; run < RUNS; run++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.addInitScript(noteShown(`document.querySelector(${JSON.stringify(shows)})`))
    await settled(browser)
    await page.goto(address, { waitUntil: 'commit' })
    await page.locator(shows).first().waitFor()
    runs.push(await figuresOf(page))
    await context.close()
  }
  const medianOf = (of: 'rowsMs' | 'lcpMs' | 'bytes'): number => Math.round(median(runs.map(run => run[of])))
  return { rowsMs: medianOf('rowsMs'), lcpMs: medianOf('lcpMs'), bytes: medianOf('bytes'), runs: RUNS }
}

/**
 * A script for the page, which notes when the first frame in which an expression holds was drawn: the driver of the
 * browser learns of it some 100 ms later. Text, because the types of a browser are not those of this program.
 */
const noteShown = (holds: string): string => `globalThis.shown = new Promise(resolve => {
  const look = () => {
    if (${holds}) {
      changes.disconnect()
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
    }
  }
  const changes = new MutationObserver(look)
  changes.observe(document, { subtree: true, childList: true, characterData: true })
})`

const figuresOf = (page: Page): Promise<{ rowsMs: number; lcpMs: number; bytes: number }> =>
  page.evaluate(`shown.then(rowsMs => new Promise(resolve => {
    const bytes = performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0)
    new PerformanceObserver(list => resolve({ rowsMs, bytes, lcpMs: list.getEntries().at(-1).startTime }))
      .observe({ type: 'largest-contentful-paint', buffered: true })
  }))`)
