import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newProject, type TestProject } from '../../../test/harness.ts'
import { openBrowser, projectWithTraces, visit } from './browser.testing.ts'

/** For people to look at. */
const PICTURES = process.env.SPANHOUSE_PICTURES ?? join(tmpdir(), 'spanhouse-pictures')

let browser: Browser
let project: TestProject
let empty: TestProject
let traceId: string
let axe: string

beforeAll(async () => {
  browser = await openBrowser()
  const made = await projectWithTraces(30)
  project = made.project
  traceId = made.traces[0]?.[0]?.traceId as string
  empty = await newProject()
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
  annotations: {
    path: () => `/w/traces/${traceId}?view=tree&tab=annotations`,
    of: () => project,
    shows: '[aria-label="Annotation"]',
    act: async page => {
      await page.getByRole('treeitem').first().waitFor({ state: 'attached' })
      await page.keyboard.press('a')
    },
  },
  selection: {
    path: () => '/w/traces?columns=scores%2Cag.data.outputs',
    of: () => project,
    shows: '[aria-label="Selection"]',
    act: async page => {
      await page.locator('[data-row="1"] input').check()
    },
  },
  dashboard: { path: () => '/w/dashboard', of: () => project, shows: 'text=grace' },
  sessions: { path: () => '/w/sessions', of: () => project, shows: 'tbody tr' },
  session: { path: () => '/w/sessions/trip-oslo', of: () => project, shows: 'text=Rarely; try Tromsø.' },
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
}

const WIDTHS = { 1280: 800, 390: 844, 320: 640 }

describe.each(Object.keys(SCREENS))('%s', name => {
  test.each(['light', 'dark'] as const)('in %s: no findings of axe, nothing sideways, no faults', async theme => {
    const { path, of, shows, act } = SCREENS[name] as Screen
    for (const [width, height] of Object.entries(WIDTHS)) {
      const viewport = { width: Number(width), height }
      const { page, faults, close } = await visit(browser, of(), path(), { viewport, colorScheme: theme })
      await act?.(page)
      await page.locator(shows).first().waitFor()
      await page.screenshot({ path: join(PICTURES, `${name}-${width}-${theme}.png`) })
      expect.soft(await findings(page), `${name} at ${width} px in ${theme}`).toEqual([])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect.soft(overflow, `${name} at ${width} px scrolls sideways`).toBeLessThanOrEqual(0)
      expect.soft(faults).toEqual([])
      await close()
    }
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
