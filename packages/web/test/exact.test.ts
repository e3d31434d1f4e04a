import { readFile } from 'node:fs/promises'
import type { FakeProvider } from '@spanhouse/fake-provider'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestProject } from '../../../test/harness.ts'
import type { OtlpSpan } from '../../../test/otlp.ts'
import { openBrowser, traceOf, visit } from './browser.testing.ts'
import { makeEvaluated, splitRun } from './evaluations.testing.ts'
import { projectWithModel } from './models.testing.ts'

/*
 * Integers past 2^53: what the page reads and sends again has all their digits, and what it shows.
 */

let browser: Browser
let project: TestProject
let provider: FakeProvider

beforeAll(async () => {
  browser = await openBrowser()
  ;({ project, provider } = await projectWithModel())
})
afterAll(async () => {
  await browser.close()
  await provider.close()
})

const { rawJSON } = JSON as unknown as { rawJSON(text: string): number }
/** As JavaScript numbers, they are the same. */
const [ODD, EVEN] = ['9007199254740993', '9007199254740992']

const order = (id: string, name = 'find_order'): OtlpSpan[] =>
  traceOf({
    name,
    type: 'agent',
    at: 0,
    ms: 100,
    inputs: { id: rawJSON(id), about: 'an order' },
    outputs: `@ag.type=json:{"total":${id}}`,
  })

test('a trace shows them, and becomes a testcase and a file with them', async () => {
  const spans = order(ODD)
  await project.store(...spans)
  const id = spans[0]?.traceId
  const { page, faults, close } = await visit(browser, project, `/w/traces/${id}?view=tree`)
  await page.getByText(ODD).nth(1).waitFor()
  expect(await page.getByText(EVEN).count()).toBe(0)
  await page.getByRole('button', { name: 'Add to testset' }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('Orders')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Added: open the testset' }).click()
  await page.getByRole('gridcell', { name: ODD, exact: true }).waitFor()
  const { text } = await project.post('/api/simple/testsets/query', {})
  expect(text).toContain(`"id":${ODD}`)
  expect(text).toContain(`"correct_answer":{"total":${ODD}}`)

  await page.goto(`${new URL(page.url()).origin}/w/traces?q=trace:${id}`)
  await page.locator('[data-row="0"]').getByRole('checkbox').check()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toContain(`"id":${ODD}`)
  expect(faults).toEqual([])
  await close()
})

test('a revision keeps them when something else of it is committed; one can be typed', async () => {
  const prompt = {
    messages: [{ role: 'user', content: 'Say {{what}}' }],
    template_format: 'curly',
    llm_config: { model: 'fake/custom/gpt-4o-mini', seed: rawJSON(ODD) },
  }
  const parameters = { prompt, retries: 1, other: rawJSON(`${ODD}1`) }
  const made = await project.post('/api/simple/applications/', {
    application: { slug: 'seeded', name: 'seeded', data: { uri: 'agenta:builtin:completion:v0', parameters } },
  })
  const { id } = made.body.application
  const { page, faults, close } = await visit(browser, project, `/w/playground/applications/${id}`)
  await page.getByRole('textbox', { name: 'Content of v1, message 1' }).click()
  await page.keyboard.press('End')
  await page.keyboard.type(' loudly')
  const retries = page.getByRole('spinbutton', { name: 'retries' })
  await retries.selectText()
  await page.keyboard.type(ODD)
  expect(await page.getByRole('spinbutton', { name: 'other' }).inputValue()).toBe(`${ODD}1`)
  await page.reload()
  await page.getByText('JSON', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Configuration of v1' }).getByText(`"seed": ${ODD}`).waitFor()
  await page.getByRole('button', { name: 'Save v1' }).click()
  await page.getByRole('button', { name: 'Commit' }).click()
  await page.getByText('Committed', { exact: true }).waitFor()
  const { text } = await project.get(`/api/simple/applications/${id}`)
  expect(text).toMatch(new RegExp(`"seed":${ODD}.*"retries":${ODD}.*"other":${ODD}1`))
  expect(faults).toEqual([])
  await close()
})

test('the playground runs with them: what differs in the last digit is not the same answer', async () => {
  const data = { total: { id: rawJSON(EVEN) }, outputs: { id: rawJSON(ODD) } }
  const made = await project.post('/api/simple/testsets/', {
    testset: { slug: 'differing', name: 'Differing', data: { testcases: [{ data }] } },
  })
  const evaluators = await project.post('/api/simple/evaluators/query', {})
  const { id } = evaluators.body.evaluators.find((one: { slug: string }) => one.slug === 'exact-match')
  const { page, close } = await visit(
    browser,
    project,
    `/w/playground/evaluators/${id}?testset=${made.body.testset.id}`,
  )
  await page.getByRole('textbox', { name: 'Expected answer column' }).fill('total')
  await page.getByRole('button', { name: 'Run all' }).click()
  await page.getByText('"success": false').waitFor()
  await close()
})

test('a filter finds them, typed and saved', async () => {
  const spans = (id: string, name: string): OtlpSpan[] =>
    traceOf({ name, type: 'chain', at: 0, ms: 1 }).map(span => ({
      ...span,
      attributes: [...(span.attributes ?? []), { key: 'ag.meta.order', value: { intValue: id } }],
    }))
  await project.store(...spans(ODD, 'odd'), ...spans(EVEN, 'even'))
  const filter = `{"field":"attributes","key":"ag.meta.order","operator":"is","value":${ODD}}`
  const filtering = { operator: 'and', conditions: [{ ...JSON.parse(filter), value: rawJSON(ODD) }] }
  await project.post('/api/simple/queries/', {
    query: { slug: 'odd-order', name: 'The odd order', data: { filtering, formatting: { focus: 'trace' } } },
  })
  const { page, close } = await visit(browser, project, '/w/traces')
  const names = page.locator('[data-row]')
  await page.getByRole('combobox', { name: 'Filter' }).fill(filter)
  await expect.poll(() => names.allTextContents()).toEqual([expect.stringContaining('odd')])
  await page.goto(`${new URL(page.url()).origin}/w/traces`)
  await page.getByRole('button', { name: 'Saved' }).click()
  await page.getByRole('button', { name: 'The odd order', exact: true }).click()
  await expect.poll(() => names.allTextContents()).toEqual([expect.stringContaining('odd')])
  await close()
})

test('an annotation has what was typed', async () => {
  const spans = order(EVEN, 'judged')
  await project.store(...spans)
  const made = await project.post('/api/simple/evaluators/', {
    evaluator: {
      slug: 'order-id',
      name: 'Order id',
      data: {
        uri: 'agenta:custom:feedback:v0',
        schemas: { outputs: { type: 'object', properties: { id: { type: 'integer' }, more: {} } } },
      },
    },
  })
  expect(made.status).toBe(200)
  const { page, close } = await visit(browser, project, `/w/traces/${spans[0]?.traceId}?view=tree`)
  await page.getByRole('button', { name: 'Annotate' }).click()
  await page.getByRole('combobox', { name: 'What is judged' }).selectOption('Order id')
  await page.getByRole('textbox', { name: 'id', exact: true }).fill(ODD)
  await page.getByRole('textbox', { name: 'more' }).fill(`[${ODD}]`)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('form', { name: 'Annotation' }).waitFor({ state: 'detached' })
  await expect
    .poll(async () => (await project.post('/api/annotations/query', {})).text)
    .toMatch(new RegExp(`"id":${ODD}.*"more":\\[${ODD}\\]`))
  await close()
})

test('a case of an evaluation shows them, and outputs that differ in the last digit are not equal', async () => {
  const evaluated = await makeEvaluated(project, 1)
  const [odd, even] = await Promise.all([ODD, EVEN].map(id => splitRun(project, evaluated, [{ total: rawJSON(id) }])))
  const { page, faults, close } = await visit(browser, project, `/w/evaluations/${odd?.run_id}`)
  await page.locator('[data-row="0"]').click()
  await page.getByRole('region', { name: 'Case', exact: true }).getByText(ODD).waitFor()
  await page.goto(`${new URL(page.url()).origin}/w/evaluations/judge?baseline=${odd?.run_id}&run=${even?.run_id}`)
  for (const id of [ODD, EVEN])
    await page
      .getByRole('region', { name: / output$/ })
      .filter({ hasText: id })
      .waitFor()
  expect(faults).toEqual([])
  await close()
})
