import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { FakeProvider } from '@spanhouse/fake-provider'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newProject, type TestProject } from '../../../test/harness.ts'
import { isSample } from '../../../test/sets/sample.ts'
import { addressOf, openBrowser, openPage, projectWithTraces, type Visit } from './browser.testing.ts'
import { comparedRuns, makeEvaluated, queuedRun } from './evaluations.testing.ts'
import { newApplication, projectWithModel } from './models.testing.ts'

/** A folder for pictures of every screen, for people to look at; none are taken without it. */
const PICTURES = process.env.SPANHOUSE_PICTURES

let browser: Browser
let project: TestProject
let empty: TestProject
let traceId: string
let axe: string
let evaluated: TestProject
let runs: [string, string]
let queueId: string
let modelled: TestProject
let provider: FakeProvider
let application: string
let testset: string

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
  ;({ project: modelled, provider } = await projectWithModel())
  const made1 = await newApplication(modelled, 'capitals', 'What is the capital of {{country}}?')
  application = made1.id
  await modelled.post('/api/applications/revisions/deploy', {
    application_revision_ref: { id: made1.revision_id },
    environment_ref: { slug: 'development' },
    message: 'The first one',
  })
  const data = { testcases: [{ data: { country: 'Peru', people: 34 } }, { data: { country: 'Kenya', people: 52 } }] }
  const made2 = await modelled.post('/api/simple/testsets/', {
    testset: { slug: 'countries', name: 'Countries', data },
  })
  testset = made2.body.testset.id
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  if (PICTURES) await mkdir(PICTURES, { recursive: true })
})
afterAll(async () => {
  await browser.close()
  await provider.close()
})

interface Screen {
  path(): string
  of(): TestProject
  /** What shows that the screen is complete. */
  shows: string
  act?(page: Page): Promise<void>
}

/** Of the settings, each with what shows that it is complete. */
const SECTIONS = {
  keys: 'text=the key of this browser',
  members: 'text=Can do everything.',
  secrets: 'text=provider with an address',
  environments: 'text=What changed',
  prices: 'text=USD per million tokens',
  webhooks: 'text=no webhook yet',
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
      await page.getByRole('tab', { name: 'Annotations' }).waitFor()
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
  dashboard: { path: () => '/w/dashboard?tiles=%5B%22errors%3E0%22%5D', of: () => project, shows: 'text=grace' },
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
  'new-live-evaluation': {
    path: () => '/w/evaluations/new?source=traces&q=type%3Aagent&rate=25',
    of: () => project,
    shows: 'text=about 8 would have been evaluated',
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
  judge: {
    path: () => `/w/evaluations/judge?baseline=${runs[0]}&run=${runs[1]}`,
    of: () => evaluated,
    shows: '[aria-label="First output"]',
    act: async page => {
      await page.locator('[aria-label="First output"]').waitFor()
      await page.getByRole('button', { name: 'Result' }).click()
    },
  },
  applications: { path: () => '/w/playground', of: () => modelled, shows: 'text=Archived applications' },
  queue: { path: () => `/w/queues/${queueId}`, of: () => evaluated, shows: 'text=Was it helpful?' },
  'new-application': {
    path: () => '/w/playground',
    of: () => modelled,
    shows: 'text=Fills a prompt with the inputs',
    act: page => page.getByRole('button', { name: 'New application …' }).click(),
  },
  playground: {
    path: () => `/w/playground/applications/${application}?testset=${testset}`,
    of: () => modelled,
    shows: 'text=The capital of Kenya is Nairobi.',
    act: async page => {
      await page.getByRole('button', { name: 'Copy v1 into a new column' }).click()
      await page.getByRole('button', { name: 'Run all' }).click()
    },
  },
  'playground-save': {
    path: () => `/w/playground/applications/${application}`,
    of: () => modelled,
    shows: 'text=Next revision of this variant',
    act: async page => {
      await page.getByRole('textbox', { name: 'Content of v1, message 1' }).click()
      await page.keyboard.type('Please: ')
      await page.getByRole('button', { name: 'Save v1' }).click()
    },
  },
  'new-testset': {
    path: () => '/w/testsets',
    of: () => modelled,
    shows: 'text=1 row, 2 columns',
    act: async page => {
      await page.getByRole('button', { name: 'New testset …' }).click()
      await page.getByLabel('Or paste cells').fill('city,is_capital\nLima,true')
    },
  },
  testset: {
    path: () => `/w/testsets/${testset}`,
    of: () => modelled,
    shows: 'textarea',
    act: page => page.getByRole('gridcell', { name: 'Kenya' }).dblclick(),
  },
  ...Object.fromEntries(
    Object.entries(SECTIONS).map(([section, shows]) => [
      `settings-${section}`,
      { path: () => `/w/settings/${section}`, of: () => modelled, shows },
    ]),
  ),
}

const THEMES = ['light', 'dark'] as const

interface Size {
  width: number
  height: number
}

/**
 * A screen is loaded once wide and once narrow; themes and the other narrow width are switched to. In a sample every
 * other screen is loaded wide, the others narrow.
 */
const LOADS: Record<'wide' | 'narrow', [Size, ...Size[]]> = {
  wide: [{ width: 1280, height: 800 }],
  narrow: [
    { width: 390, height: 844 },
    { width: 320, height: 640 },
  ],
}
const NAMES = Object.keys(SCREENS)
const CASES = NAMES.flatMap((name, index) =>
  (['wide', 'narrow'] as const).filter((_, at) => !isSample || at === index % 2).map(load => ({ name, load })),
)

/**
 * By key. Each screen is a document of its own, but in the same tab: a new one is a new process of the browser, which
 * compiles the program again.
 */
const tabs = new Map<string, Visit>()

async function load(project: TestProject, path: string, size: Size): Promise<Visit> {
  const tab = tabs.get(project.apiKey)
  if (!tab) {
    const opened = await openPage(await browser.newContext(), project, path, size)
    tabs.set(project.apiKey, opened)
    return opened
  }
  tab.faults.length = 0
  await tab.page.mouse.move(0, 0)
  await tab.page.emulateMedia({ colorScheme: 'light' })
  await tab.page.setViewportSize(size)
  // To the browser, the same path with the key is another place in the same document.
  if (!(await tab.page.goto(addressOf(project, path)))) await tab.page.reload()
  return tab
}

test.each(CASES)('$name, $load: no findings of axe, nothing sideways, no faults', async ({ name, load: loaded }) => {
  const { path, of, shows, act } = SCREENS[name] as Screen
  const sizes = LOADS[loaded]
  const { page, faults } = await load(of(), path(), sizes[0])
  await act?.(page)
  await page.locator(shows).first().waitFor()
  for (const [at, size] of sizes.entries()) {
    await page.setViewportSize(size)
    const where = `${name} at ${size.width} px`
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}-${size.width}-${colorScheme}.png`) })
      if (isSample && at > 0) continue
      const rules = colorScheme === 'dark' ? OF_COLOURS : undefined
      expect.soft(await findings(page, rules), `${where} in ${colorScheme}`).toEqual([])
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect.soft(overflow, `${where} scrolls sideways`).toBeLessThanOrEqual(0)
  }
  expect.soft(await page.title(), name).toMatch(/ – Spanhouse$/)
  expect.soft(faults).toEqual([])
})

/** The rules of axe that another theme may break: it changes nothing but colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** Of many rows that are alike a sample looks at the first ones. */
const ALIKE = [':is(tbody > tr, li, [data-row], [role="treeitem"], [role="option"]):nth-child(n + 6)']

/** What axe finds at WCAG 2.2 AA, and by its best practices; of all its rules or of these. */
async function findings(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(`globalThis.axe || ${axe}`)
  const [context, options] = [
    isSample ? { exclude: ALIKE } : { include: ['html'] },
    rules ? { runOnly: { type: 'rule', values: rules } } : {},
  ]
  return page.evaluate(
    async ([context, options]) => {
      const { violations } = await (globalThis as any).axe.run(context, options)
      return violations.map((one: any) =>
        `${one.id}: ${one.help}: ${one.nodes.map((node: any) => node.html).join(' | ')}`.slice(0, 600),
      )
    },
    [context, options],
  )
}
