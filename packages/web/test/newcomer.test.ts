import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSample } from '../../../test/sets/sample.ts'
import { byKeyboard, byMouse } from './actor.testing.ts'
import { openBrowser, visit } from './browser.testing.ts'
import { projectWithModel } from './models.testing.ts'

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

/** In a sample by keyboard alone: the mouse is what most other tests use. */
const ACTORS = { ...(!isSample && { mouse: byMouse }), keyboard: byKeyboard }

/** What somebody does on his first day, without the API: from a template to the better of two revisions in use. */
test.each(Object.entries(ACTORS))('the whole loop by %s', { timeout: 240_000 }, async (_, actorOf) => {
  const { project, provider } = await projectWithModel()
  const { page, faults, close } = await visit(browser, project, '/w/playground')
  const actor = actorOf(page)
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const cell = (column: string, row: number) =>
    page.getByRole('article', { name: `Output of ${column} for testcase ${row}`, exact: true })

  // An application from a template, run against the model.
  await actor.press(button('New application …'))
  await actor.type(page.getByLabel('Name', { exact: true }), 'Capitals')
  await actor.press(button('Create'))
  await actor.press(button('Add a testcase'))
  await actor.type(page.getByRole('textbox', { name: 'country' }).nth(0), 'Peru')
  await actor.type(page.getByRole('textbox', { name: 'country' }).nth(1), 'Chile')
  await actor.press(button('Run all'))
  await cell('v1', 1).getByText('The capital of Peru is Lima.').waitFor()
  await cell('v1', 2).getByText('The capital of Chile is Santiago.').waitFor()

  // A revision that is worse: it repeats the question.
  await actor.type(page.getByRole('textbox', { name: 'Content of v1, message 2' }), ' #fake-echo')
  await actor.press(button('Save v1'))
  await actor.type(page.getByLabel('Message', { exact: true }), 'Echo')
  await actor.press(button('Commit'))
  await page.getByRole('combobox', { name: 'Revision of v2' }).waitFor()

  // A testset from the two traces.
  await actor.goTo('Traces')
  await untilRows(page, 2)
  await actor.check(page.getByRole('checkbox', { name: /^Select/ }).nth(0))
  await actor.check(page.getByRole('checkbox', { name: /^Select/ }).nth(1))
  await page.getByText('2 selected').waitFor()
  await actor.press(button('Add to testset'))
  await actor.type(page.getByLabel('Name', { exact: true }), 'From traces')
  await actor.press(button('Create'))
  await page.getByRole('link', { name: 'Added: open the testset' }).waitFor()

  // Two revisions are evaluated with it and compared.
  await actor.goTo('Evaluations')
  await actor.press(page.getByRole('link', { name: 'New evaluation' }))
  await actor.check(page.getByRole('radio', { name: 'From traces' }))
  await actor.check(page.getByRole('checkbox', { name: 'Capitals' }))
  await actor.chooseBelow(page.getByRole('combobox', { name: 'Revision of Capitals' }), 1)
  await actor.press(button('and another revision'))
  await actor.check(page.getByRole('checkbox', { name: 'Exact Match' }))
  await actor.press(button('Start'))
  await page.getByRole('heading', { name: 'Compare runs' }).waitFor()
  await untilCompared(page)

  // The failing trace is opened and annotated.
  await actor.press(page.locator('[data-row="0"] button').first())
  const panel = page.getByRole('region', { name: 'Compared case' })
  await panel.getByText('#fake-echo').first().waitFor()
  await actor.press(panel.getByRole('link', { name: /Trace of the run/ }))
  await actor.press(page.getByRole('button', { name: 'Annotate', exact: true }))
  const form = page.getByRole('form', { name: 'Annotation' })
  await actor.chooseBelow(form.getByRole('combobox').nth(1), 2)
  await actor.press(form.getByRole('button', { name: 'Save' }))
  await page.getByRole('article', { name: 'Annotation quality-rating' }).getByText('false').waitFor()

  // The better revision is deployed.
  await actor.goTo('Playground')
  await actor.press(page.getByRole('link', { name: 'Capitals' }))
  await actor.chooseBelow(page.getByRole('combobox', { name: 'Revision of v2' }), 1)
  await actor.press(button('Deploy v1'))
  await actor.press(button('Deploy to development'))
  await page.getByText('Deployed: development now runs v1.').waitFor()
  const deployed = await project.post('/api/applications/revisions/retrieve', {
    environment_ref: { slug: 'development' },
    application_ref: { slug: 'capitals' },
  })
  expect(deployed.body.application_revision.version).toBe('1')
  expect(faults).toEqual([])
  await close()
  await provider.close()
})

/** Rows that arrive while a list is shown wait behind a button, so the list is opened until they are in it. */
const untilRows = (page: Page, count: number): Promise<void> =>
  expect
    .poll(
      async () => {
        await page.reload()
        await page.locator('[data-row="0"]').waitFor()
        return page.locator('[data-row]').count()
      },
      { timeout: 30_000 },
    )
    .toBe(count)

/** Both runs have ended, and the page shows that the second revision is worse. */
const untilCompared = (page: Page): Promise<void> =>
  page
    .getByRole('region', { name: 'Scores' })
    .getByRole('row', { name: /success.*100 %.*−100 points/ })
    .waitFor({ timeout: 60_000 })
