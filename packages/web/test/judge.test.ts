import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../../../test/harness.ts'
import { newSpanId, newTraceId } from '../../../test/otlp.ts'
import { intercept, openBrowser, visit } from './browser.testing.ts'
import { comparedRuns, makeEvaluated } from './evaluations.testing.ts'

/* Two runs side by side: which output is better. Of the twelve cases six have equal outputs, and one failed in one run. */

let browser: Browser
let project: TestProject
let path: string

beforeAll(async () => {
  browser = await openBrowser()
  project = await newProject()
  const [baseline, run] = await comparedRuns(project, await makeEvaluated(project, 12))
  path = `/w/evaluations/compare?baseline=${baseline}&runs=${run}`
})
afterAll(() => browser.close())

/** Which of the two sides has the output of the worse run. */
async function worseSide(page: Page): Promise<'First' | 'Second'> {
  await page.getByRole('region', { name: 'First output' }).waitFor()
  const first = await page.getByRole('region', { name: 'First output' }).textContent()
  return first?.includes('Two days.') ? 'First' : 'Second'
}

/** How many are stored. */
async function preferences(): Promise<number> {
  const { body } = await project.post('/api/spans/query', {
    filtering: { conditions: [{ field: 'trace_type', operator: 'is', value: 'annotation' }] },
    windowing: { limit: 1_000 },
  })
  return body.spans.filter(
    (span: any) => span.attributes.ag.references?.evaluator?.slug === 'preference' && span.links.length === 2,
  ).length
}

test('by mouse and by keyboard: judge, undo, skip; the preferences are annotations of both traces', async () => {
  const { page, faults, close } = await visit(browser, project, path)
  await page.getByRole('link', { name: 'Judge side by side' }).waitFor()
  await page.keyboard.press('s')
  await page.waitForURL(/evaluations\/judge/)
  await page.getByText('6 with equal outputs left out').waitFor()
  const better = (await worseSide(page)) === 'First' ? 'Second' : 'First'
  await page.getByRole('button', { name: `${better} is better` }).dblclick()
  await page.getByText('1 judged').waitFor()
  await page.keyboard.press('u')
  await page.getByText('0 judged').waitFor()
  for (let judged = 1; judged <= 3; judged++) {
    await page.keyboard.press((await worseSide(page)) === 'First' ? '2' : '1')
    await page.getByText(`${judged} judged`).waitFor()
  }
  await page.keyboard.down('3')
  await page.keyboard.down('3')
  await page.keyboard.up('3')
  await page.getByText('4 judged').waitFor()
  await page.getByRole('region', { name: 'First output' }).waitFor()
  await page.keyboard.press('r')
  await page.getByRole('region', { name: 'Result' }).waitFor()
  await page.keyboard.press('s')
  await page.getByText('You skipped 1 case.').waitFor()
  const result = page.getByRole('region', { name: 'Result' })
  expect(await result.textContent()).toMatch(/\(baseline\)3.*Equally good1/)
  expect(await result.textContent()).toContain('p = 0.25')
  // Another visit knows what was saved.
  await page.getByText('saving').waitFor({ state: 'detached' })
  await page.reload()
  await page.getByText('4 judged').waitFor()
  // The one that was taken back is deleted meanwhile.
  await eventually(async () => (await preferences()) === 4)
  // What was skipped waits.
  await page.keyboard.press('s')
  await page.getByRole('button', { name: 'Show them again' }).click()
  await page.keyboard.press('3')
  await page.getByText('No case is left.').waitFor()
  await page.keyboard.press('u')
  await page.getByText('4 judged').waitFor()
  // The deletion ends before the page does: the next visit has a case to judge.
  await page.getByText('saving').waitFor({ state: 'detached' })
  await eventually(async () => (await preferences()) === 4)
  expect(faults).toEqual([])
  await close()
})

test('the browser asks before the page is closed while a preference is being saved', async () => {
  const { page, faults, close } = await visit(browser, project, path)
  await page.getByRole('link', { name: 'Judge side by side' }).click()
  await worseSide(page)
  const held = Promise.withResolvers<void>()
  await intercept(page, '**/api/simple/traces/', async route => {
    await held.promise
    await route.continue()
  })
  await page.keyboard.press('3')
  await page.getByText('saving').waitFor()
  const before = await preferences()
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  held.resolve()
  await page.getByText('saving').waitFor({ state: 'detached' })
  await eventually(async () => (await preferences()) === before + 1)
  expect(faults).toEqual([])
  await close()
})

/** A run of one case, whose application answered three times, and whose second evaluation repeats the last answer. */
async function repeatedRun(name: string): Promise<string> {
  const post = async (at: string, body: object): Promise<any> => {
    const answer = await project.post(`/api/evaluations/${at}`, body)
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const step = (key: string, type: string) => ({ key, type, origin: 'custom', references: {} })
  const steps = [step('t', 'input'), step('a', 'invocation')]
  const run_id = (await post('runs/', { runs: [{ name, data: { steps } }] })).runs[0].id
  const [{ id: scenario_id }] = (await post('scenarios/', { scenarios: [{ run_id }] })).scenarios
  const traces = [0, 1, 2].map(() => newTraceId())
  const [start_time, end_time] = ['2026-11-20T09:15:00.000Z', '2026-11-20T09:15:01.000Z']
  const ingested = await project.post('/api/traces/ingest', {
    traces: traces.map((trace_id, n) => {
      const attributes = { ag: { data: { inputs: { question: 'Well?' }, outputs: `${name} ${n}` } } }
      const root = { trace_id, span_id: newSpanId(), span_name: 'answer', start_time, end_time, attributes }
      return { trace_id, spans: { root } }
    }),
  })
  expect(ingested.status, ingested.text).toBeLessThan(300)
  const cell = { run_id, scenario_id, status: 'success' }
  const answers = [...traces, traces[2]].map((trace_id, repeat_idx) => ({
    ...cell,
    step_key: 'a',
    repeat_idx,
    trace_id,
  }))
  const testcase_id = '01900000-0000-7000-8000-000000000001'
  await post('results/', { results: [{ ...cell, step_key: 't', testcase_id }, ...answers] })
  // Waits until all of it is stored.
  await post('metrics/refresh', { metrics: { run_id } })
  return run_id
}

test('repeats of a case are judged one by one, the same answers once, and prove no more than one case', async () => {
  const [baseline, run] = [await repeatedRun('Long'), await repeatedRun('Short')]
  const { page, faults, close } = await visit(browser, project, `/w/evaluations/judge?baseline=${baseline}&run=${run}`)
  for (let judged = 1; judged <= 3; judged++) {
    const first = page.getByRole('region', { name: 'First output' })
    await first.waitFor()
    await page.keyboard.press((await first.textContent())?.includes('Short') ? '1' : '2')
    await page.getByText(`${judged} judged`).waitFor()
  }
  await page.getByText('No case is left.').waitFor()
  const result = await page.getByRole('region', { name: 'Result' }).textContent()
  expect(result).toMatch(/Long \(baseline\)0Short1Equally good0/)
  expect(result).toContain('May be chance, p = 1 (sign test; the repeats of a case count once)')
  expect(faults).toEqual([])
  await close()
})
