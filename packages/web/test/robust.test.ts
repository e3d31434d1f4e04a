import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { call, newProject, type TestProject } from '../../../test/harness.ts'
import { actIn, newMember, newPerson } from '../../../test/http/people.ts'
import { exportOf, newSpanId, newTraceId, type OtlpSpan, otlpSpan } from '../../../test/otlp.ts'
import {
  addressOf,
  agentTrace,
  intercept,
  openBrowser,
  openPage,
  projectWithTraces,
  traceOf,
  visit,
} from './browser.testing.ts'
import { newApplication } from './models.testing.ts'

/* What goes wrong around the page: rights, other tabs, the server, the clock, and spans that nobody would write. */

let browser: Browser
let project: TestProject

beforeAll(async () => {
  browser = await openBrowser()
  ;({ project } = await projectWithTraces(6))
})
afterAll(() => browser.close())

const trouble = (page: Page, text: string) => page.getByText(text)

test('a viewer can read everything, and controls that are off say why', async () => {
  const host = await newPerson()
  const spans = agentTrace('May I?')
  const { receiverUrl } = inject('target')
  await call(receiverUrl, 'POST', '/api/otlp/v1/traces', host.authorization, exportOf(...spans))
  // Viewers cannot make keys, but keep those that they have.
  const viewer = await newMember(host, 'developer')
  const apiKey = (await actIn(host, viewer)('POST', '/keys')).body
  const { organization_id, workspace_id } = host
  await host.ask('POST', `/workspaces/${workspace_id}/roles`, { email: viewer.email, organization_id, role: 'viewer' })
  const { page, faults, close } = await visit(browser, { apiKey }, '/w/traces')
  await page.locator('[data-row="0"]').waitFor()
  await page.locator('[data-row="0"] a').click()
  await page.getByRole('button', { name: 'Annotate' }).click()
  await page.getByText('does not have the permission edit_spans').waitFor()
  for (const [screen, button, permission] of [
    ['Testsets', 'New testset …', 'edit_testsets'],
    ['Playground', 'New application …', 'edit_application'],
    ['Evaluations', 'New evaluation', 'edit_evaluation_runs'],
  ] as const) {
    await page.goto(page.url().replace(/\/w\/.*/, `/w/${screen.toLowerCase()}`))
    const control = page.getByRole('button', { name: button }).or(page.getByRole('link', { name: button }))
    await control.first().waitFor()
    await page.getByText(`does not have the permission ${permission}`).first().waitFor()
    expect(await control.first().isDisabled(), button).toBe(true)
  }
  expect(faults).toEqual([])
  await close()
})

test('two tabs: what arrives is in both, and a key that is forgotten or entered in one counts for the other', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  await page.locator('[data-row="0"]').waitFor()
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.locator('[data-row="0"]').waitFor()
  await project.store(...agentTrace('In both tabs?', 1_000))
  for (const tab of [page, other]) await tab.getByRole('button', { name: /1 new/ }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Forget the API key in this browser' }).click()
  for (const tab of [page, other]) await tab.getByText('Enter the API key of a project').waitFor()
  await other.getByLabel('API key').fill(project.apiKey)
  await other.keyboard.press('Enter')
  for (const tab of [page, other]) await tab.locator('[data-row="0"]').waitFor()
  await close()
})

test.each([
  ['is full', "Storage.prototype.setItem = () => { throw new DOMException('Full.', 'QuotaExceededError') }"],
  [
    'is forbidden',
    "Object.defineProperty(self, 'localStorage', { get() { throw new DOMException('No.', 'SecurityError') } })",
  ],
])('a link opens the page in a browser whose storage %s', async (_is, script) => {
  const context = await browser.newContext()
  await context.addInitScript(script)
  const { page, faults, close } = await openPage(context, project, '/w/traces')
  await page.locator('[data-row="0"]').waitFor()
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).waitFor()
  expect(faults).toEqual([])
  await close()
  await context.close()
})

test('a link with the key of another project replaces the key in use only if the reader says so', async () => {
  const other = await newProject()
  await other.post('/api/simple/testsets/', { testset: { slug: 'theirs', name: 'Theirs', data: { testcases: [] } } })
  const { page, faults, close } = await visit(browser, project, '/w/testsets')
  await page.getByText('This project has no testset yet.').waitFor()
  const { page: tab } = await openPage(page.context(), other, '/w/testsets')
  await tab.getByRole('heading', { name: 'Use the API key in the link?' }).waitFor()
  expect(tab.url()).not.toContain(other.apiKey)
  await tab.getByRole('button', { name: 'Keep my key' }).click()
  await tab.getByText('This project has no testset yet.').waitFor()
  await tab.goto(addressOf(other, '/w/testsets'))
  await tab.getByRole('button', { name: 'Use the key in the link' }).click()
  for (const one of [tab, page]) await one.getByRole('link', { name: 'Theirs' }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test('a link with a key replaces one that the server does not know without a question', async () => {
  const { page, close } = await visit(browser, project, '/w/testsets')
  await page.evaluate(() => localStorage.setItem('spanhouse.key', 'of-an-earlier-data-folder'))
  await page.goto('about:blank')
  await page.goto(addressOf(project, '/w/testsets'))
  await page.getByText('This project has no testset yet.').waitFor()
  await close()
})

describe('the server', () => {
  test('is away: the page says so, keeps its rows, and recovers by itself', async () => {
    const { page, close } = await visit(browser, project, '/w/traces')
    await page.locator('[data-row="3"]').waitFor()
    await intercept(page, '**/api/**', route => route.abort('connectionrefused'))
    await trouble(page, 'The server cannot be reached.').waitFor()
    expect(await page.locator('[data-row]').count()).toBeGreaterThan(3)
    await page.unroute('**/api/**')
    await trouble(page, 'The server cannot be reached.').waitFor({ state: 'detached' })
    await close()
  })

  test('is away: a screen that has not been loaded says so, and is opened when it is back', async () => {
    const { page, close } = await visit(browser, project, '/w/traces')
    await page.locator('[data-row="3"]').waitFor()
    await intercept(page, '**/*', route => route.abort('connectionrefused'))
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
    await page.getByRole('heading', { name: 'This screen cannot be loaded' }).waitFor()
    await page.getByText('The screen opens when it is back.').waitFor()
    await page.keyboard.press('?')
    await trouble(page, 'The dialog cannot be shown.').waitFor()
    await page.getByRole('link', { name: 'Traces', exact: true }).click()
    await page.getByRole('combobox', { name: 'Filter' }).waitFor()
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute('**/*')
    await page.getByRole('heading', { name: 'By application' }).waitFor()
    await close()
  })

  test('was away: what a screen failed with does not stay when another one is shown', async () => {
    const { page, close } = await visit(browser, project, '/w/traces')
    await page.locator('[data-row="3"]').waitFor()
    await intercept(page, '**/*', route => route.abort('connectionrefused'))
    await trouble(page, 'The server cannot be reached. What is shown').waitFor()
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
    await page.getByRole('heading', { name: 'This screen cannot be loaded' }).waitFor()
    await page.unroute('**/*')
    await trouble(page, 'The server cannot be reached. What is shown').waitFor({ state: 'detached' })
    await close()
  })

  test('was upgraded: a screen whose file is gone is opened by reloading the page, once', async () => {
    for (const [file, isBack] of [
      ['**/dashboard-screen-*.js', true],
      ['**/dashboard-screen-*.css', true],
      ['**/dashboard-screen-*.js', false],
    ] as const) {
      const { page, close } = await visit(browser, project, '/w/traces')
      await page.locator('[data-row="3"]').waitFor()
      let loads = 0
      page.on('request', request => {
        if (request.isNavigationRequest()) loads++
      })
      // The browser may ask more than once: to preload the file, and for the screen.
      await intercept(page, file, route => (isBack && loads > 0 ? route.continue() : route.fulfill({ status: 404 })))
      await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
      const opened = { name: isBack ? 'By application' : 'This screen cannot be loaded' }
      await page.getByRole('heading', opened).waitFor()
      if (!isBack) await page.getByText('Its files are missing on the server').waitFor()
      expect(loads).toBe(1)
      await close()
    }
  })

  test('responds with what a screen cannot show: the screen says so within its frame', async () => {
    const { page, close } = await visit(browser, project, '/w/traces')
    await intercept(page, '**/api/testsets/query', route => route.fulfill({ json: { testsets: [{ id: 'nameless' }] } }))
    await page.getByRole('link', { name: 'Testsets' }).click()
    await page.getByRole('heading', { name: 'An error occurred in this screen' }).waitFor()
    await page.unroute('**/api/testsets/query')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Testsets' }).waitFor()
    await close()
  })

  test('makes a mistake: what it could not say says so, and is not asked for again and again', async () => {
    const trace = agentTrace('A mistake?')
    await project.store(...trace)
    const { page, close } = await visit(browser, project, '/w/settings/keys')
    await page.getByText('the key of this browser').waitFor()
    const detail = 'Internal error.'
    let asked = 0
    await intercept(page, /\/api\/(spans\/.*\/parts|projects\/current$|simple\/evaluators|testsets\/query)/, route => {
      asked++
      return route.fulfill({ status: 500, json: { detail } })
    })
    const go = (path: string) => page.goto(page.url().replace(/\/w\/.*/, `/w/${path}`))
    await go('settings/members')
    await page.getByText(`The members cannot be listed. ${detail}`).waitFor()
    await go(`traces/${trace[0]?.traceId}`)
    await page.getByRole('region', { name: 'Conversation' }).getByText(detail).first().waitFor()
    asked = 0
    await page.getByRole('button', { name: 'Annotate' }).click()
    await page.getByText(`The evaluators cannot be listed. ${detail}`).waitFor()
    expect(asked).toBeLessThan(3)
    const { id } = await newApplication(project, 'mistaken', 'Hello')
    await go(`playground/applications/${id}`)
    await page.getByText(`The testsets cannot be listed. ${detail}`).waitFor()
    await page.getByRole('button', { name: 'Evaluators' }).click()
    await page.getByText(`The evaluators cannot be listed. ${detail}`).waitFor()
    await close()
  })

  test('responds with a span that cannot be shown: only that part of the trace says so', async () => {
    const trace = agentTrace('Cannot be shown?')
    await project.store(...trace)
    const { page, close } = await visit(browser, project, '/w/traces')
    const text = `${'{"messages":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    const answer = { parts: [{ part: 'inputs', text, characters: text.length, offset: 0 }] }
    await intercept(page, `**/${trace[1]?.spanId}/parts*`, route => route.fulfill({ json: answer }))
    await page.locator(`[data-row] a[href*="${trace[0]?.traceId}"]`).click()
    await page.getByText('What was said cannot be shown.').waitFor()
    await page.getByRole('article').filter({ hasText: 'Let me think.' }).first().waitFor()
    await page.getByRole('button', { name: 'check_weather' }).click()
    await page.getByText('This part of the span cannot be shown.').waitFor()
    await page.getByRole('tab', { name: 'Annotations' }).click()
    await page.getByText('No person or evaluator has judged this trace.').waitFor()
    await page.getByRole('button', { name: 'Close the trace' }).click()
    await page.locator('[data-row="3"]').waitFor()
    await close()
  })

  test('is slow: the page says so and keeps its rows until the response is there', async () => {
    const { page, close } = await visit(browser, project, '/w/traces')
    await page.locator('[data-row="3"]').waitFor()
    const released = Promise.withResolvers<void>()
    await intercept(page, '**/api/spans/**', async route => {
      await released.promise
      await route.continue()
    })
    await page.getByRole('combobox', { name: 'Filter' }).fill('type:agent')
    await trouble(page, 'The server is slow to respond.').waitFor()
    expect(await page.locator('[data-row]').count()).toBeGreaterThan(3)
    released.resolve()
    await trouble(page, 'The server is slow to respond.').waitFor({ state: 'detached' })
    await page.getByText(/^\d+ found/).waitFor()
    await close()
  })

  test.each([
    ...['sessions', 'sessions/trip-oslo', 'playground', 'testsets', 'testsets/1', 'evaluations', 'evaluations/1'],
    ...['evaluations?list=queues', 'evaluations/compare?baseline=1&runs=2', 'playground/applications/1'],
    ...['settings/members', 'settings/prices', 'settings/retention'],
  ])('is slow: %s has lines where its rows will be, and says nothing of what it does not know', async path => {
    const { page, close } = await visit(browser, project, '/w/nowhere')
    await intercept(page, '**/api/**', () => undefined)
    await page.goto(page.url().replace(/nowhere.*/, path))
    await page.locator('main [class*="_waiting"]').first().waitFor()
    expect(await page.locator('main').textContent()).not.toMatch(/Choose|no such|has no|does not exist/)
    await close()
  })

  test('is slow: of a large trace it is said that only some of its errors are known yet', async () => {
    const steps = Array.from({ length: 2_100 }, (_, at) => ({ name: 'step', type: 'tool', at, ms: 1 }))
    const failing = steps.map((step, at) => (at === 10 || at === 2_050 ? { ...step, fails: 'no' } : step))
    const spans = traceOf({ name: 'long', type: 'agent', at: 0, ms: 3_000, steps: failing })
    for (let at = 0; at < spans.length; at += 500) await project.store(...spans.slice(at, at + 500))
    const { page, close } = await visit(browser, project, '/w/traces')
    const released = Promise.withResolvers<void>()
    await intercept(page, '**/skeleton?offset=2000*', async route => {
      await released.promise
      await route.continue()
    })
    await page.goto(page.url().replace(/traces.*/, `traces/${spans[0]?.traceId}?view=tree`))
    await page.getByRole('button', { name: '≥ 1 error' }).waitFor()
    await page.getByRole('definition').filter({ hasText: /^≥ 1$/ }).waitFor()
    released.resolve()
    await page.getByRole('button', { name: '2 errors', exact: true }).waitFor()
    await page.getByRole('definition').filter({ hasText: /^2$/ }).waitFor()
    await close()
  })

  test('is busy: the reason is shown, and the request is made again when it asked for', async () => {
    const { page, close } = await visit(browser, project, '/w/traces')
    await page.locator('[data-row="3"]').waitFor()
    const headers = { 'retry-after': '1' }
    const busy = { status: 503, headers, json: { detail: 'The database is too busy; try again.' } }
    await intercept(page, '**/api/spans/**', route => route.fulfill(busy))
    await trouble(page, 'The server is busy: The database is too busy').waitFor()
    await page.unroute('**/api/spans/**')
    await trouble(page, 'The server is busy').waitFor({ state: 'detached' })
    await close()
  })
})

test.each([-3 * 86_400_000, 400 * 86_400_000])('a clock that is off by %i ms hides no rows or spans', async offMs => {
  const context = await browser.newContext()
  await context.addInitScript(`{
    const Real = Date
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(Real.now() + ${offMs}) : super(...given) }
      static now() { return Real.now() + ${offMs} }
    }
  }`)
  const page = await context.newPage()
  await page.goto(`${inject('target').apiUrl}/w/traces?since=24h#key=${project.apiKey}`)
  await page.locator('[data-row="3"]').waitFor()
  const [root, ...others] = agentTrace('Still running?', 2_000)
  await project.store(...others)
  await page.goto(`${inject('target').apiUrl}/w/traces/${root?.traceId}?view=tree`)
  await page.getByRole('treeitem').filter({ hasText: 'check_weather' }).waitFor()
  await project.store(root as OtlpSpan)
  await page.getByRole('treeitem').filter({ hasText: 'plan_trip' }).waitFor()
  await context.close()
})

test('a long name takes a few lines, on a screen of any width', async () => {
  const own = await newProject()
  const name = `long ${'x'.repeat(2_000)}`
  const data = { testcases: [{ data: { city: 'Lima' } }] }
  const { body } = await own.post('/api/simple/testsets/', { testset: { slug: 'long', name, data } })
  await own.post('/api/webhooks/subscriptions/', {
    subscription: { name, data: { url: 'https://example.com/hooks', event_types: [] } },
  })
  const { page, close } = await visit(browser, own, '/w/testsets', { viewport: { width: 390, height: 800 } })
  for (const [path, shown] of [
    ['testsets', page.getByRole('link', { name: 'long xxx' })],
    [`testsets/${body.testset.id}`, page.getByRole('heading', { name: 'long xxx' })],
    ['evaluations/new', page.getByText('long xxx')],
    ['settings/webhooks', page.getByText('long xxx')],
  ] as const) {
    await page.goto(page.url().replace(/\/w\/.*/, `/w/${path}`))
    await shown.first().waitFor()
    const { width = 0, height = 0 } = (await shown.first().boundingBox()) ?? {}
    expect([width < 390, height < 80], path).toEqual([true, true])
  }
  await own.store(...agentTrace('Long?'))
  await page.goto(page.url().replace(/\/w\/.*/, '/w/traces'))
  await page.locator('[data-row="0"]').getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Add to testset' }).click()
  const { x = 0, width = 0 } = (await page.getByRole('combobox', { name: 'Testset' }).boundingBox()) ?? {}
  expect(x + width).toBeLessThan(390)
  await close()
})

describe('spans that nobody would write', () => {
  test('a name of 1 MB takes one line in the list, the tree and the detail', async () => {
    const own = (await projectWithTraces(1)).project
    const [span] = traceOf({ name: 'long name '.repeat(100_000), type: 'tool', at: 0, ms: 20 }, { agoMs: 1_000 })
    if (!span) throw new Error('no span')
    await own.store(span)
    const { page, faults, close } = await visit(browser, own, '/w/traces')
    const row = page.locator('[data-row]', { hasText: 'long name' })
    await row.waitFor()
    expect((await row.boundingBox())?.height).toBe(28)
    await page.goto(page.url().replace(/\/w\/.*/, `/w/traces/${span.traceId}?view=tree`))
    const item = page.getByRole('treeitem')
    await item.waitFor()
    expect((await item.boundingBox())?.height).toBe(24)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    expect(faults).toEqual([])
    await close()
  })

  test('a name of spaces can be seen and clicked', async () => {
    const own = await newProject()
    await own.store(...traceOf({ name: '   ', type: 'tool', at: 0, ms: 20 }))
    const { page, close } = await visit(browser, own, '/w/traces')
    await page.getByRole('complementary').getByRole('button', { name: '(no name)' }).waitFor()
    await page.getByRole('row').getByRole('link', { name: '(no name)' }).click()
    await page.getByRole('treeitem', { name: '(no name)' }).waitFor()
    await close()
  })

  test('spans that are each other’s parents are all shown, once', async () => {
    const traceId = newTraceId()
    const [one, other, third] = [newSpanId(), newSpanId(), newSpanId()]
    await project.store(
      otlpSpan({ traceId, spanId: one, parentSpanId: third, name: 'egg' }),
      otlpSpan({ traceId, spanId: other, parentSpanId: one, name: 'hen' }),
      otlpSpan({ traceId, spanId: third, parentSpanId: other, name: 'chick' }),
    )
    const { page, faults, close } = await visit(browser, project, `/w/traces/${traceId}?view=tree`)
    await page.getByRole('treeitem').nth(2).waitFor()
    const names = await page.getByRole('treeitem').allTextContents()
    for (const name of ['egg', 'hen', 'chick']) expect(names.filter(text => text.includes(name))).toHaveLength(1)
    expect(faults).toEqual([])
    await close()
  })

  test('half a character, a zero byte and controls are shown as codes', async () => {
    const [span] = traceOf({ name: 'odd', type: 'tool', at: 0, ms: 20 })
    if (!span) throw new Error('no span')
    const body = JSON.stringify(exportOf(span)).replace('"odd"', '"half \\ud83d zero \\u0000 bell \\u0007"')
    const sent = await project.export(body)
    expect(sent.status).toBe(202)
    const { page, faults, close } = await visit(browser, project, `/w/traces/${span.traceId}?view=tree`)
    const text = (await page.getByRole('treeitem').textContent()) ?? ''
    expect(text).toContain('half')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(text).not.toMatch(/[\u0000\u0007\ud800-\udfff]/)
    expect(faults).toEqual([])
    await close()
  })
})
