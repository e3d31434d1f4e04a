import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newProject, type TestProject } from '../../../test/harness.ts'
import { openBrowser, projectWithTraces, visit } from './browser.testing.ts'
import { comparedRuns, makeEvaluated, queuedRun } from './evaluations.testing.ts'

/** For people to look at. */
const PICTURES = process.env.SPANHOUSE_PICTURES ?? join(tmpdir(), 'spanhouse-pictures')

let browser: Browser
let project: TestProject
let empty: TestProject
let traceId: string
let axe: string
let evaluated: TestProject
let runs: [string, string]
let queueId: string

beforeAll(async () => {
  browser = await openBrowser()
  const stored = await projectWithTraces(30)
  project = stored.project
  traceId = stored.traces[0]?.[0]?.traceId as string
  empty = await newProject()
  evaluated = await newProject()
  const made = await makeEvaluated(evaluated, 40)
  runs = await comparedRuns(evaluated, made)
  queueId = (await queuedRun(evaluated, made, 40)).queue_id
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  await mkdir(PICTURES, { recursive: true })
})
afterAll(() => browser.close())

interface Screen {
  path(): string
  of(): TestProject
  /** What shows that the screen is complete. */
  shows: string
  act?(page: Page): Promise<void>
}

const SCREENS: Record<string, Screen> = {
  list: { path: () => '/w/traces', of: () => project, shows: '[data-row="5"]' },
  'list-filtered': {
    path: () => '/w/traces?q=type%3Aagent+cost%3E100',
    of: () => project,
    shows: 'text=Nothing matches',
  },
  onboarding: { path: () => '/w/', of: () => empty, shows: 'text=Waiting for the first span' },
  panel: {
    path: () => `/w/traces?trace=${traceId}`,
    of: () => project,
    shows: 'section[aria-label="Trace"] [role="treeitem"], section[aria-label="Trace"] article',
  },
  conversation: {
    path: () => `/w/traces/${traceId}?view=conversation`,
    of: () => project,
    shows: 'text=Let me think.',
  },
  tree: { path: () => `/w/traces/${traceId}?view=tree`, of: () => project, shows: '[role="treeitem"]' },
  flame: { path: () => `/w/traces/${traceId}?view=flame`, of: () => project, shows: '[aria-label="Flame graph"]' },
  span: {
    path: () => `/w/traces/${traceId}?view=tree`,
    of: () => project,
    shows: '[aria-label="Span"] section',
    act: async page => {
      await page.locator('[role="treeitem"]', { hasText: 'chat' }).first().click()
    },
  },
  missing: { path: () => `/w/traces/${'0'.repeat(31)}1`, of: () => project, shows: 'text=This project has no trace' },
  key: {
    path: () => '/w/traces',
    of: () => ({ ...project, apiKey: 'wrong.key' }),
    shows: 'text=does not accept the key',
  },
  commands: {
    path: () => '/w/traces',
    of: () => project,
    shows: '[role="option"] >> nth=0',
    act: async page => {
      await page.locator('[data-row="0"]').waitFor()
      await page.getByRole('button', { name: 'Commands' }).click()
    },
  },
  keys: {
    path: () => '/w/traces',
    of: () => project,
    shows: 'text=Everywhere',
    act: async page => {
      await page.locator('[data-row="0"]').waitFor()
      await page.keyboard.press('?')
    },
  },
  evaluations: { path: () => '/w/evaluations', of: () => evaluated, shows: 'text=Short answers' },
  'evaluations-none': { path: () => '/w/evaluations', of: () => empty, shows: 'text=no evaluations yet' },
  queues: { path: () => '/w/evaluations?list=queues', of: () => evaluated, shows: 'text=Reviewed by people' },
  'new-evaluation': {
    path: () => '/w/evaluations/new',
    of: () => evaluated,
    shows: '[aria-label="Revision of judge"]',
    act: async page => {
      await page.getByRole('checkbox', { name: 'support-bot' }).click()
      await page.getByRole('checkbox', { name: 'judge' }).click()
    },
  },
  run: { path: () => `/w/evaluations/${runs[1]}?diff=true`, of: () => evaluated, shows: '[data-row="0"] del' },
  'run-case': {
    path: () => `/w/evaluations/${runs[1]}?diff=true`,
    of: () => evaluated,
    shows: 'section[aria-label="Case"] del',
    act: async page => {
      await page.locator('[data-row="0"]').click()
    },
  },
  compare: {
    path: () => `/w/evaluations/compare?baseline=${runs[0]}&runs=${runs[1]}&diff=baseline`,
    of: () => evaluated,
    shows: '[data-row="5"] del',
  },
  'compare-case': {
    path: () => `/w/evaluations/compare?baseline=${runs[0]}&runs=${runs[1]}&diff=baseline`,
    of: () => evaluated,
    shows: 'section[aria-label="Compared case"] del',
    act: async page => {
      await page.locator('[data-row="0"]').click()
    },
  },
  queue: { path: () => `/w/queues/${queueId}`, of: () => evaluated, shows: 'text=Was it helpful?' },
}

/** A screen is loaded once wide and once narrow; themes and the other narrow width are switched to. */
const LOADS = [
  { load: 'wide', sizes: [{ width: 1280, height: 800 }] },
  {
    load: 'narrow',
    sizes: [
      { width: 390, height: 844 },
      { width: 320, height: 640 },
    ],
  },
]

describe.each(Object.keys(SCREENS))('%s', name => {
  test.each(LOADS)('$load: no findings of axe in both themes, nothing sideways, no faults', async ({ sizes }) => {
    const { path, of, shows, act } = SCREENS[name] as Screen
    const [viewport = null] = sizes
    const { page, faults, close } = await visit(browser, of(), path(), { viewport })
    await act?.(page)
    await page.locator(shows).first().waitFor()
    for (const { width, height } of sizes) {
      await page.setViewportSize({ width, height })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`) })
        expect.soft(await findings(page), `${name} at ${width} px in ${colorScheme}`).toEqual([])
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect.soft(overflow, `${name} at ${width} px scrolls sideways`).toBeLessThanOrEqual(0)
    }
    expect.soft(faults).toEqual([])
    await close()
  })
})

/** What axe finds at WCAG 2.2 AA, and by its best practices. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run(document)
    return violations.map((one: any) =>
      `${one.id}: ${one.help}: ${one.nodes.map((node: any) => node.html).join(' | ')}`.slice(0, 600),
    )
  })
}
