import { readFile } from 'node:fs/promises'
import type { Browser, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../../../test/harness.ts'
import { exportOf, newSpanId, newTraceId, type OtlpSpan } from '../../../test/otlp.ts'
import { agentTrace, intercept, openBrowser, projectWithTraces, tabTo, traceOf, visit } from './browser.testing.ts'

/* What can be done with traces besides reading them: saving filters, own columns, selecting, annotating. */

let browser: Browser
let project: TestProject
let traces: OtlpSpan[][]

beforeAll(async () => {
  browser = await openBrowser()
  ;({ project, traces } = await projectWithTraces(6))
})
afterAll(() => browser.close())

test('by mouse: a filter is saved, and chosen again; an own column and scores are in the address', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/traces?q=type%3Aagent+errors%3E0')
  await page.getByText('6 found').waitFor()
  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByRole('button', { name: 'Save this filter …' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Failing agents')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('dialog', { name: 'Save this filter' }).waitFor({ state: 'detached' })
  await page.goto(page.url().replace(/\?.*/, ''))
  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByRole('button', { name: 'Failing agents', exact: true }).click()
  await page.waitForURL(/q=type%3Aagent\+errors%3E0/)
  const archive = page.getByRole('button', { name: 'Archive Failing agents' })
  // What was chosen shows its rows.
  await archive.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Saved' }).click()
  await archive.click()
  await page.keyboard.press('Escape')
  await expect.poll(() => archive.evaluate(button => button === document.activeElement)).toBe(true)
  await archive.click()
  await page.getByRole('button', { name: 'No', exact: true }).click()
  await page.getByRole('button', { name: 'Archive Failing agents' }).click()
  await page.getByRole('button', { name: 'Yes', exact: true }).click()
  await page.getByText('No filter is saved yet.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('textbox', { name: 'Path of an attribute' }).fill('ag.data.outputs')
  await page.keyboard.press('Enter')
  await page.waitForURL(/columns=ag\.data\.outputs/)
  await page.getByRole('columnheader', { name: 'data.outputs' }).waitFor()
  await page.getByRole('cell', { name: 'Rarely; try Tromsø.', exact: true }).first().waitFor()
  expect(faults).toEqual([])
  await close()
})

test('by keyboard only: a saved filter of the same name is replaced, if the reader says so', async () => {
  const own = await newProject()
  await own.store(...agentTrace('Which filter?'))
  const { page, faults, close } = await visit(browser, own, '/w/traces?q=type%3Aagent')
  const dialog = page.getByRole('dialog', { name: 'Save this filter' })
  const saveAs = async (name: string): Promise<void> => {
    await tabTo(page, page.getByRole('button', { name: 'Saved' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Save this filter …' }))
    await page.keyboard.press('Enter')
    await dialog.waitFor()
    await page.keyboard.type(name)
  }
  await saveAs('Agents')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.goto(page.url().replace(/\?.*/, '?q=type%3Aagent+errors%3E0'))
  await page.getByText('1 found').waitFor()
  await saveAs(' agents')
  const field = dialog.getByRole('textbox', { name: 'Name' })
  const note = dialog.getByText('There is a filter “Agents”. Replace it, or choose another name.')
  await note.waitFor()
  expect(await field.getAttribute('aria-describedby')).toBe(await note.getAttribute('id'))
  await page.keyboard.type(' that fail')
  await dialog.getByRole('button', { name: 'Save', exact: true }).waitFor()
  for (let letter = 0; letter < ' that fail'.length; letter++) await page.keyboard.press('Backspace')
  await dialog.getByRole('button', { name: 'Replace' }).waitFor()
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  const { queries } = (await own.post('/api/simple/queries/query', {})).body
  expect(queries).toHaveLength(1)
  expect(queries[0].name).toBe('Agents')
  expect(JSON.stringify(queries[0].data.filtering)).toContain('errors')
  // One that somebody else saved after the dialog was opened is not replaced unasked.
  await saveAs('Theirs')
  const theirs = { query: { slug: 'theirs', name: 'Theirs', data: queries[0].data } }
  const savingTheirs = async (route: Route): Promise<void> => {
    await own.posted('/simple/queries/', theirs)
    await route.continue()
  }
  await intercept(page, '**/api/simple/queries/query', savingTheirs, { times: 1 })
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('body').textContent()).toContain('There is a filter “Theirs”.')
  expect(await dialog.getByRole('button', { name: 'Replace' }).count()).toBe(1)
  expect(faults).toEqual([])
  await close()
})

test('keys are called as on the computer of the reader', async () => {
  for (const [userAgent, key] of [
    ['Mozilla/5.0 (X11; Linux x86_64) Chrome/140', 'Ctrl+K'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/140', '⌘K'],
  ] as const) {
    const { page, close } = await visit(browser, project, '/w/traces', { userAgent })
    await page.getByRole('banner').getByText(key, { exact: true }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText(key, { exact: true }).waitFor()
    await close()
  }
})

test('the focus is where it was after the commands, and in what one of them opens', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  const row = page.locator('[data-row="1"] a')
  await row.focus()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command, name or trace id' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => row.evaluate(link => link === document.activeElement)).toBe(true)
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Show all keys' }).click()
  const keys = page.getByRole('dialog', { name: 'Keys' })
  await expect.poll(() => keys.evaluate(dialog => dialog.contains(document.activeElement))).toBe(true)
  await page.keyboard.press('Escape')
  await keys.waitFor({ state: 'detached' })
  await close()
})

test('what is no command and no id of a trace can be corrected', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  await page.locator('[data-row="0"]').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command, name or trace id' }).waitFor()
  await page.keyboard.type('testsett')
  await page.getByText('Nothing has this name').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/w\/testsets/)
  await close()
})

test('what has a name in the project is found by it and opened by keyboard', async () => {
  const own = await newProject()
  const testset = { slug: 'holidays', name: 'Public holidays', data: { testcases: [{ data: { day: 'May 1' } }] } }
  await own.post('/api/simple/testsets/', { testset })
  const data = { uri: 'agenta:custom:hook:v0', url: 'https://localhost/hook' }
  for (const at of Array.from({ length: 12 }, (_, at) => at))
    await own.post('/api/simple/applications/', { application: { slug: `bot-${at}`, name: `Holiday bot ${at}`, data } })
  const { page, faults, close } = await visit(browser, own, '/w/settings/keys')
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command, name or trace id' }).waitFor()
  await page.keyboard.type('holiday')
  await page.getByRole('option', { name: 'Open testset Public holidays' }).waitFor()
  expect(await page.getByRole('option', { name: /^Open application/ }).count()).toBe(10)
  await page.keyboard.type(' bot 7')
  await page.getByRole('option', { name: 'Open testset' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/w\/playground\/applications\//)
  await page.getByRole('heading', { name: 'Holiday bot 7' }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test('by mouse: what is selected becomes testcases, and a file', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/traces')
  await page.locator('[data-row="1"]').getByRole('checkbox').check()
  await page.locator('[data-row="2"]').getByRole('checkbox').check()
  await page.getByText('2 selected').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('traces.jsonl')
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
  expect(lines.map(line => JSON.parse(line).trace_id)).toEqual([1, 2].map(at => traces[at]?.[0]?.traceId))
  await page.getByRole('button', { name: 'Add to testset' }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('From traces')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Added: open the testset' }).click()
  await page.waitForURL(/\/w\/testsets\//)
  await page.getByText('Rarely; try Tromsø.').first().waitFor()
  expect(faults).toEqual([])
  await close()
})

test('a queue that is made for traces can be chosen for the next ones at once', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  const dialog = page.getByRole('dialog')
  for (const [row, made] of [
    [0, false],
    [1, true],
  ] as const) {
    await page.locator(`[data-row="${row}"]`).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Add to queue' }).click()
    const queues = dialog.getByRole('combobox', { name: 'Queue' })
    await queues.waitFor()
    expect(await queues.getByRole('option', { name: 'Odd ones' }).count()).toBe(Number(made))
    if (made) break
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Odd ones')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('link', { name: 'Added: open the queue' }).waitFor()
  }
  // In the list of evaluations, traces have no version.
  await page.goto(page.url().replace(/\/w\/.*/, '/w/evaluations'))
  await page.getByRole('cell', { name: 'traces', exact: true }).waitFor()
  await close()
})

test('what another filter does not show is no longer selected', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  await page.locator('[data-row="1"]').getByRole('checkbox').check()
  await page.getByText('1 selected').waitFor()
  await page.getByRole('combobox', { name: 'Order' }).selectOption('duration')
  await page.getByText('1 selected').waitFor()
  await page.getByRole('combobox', { name: 'Filter' }).fill('name=absent')
  await page.getByText('Nothing matches').waitFor()
  await page.getByText('1 selected').waitFor({ state: 'detached' })
  await close()
})

test('a time that is chosen as a command is that of the rows that are looked at', async () => {
  const { page, close } = await visit(browser, project, '/w/dashboard?q=user%3Agrace')
  await page.getByRole('heading', { name: 'By application' }).waitFor()
  const command = async (name: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command, name or trace id' }).fill(name)
    await page.keyboard.press('Enter')
  }
  await command('Time: Last hour')
  await page.waitForURL(/\/w\/dashboard\?q=user%3Agrace&since=1h$/)
  await command('Time: Last 7 days')
  await page.waitForURL(/\/w\/dashboard\?q=user%3Agrace$/)
  await page.getByRole('link', { name: 'Testsets' }).click()
  await page.getByRole('heading', { name: 'Testsets' }).waitFor()
  await command('Time: Last hour')
  await page.waitForURL(/\/w\/traces\?since=1h$/)
  await close()
})

test('the theme that a command or another tab chooses is the one that the button names', async () => {
  const { page, close } = await visit(browser, project, '/w/testsets')
  await page.getByRole('button', { name: 'Theme: system' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command, name or trace id' }).fill('theme')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Theme: light' }).waitFor()
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  await tab.getByRole('button', { name: 'Theme: light' }).click()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
  await close()
})

test('keys of an input method neither choose, run nor leave anything', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  const composing = (key: string, more: object = {}) =>
    page.evaluate(
      ([key, more]) =>
        document.activeElement?.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, isComposing: true, ...more }),
        ),
      [key, more] as const,
    )
  const filter = page.getByRole('combobox', { name: 'Filter' })
  await filter.fill('type:')
  await page.getByRole('option', { name: 'type:agent' }).waitFor()
  for (const key of ['ArrowDown', 'Enter', 'Escape']) await composing(key)
  await composing('k', { ctrlKey: true })
  expect(await filter.evaluate(field => field === document.activeElement)).toBe(true)
  expect(await filter.getAttribute('aria-activedescendant')).toBe(null)
  await page.getByRole('option', { name: 'type:agent' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await filter.press('Control+k')
  const command = page.getByRole('combobox', { name: 'Command, name or trace id' })
  await command.fill('testsets')
  await composing('Enter')
  await command.waitFor()
  await command.press('Enter')
  await page.waitForURL(/\/w\/testsets/)
  await page.goto(page.url().replace(/\/w\/.*/, `/w/traces/${traces[0]?.[0]?.traceId}?view=tree`))
  const find = page.getByRole('searchbox', { name: 'Find a span by name' })
  await find.fill('weather')
  await page.getByText('1 found').waitFor()
  for (const key of ['Enter', 'Escape']) await composing(key)
  expect(await find.evaluate(field => field === document.activeElement)).toBe(true)
  expect(page.url()).not.toContain('span=')
  await find.press('Enter')
  await page.waitForURL(/span=/)
  await close()
})

test('by keyboard only: rows are selected, values complete the filter', async () => {
  const { page, close } = await visit(browser, project, '/w/traces')
  await page.locator('[data-row="0"]').waitFor()
  await page.keyboard.press('j')
  await page.locator('[data-row="0"]:focus-within').waitFor()
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  const add = page.getByRole('button', { name: 'Add to testset' })
  await tabTo(page, add)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => add.evaluate(button => button === document.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  await page.getByText('1 selected').waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  await page.keyboard.type('user:gr')
  await page.getByRole('option', { name: 'user:grace' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=user%3Agrace/)
  await close()
})

test('by keyboard only: a span is annotated, and the score is in the list', async () => {
  const id = traces[3]?.[0]?.traceId
  const { page, faults, close } = await visit(browser, project, `/w/traces/${id}?view=tree`)
  await page.getByRole('treeitem').first().waitFor()
  const add = page.getByRole('button', { name: 'Add to testset' })
  await tabTo(page, add)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => add.evaluate(button => button === document.activeElement)).toBe(true)
  await page.keyboard.press('a')
  // Every project begins with one evaluator for people.
  await page.getByRole('option', { name: 'Quality Rating' }).waitFor({ state: 'attached' })
  await page.keyboard.type('Something')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Helpful')
  await page.keyboard.press('Tab')
  await page.keyboard.type('0.5')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Too short.')
  // A look at another span loses nothing.
  await page.getByRole('treeitem').nth(1).click()
  await page.getByRole('heading', { name: 'check_weather' }).waitFor()
  await page.getByRole('treeitem').first().click()
  await page.getByRole('region', { name: 'Span' }).getByRole('heading', { name: 'plan_trip' }).waitFor()
  await page.keyboard.press('a')
  expect(await page.getByLabel('comment').inputValue()).toBe('Too short.')
  await page.getByLabel('comment').press('Enter')
  const annotation = page.getByRole('article', { name: 'Annotation helpful' })
  await annotation.getByText('Too short.').waitFor()
  expect(await annotation.textContent()).toContain('by a person')
  await page.getByRole('form', { name: 'Annotation' }).waitFor({ state: 'detached' })
  await page.keyboard.press('a')
  const form = page.getByRole('form', { name: 'Annotation' })
  await form.waitFor()
  expect(
    await form.locator('input').evaluateAll((fields: HTMLInputElement[]) => fields.map(({ value }) => value)),
  ).toEqual([])
  await page.goto(page.url().replace(/\/w\/.*/, '/w/traces?columns=scores'))
  await page.getByRole('cell', { name: /helpful 0\.5/ }).waitFor()
  // What is said while the list is shown is in it, too.
  const [root] = traces[4] as [OtlpSpan]
  const trace = {
    origin: 'human',
    kind: 'adhoc',
    data: { outputs: { score: 0.25 } },
    references: { evaluator: { slug: 'helpful' } },
    links: { invocation: { trace_id: root.traceId, span_id: root.spanId } },
  }
  expect((await project.post('/api/simple/traces/', { trace })).status).toBe(202)
  await page.getByRole('cell', { name: /helpful 0\.25/ }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test('one trace after the other is annotated as the one before', async () => {
  const own = await newProject()
  await own.store(...['First?', 'Second?', 'Third?'].flatMap((question, at) => agentTrace(question, 60_000 * (at + 1))))
  const outputs = { type: 'object', properties: { score: { type: 'number' } } }
  const data = { uri: 'agenta:custom:feedback:v0', schemas: { outputs } }
  for (const slug of ['brief', 'polite']) await own.posted('/simple/evaluators/', { evaluator: { slug, data } })
  const { page, close } = await visit(browser, own, '/w/traces')
  await page.locator('[data-row="0"] a').click()
  const judged = page.getByLabel('What is judged')
  const annotate = page.getByRole('button', { name: 'Annotate' })
  for (const [slug, next] of [
    ['brief', 'Second?'],
    ['polite', 'Third?'],
  ] as const) {
    await annotate.click()
    await judged.selectOption(slug)
    await page.getByLabel('score').fill('1')
    await page.keyboard.press('Enter')
    await judged.waitFor({ state: 'detached' })
    await page.keyboard.press(']')
    await page.getByRole('article').getByText(next).first().waitFor()
    await annotate.click()
    await expect.poll(() => judged.inputValue()).toBe(slug)
    await page.getByRole('button', { name: 'Cancel' }).click()
  }
  await close()
})

test('all annotations of a trace are shown and count, however many there are', async () => {
  const own = await newProject()
  const [root] = agentTrace('Judged often?')
  await own.store(root as OtlpSpan)
  const said = (slug: string, at: number): object => {
    const trace_id = newTraceId()
    const time = new Date(Date.now() - at * 10).toISOString()
    const span = {
      trace_id,
      span_id: newSpanId(),
      span_name: slug,
      trace_type: 'annotation',
      start_time: time,
      end_time: time,
      links: [{ trace_id: root?.traceId, span_id: root?.spanId }],
      attributes: {
        ag: { type: { trace: 'annotation' }, data: { outputs: { score: 0.5 } }, references: { evaluator: { slug } } },
      },
    }
    return { trace_id, spans: { root: span } }
  }
  const traces = [...Array.from({ length: 1_000 }, (_, at) => said('often', at)), said('first', 2_000)]
  expect((await own.post('/api/traces/ingest', { traces })).status).toBe(202)
  // The page reads scores once.
  const annotation = { conditions: [{ field: 'trace_type', value: 'annotation' }] }
  const counted = { focus: 'trace', filtering: annotation, windowing: { limit: 2_000 } }
  await eventually(async () => (await own.post('/api/traces/query', counted)).body.count === traces.length)
  const { page, close } = await visit(browser, own, '/w/traces?columns=scores&q=name%3Dplan_trip')
  await page.getByRole('cell', { name: /first 0\.5/ }).waitFor()
  await page.goto(page.url().replace(/\/w\/.*/, `/w/traces/${root?.traceId}?view=tree&tab=annotations`))
  const articles = page.getByRole('article', { name: /^Annotation/ })
  await page.getByRole('button', { name: 'Show 100 more of 1,001' }).click()
  await expect.poll(() => articles.count()).toBe(200)
  for (let shown = 200; shown < 1_000; shown += 100)
    await page.getByRole('button', { name: 'Show 100 more of 1,001' }).click()
  await page.getByRole('button', { name: 'Show 1 more of 1,001' }).click()
  await page.getByRole('article', { name: 'Annotation first' }).waitFor()
  await close()
})

test('an annotation that is saved while another span is looked at is no draft any more', async () => {
  const { page, close } = await visit(browser, project, `/w/traces/${traces[5]?.[0]?.traceId}?view=tree`)
  await page.getByRole('treeitem').first().waitFor()
  const released = Promise.withResolvers<void>()
  await intercept(page, '**/api/simple/traces/', async route => {
    await released.promise
    await route.continue()
  })
  await page.keyboard.press('a')
  await page.getByLabel('What is judged').selectOption('Something new …')
  await page.getByLabel('Its name').fill('Slow')
  await page.getByLabel('comment').fill('Of the agent.')
  await page.getByLabel('comment').press('Enter')
  await page.getByRole('treeitem').nth(1).click()
  await page.getByRole('heading', { name: 'check_weather' }).waitFor()
  released.resolve()
  await page.getByRole('article', { name: 'Annotation slow' }).getByText('Of the agent.').waitFor()
  await page.getByRole('treeitem').first().click()
  await page.getByRole('region', { name: 'Span' }).getByRole('heading', { name: 'plan_trip' }).waitFor()
  await page.keyboard.press('a')
  const form = page.getByRole('form', { name: 'Annotation' })
  await form.waitFor()
  const texts = await form.locator('input').evaluateAll((fields: HTMLInputElement[]) => fields.map(one => one.value))
  expect(texts.join('')).toBe('')
  await close()
})

test('long gaps are drawn short, and the critical path alone is shown; the address has it', async () => {
  const waiting = traceOf(
    {
      name: 'patient',
      type: 'workflow',
      at: 0,
      ms: 100_000,
      steps: [
        { name: 'first', type: 'tool', at: 10, ms: 1_000 },
        { name: 'beside', type: 'tool', at: 20, ms: 10 },
        { name: 'last', type: 'tool', at: 98_000, ms: 1_900 },
      ],
    },
    { agoMs: 300_000 },
  )
  await project.store(...waiting)
  const { page, close } = await visit(browser, project, `/w/traces/${waiting[0]?.traceId}?view=tree`)
  const bar = page.getByRole('treeitem', { name: /first/ }).locator('[data-critical]')
  const before = (await bar.boundingBox())?.width ?? 0
  await page.getByRole('button', { name: 'Short gaps' }).click()
  await page.waitForURL(/short=true/)
  await expect.poll(async () => (await bar.boundingBox())?.width ?? 0, { timeout: 20_000 }).toBeGreaterThan(5 * before)
  await page.keyboard.press('c')
  await page.getByRole('treeitem', { name: /beside/ }).waitFor({ state: 'detached' })
  await close()
})

test('a running trace grows in place', async () => {
  const [root, ...rest] = agentTrace('Running?', 500)
  if (!root) throw new Error('no span')
  await project.store(...rest.slice(0, 2))
  const { page, close } = await visit(browser, project, `/w/traces/${root.traceId}?view=tree`)
  await page.getByRole('treeitem').nth(1).waitFor()
  await project.store(...rest.slice(2), root)
  await page.getByRole('treeitem', { name: /plan_trip/ }).waitFor()
  expect(await page.getByRole('treeitem').count()).toBe(5)
  await close()
})

test.each([
  ['after minutes', 180_000, 2],
  ['with more than 10,000 spans', 500, 10_001],
])('a trace that goes on %s grows too', async (_when, agoMs, count) => {
  const own = await newProject()
  const [first] = traceOf({ name: 'first', type: 'agent', at: 0, ms: 100 }, { agoMs })
  const more = (name: string): OtlpSpan => ({ ...(first as OtlpSpan), name, spanId: newSpanId() })
  await own.export(exportOf(...Array.from({ length: count }, (_, at) => more(`step ${at}`))))
  const { page, close } = await visit(browser, own, `/w/traces/${first?.traceId}?view=tree`)
  await page.getByRole('tree', { name: `${count.toLocaleString('en')} spans` }).waitFor()
  await own.store(more('late'))
  await page.getByRole('tree', { name: `${(count + 1).toLocaleString('en')} spans` }).waitFor()
  await close()
})

test('a span that is sent again when it ends is shown with what it says then', async () => {
  const [began] = traceOf({ name: 'ask', type: 'agent', at: 0, ms: 0, inputs: { question: 'Yet?' } }, { agoMs: 500 })
  const [ended] = traceOf({ name: 'ask', type: 'agent', at: 0, ms: 300, outputs: 'At last.' }, { agoMs: 500 })
  await project.store(began as OtlpSpan)
  const { page, close } = await visit(browser, project, `/w/traces/${began?.traceId}?view=tree`)
  const parts = page.getByRole('tabpanel')
  await parts.getByText('Yet?').waitFor()
  await project.store({ ...(ended as OtlpSpan), traceId: began?.traceId as string, spanId: began?.spanId as string })
  await parts.getByText('At last.').waitFor()
  await close()
})

test('what is open in a conversation stays open when the root arrives', async () => {
  const outputs = 'A long answer. '.repeat(400)
  const call = { name: 'chat', type: 'chat', at: 10, ms: 100, outputs }
  const [root, ...calls] = traceOf({ name: 'top', type: 'agent', at: 0, ms: 200, steps: [call] }, { agoMs: 500 })
  await project.store(...calls)
  const { page, close } = await visit(browser, project, `/w/traces/${root?.traceId}?view=conversation`)
  const conversation = page.getByRole('region', { name: 'Conversation' })
  await conversation.getByRole('button', { name: /show all/ }).click()
  await project.store(root as OtlpSpan)
  await conversation.getByText('top').waitFor()
  expect(await conversation.getByRole('button', { name: /show all/ }).count()).toBe(0)
  await close()
})
