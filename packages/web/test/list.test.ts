import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { call, newProject, type TestProject } from '../../../test/harness.ts'
import { newSpanId, newTraceId, type OtlpSpan } from '../../../test/otlp.ts'
import { agentTrace, intercept, openBrowser, projectWithTraces, tabTo, traceOf, visit } from './browser.testing.ts'

let browser: Browser
let project: TestProject

beforeAll(async () => {
  browser = await openBrowser()
  ;({ project } = await projectWithTraces(30))
})
afterAll(() => browser.close())

test('the first screen waits for the first span, shows it when it arrives, and keeps the key out of the address', async () => {
  const fresh = await newProject()
  const { page, faults, close } = await visit(browser, fresh, '/w/')
  await page.getByText('Waiting for the first span').waitFor()
  expect(page.url()).not.toContain(fresh.apiKey)
  const lines = await page.getByText('OTEL_EXPORTER_OTLP_ENDPOINT').textContent()
  expect(lines).toContain(`OTEL_EXPORTER_OTLP_HEADERS="authorization=ApiKey%20${fresh.apiKey}"`)
  // These are for any SDK.
  expect(lines).not.toContain('node')
  await fresh.store(...agentTrace('Hello?'))
  await page.locator('[data-row="0"]').getByText('Hello?').waitFor()
  expect(faults).toEqual([])
  await close()
})

test('by mouse: a value filters, a row opens its trace, Back closes it', async () => {
  const other = traceOf({ name: 'lonely', type: 'tool', at: 0, ms: 5 })
  await project.store(...other)
  const { page, close } = await visit(browser, project, '/w/traces')
  await page.getByRole('button', { name: /^lonely/ }).click()
  await page.waitForURL(/q=name%3Dlonely/)
  await page.getByText('1 found').waitFor()
  await page.getByRole('link', { name: 'lonely' }).click()
  await page.getByRole('heading', { name: 'lonely' }).first().waitFor()
  expect(new URL(page.url()).searchParams.get('trace')).toBe(other[0]?.traceId)
  await page.goBack()
  await page.getByRole('region', { name: 'Trace', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^lonely/ }).click({ modifiers: ['Alt'] })
  await page.waitForURL(/q=-name%3Dlonely/)
  await page.getByText('30 found').waitFor()
  await close()
})

test('what evaluators and people said is left out of a list by a click', async () => {
  const own = await newProject()
  const rating = traceOf(
    { name: 'rating', type: 'task', at: 0, ms: 5 },
    { attributes: { 'ag.type.trace': 'annotation' } },
  )
  await own.store(...agentTrace('Well?'), ...rating)
  const { page, close } = await visit(browser, own, '/w/traces')
  await page.getByText('2 found').waitFor()
  await page.getByRole('button', { name: /^invocation/ }).click()
  await page.waitForURL(/q=kind%3Ainvocation/)
  await page.getByText('1 found').waitFor()
  await page.getByRole('link', { name: 'rating' }).waitFor({ state: 'detached' })
  await close()
})

test.each([
  ['America/New_York', '2026-03-08T10:00:00.000Z', '2026-03-08T06:00'],
  ['America/New_York', '2026-11-01T09:00:00.000Z', '2026-11-01T04:00'],
  ['Asia/Kathmandu', '2026-11-01T09:00:00.000Z', '2026-11-01T14:45'],
])('a window is entered in local time, also when clocks change: %s, %s', async (timezoneId, from, at) => {
  const path = `/w/traces?from=${from}&to=2026-11-20T00:00:00.000Z`
  const { page, close } = await visit(browser, project, path, { timezoneId })
  await page.getByRole('button', { name: 'From … to …' }).click()
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(at)
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  expect(new URL(page.url()).searchParams.get('from')).toBe(from)
  await close()
})

test('a trace that is opened over a slow network has its place at once', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/traces')
  let arrive: (() => void) | undefined
  const late = new Promise<void>(resolve => {
    arrive = resolve
  })
  await intercept(page, /assets\/trace-panel-.*\.js$/, async route => {
    await late
    await route.continue()
  })
  await page.locator('[data-row="0"]').click()
  const opening = page.getByRole('status', { name: 'The trace is being opened' })
  await opening.waitFor()
  arrive?.()
  await page.getByRole('region', { name: 'Trace' }).waitFor()
  await opening.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
  await close()
})

test('by keyboard only: filter, choose a row, open, go to the next trace, close', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  await page.locator('[data-row="0"]').waitFor()
  await page.keyboard.press('/')
  // Asked for when the rows of the whole filter have replaced those before.
  const counted = page.waitForResponse(
    answer => answer.url().endsWith('/count') && (answer.request().postData()?.includes('"grace"') ?? false),
  )
  await page.keyboard.type('type:agent user:grace')
  await counted
  await page.getByText('30 found').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.locator('[data-row="1"]:focus-within').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Trace', exact: true }).waitFor()
  const first = new URL(page.url()).searchParams.get('trace')
  await page.keyboard.press(']')
  await expect.poll(() => new URL(page.url()).searchParams.get('trace')).not.toBe(first)
  // As keyboards type it that have no key for brackets.
  await page.evaluate(() => dispatchEvent(new KeyboardEvent('keydown', { key: '[', ctrlKey: true, altKey: true })))
  await expect.poll(() => new URL(page.url()).searchParams.get('trace')).toBe(first)
  await page.keyboard.press('Escape')
  await expect.poll(() => new URL(page.url()).searchParams.get('trace')).toBe(null)
  await close()
})

test('a list begins with what a window shows, and is read on before its end is in sight', async () => {
  const long = (await projectWithTraces(70)).project
  const { page, close } = await visit(browser, long, '/w/')
  const limits: number[] = []
  page.on('request', request => {
    const { order_by, windowing } = request.postDataJSON() ?? {}
    if (request.url().endsWith('/spans/rows') && order_by === 'duration') limits.push(windowing.limit)
  })
  await page.getByRole('combobox', { name: 'Order' }).selectOption('duration')
  await page.getByRole('table', { name: 'Traces' }).and(page.locator('[aria-rowcount="51"]')).waitFor()
  expect(limits).toEqual([50])
  await page.locator('[data-row="0"]').hover()
  await page.mouse.wheel(0, 20 * 28)
  await page.getByRole('table', { name: 'Traces' }).and(page.locator('[aria-rowcount="71"]')).waitFor()
  expect(limits).toEqual([50, 100])
  await close()
})

test('rows come before what they say, and do not move when it comes', async () => {
  const { page, close } = await visit(browser, project, '/w/traces?q=name%3Dabsent')
  await page.getByText('Nothing matches').waitFor()
  let release = (): void => undefined
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  await intercept(page, '**/spans/previews', async route => {
    await held
    await route.continue()
  })
  await page.getByRole('combobox', { name: 'Filter' }).fill('type:agent')
  await page.getByText('30 found').waitFor()
  const row = page.locator('[data-row="0"]')
  const preview = row.locator('bdi').first()
  expect(await preview.textContent()).toBe('')
  expect(await row.textContent()).toContain('1.24 s')
  const place = await row.boundingBox()
  release()
  await expect.poll(() => preview.textContent()).not.toBe('')
  expect(await row.boundingBox()).toEqual(place)
  await close()
})

test('counts and values are asked for after what the rows say', async () => {
  const { page, close } = await visit(browser, project, '/w/traces?q=name%3Dabsent')
  await page.getByText('Nothing matches').waitFor()
  const asked: string[] = []
  page.on('request', request => {
    const name = new URL(request.url()).pathname.split('/').at(-1) as string
    // Not what is still asked of the filter before, which has no rows to preview.
    if (name === 'previews' || request.postData()?.includes('agent')) asked.push(name)
  })
  await page.getByRole('combobox', { name: 'Filter' }).fill('type:agent')
  await page.getByText('30 found').waitFor()
  const own = ['rows', 'previews', 'count', 'facets']
  // Rows are asked for again for what has arrived.
  expect([...new Set(asked)].filter(one => own.includes(one))).toEqual(own)
  await close()
})

test('the title of the page says which screen it is, and what it shows', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  const titled = (title: string) => expect.poll(() => page.title()).toBe(title)
  await titled('Traces – Spanhouse')
  await page.getByRole('link', { name: 'plan_trip' }).first().click()
  await titled('plan_trip – Traces – Spanhouse')
  await page.goto(page.url().replace(/traces\?trace=/, 'traces/'))
  await titled('plan_trip – Trace – Spanhouse')
  await page.getByRole('link', { name: 'trip-oslo' }).click()
  await titled('trip-oslo – Session – Spanhouse')
  await page.getByRole('link', { name: 'Settings' }).click()
  await titled('API keys – Settings – Spanhouse')
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await titled('Dashboard – Spanhouse')
  await close()
})

test('an address restores what it was taken from', async () => {
  const path = '/w/traces?q=user%3Agrace+errors%3E0&focus=span&order=duration&since=24h'
  const { page, close } = await visit(browser, project, path)
  await page.getByText('30 found').waitFor()
  expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('user:grace errors>0')
  expect(await page.getByRole('radio', { name: 'Spans' }).isChecked()).toBe(true)
  expect(await page.getByRole('combobox', { name: 'Order' }).inputValue()).toBe('duration')
  expect(await page.getByRole('combobox', { name: 'Time' }).inputValue()).toBe('24h')
  expect(page.url()).toContain(path)
  await page.goto(page.url().replace(/\?.*/, '?from=2020-01-05T00:00:00.000Z&to=2021-01-05T00:00:00.000Z'))
  await page.getByRole('option', { name: /^Jan \d, 2020, .* – Jan \d, 2021, / }).waitFor({ state: 'attached' })
  await close()
})

test('by keyboard only: the time from one minute to another', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/traces')
  await page.getByText(/^\d+ found/).waitFor()
  await tabTo(page, page.getByRole('button', { name: 'From … to …' }))
  await page.keyboard.press('Enter')
  const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
  await from.fill('2020-01-05T10:00')
  await to.fill('2020-01-05T09:00')
  await page.getByText('It must begin before it ends.').waitFor()
  await to.fill('2020-01-06T09:30')
  await page.keyboard.press('Enter')
  const utc = await page.evaluate(() => [new Date('2020-01-05T10:00'), new Date('2020-01-06T09:30')].map(String))
  await page.getByText('0 found').waitFor()
  const asked = new URL(page.url()).searchParams
  expect([asked.get('from'), asked.get('to')]).toEqual(utc.map(time => new Date(time).toISOString()))
  await from.waitFor({ state: 'detached' })
  await page.locator('button:focus', { hasText: 'From … to …' }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test('a filter that is typed wrong says why, and the list stays', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  await page.locator('[data-row="3"]').waitFor()
  await page.getByRole('combobox', { name: 'Filter' }).fill('type:nonsense')
  await page.getByRole('alert').getByText('type is one of').waitFor()
  expect(await page.locator('[data-row]').count()).toBeGreaterThan(3)
  await page.getByRole('combobox', { name: 'Filter' }).fill('(user:grace or user:nobody) -name=lonely')
  await page.getByText('30 found').waitFor()
  await close()
})

test('a name that is typed as a word is offered as one', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/traces')
  await page.getByText(/^\d+ found/).waitFor()
  await page.getByRole('combobox', { name: 'Filter' }).fill('plan_trip')
  await page.getByText('Words are searched for in inputs and outputs.').waitFor()
  await page.getByRole('button', { name: 'name:plan_trip' }).click()
  await page.locator('[data-row="0"]', { hasText: 'plan_trip' }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test('what arrives waits behind a button and moves no row', async () => {
  const busy = (await projectWithTraces(3)).project
  const { page, close } = await visit(browser, busy, '/w/traces')
  await page.locator('[data-row="2"]').waitFor()
  await page.locator('[data-row="0"]').getByText('Question').waitFor()
  const before = await page.locator('[data-row="0"]').textContent()
  await busy.store(...agentTrace('Brand new?', 1_000))
  await page.getByRole('button', { name: /1 new/ }).waitFor()
  expect(await page.locator('[data-row="0"]').textContent()).toBe(before)
  await page.keyboard.press('n')
  await page.locator('[data-row="0"]', { hasText: 'Brand new?' }).waitFor()
  // More may have arrived than are counted.
  await busy.store(...Array.from({ length: 55 }, () => agentTrace('Another?', 500)).flat())
  await page.getByRole('button', { name: /^50\+ new/ }).waitFor()
  await close()
})

/** A project with 130 traces of one span. */
async function projectWithLongList(): Promise<TestProject> {
  const long = await newProject()
  const spans = Array.from({ length: 130 }, (_, n) => agentTrace(`Question ${n}?`, 60_000 * (n + 1)).slice(0, 1))
  await long.store(...spans.flat())
  return long
}

const scrollerIn = (page: Page) => page.getByRole('table', { name: 'Traces' }).locator('..')
const topIn = (page: Page): Promise<number> => scrollerIn(page).evaluate(element => element.scrollTop)

async function scrollToEnd(page: Page): Promise<void> {
  await page.locator('[data-row="20"]').hover()
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 2_000)
      return page.locator('[data-row="129"]').count()
    })
    .toBe(1)
}

test('live: what arrives is shown at the top, but moves nobody who has scrolled, and reads no page below again', async () => {
  const own = await projectWithLongList()
  const { page, close } = await visit(browser, own, '/w/traces?live=true')
  await page.locator('[data-row="0"]').waitFor()
  await scrollToEnd(page)
  const top = await topIn(page)
  let pagesBelow = 0
  page.on('request', request => {
    if (request.url().endsWith('/spans/rows') && request.postData()?.includes('"after"')) pagesBelow++
  })
  await own.store(...agentTrace('Unseen?', 1_000))
  await page.getByRole('button', { name: /^1 new/ }).waitFor()
  expect(await topIn(page)).toBe(top)
  await page.keyboard.press('n')
  await page.locator('[data-row="0"]').getByText('Unseen?').waitFor()
  await own.store(...agentTrace('Seen at once?', 500))
  await page.locator('[data-row="0"]').getByText('Seen at once?').waitFor()
  expect(await page.getByRole('button', { name: /new/ }).count()).toBe(0)
  expect(pagesBelow).toBe(0)
  // Nor is the count read out with each.
  const count = page.getByRole('status').filter({ hasText: 'found' })
  expect(await count.getAttribute('aria-live')).toBe('off')
  await page.getByRole('button', { name: 'Live' }).click()
  await expect.poll(() => count.getAttribute('aria-live')).toBe('polite')
  await close()
})

test('a list that is read for minutes stays where it is, while its window moves on', async () => {
  const long = await projectWithLongList()
  const { page, close } = await visit(browser, long, '/w/testsets')
  await page.clock.install()
  await page.goto(page.url().replace(/\/w\/.*/, '/w/traces'))
  await scrollToEnd(page)
  const place = await topIn(page)
  const moved = page.waitForResponse('**/api/spans/count')
  // Farther, and it would count as a clock that is wrong.
  await page.clock.fastForward(58_000)
  await moved
  await long.store(...agentTrace('Brand new?', 1_000))
  await page.getByRole('button', { name: /1 new/ }).waitFor()
  expect(await topIn(page)).toBe(place)
  await page.locator('[data-row="129"]').waitFor()
  // Whoever asks for what is new is shown it.
  await page.keyboard.press('n')
  await page.locator('[data-row="0"]', { hasText: 'Brand new?' }).waitFor()
  await close()
})

test('a list begins at its top, and Back shows it where it was left: after another filter, and after another screen', async () => {
  const { page, close } = await visit(browser, await projectWithLongList(), '/w/traces')
  await scrollToEnd(page)
  const place = await topIn(page)
  await page.getByRole('combobox', { name: 'Filter' }).fill('type:agent')
  await page.waitForURL(/q=/)
  await expect.poll(() => topIn(page)).toBe(0)
  await page.locator('[data-row="0"]').waitFor()
  await page.goBack()
  await page.locator('[data-row="129"]').waitFor()
  expect(await topIn(page)).toBe(place)
  await page.locator('[data-row="128"] a').click()
  await page.getByRole('region', { name: 'Trace', exact: true }).getByRole('link', { name: 'trip-oslo' }).click()
  await page.getByRole('heading', { name: 'Session trip-oslo' }).waitFor()
  await page.goBack()
  await page.locator('[data-row="128"][data-open]').waitFor()
  expect(await topIn(page)).toBe(place)
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByRole('table', { name: 'Sessions' }).waitFor()
  await page.getByRole('link', { name: 'Traces', exact: true }).click()
  await page.locator('[data-row="0"]').waitFor()
  expect(await topIn(page)).toBe(0)
  await close()
})

test('the next trace is opened up to the end of the list, and its row is in view', async () => {
  const { page, close } = await visit(browser, await projectWithLongList(), '/w/traces')
  await page.locator('[data-row="0"] a').click()
  await page.getByRole('region', { name: 'Trace', exact: true }).waitFor()
  for (let row = 1; row <= 60; row++) {
    await page.keyboard.press(']')
    await page.locator(`[data-row="${row}"][data-open]`).waitFor()
  }
  const [list, row] = [await scrollerIn(page).boundingBox(), await page.locator('[data-open]').boundingBox()]
  expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThanOrEqual((list?.y ?? 0) + (list?.height ?? 0))
  await page.keyboard.press('Escape')
  await page.locator('[data-row="60"]:focus-within').waitFor()
  await close()
})

test('the histogram narrows the time by dragging', async () => {
  const { page, close } = await visit(browser, project, '/w/traces?since=1h')
  const box = await page.getByRole('img', { name: /over time/ }).boundingBox()
  if (!box) throw new Error('no histogram')
  const [y, from, to] = [box.y + 20, box.x + box.width * 0.8, box.x + box.width * 0.99]
  await page.mouse.move(from, y)
  await page.mouse.down()
  await page.mouse.move((from + to) / 2, y)
  await page.mouse.move(to, y)
  await page.mouse.up()
  await page.waitForURL(/from=.*to=/)
  await close()
})

test('a key that is revoked while the page is open is asked for again', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  await page.locator('[data-row="0"]').waitFor()
  await page.evaluate(() => localStorage.setItem('spanhouse.key', 'revoked.key'))
  await page.getByText('does not accept the key').waitFor()
  await page.getByLabel('API key').fill(project.apiKey)
  await page.keyboard.press('Enter')
  await page.locator('[data-row="0"]').waitFor()
  await close()
})

test('links that clients print open the right screen, also those with ids that look like numbers', async () => {
  const [id, span] = [newTraceId().replace(/\D/g, '1'), newSpanId().replace(/\D/g, '1')]
  const [root, inner] = agentTrace('Linked?') as [OtlpSpan, OtlpSpan]
  await project.store({ ...root, traceId: id }, { ...inner, traceId: id, spanId: span })
  const printed = `/w/some/p/${project.projectId}/observability?trace=${id}`
  for (const [path, name] of [
    [printed, 'plan_trip'],
    [`${printed}&span=${span}`, 'check_weather'],
    [`/t/${id}`, 'plan_trip'],
    [`/t/${id}/${span}`, 'check_weather'],
    [`/w/traces?trace=${id}&span=${span}`, 'check_weather'],
  ] as const) {
    const { page, close } = await visit(browser, project, path)
    await page.getByRole('region', { name: 'Span' }).getByRole('heading', { name }).waitFor()
    expect(page.url()).toContain(id)
    await close()
  }
  const { page, close } = await visit(browser, project, `/w/x/p/y/evaluations/results/${project.projectId}`)
  await page.getByText('no run with this id').waitFor()
  await close()
})

test.each([
  ['/w/traces/mistyped', 'This project has no trace mistyped.', 'list of traces'],
  [`/w/traces/${'0'.repeat(31)}1`, 'This project has no trace 0', 'list of traces'],
  ['/w/testsets/mistyped', 'This project has no such testset', 'testsets'],
  ['/w/testsets/mistyped?revision=too', 'This project has no such testset', 'testsets'],
  ['/w/playground/applications/mistyped', 'This project has no application or evaluator with this id', 'playground'],
  ['/w/evaluations/mistyped', 'This project has no run with this id.', 'list of evaluations'],
  ['/w/queues/mistyped', 'This project has no queue with this id.', 'list of evaluations'],
  ['/w/evaluations/judge?baseline=mistyped&run=too', 'These two runs do not exist.', 'comparison'],
])('%s: what is not there is said, with a link onward', async (path, says, link) => {
  const { page, close } = await visit(browser, project, path)
  const main = page.getByRole('main')
  await main.getByText(says).waitFor()
  await main.getByRole('link', { name: link, exact: true }).waitFor()
  await main.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
  expect(await main.textContent()).not.toContain('UUID')
  await close()
})

test('browsers are led to the pages, which answer with their policy; assets are compressed and immutable', async () => {
  const { apiUrl } = inject('target')
  const front = await fetch(`${apiUrl}/`, { headers: { accept: 'text/html' }, redirect: 'manual' })
  expect([front.status, front.headers.get('location')]).toEqual([302, '/w'])
  expect((await call(apiUrl, 'GET', '/', undefined)).headers.get('location')).toBe(null)
  const page = await call(apiUrl, 'GET', '/w/anything/at/all', undefined)
  expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'")
  const [, script] = /src="([^"]+\.js)"/.exec(page.text) ?? []
  const asset = await fetch(apiUrl + script, { headers: { 'accept-encoding': 'br' } })
  expect(asset.headers.get('content-encoding')).toBe('br')
  expect(asset.headers.get('cache-control')).toContain('immutable')
  const missing = await fetch(`${apiUrl}/w/assets/missing.js`)
  expect([missing.status, missing.headers.get('cache-control') ?? '']).toEqual([
    404,
    expect.not.stringContaining('immutable'),
  ])
})
