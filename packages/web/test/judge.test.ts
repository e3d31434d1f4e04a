import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../../../test/harness.ts'
import { openBrowser, visit } from './browser.testing.ts'
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
  await page.getByRole('link', { name: 'Judge side by side' }).click()
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
  expect(faults).toEqual([])
  await close()
})

test('the browser asks before the page is closed while a preference is being saved', async () => {
  const { page, faults, close } = await visit(browser, project, path)
  await page.getByRole('link', { name: 'Judge side by side' }).click()
  await worseSide(page)
  const held = Promise.withResolvers<void>()
  await page.route('**/api/simple/traces/', async route => {
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
