import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Route,
} from 'playwright-core'
import { expect, inject } from 'vitest'
import { newProject, type TestProject } from '../../../test/harness.ts'
import { newTraceId, type OtlpSpan, otlpSpan } from '../../../test/otlp.ts'

/**
 * Features of Chromium that are off. The two pages of its address bar take half a second of processor time for each
 * window, which is never shown. This list replaces Playwright's own, of which the others are those that concern pages.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'PreconnectToSearch',
]

/** Debian's; nothing is downloaded. Its sandbox needs privileges that a container does not have. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', `--disable-features=${DISABLED_FEATURES.join()}`],
  })

export interface Visit {
  page: Page
  /** What the page reported as errors: its own, and violations of the content security policy. */
  faults: string[]
  close(): Promise<void>
}

/** Opens an address as somebody who follows the link that `npm start` prints. */
export async function visit(
  browser: Browser,
  { apiKey }: Pick<TestProject, 'apiKey'>,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  return { ...(await openPage(context, { apiKey }, path)), close: () => context.close() }
}

/** The same in a browser that already knows what it loaded before. */
export async function openPage(
  context: BrowserContext,
  { apiKey }: Pick<TestProject, 'apiKey'>,
  path: string,
  size?: { width: number; height: number },
): Promise<Visit> {
  const page = await context.newPage()
  if (size) await page.setViewportSize(size)
  page.setDefaultTimeout(20_000)
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource')) faults.push(message.text())
  })
  await page.goto(addressOf({ apiKey }, path))
  return { page, faults, close: () => page.close() }
}

const PROBE = '/health'

/**
 * Routes requests of an open page, as `page.route` does. Requests may bypass the first route of a page for a moment,
 * because Chromium applies it asynchronously, so this first waits until one has been intercepted.
 */
export async function intercept(
  page: Page,
  url: string | RegExp,
  handler: (route: Route) => unknown,
  options: { times?: number } = {},
): Promise<void> {
  await page.route(`**${PROBE}`, route => route.fulfill({ status: 204 }))
  await expect.poll(() => page.evaluate(path => fetch(path).then(answer => answer.status), PROBE)).toBe(204)
  await page.route(url, handler, options)
}

/** The address that `npm start` prints, with another path. */
export const addressOf = ({ apiKey }: Pick<TestProject, 'apiKey'>, path: string): string =>
  `${inject('target').apiUrl}${path}#key=${apiKey}`

const MICROS = 1_000n

export interface Step {
  name: string
  type: string
  /** Milliseconds after the trace began, and until it ends. */
  at: number
  ms: number
  inputs?: unknown
  outputs?: unknown
  tokens?: number
  cost?: number
  fails?: string
  steps?: Step[]
}

/** The spans of a trace that began so long ago. */
export function traceOf(step: Step, { agoMs = 60_000, attributes = {} as Record<string, unknown> } = {}): OtlpSpan[] {
  const traceId = newTraceId()
  const began = BigInt(Date.now() - agoMs) * 1_000_000n
  const nanos = (ms: number): string => String(began + BigInt(Math.round(ms * 1000)) * MICROS)
  const walk = (one: Step, parent: OtlpSpan | undefined, more: Record<string, unknown>): OtlpSpan[] => {
    const span = otlpSpan(
      {
        traceId,
        name: one.name,
        startTimeUnixNano: nanos(one.at),
        endTimeUnixNano: nanos(one.at + one.ms),
        ...(parent && { parentSpanId: parent.spanId }),
        ...(one.fails && { status: { code: 2, message: one.fails } }),
        ...(one.fails && { events: [{ name: 'exception', timeUnixNano: nanos(one.at + one.ms) }] }),
      },
      {
        'ag.type.node': one.type,
        ...(one.inputs !== undefined && { 'ag.data.inputs': JSON.stringify(one.inputs) }),
        ...(one.outputs !== undefined && { 'ag.data.outputs': one.outputs }),
        ...(one.tokens !== undefined && { 'ag.metrics.unit.tokens.total': one.tokens }),
        ...(one.cost !== undefined && { 'ag.metrics.unit.costs.total': one.cost }),
        ...more,
      },
    )
    return [span, ...(one.steps ?? []).flatMap(inner => walk(inner, span, {}))]
  }
  return walk(step, undefined, attributes)
}

/** A trace of an agent that calls a tool, which fails, and a model. */
export const agentTrace = (question: string, agoMs = 60_000): OtlpSpan[] =>
  traceOf(
    {
      name: 'plan_trip',
      type: 'agent',
      at: 0,
      ms: 1_240,
      inputs: { question },
      outputs: 'Rarely; try Tromsø.',
      steps: [
        { name: 'check_weather', type: 'tool', at: 10, ms: 300, inputs: { city: 'Oslo' }, fails: 'timed out' },
        {
          name: 'answer',
          type: 'chain',
          at: 320,
          ms: 900,
          steps: [
            {
              name: 'chat',
              type: 'chat',
              at: 330,
              ms: 400,
              inputs: {
                messages: [
                  { role: 'system', content: 'Be short.' },
                  { role: 'user', content: question },
                ],
              },
              outputs: 'Let me think.',
              tokens: 310,
              cost: 0.0021,
            },
            {
              name: 'chat',
              type: 'chat',
              at: 740,
              ms: 470,
              inputs: {
                messages: [
                  { role: 'user', content: question },
                  { role: 'assistant', content: 'Let me think.' },
                  { role: 'user', content: 'Well?' },
                ],
              },
              outputs: 'Rarely; try Tromsø.',
              tokens: 352,
              cost: 0.0013,
            },
          ],
        },
      ],
    },
    { agoMs, attributes: { 'ag.session.id': 'trip-oslo', 'ag.user.id': 'grace' } },
  )

/** A project with so many traces of agents, the newest a minute ago. */
export async function projectWithTraces(count: number): Promise<{ project: TestProject; traces: OtlpSpan[][] }> {
  const project = await newProject()
  const traces = Array.from({ length: count }, (_, index) => agentTrace(`Question ${index}?`, 60_000 * (index + 1)))
  await project.store(...traces.flat())
  return { project, traces }
}

/** Presses Tab until the control has the focus: whoever has no mouse must reach it so. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor()
  for (let presses = 0; presses < 150; presses++) {
    if (await control.evaluate(hasFocus)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${control}`)
}

/** Also inside a shadow tree. */
const hasFocus = (element: Element): boolean =>
  (element.getRootNode() as Document | ShadowRoot).activeElement === element
