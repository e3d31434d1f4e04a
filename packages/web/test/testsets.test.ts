import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newProject, type TestProject } from '../../../test/harness.ts'
import { intercept, openBrowser, tabTo, visit } from './browser.testing.ts'

let browser: Browser
let project: TestProject

beforeAll(async () => {
  browser = await openBrowser()
  project = await newProject()
})
afterAll(() => browser.close())

const grid = (page: Page) => page.getByRole('grid', { name: 'Rows of the testset' })

async function newestRows(name: string): Promise<unknown[]> {
  const { body } = await project.post('/api/simple/testsets/query', {})
  const testset = body.testsets.find((one: { name: string }) => one.name === name)
  return testset.data.testcases.map(({ data: { testcase_dedup_id: _, ...data } }: { data: object & any }) => data)
}

test('by mouse: a CSV file with its preview, more rows from another, saved after the changes are shown', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/testsets')
  await page.getByRole('button', { name: 'New testset …' }).click()
  await page.getByLabel('Name', { exact: true }).fill('By mouse')
  const csv = 'country,people,note\nPeru,34,"a ""quoted"" note,\nin two lines"\nFiji,1,\n'
  await page
    .getByLabel('CSV or JSON file')
    .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  await page.getByText('2 rows, 3 columns').waitFor()
  await page.getByRole('columnheader', { name: 'people number' }).waitFor()
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'By mouse' }).waitFor()

  await page.getByRole('button', { name: 'Import …' }).click()
  const more = Buffer.from('country,people\nKenya,52\n')
  await page.getByLabel('CSV or JSON file').setInputFiles({ name: 'b.csv', mimeType: 'text/csv', buffer: more })
  await page.getByText('1 row, 2 columns').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('gridcell', { name: 'Peru' }).dblclick()
  await page.getByRole('textbox', { name: 'country of row 1' }).fill('Chile')
  await page.getByRole('gridcell', { name: 'Fiji' }).click()
  await page.getByRole('button', { name: 'Delete row 2' }).click()
  await page.getByRole('button', { name: 'Save …' }).click()
  const changes = page.getByRole('list', { name: 'Changes' })
  await expect.poll(() => changes.textContent()).toContain('Row 1, country: Peru → Chile')
  expect(await changes.textContent()).toContain('Rows added: 1')
  expect(await changes.textContent()).toContain('Rows deleted: 1')
  await page.getByLabel('Message').fill('Another continent')
  await page.getByRole('button', { name: 'Commit' }).click()
  await page.getByText('As in v2').waitFor()
  expect(await newestRows('By mouse')).toEqual([
    { country: 'Chile', people: 34, note: 'a "quoted" note,\nin two lines' },
    { country: 'Kenya', people: 52 },
  ])
  await page.getByRole('combobox', { name: 'Revision' }).selectOption({ index: 1 })
  await page.getByRole('gridcell', { name: 'Fiji' }).waitFor()
  expect(page.url()).toContain('revision=')
  expect(faults).toEqual([])
  await close()
})

test('by keyboard only: create, add a column, type, paste rows of a spreadsheet, undo, save', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/testsets', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await tabTo(page, page.getByRole('button', { name: 'New testset …' }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByLabel('Name', { exact: true }))
  await page.keyboard.type('By keys')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'By keys' }).waitFor()
  await tabTo(page, page.getByRole('button', { name: 'Add a column' }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('textbox', { name: 'Name of the column' }))
  await page.keyboard.type('city')
  await page.keyboard.press('Enter')
  await page.keyboard.type('city')
  await page.keyboard.press('Enter')
  await page.getByText('It already exists.').waitFor()
  await page.keyboard.press('Escape')
  await tabTo(page, page.getByRole('button', { name: 'Add a row' }))
  await page.keyboard.press('Enter')
  await tabTo(page, grid(page))
  await page.keyboard.type('Lima')
  await page.keyboard.press('Enter')
  await page.getByRole('gridcell', { name: 'Lima' }).waitFor()
  await page.evaluate(() => navigator.clipboard.writeText('Cusco\t3399\nArequipa\t2335\n'))
  await page.keyboard.press('Control+v')
  await page.getByRole('gridcell', { name: '2335' }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Delete')
  await expect.poll(() => page.getByRole('gridcell', { name: '3399' }).count()).toBe(0)
  await tabTo(page, page.getByRole('button', { name: 'Undo' }))
  await page.keyboard.press('Enter')
  await page.getByRole('gridcell', { name: '3399' }).waitFor()
  await tabTo(page, page.getByRole('button', { name: 'Save …' }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByLabel('Message'))
  await page.keyboard.type('Cities')
  await page.keyboard.press('Enter')
  await page.getByText('As in v2').waitFor()
  expect(await newestRows('By keys')).toEqual([
    { city: 'Cusco', column_2: 3399 },
    { city: 'Arequipa', column_2: 2335 },
  ])
  expect(faults).toEqual([])
  await close()
})

test('the focus stays on Discard and Undo when nothing is left to discard or undo', async () => {
  const made = await project.post('/api/simple/testsets/', {
    testset: { slug: 'focused', name: 'Focused', data: { testcases: [{ data: { city: 'Lima' } }] } },
  })
  const { page, close } = await visit(browser, project, `/w/testsets/${made.body.testset.id}`)
  await tabTo(page, page.getByRole('button', { name: 'Add a row' }))
  await page.keyboard.press('Enter')
  await page.getByText('2 rows').waitFor()
  for (const [name, rows] of [
    ['Discard', '1 row'],
    ['Undo', '2 rows'],
    ['Undo', '1 row'],
  ] as const) {
    await tabTo(page, page.getByRole('button', { name }))
    await page.keyboard.press('Enter')
    await page.getByText(rows, { exact: true }).waitFor()
    await page.locator('button:focus', { hasText: name }).waitFor()
  }
  expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true)
  // It does nothing any more, and is passed over once it is left.
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.getByText('1 row', { exact: true }).waitFor()
  expect(await page.locator('button:disabled', { hasText: 'Undo' }).count()).toBe(1)
  await close()
})

test('10,000 rows: few are drawn, and the last is one key away', async () => {
  const testcases = Array.from({ length: 10_000 }, (_, index) => ({ data: { number: index + 1 } }))
  const made = await project.post('/api/simple/testsets/', {
    testset: { slug: 'many', name: 'Many', data: { testcases } },
  })
  const { page, close } = await visit(browser, project, `/w/testsets/${made.body.testset.id}`)
  await page.getByRole('gridcell', { name: '1', exact: true }).waitFor()
  await tabTo(page, grid(page))
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('PageDown')
  await page.getByRole('gridcell', { name: '61', exact: true }).waitFor()
  expect(await page.getByRole('gridcell').count()).toBeLessThan(200)
  await close()
})

test('integers past 2^53 keep their digits when another cell is saved; a column may be called constructor', async () => {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): number }
  const first = {
    maker: 'Ford',
    constructor: 'Ferrari',
    id: rawJSON('12345678901234567891'),
    by: { id: rawJSON('9007199254740993') },
  }
  const testcases = [{ data: first }, { data: { maker: 'Audi' } }]
  await project.post('/api/simple/testsets/', { testset: { slug: 'exact', name: 'Exact', data: { testcases } } })
  const { page, faults, close } = await visit(browser, project, '/w/testsets')
  await page.getByRole('link', { name: 'Exact' }).click()
  await page.getByRole('columnheader', { name: 'id number' }).waitFor()
  await page.getByRole('gridcell', { name: '12345678901234567891' }).waitFor()
  await page.getByRole('gridcell', { name: 'Ford' }).dblclick()
  await page.getByRole('textbox', { name: 'maker of row 1' }).fill('Fiat')
  await page.keyboard.press('Enter')
  await page.getByText('Not saved yet').waitFor()
  // What is not saved is kept in the browser meanwhile.
  await page.reload()
  await page.getByRole('button', { name: 'Save …' }).click()
  const changes = page.getByRole('list', { name: 'Changes' })
  await expect.poll(() => changes.textContent()).toBe('Row 1, maker: Ford → Fiat')
  await page.getByRole('button', { name: 'Commit' }).click()
  await page.getByText('As in v2').waitFor()
  const { text } = await project.post('/api/testsets/revisions/retrieve', { testset_ref: { slug: 'exact' } })
  expect(text).toMatch(/"maker":"Fiat".*"id":12345678901234567891.*"by":\{"id":9007199254740993\}/)
  expect(faults).toEqual([])
  await close()
})

test('JSON is opened and pasted with the preview of tables: an array of objects, or an object on each line', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/testsets')
  await page.getByRole('button', { name: 'New testset …' }).click()
  await page.getByLabel('Name', { exact: true }).fill('From JSON')
  const file = page.getByLabel('CSV or JSON file')
  const lines = Buffer.from('{"city":"Lima","at":{"lat":-12}}\n{"city":"Cusco","id":9007199254740993}\n')
  await file.setInputFiles({ name: 'a.jsonl', mimeType: 'application/x-ndjson', buffer: lines })
  await page.getByText('2 rows, 3 columns').waitFor()
  await page.getByRole('columnheader', { name: 'at json' }).waitFor()
  await page.getByRole('cell', { name: '9007199254740993' }).waitFor()
  const paste = page.getByLabel('Or paste cells')
  await paste.fill('[{"city":"Lima"},\n 5]')
  await page.getByText('Row 2 is not an object').waitFor()
  await page.getByText('No rows yet').waitFor()
  await paste.fill('[{"city":"Lima","id":9007199254740993,"is_capital":true,"zip":"007"}]')
  await page.getByText('1 row, 4 columns').waitFor()
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'From JSON' }).waitFor()
  const { text } = await project.post('/api/simple/testsets/query', {})
  expect(text).toMatch(/"city":"Lima","id":9007199254740993,"is_capital":true,"zip":"007"/)
  expect(faults).toEqual([])
  await close()
})

test('one of many versions of a testset is found by words of its message, by keyboard', async () => {
  const made = await project.post('/api/simple/testsets/', {
    testset: { slug: 'versions', name: 'Versions', data: { testcases: [{ data: { version: 1 } }] } },
  })
  const { id } = made.body.testset
  for (let version = 2; version <= 12; version++)
    await project.post('/api/testsets/revisions/commit', {
      testset_revision_commit: {
        testset_id: id,
        message: version === 4 ? 'Without the cases of Peru' : `Change ${version}`,
        data: { testcases: [{ data: { version } }] },
      },
    })
  const { page, faults, close } = await visit(browser, project, `/w/testsets/${id}`)
  const revision = page.getByRole('combobox', { name: 'Revision' })
  await tabTo(page, page.getByRole('textbox', { name: 'Find in revision' }))
  await page.keyboard.type('peru cases')
  await page.getByText(/^1 of /).waitFor()
  // What is shown stays among them.
  expect(await revision.locator('option').allTextContents()).toEqual([
    expect.stringMatching(/^v12/),
    expect.stringMatching(/^v4: Without the cases of Peru/),
  ])
  await tabTo(page, revision)
  await page.keyboard.press('ArrowDown')
  await page.waitForURL(/revision=/)
  await page.getByRole('gridcell', { name: '4', exact: true }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test('the empty revision that a testset begins with is offered only while it is the one that is shown', async () => {
  const made = await project.post('/api/simple/testsets/', {
    testset: { slug: 'begun', name: 'Begun', data: { testcases: [{ data: { city: 'Quito' } }] } },
  })
  const { id } = made.body.testset
  const answer = await project.post('/api/testsets/revisions/query', { testset_refs: [{ id }] })
  const empty = answer.body.testset_revisions.find(({ version }: { version: string }) => version === '0')
  const { page, close } = await visit(browser, project, `/w/testsets/${id}`)
  const offered = page.getByRole('combobox', { name: 'Revision' }).locator('option')
  await page.getByRole('gridcell', { name: 'Quito' }).waitFor()
  await expect.poll(() => offered.allTextContents()).toEqual([expect.stringMatching(/^v1/)])
  await page.goto(`${page.url().replace(/[?#].*/, '')}?revision=${empty.id}`)
  await expect.poll(() => offered.allTextContents()).toEqual([/^v1/, /^v0/].map(one => expect.stringMatching(one)))
  await close()
})

test('a testset is exported by keyboard: CSV for spreadsheets, which can be imported again, and JSON', async () => {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): number }
  const rows = [
    { question: '=HYPERLINK("http://x","y")', id: rawJSON('9007199254740993'), at: { lat: -12.5 } },
    { question: '- one\n- two', id: -5, at: null },
  ]
  const testset = { slug: 'exported', name: 'Exported', data: { testcases: rows.map(data => ({ data })) } }
  const { id } = (await project.post('/api/simple/testsets/', { testset })).body.testset
  const { page, faults, close } = await visit(browser, project, `/w/testsets/${id}`)
  await page.getByRole('gridcell', { name: '9007199254740993' }).waitFor()
  const save = async (format: RegExp): Promise<{ name: string; text: string }> => {
    await tabTo(page, page.getByRole('button', { name: 'Export' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: format }))
    const download = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    const file = await download
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
  }
  const csv = await save(/^CSV/)
  expect(csv.name).toBe('exported-v1.csv')
  expect(csv.text).toBe(
    '\ufeffquestion,id,at\r\n' +
      `"'=HYPERLINK(""http://x"",""y"")",9007199254740993,"{""lat"":-12.5}"\r\n"'- one\n- two",-5,\r\n`,
  )
  const json = await save(/^JSON/)
  expect(json.name).toBe('exported-v1.json')
  expect(json.text).toContain('"id":9007199254740993')
  expect(JSON.parse(json.text.replace('9007199254740993', '1'))).toEqual([{ ...rows[0], id: 1 }, rows[1]])

  await page.getByRole('button', { name: 'Import …' }).click()
  const buffer = Buffer.from(csv.text)
  await page.getByLabel('CSV or JSON file').setInputFiles({ name: 'b.csv', mimeType: 'text/csv', buffer })
  await page.getByRole('cell', { name: '=HYPERLINK("http://x","y")', exact: true }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test('a CSV file in another encoding than UTF-8 is refused: its characters would be lost', async () => {
  const { page, faults, close } = await visit(browser, project, '/w/testsets')
  await page.getByRole('button', { name: 'New testset …' }).click()
  const buffer = Buffer.from('ville\nCorrèze\n', 'latin1')
  await page.getByLabel('CSV or JSON file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer })
  await page.getByText('The file is not in UTF-8').waitFor()
  const readable = Buffer.from('ville\nNice\n')
  await page.getByLabel('CSV or JSON file').setInputFiles({ name: 'b.csv', mimeType: 'text/csv', buffer: readable })
  await page.getByText('1 row, 1 column').waitFor()
  await page.getByLabel('CSV or JSON file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer })
  await page.getByText('The file is not in UTF-8').waitFor()
  await page.getByText('No rows yet').waitFor()
  expect(faults).toEqual([])
  await close()
})

test('a testset is renamed, archived, and restored from the archive', async () => {
  const testset = { slug: 'old-cases', name: 'Old cases', data: { testcases: [{ data: { city: 'Lima' } }] } }
  const { id } = (await project.post('/api/simple/testsets/', { testset })).body.testset
  const { page, faults, close } = await visit(browser, project, '/w/testsets')
  await page.getByRole('button', { name: 'Rename Old cases' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Cities')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Cities' }).waitFor()
  await page.getByRole('button', { name: 'Archive Cities' }).click()
  await page.getByRole('link', { name: 'Cities' }).waitFor({ state: 'detached' })
  // Links to it, such as those of evaluations, still show its versions.
  await page.goto(page.url().replace(/testsets.*/, `testsets/${id}`))
  await page.getByText('Archived', { exact: true }).waitFor()
  await page
    .getByRole('combobox', { name: 'Revision' })
    .locator('option', { hasText: 'v1' })
    .waitFor({ state: 'attached' })
  await page.goBack()
  await page.getByRole('button', { name: 'Archived testsets' }).click()
  await page.getByRole('button', { name: 'Restore Cities' }).click()
  await page.getByRole('button', { name: 'Archive Cities' }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test('the focus stays in the list when the row that has it is archived', async () => {
  const own = await newProject()
  for (const name of ['First', 'Second', 'Third'])
    await own.post('/api/simple/testsets/', { testset: { slug: name.toLowerCase(), name, data: { testcases: [] } } })
  const { page, close } = await visit(browser, own, '/w/testsets')
  const archive = async (name: string): Promise<void> => {
    await tabTo(page, page.getByRole('button', { name: `Archive ${name}` }))
    await page.keyboard.press('Enter')
  }
  await archive('Second')
  await page.locator('a:focus', { hasText: 'First' }).waitFor()
  await archive('First')
  await page.locator('a:focus', { hasText: 'Third' }).waitFor()
  await archive('Third')
  await page.locator('button:focus', { hasText: 'Archived testsets' }).waitFor()
  await close()
})

test('a cell that is edited keeps what is typed while it is scrolled away, and while an input method is at work', async () => {
  const testcases = Array.from({ length: 300 }, (_, n) => ({ data: { city: `Number ${n}` } }))
  const made = await project.post('/api/simple/testsets/', {
    testset: { slug: 'scrolled', name: 'Scrolled', data: { testcases } },
  })
  const { page, faults, close } = await visit(browser, project, `/w/testsets/${made.body.testset.id}`)
  await page.getByRole('gridcell', { name: 'Number 1', exact: true }).dblclick()
  await page.keyboard.type(' and more')
  const grid = page.getByRole('grid')
  const scrollTo = (top: number) => grid.evaluate((element, to) => element.scrollTo(0, to), top)
  await scrollTo(5_000)
  await page.getByRole('gridcell', { name: 'Number 180', exact: true }).waitFor()
  await scrollTo(0)
  const field = page.getByRole('textbox', { name: 'city of row 2' })
  expect(await field.inputValue()).toBe('Number 1 and more')
  // The Enter that chooses a proposed word.
  const composing = { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }
  await field.evaluate((element, init) => element.dispatchEvent(new KeyboardEvent('keydown', init)), composing)
  await page.keyboard.type('!')
  await page.keyboard.press('Enter')
  await page.getByRole('gridcell', { name: 'Number 1 and more!', exact: true }).waitFor()
  expect(faults).toEqual([])
  await close()
})

test('a version that somebody else commits at the same moment is not overwritten', async () => {
  const made = await project.post('/api/simple/testsets/', {
    testset: { slug: 'shared', name: 'Shared', data: { testcases: [{ data: { city: 'Lima' } }] } },
  })
  const { id } = made.body.testset
  const { page, close } = await visit(browser, project, `/w/testsets/${id}`)
  await page.getByRole('gridcell', { name: 'Lima' }).dblclick()
  await page.keyboard.type(' (mine)')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Save …' }).click()
  await intercept(page, '**/api/testsets/revisions/commit', async route => {
    await project.post('/api/testsets/revisions/commit', {
      testset_revision_commit: { testset_id: id, data: { testcases: [{ data: { city: 'Lima (theirs)' } }] } },
    })
    await route.continue()
  })
  await page.getByRole('button', { name: 'Commit' }).click()
  await page.getByText('Another version was committed in the meantime.').waitFor()
  await page.reload()
  await page.getByRole('gridcell', { name: 'Lima (theirs)' }).waitFor()
  await page.getByRole('button', { name: 'Show your changes of v1' }).click()
  await page.getByRole('gridcell', { name: 'Lima (mine)' }).waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('combobox', { name: 'Revision' }).selectOption({ index: 0 })
  await page.getByRole('gridcell', { name: 'Lima (theirs)' }).waitFor()
  expect(await page.getByRole('button', { name: /^Show your changes/ }).count()).toBe(0)
  const newest = await project.post('/api/testsets/revisions/retrieve', { testset_ref: { id } })
  expect(newest.body.testset_revision.data.testcases[0].data.city).toBe('Lima (theirs)')
  await close()
})
