import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newProject, type TestProject } from '../../../test/harness.ts'
import type { OtlpSpan } from '../../../test/otlp.ts'
import { intercept, openBrowser, traceOf, visit } from './browser.testing.ts'

/*
 * Sessions and the dashboard, and that every screen shows the same numbers of the same traces: of a set in which some
 * spans are sent twice and the roots come last.
 */

let browser: Browser
let project: TestProject
/** Of each session: its traces, the first one first. */
let sessions: Record<string, OtlpSpan[][]>

const TURNS = { 'trip-lima': 4, 'trip-oslo': 2, 'only-once': 1 }
const TOKENS = 100
const COST = 0.002
/** Of all traces. */
const TOTAL = { traces: 7, tokens: 2 * 7 * TOKENS, errors: 2 }

const turn = (session: string, at: number): OtlpSpan[] => {
  const call = {
    type: 'chat',
    ms: 200,
    tokens: TOKENS,
    cost: COST,
    inputs: { messages: [{ role: 'user', content: `${session} ${at}` }] },
  }
  const isFailed = session === 'trip-oslo'
  return traceOf(
    {
      name: 'assist',
      type: 'agent',
      at: 0,
      ms: 1_000,
      inputs: { messages: [{ role: 'user', content: `Question ${at} of ${session}?` }] },
      outputs: `Answer ${at} of ${session}.`,
      steps: [
        { name: 'plan', at: 10, ...call },
        { name: 'look_up', type: 'tool', at: 300, ms: 100, ...(isFailed && { fails: 'timed out' }) },
        { name: 'answer', at: 700, ...call, outputs: 'x' },
      ],
    },
    {
      agoMs: 3_600_000 - at * 60_000,
      attributes: { 'ag.session.id': session, 'ag.user.id': session.includes('lima') ? 'ada' : 'grace' },
    },
  ).map((span, index) =>
    index % 2 === 1
      ? {
          ...span,
          attributes: [
            ...(span.attributes ?? []),
            { key: 'gen_ai.response.model', value: { stringValue: index === 1 ? 'small' : 'large' } },
          ],
        }
      : span,
  )
}

beforeAll(async () => {
  browser = await openBrowser()
  project = await newProject()
  sessions = Object.fromEntries(
    Object.entries(TURNS).map(([session, turns]) => [
      session,
      Array.from({ length: turns }, (_, at) => turn(session, at)),
    ]),
  )
  const traces = Object.values(sessions).flat()
  const isRoot = ({ parentSpanId }: OtlpSpan): boolean => parentSpanId === undefined
  const children = traces.flat().filter(span => !isRoot(span))
  await project.store(...children)
  // Sent again, as exporters do after a timeout.
  await project.store(...children.slice(0, 10))
  await project.store(...traces.flat().filter(isRoot))
})
afterAll(() => browser.close())

/** A machine that does other work, too. */
const SOON = { timeout: 20_000 }

const rowsIn = (page: Page, name: string) => page.getByRole('table', { name }).locator('tbody tr')

test('list, trace, session, dashboard and API show the same numbers, and each leads to its rows', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/dashboard')
  await page.getByRole('link', { name: '7', exact: true }).first().waitFor()
  const figure = (title: string) =>
    page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) }).getByRole('link')
  expect(await figure('Tokens').textContent()).toBe(TOTAL.tokens.toLocaleString('en'))
  expect(await figure('Cost').textContent()).toBe('$0.028')
  expect(await figure('With errors').textContent()).toBe('2 · 29 %')
  const models = rowsIn(page, 'By model')
  await expect
    .poll(() => models.allTextContents(), SOON)
    .toEqual([expect.stringMatching(/^large7.*700\$0\.014$/), expect.stringMatching(/^small7.*700\$0\.014$/)])
  const users = rowsIn(page, 'By user')
  await expect
    .poll(() => users.allTextContents(), SOON)
    .toEqual([expect.stringMatching(/^ada4.*800\$0\.016$/), expect.stringMatching(/^grace32.*600\$0\.012$/)])

  await figure('With errors').click()
  await page.getByText('2 found').waitFor()
  await page.goBack()
  await rowsIn(page, 'By model').getByRole('link', { name: '7' }).first().click()
  await page.getByText('7 found').waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'ada' }).click()
  await expect.poll(() => figure('Traces').textContent(), SOON).toBe('4')
  await expect
    .poll(() => models.allTextContents(), SOON)
    .toEqual([expect.stringMatching(/^large4.*400/), expect.stringMatching(/^small4.*400/)])

  const { body } = await project.post('/api/spans/groups', { focus: 'trace' })
  expect(body.groups).toMatchObject([{ count: TOTAL.traces, tokens: TOTAL.tokens, errors: TOTAL.errors }])
  const id = sessions['trip-lima']?.[0]?.[0]?.traceId
  await page.goto(page.url().replace(/\/w\/.*/, `/w/traces/${id}`))
  const totals = page.locator('dl').filter({ hasText: 'Tokens' })
  await expect.poll(() => totals.textContent(), SOON).toMatch(/Σ Tokens200Σ Cost\$0\.004Spans4/)
  expect(faults).toEqual([])
  await close()
})

test('the dashboard by keyboard only: through time, to the rows, filter', async () => {
  const { page, close } = await visit(browser, project, '/w/dashboard?since=24h')
  const chart = page.getByRole('slider', { name: 'Traces over time' })
  await chart.focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => chart.getAttribute('aria-valuemax'), SOON).not.toBe('0')
  await page.keyboard.press('ArrowLeft')
  for (let step = 0; step < 10 && !/[1-9]\d* traces/.test((await chart.getAttribute('aria-valuetext')) ?? ''); step++)
    await page.keyboard.press('ArrowLeft')
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/[1-9]\d* traces/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/w\/traces\?.*from=/)
  await page.getByText(/[1-9] found/).waitFor()
  await page.goBack()
  await chart.waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('user:grace')
  await page.waitForURL(/q=user%3Agrace/)
  await page.getByRole('link', { name: '3', exact: true }).first().waitFor()
  await close()
})

/** Points of the drawing that are neither grey nor transparent. */
const colouredPoints = (canvas: HTMLCanvasElement): number => {
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
  let found = 0
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.slice(at, at + 4)
    if (alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) found++
  }
  return found
}

test('the totals of a trace with two roots are those of both, as the dashboard has them', async () => {
  const own = await newProject()
  const [first] = traceOf({ name: 'first', type: 'chat', at: 0, ms: 1_000, tokens: 100, cost: 0.25 })
  const [second] = traceOf({ name: 'second', type: 'chat', at: 3_000, ms: 1_000, tokens: 200, cost: 0.5 })
  await own.store(first as OtlpSpan, { ...(second as OtlpSpan), traceId: first?.traceId as string })
  const { page, close } = await visit(browser, own, `/w/traces/${first?.traceId}`)
  const totals = page.locator('header dl').first()
  await totals.getByText('2', { exact: true }).waitFor()
  expect(await totals.locator('dd').allTextContents()).toEqual([expect.anything(), '4 s', '300', '$0.75', '2'])
  await page.goto(page.url().replace(/\/w\/.*/, '/w/dashboard'))
  await page.getByRole('link', { name: '$0.75' }).waitFor()
  await close()
})

test('a session of a user with a long name fits its page', async () => {
  const own = await newProject()
  const names = { 'ag.session.id': 's'.repeat(300), 'ag.user.id': 'u'.repeat(300) }
  await own.store(...traceOf({ name: 'assist', type: 'agent', at: 0, ms: 1_000 }, { attributes: names }))
  const { page, close } = await visit(browser, own, `/w/sessions/${names['ag.session.id']}`)
  await page.getByRole('link', { name: names['ag.user.id'] }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
  await close()
})

test('durations of a single part of the window are visible, and those of others are missing', async () => {
  const { page, close } = await visit(browser, project, '/w/dashboard?since=7d')
  const chart = page.getByRole('slider', { name: 'Duration over time' })
  const drawing = chart.locator('canvas')
  await expect.poll(() => drawing.evaluate(colouredPoints), SOON).toBeGreaterThan(10)
  await chart.focus()
  await page.keyboard.press('ArrowRight')
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/: – p50, – p95$/)
  await close()
})

/** Points at the left edge of the drawing, where a label that is cut off reaches. */
const pointsAtEdge = (canvas: HTMLCanvasElement): number => {
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, 1, canvas.height) ?? { data: [] }
  return data.filter((value, at) => at % 4 === 3 && value > 0).length
}

test('a table says that there are more rows, and shows them; labels of long durations are not cut off', async () => {
  const many = await newProject()
  const users = Array.from({ length: 12 }, (_, at) => `user-${at + 10}`)
  await many.store(
    ...users.flatMap((user, at) =>
      traceOf(
        { name: 'assist', type: 'agent', at: 0, ms: 200_000_000, cost: 1 + at },
        { agoMs: 250_000_000, attributes: { 'ag.user.id': user } },
      ),
    ),
  )
  const { page, faults, close } = await visit(browser, many, '/w/dashboard')
  const rows = rowsIn(page, 'By user')
  await expect.poll(() => rows.count(), SOON).toBe(10)
  await page.getByText('Only the 10 with the highest cost.').waitFor()
  const drawing = page.getByRole('slider', { name: 'Duration over time' }).locator('canvas')
  await expect.poll(() => drawing.evaluate(colouredPoints), SOON).toBeGreaterThan(10)
  expect(await drawing.evaluate(pointsAtEdge)).toBe(0)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count(), SOON).toBe(12)
  await page.reload()
  await expect.poll(() => rows.count(), SOON).toBe(12)
  await page.getByRole('button', { name: 'Show 10' }).click()
  await expect.poll(() => rows.count(), SOON).toBe(10)
  expect(faults).toEqual([])
  await close()
})

test('dragging over one chart of the dashboard zooms all of them', async () => {
  const { page, close } = await visit(browser, project, '/w/dashboard?since=24h')
  // A tile may move until all have their data.
  await page.waitForLoadState('networkidle')
  const box = await page.getByRole('slider', { name: 'Cost over time' }).boundingBox()
  if (!box) throw new Error('no chart')
  const y = box.y + 50
  await page.mouse.move(box.x + box.width * 0.5, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.7, y, { steps: 4 })
  await page.mouse.up()
  await page.waitForURL(/from=.*to=/)
  await expect.poll(() => page.getByRole('combobox', { name: 'Time' }).inputValue(), SOON).toBe('range')
  await close()
})

test('by mouse: from the list of sessions into a session, its steps and its traces', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/sessions')
  const rows = rowsIn(page, 'Sessions')
  await expect.poll(() => rows.count(), SOON).toBe(2)
  expect(await rows.first().textContent()).toMatch(/trip-lima4.*800\$0\.016$/)
  await page.getByText('All sessions').click()
  await expect.poll(() => rows.count(), SOON).toBe(3)
  // Anywhere in its row.
  await rows.first().getByRole('cell').first().click()
  await page.getByText('Answer 0 of trip-lima.').waitFor()
  expect(await page.locator('dl').first().textContent()).toMatch(/Turns4.*Σ Tokens800Σ Cost\$0\.016/)
  await page.getByRole('list', { name: 'Turns' }).getByRole('button').nth(3).click()
  await page.getByText('Answer 3 of trip-lima.').waitFor()
  const last = page.getByRole('article', { name: 'Turn 4' })
  await last.getByRole('button', { name: 'Steps' }).click()
  await last.getByRole('link', { name: 'look_up' }).click()
  await page.waitForURL(/\/w\/traces\/[0-9a-f]{32}\?span=/)
  await page.getByRole('heading', { name: 'look_up' }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test.each(['..', 'a/b?c#d %2F', '🦄'.repeat(100)])('the session %s is opened by its link', async session => {
  await project.store(...turn(session, 0))
  const { page, faults, close } = await visit(browser, project, '/w/sessions?all=true')
  await page.getByRole('link', { name: session, exact: true }).click()
  await page.getByRole('heading', { name: `Session ${session}`, exact: true }).waitFor()
  await page.reload()
  await page.getByText(`Answer 0 of ${session}.`).waitFor()
  await page.getByRole('heading', { name: `Session ${session}`, exact: true }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test('a turn that arrives late stands between the others', async () => {
  const own = await newProject()
  const said = (outputs: string, agoMs: number): OtlpSpan[] =>
    traceOf(
      { name: 'talk', type: 'agent', at: 0, ms: 100, outputs },
      { agoMs, attributes: { 'ag.session.id': 'late' } },
    )
  await own.store(...said('First.', 90_000), ...said('A long answer.\n'.repeat(40), 60_000), ...said('Last.', 30_000))
  const { page, close } = await visit(browser, own, '/w/sessions/late')
  await page.getByRole('article', { name: 'Turn 2' }).waitFor()
  await own.store(...said('Late.', 75_000))
  await page.getByRole('article', { name: 'Turn 2' }).getByText('Late.').waitFor()
  const edges = await page
    .getByRole('article', { name: 'Turn' })
    .evaluateAll(turns => turns.map(turn => turn.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]))
  expect(edges.flat()).toEqual(edges.flat().toSorted((one, other) => one - other))
  await close()
})

test('by keyboard only: turns of one trace are gone through one by one', async () => {
  const own = await newProject()
  const attributes = { 'ag.session.id': 'joined' }
  const said = [1, 2, 3].map(at =>
    traceOf({ name: 'talk', type: 'agent', at: 0, ms: 9, outputs: `Said ${at}.` }, { agoMs: 90_000 / at, attributes }),
  )
  const traceId = said[0]?.[0]?.traceId as string
  await own.store(...said.flat().map(span => ({ ...span, traceId })))
  const { page, close } = await visit(browser, own, '/w/sessions/joined')
  const current = page.getByRole('list', { name: 'Turns' }).locator('[aria-current]')
  for (const at of ['1', '2', '3']) {
    await current.getByText(at, { exact: true }).waitFor()
    await page.keyboard.press('j')
  }
  await page.reload()
  await current.getByText('3', { exact: true }).waitFor()
  await close()
})

test('by keyboard only: a session, turn by turn, while it grows', async () => {
  const { page, close } = await visit(browser, project, '/w/sessions')
  await page.getByRole('link', { name: 'trip-oslo' }).waitFor()
  await page.keyboard.press('j')
  await page.locator('tbody a:focus').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Session trip-oslo' }).waitFor()
  await page.getByText('Answer 0 of trip-oslo.').waitFor()
  await page.keyboard.press('j')
  await page.waitForURL(/turn=/)
  await page.keyboard.press('s')
  await page.getByRole('list', { name: 'Steps' }).getByText('look_up').waitFor()
  await project.store(...turn('trip-oslo', 2))
  await page.getByText('Question 2 of trip-oslo?').first().waitFor()
  await page.keyboard.press('o')
  await page.waitForURL(/\/w\/traces\/[0-9a-f]{32}/)
  await close()
})

test('a session of more turns than are shown has the same totals as in the list, and scores from its first turn on', async () => {
  const own = await newProject()
  const turns = Array.from({ length: 1_005 }, (_, at) =>
    traceOf(
      { name: 'assist', type: 'agent', at: 0, ms: 2_000, tokens: 1 },
      { agoMs: 3_600_000 - at * 1_000, attributes: { 'ag.session.id': 'endless' } },
    ),
  )
  for (let at = 0; at < turns.length; at += 200) await own.store(...turns.slice(at, at + 200).flat())
  const [first] = turns[5] as [OtlpSpan]
  const trace = {
    origin: 'human',
    kind: 'adhoc',
    data: { outputs: { score: 0.5 } },
    references: { evaluator: { slug: 'helpful' } },
    links: { invocation: { trace_id: first.traceId, span_id: first.spanId } },
  }
  expect((await own.post('/api/simple/traces/', { trace })).status).toBe(202)
  const { page, close } = await visit(browser, own, '/w/sessions')
  await expect
    .poll(() => rowsIn(page, 'Sessions').allTextContents(), SOON)
    .toEqual([expect.stringMatching(/endless1,005–16 m 46 s.*1,005–$/)])
  await page.getByRole('link', { name: 'endless' }).click()
  await page.getByText('The last 1,000 turns are shown').waitFor()
  expect(await page.locator('dl').first().textContent()).toMatch(/Turns1,005.*Lasted16 m 46 sΣ Tokens1,005/)
  await page.getByRole('list', { name: 'Turns' }).getByRole('button').first().getByText('helpful 0.5').waitFor()
  // The first five are not shown.
  await page.getByRole('article', { name: 'Turn 6', exact: true }).waitFor()
  expect(await page.getByRole('article', { name: 'Turn 1', exact: true }).count()).toBe(0)
  await close()
})

test('the turns of a session are read again only when it has changed', async () => {
  const own = await newProject()
  await own.store(...turn('quiet', 0))
  const { page, close } = await visit(browser, own, '/w/sessions/quiet')
  let [looked, read] = [0, 0]
  page.on('request', request => {
    if (request.url().endsWith('/api/spans/groups')) looked++
    if (request.url().endsWith('/api/spans/rows')) read++
  })
  await page.getByText('Answer 0 of quiet.').waitFor()
  await expect.poll(() => looked, SOON).toBeGreaterThan(2)
  expect(read).toBeLessThan(2)
  await own.store(...turn('quiet', 1))
  await page.getByText('Question 1 of quiet?').first().waitFor()
  expect(await page.locator('dl').first().textContent()).toContain('Turns2')
  await close()
})

test('what is said of the turns of a session is shown while it is read, and stays when a turn arrives', async () => {
  const own = await newProject()
  const said = (score: number, [root]: OtlpSpan[]) => ({
    trace: {
      origin: 'human',
      kind: 'adhoc',
      data: { outputs: { score } },
      references: { evaluator: { slug: 'helpful' } },
      links: { invocation: { trace_id: root?.traceId, span_id: root?.spanId } },
    },
  })
  const [first, second, third] = [0, 1, 2].map(at => turn('judged', at)) as [OtlpSpan[], OtlpSpan[], OtlpSpan[]]
  await own.store(...first, ...second)
  await own.post('/api/simple/traces/', said(0.5, first))
  const { page, close } = await visit(browser, own, '/w/sessions/judged')
  const turns = page.getByRole('list', { name: 'Turns' }).getByRole('button')
  await turns.nth(0).getByText('helpful 0.5').waitFor()
  await own.post('/api/simple/traces/', said(0.25, second))
  await turns.nth(1).getByText('helpful 0.25').waitFor()
  const released = Promise.withResolvers<void>()
  await intercept(page, '**/api/spans/query', async route => {
    await released.promise
    await route.continue()
  })
  await own.store(...third)
  await turns.nth(2).waitFor()
  expect(await turns.nth(0).textContent()).toContain('helpful 0.5')
  released.resolve()
  await close()
})

test('a filter that no session matches is not taken for spans without sessions', async () => {
  const { page, close } = await visit(browser, project, '/w/sessions?q=user:nobody')
  await page.getByText('No session in this time has several turns that match the filter.').waitFor()
  expect(await page.getByText('Set the attribute').count()).toBe(0)
  await close()
})

test('Back shows the list of sessions where it was left', async () => {
  const own = await newProject()
  const turns = Array.from({ length: 120 }, (_, n) =>
    traceOf(
      { name: 'assist', type: 'agent', at: 0, ms: 10 },
      { agoMs: 60_000 * (n + 1), attributes: { 'ag.session.id': `talk-${n % 60}` } },
    ),
  )
  await own.store(...turns.flat())
  const { page, close } = await visit(browser, own, '/w/sessions')
  const list = page.getByRole('region', { name: 'List' })
  const top = (): Promise<number> => list.evaluate(element => element.scrollTop)
  await page.getByRole('link', { name: 'talk-59' }).scrollIntoViewIfNeeded()
  const place = await top()
  expect(place).toBeGreaterThan(0)
  await page.getByRole('link', { name: 'talk-59' }).click()
  await page.getByRole('heading', { name: 'Session talk-59' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'talk-59' }).waitFor()
  expect(await top()).toBe(place)
  // Another list begins at its top.
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Most expensive first')
  await expect.poll(top, SOON).toBe(0)
  await page.goBack()
  await expect.poll(top, SOON).toBe(place)
  await page.getByRole('combobox', { name: 'Filter' }).fill('session:talk-7')
  await expect.poll(() => rowsIn(page, 'Sessions').count(), SOON).toBe(1)
  await page.goBack()
  await expect.poll(top, SOON).toBe(place)
  await close()
})

test('a filter becomes a tile of the dashboard, in the address, and leads to its rows', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/dashboard')
  await page.getByRole('button', { name: 'Add a tile …' }).click()
  await page.getByRole('textbox', { name: 'Filter of the tile' }).fill('type:nonsense')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('type is one of').waitFor()
  await page.getByRole('textbox', { name: 'Filter of the tile' }).fill('errors>0')
  await page.keyboard.press('Enter')
  await page.waitForURL(/tiles=/)
  await page.keyboard.press('Escape')
  const tile = page.locator('section', { has: page.getByRole('heading', { name: 'errors>0' }) })
  const count = await tile.getByRole('link').textContent()
  await page.reload()
  await tile.getByRole('link', { name: count ?? '' }).click()
  await page.waitForURL(/traces\?q=errors%3E0/)
  await page.getByText(`${count} found`).waitFor()
  expect(faults).toEqual([])
  await close()
})
