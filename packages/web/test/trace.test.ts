import { readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { newDataDir, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../../../test/harness.ts'
import { exportOf, newSpanId, newTraceId, type OtlpSpan, otlpSpan } from '../../../test/otlp.ts'
import { agentTrace, openBrowser, type Step, traceOf, visit } from './browser.testing.ts'

let browser: Browser
let project: TestProject

beforeAll(async () => {
  browser = await openBrowser()
  project = await newProject()
})
afterAll(() => browser.close())

/** Stores a trace and returns its id. */
async function stored(spans: OtlpSpan[]): Promise<string> {
  const traceId = spans[0]?.traceId as string
  for (let at = 0; at < spans.length; at += 2_000) await project.export(exportOf(...spans.slice(at, at + 2_000)))
  await eventually(
    async () => (await project.get(`/api/traces/${traceId}/skeleton?limit=1`)).body.total === spans.length,
    60_000,
  )
  return traceId
}

test('by mouse: tree, span, tabs, conversation', async () => {
  const id = await stored(agentTrace('Northern lights?'))
  const { page, faults, close } = await visit(browser, project, `/w/traces/${id}?view=tree`)
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(5)
  await page.getByRole('treeitem', { name: /check_weather/ }).click()
  await page.getByRole('heading', { name: 'check_weather' }).waitFor()
  await page.getByText('timed out').waitFor()
  await page.getByRole('tab', { name: 'Events' }).click()
  await page.getByText('exception').first().waitFor()
  expect(page.url()).toMatch(/span=[0-9a-f]{16}.*tab=events|tab=events.*span=/)
  await page.getByText('Conversation', { exact: true }).click()
  await page.locator('article', { hasText: 'Well?' }).waitFor()
  // The second call repeats the first question, which is not shown again in it.
  expect(await page.locator('article', { hasText: 'Well?' }).textContent()).not.toContain('Northern lights?')
  expect(faults).toEqual([])
  await close()
})

test('the message of an error, however long, leaves room for what the span was given', async () => {
  const fails = `Refused: ${'the stack goes on, '.repeat(2_000)}and ends here`
  const id = await stored(traceOf({ name: 'refund', type: 'tool', at: 0, ms: 10, inputs: { order: 7 }, fails }))
  const { page, close } = await visit(browser, project, `/w/traces/${id}?view=tree`)
  await page.getByText('Refused: the stack goes on').waitFor()
  const input = page.getByRole('region', { name: 'Span' }).getByRole('heading', { name: 'Input' })
  expect((await input.boundingBox())?.y).toBeLessThan(800)
  await page.getByRole('button', { name: /show all 3.,... characters/ }).click()
  await page.getByText('and ends here').waitFor()
  await close()
})

test('the link that is copied leads to the selected span', async () => {
  const id = await stored(agentTrace('Linked?'))
  const options = { permissions: ['clipboard-read', 'clipboard-write'] }
  const { page, close } = await visit(browser, project, `/w/traces/${id}?view=tree`, options)
  const copied = async (): Promise<string> => {
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  expect(await copied()).toMatch(new RegExp(`/t/${id}$`))
  await page.getByRole('treeitem', { name: /check_weather/ }).click()
  await page.waitForURL(/span=/)
  const link = await copied()
  expect(link).toMatch(new RegExp(`/t/${id}/[0-9a-f]{16}$`))
  await page.goto(link)
  await page.getByRole('region', { name: 'Span' }).getByRole('heading', { name: 'check_weather' }).waitFor()
  await close()
})

test('an input is copied as JSON, with what is folded, and a text as it is', async () => {
  const inputs = { order: { items: [{ sku: 'A-1', options: { colour: ['red'] } }] }, note: 'soon' }
  const id = await stored(traceOf({ name: 'ship', type: 'tool', at: 0, ms: 10, inputs, outputs: 'It is "shipped".\n' }))
  const options = { permissions: ['clipboard-read', 'clipboard-write'] }
  const { page, close } = await visit(browser, project, `/w/traces/${id}?view=tree`, options)
  const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
  await page.getByRole('button', { name: 'Copy Input' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(JSON.parse(await clipboard())).toEqual(inputs)
  await page.getByRole('button', { name: 'Copy Output' }).click()
  await expect.poll(clipboard).toBe('It is "shipped".\n')
  await close()
})

test('an input that does not fit the schema is shown as it was sent, and so is what else does not fit', async () => {
  const [span] = traceOf({ name: 'asked in words', type: 'llm', at: 0, ms: 10, outputs: 'Yes.' }) as [OtlpSpan]
  const more = { 'ag.data.inputs': 'Is it sunny in Bari?', 'ag.data.image': 'bari.png', 'ag.data.parameters': '[1]' }
  const { attributes: unfit } = otlpSpan({ traceId: span.traceId }, more)
  const id = await stored([{ ...span, attributes: [...(span.attributes ?? []), ...(unfit ?? [])] }])
  const { page, faults, close } = await visit(browser, project, `/w/traces/${id}?view=tree`)
  const part = (name: string) =>
    page
      .getByRole('tabpanel', { name: 'Content' })
      .locator('section')
      .filter({ has: page.getByRole('heading', { name }) })
  await part('Input').getByText('Is it sunny in Bari?').waitFor()
  await part('Input').getByText('ag.unsupported.data.inputs').waitFor()
  expect(await part('Output').getByText('ag.unsupported').count()).toBe(0)
  await part('Parameters').getByText('ag.unsupported.data.parameters').waitFor()
  const rest = await part('Unsupported').textContent()
  expect(rest).toContain('bari.png')
  expect(rest).not.toContain('sunny')
  await page.keyboard.press('2')
  await page.getByRole('region', { name: 'Conversation' }).getByText('Is it sunny in Bari?').waitFor()
  expect(faults).toEqual([])
  await close()
})

test('arrow keys scroll a text that is read, and elsewhere go from span to span', async () => {
  const lines = Array.from({ length: 200 }, (_, n) => `Line ${n}`).join('\n')
  const steps = [{ name: 'inner', type: 'tool', at: 1, ms: 5 }]
  const id = await stored(traceOf({ name: 'long', type: 'chain', at: 0, ms: 10, outputs: lines, steps }))
  const { page, close } = await visit(browser, project, `/w/traces/${id}`)
  const text = page.getByRole('tabpanel', { name: 'Content' })
  await text.getByText('Line 3').click()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => text.evaluate(element => element.scrollTop)).toBeGreaterThan(0)
  expect(page.url()).not.toContain('span=')
  await page.getByRole('tree').focus()
  await page.keyboard.press('ArrowDown')
  await page.waitForURL(/span=/)
  await close()
})

test('of a chat that is longer than one response, what is new in it is shown', async () => {
  const before = Array.from({ length: 60 }, (_, n) => [
    { role: 'user', content: `Question ${n}: ${'so '.repeat(400)}` },
    { role: 'assistant', content: `Answer ${n}: ${'well '.repeat(400)}` },
  ]).flat()
  const messages = [...before, { role: 'user', content: 'And at the very end?' }]
  const id = await stored(traceOf({ name: 'chat', type: 'chat', at: 0, ms: 100, inputs: { messages }, outputs: 'No.' }))
  const { page, close } = await visit(browser, project, `/w/traces/${id}?view=conversation`)
  const turn = page.getByRole('region', { name: 'Conversation' }).locator('article')
  await turn.getByText('And at the very end?').waitFor()
  expect(await turn.textContent()).not.toContain('Question 0')
  await close()
})

test('the spans of an address are asked for once, before the application is there', async () => {
  const id = await stored(traceOf({ name: 'long ago', type: 'tool', at: 0, ms: 20 }, { agoMs: 600_000 }))
  const context = await browser.newContext()
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  const isHeld = Promise.withResolvers<void>()
  await page.route(/assets\/app-.*js$/, async route => {
    await isHeld.promise
    await route.continue()
  })
  const skeletons = () => asked.filter(path => path === `/api/traces/${id}/skeleton`)
  await page.goto(`${inject('target').apiUrl}/w/traces/${id}?view=tree#key=${project.apiKey}`, { waitUntil: 'commit' })
  await expect.poll(skeletons).toHaveLength(1)
  isHeld.resolve()
  await page.getByRole('treeitem', { name: /long ago/ }).waitFor()
  expect(skeletons()).toHaveLength(1)
  await context.close()
})

test('while a tree scrolls its rows stay elements, and at rest they are in order', async () => {
  const root = traceOf({ name: 'top', type: 'chain', at: 0, ms: 900 }, { agoMs: 600_000 })
  const steps = Array.from({ length: 300 }, (_, index) =>
    otlpSpan({
      traceId: root[0]?.traceId as string,
      parentSpanId: root[0]?.spanId as string,
      name: `step ${index}`,
      startTimeUnixNano: String(BigInt(root[0]?.startTimeUnixNano as string) + BigInt(index + 1) * 1_000_000n),
      endTimeUnixNano: root[0]?.endTimeUnixNano as string,
    }),
  )
  const { page, close } = await visit(browser, project, `/w/traces/${await stored([...root, ...steps])}?view=tree`)
  const rows = page.getByRole('treeitem')
  await page.getByRole('treeitem', { name: /step 5\b/ }).waitFor()
  const before = await rows.elementHandles()
  await page.getByRole('tree').hover()
  for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, 240)
  await page.getByRole('treeitem', { name: /step 110\b/ }).waitFor()
  expect(await Promise.all(before.map(row => row.evaluate(element => element.isConnected)))).not.toContain(false)
  const places = () => rows.evaluateAll(all => all.map(row => row.getBoundingClientRect().top))
  await expect.poll(async () => isAscending(await places())).toBe(true)
  expect(await rows.count()).toBe(before.length)
  await close()
})

const isAscending = (numbers: readonly number[]): boolean =>
  numbers.every((one, at) => at === 0 || one > (numbers[at - 1] ?? 0))

test('by keyboard only: move, collapse, next error, find, other metric, views', async () => {
  const id = await stored(agentTrace('By keys?'))
  const { page, close } = await visit(browser, project, `/w/traces/${id}?view=tree`)
  await page.getByRole('treeitem').first().waitFor()
  const selected = () => page.locator('[role="treeitem"][aria-selected="true"]').textContent()
  await page.keyboard.press('j')
  await expect.poll(selected).toContain('check_weather')
  await page.keyboard.press('k')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(1)
  await page.keyboard.press('e')
  await expect.poll(selected).toContain('check_weather')
  await page.keyboard.press('f')
  await page.keyboard.type('chat')
  await page.getByText('2 found').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect.poll(selected).toContain('chat')
  await page.keyboard.press('m')
  await expect.poll(selected).toContain('$0.0021')
  await page.keyboard.press('3')
  await page.getByRole('region', { name: 'Flame graph' }).waitFor()
  await page.keyboard.press('2')
  await page.getByRole('region', { name: 'Conversation' }).waitFor()
  await close()
})

test('a row of the tree says what it is to those who hear it, and where it is', async () => {
  const id = await stored(agentTrace('Heard?'))
  const { page, close } = await visit(browser, project, `/w/traces/${id}?view=tree`)
  const tree = page.getByRole('tree', { name: '5 spans' })
  await tree.getByRole('treeitem').first().waitFor()
  const placesOf = (of: string): Promise<string[]> =>
    page
      .getByRole('tree', { name: of })
      .getByRole('treeitem')
      .evaluateAll(rows =>
        rows.map(row => ['level', 'posinset', 'setsize'].map(name => row.getAttribute(`aria-${name}`)).join(' ')),
      )
  const rows = (await tree.ariaSnapshot()).match(/treeitem .*?(?=:?$)/gm)
  expect(rows).toEqual([
    'treeitem "plan_trip, agent, 1.24 seconds, 662 tokens, $0.0034" [expanded] [level=1] [selected]',
    'treeitem "check_weather, tool, error, 300 milliseconds" [level=2]',
    'treeitem "answer, chain, 900 milliseconds, 662 tokens, $0.0034" [expanded] [level=2]',
    'treeitem "chat, chat, 400 milliseconds, 310 tokens, $0.0021" [level=3]',
    'treeitem "chat, chat, 470 milliseconds, 352 tokens, $0.0013" [level=3]',
  ])
  expect(await placesOf('5 spans')).toEqual(['1 1 1', '2 1 2', '2 2 2', '3 1 2', '3 2 2'])
  await page.keyboard.press('ArrowLeft')
  await tree.getByRole('treeitem', { name: /, 4 spans below$/, expanded: false }).waitFor()
  // What is not shown has no place.
  const beside = { name: 'beside', type: 'task', at: 10, ms: 5 }
  const other = await stored(
    traceOf({ name: 'root', type: 'chain', at: 0, ms: 100, steps: [beside, { ...beside, name: 'slow', ms: 80 }] }),
  )
  await page.goto(page.url().replace(id, other).replace('?', '?critical=true&'))
  await page.getByRole('treeitem', { name: /^slow/ }).waitFor()
  expect(await placesOf('3 spans')).toEqual(['1 1 1', '2 1 1'])
  await close()
})

test('script, markup and bidirectional text stay text', async () => {
  const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202Egnp.exe'
  const id = await stored(
    traceOf({
      name: evil,
      type: 'chat',
      at: 0,
      ms: 20,
      inputs: { messages: [{ role: evil, content: evil }] },
      outputs: evil,
      fails: evil,
    }),
  )
  const { page, faults, close } = await visit(browser, project, `/w/traces?trace=${id}`)
  await page.getByText('onerror').first().waitFor()
  for (const tab of ['Attributes', 'Events', 'Raw']) await page.getByRole('tab', { name: tab }).click()
  expect(await page.evaluate(() => (globalThis as any).hacked)).toBe(undefined)
  expect(await page.locator('main img').count()).toBe(0)
  expect(await page.evaluate(() => document.body.textContent?.includes('\u202E'))).toBe(false)
  expect(faults).toEqual([])
  await close()
})

test('odd trees: 200 deep, 5,000 siblings, a missing parent, an hour ahead', async () => {
  const traceId = newTraceId()
  const began = BigInt(Date.now() + 3_600_000) * 1_000_000n
  const at = (ms: number) => ({
    traceId,
    startTimeUnixNano: String(began + BigInt(ms) * 1_000_000n),
    endTimeUnixNano: String(began + BigInt(ms + 5) * 1_000_000n),
  })
  const spans: OtlpSpan[] = [otlpSpan({ ...at(0), name: 'top' })]
  for (let depth = 1; depth < 200; depth++)
    spans.push(otlpSpan({ ...at(depth), name: `deep ${depth}`, parentSpanId: spans[depth - 1]?.spanId as string }))
  for (let index = 0; index < 5_000; index++)
    spans.push(otlpSpan({ ...at(300 + index), name: `sibling ${index}`, parentSpanId: spans[0]?.spanId as string }))
  spans.push(otlpSpan({ ...at(6_000), name: 'orphan', parentSpanId: newSpanId() }))
  const { page, faults, close } = await visit(browser, project, `/w/traces/${await stored(spans)}?view=tree`)
  await page.getByRole('tree', { name: '5,201 spans' }).waitFor()
  await expect.poll(() => page.getByRole('tree').evaluate(tree => tree.scrollHeight)).toBeGreaterThanOrEqual(5_201 * 24)
  await page.keyboard.press('End')
  await page.getByRole('treeitem', { name: /orphan/ }).waitFor()
  expect(await page.getByRole('treeitem').count()).toBeLessThan(120)
  expect(faults).toEqual([])
  await close()
})

test('spans that run at the same time are below each other in the flame graph', async () => {
  const steps = ['first', 'second', 'third'].map((name, at) => ({ name, type: 'tool', at, ms: 900 }))
  const id = await stored(traceOf({ name: 'fan out', type: 'agent', at: 0, ms: 1_000, steps }))
  const { page, close } = await visit(browser, project, `/w/traces/${id}?view=flame`)
  const canvas = page.getByRole('region', { name: 'Flame graph' }).locator('canvas')
  const selected = page.getByRole('region', { name: 'Span', exact: true })
  for (const [lane, { name }] of steps.entries()) {
    await canvas.click({ position: { x: 200, y: 30 + lane * 20 } })
    await selected.getByRole('heading', { name }).waitFor()
  }
  await close()
})

test('the flame graph of a very deep trace is drawn to its end', async () => {
  const traceId = newTraceId()
  const began = BigInt(Date.now() - 60_000) * 1_000_000n
  const times = { startTimeUnixNano: String(began), endTimeUnixNano: String(began + 1_000_000_000n) }
  const spans: OtlpSpan[] = []
  for (let n = 0; n < 4_000; n++) {
    const parentSpanId = spans.at(-1)?.spanId
    spans.push(otlpSpan({ traceId, name: `level ${n}`, ...times, ...(parentSpanId && { parentSpanId }) }))
  }
  await stored(spans)
  const { page, close } = await visit(browser, project, `/w/traces/${traceId}?view=tree`)
  await page.getByRole('tree', { name: '4,000 spans' }).waitFor()
  await page.getByText('spans are here').waitFor({ state: 'detached' })
  await page.keyboard.press('3')
  const drawn = () =>
    page.getByRole('region', { name: 'Flame graph' }).evaluate(region => {
      const canvas = region.querySelector('canvas') as HTMLCanvasElement
      return canvas.getContext('2d')?.getImageData(9, canvas.height - 3, 1, 1).data[3]
    })
  await expect.poll(drawn).toBe(255)
  await close()
})

test('a text of five million characters is shown in ranges, without the page standing still', async () => {
  const text = 'lorem ipsum '.repeat(420_000)
  const id = await stored(traceOf({ name: 'long', type: 'tool', at: 0, ms: 20, outputs: `${text} needle` }))
  const { page, close } = await visit(browser, project, `/w/traces/${id}`)
  await page.getByText(/of 5M characters/).waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText(/600,000 of 5M/).waitFor()
  // The only needle is at the end, which has not been read yet.
  await page.getByRole('searchbox', { name: 'Find in Output' }).fill('needle')
  // To look for a text among all elements takes seconds in such a page.
  const found = () => page.locator('section output').textContent()
  await expect.poll(found, { timeout: 90_000 }).toBe('1 of 1 found')
  const current = page.locator('mark[aria-current]')
  const isSeen = () =>
    current.evaluate(mark => {
      const [inner, outer] = [mark, mark.closest('[role=region]') as Element].map(one => one.getBoundingClientRect())
      return inner !== undefined && outer !== undefined && inner.top >= outer.top && inner.bottom <= outer.bottom
    })
  await expect.poll(isSeen).toBe(true)
  await page.getByRole('searchbox', { name: 'Find in Output' }).fill('ipsum')
  await expect.poll(found).toBe('1 of 420,000 found')
  await page.keyboard.press('Enter')
  await expect.poll(found).toBe('2 of 420,000 found')
  for (let turn = 0; turn < 2; turn++) await page.keyboard.press('Shift+Enter')
  await expect.poll(found).toBe('420,000 of 420,000 found')
  await expect.poll(isSeen).toBe(true)
  await close()
})

test('a trace that failed without an exception is one with an error everywhere, and lasts as long everywhere', async () => {
  const own = await newProject()
  const [span] = traceOf({ name: 'refused', type: 'tool', at: 0, ms: 0 })
  await own.store({ ...(span as OtlpSpan), status: { code: 2, message: 'no' } })
  const { page, close } = await visit(browser, own, '/w/traces')
  const row = page.getByRole('row', { name: /refused/ })
  await row.getByText('failed').waitFor()
  await row.getByText('0 µs').waitFor()
  await page.getByText('1 found, 1 with errors').waitFor()
  await row.getByRole('link').click()
  const figure = (name: string) => page.locator('header dl div', { hasText: name }).locator('dd').first().textContent()
  await expect.poll(() => figure('Errors')).toBe('1')
  expect(await figure('Duration')).toBe('0 µs')
  await page.getByRole('button', { name: '1 error' }).waitFor()
  await page.goto(page.url().replace(/traces.*/, 'dashboard'))
  const tile = page.locator('section', { has: page.getByRole('heading', { name: 'With errors' }) })
  await tile.getByText('1 · 100 %').click()
  await page.getByText('1 found, 1 with errors').waitFor()
  await close()
})

test('the critical path and the cost are in the address', async () => {
  const id = await stored(agentTrace('Shared?'))
  const { page, close } = await visit(browser, project, `/w/traces/${id}?view=tree`)
  await page.getByRole('treeitem').first().waitFor()
  await page.keyboard.press('c')
  await page.keyboard.press('m')
  await page.waitForURL(/critical=true.*metric=cost|metric=cost.*critical=true/)
  await page.reload()
  await page.getByText('Σ cost', { exact: true }).first().waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Critical path' }).getAttribute('aria-pressed')).toBe('true')
  await page.keyboard.press('c')
  await page.keyboard.press('m')
  await page.waitForURL(url => !/critical|metric/.test(url.search))
  await close()
})

test('bars and what is chosen are seen with a contrast theme', async () => {
  const id = await stored(agentTrace('In two colours?'))
  const { page, close } = await visit(browser, project, `/w/traces/${id}?view=tree`, { forcedColors: 'active' })
  const row = page.getByRole('treeitem', { name: /check_weather/ })
  await row.click()
  await page.waitForURL(/span=/)
  const bar = row.locator('[class*="laneBar"]')
  const clip = await bar.boundingBox()
  if (!clip) throw new Error('The row has no bar.')
  const drawn = await page.screenshot({ clip })
  await bar.evaluate(one => one.style.setProperty('visibility', 'hidden'))
  expect(drawn.equals(await page.screenshot({ clip }))).toBe(false)
  for (const chosen of [row, page.getByRole('tab', { name: 'Content' }), page.getByRole('link', { name: 'Traces' })])
    expect(await chosen.evaluate(one => getComputedStyle(one).outlineStyle)).not.toBe('none')
  await close()
})

test('names of a deep tree are readable on a narrow page', async () => {
  let deep: Step = { name: 'innermost', type: 'tool', at: 0, ms: 20 }
  for (let depth = 9; depth > 0; depth--)
    deep = { name: `step ${depth} of it`, type: 'chain', at: 0, ms: 20, steps: [deep] }
  const id = await stored(traceOf(deep))
  const { page, close } = await visit(browser, project, `/w/traces/${id}?view=tree`, {
    viewport: { width: 320, height: 640 },
  })
  const name = page.getByRole('treeitem', { name: /innermost/ }).getByText('innermost', { exact: true })
  await name.waitFor()
  const [from, to] = await name.evaluate(element => {
    const { left, right } = element.getBoundingClientRect()
    return [right, element.parentElement?.getBoundingClientRect().right ?? left]
  })
  expect(from).toBeLessThanOrEqual(to as number)
  await close()
})

test('of a trace with a single span a narrow page shows what is in it', async () => {
  const id = await stored(traceOf({ name: 'alone', type: 'chat', at: 0, ms: 20, inputs: { question: 'Only me?' } }))
  const viewport = { width: 390, height: 844 }
  const { page, close } = await visit(browser, project, `/w/traces/${id}`, { viewport })
  await page.getByRole('region', { name: 'Span' }).getByText('Only me?').waitFor()
  expect(await page.getByRole('button', { name: 'All spans' }).count()).toBe(0)
  await close()
})

test('a page outlives a restart of its server', async () => {
  const dataDir = await newDataDir('pages')
  const server = await startServerProcess({ dataDir })
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${server.url}/w/#key=${server.apiKey}`)
  await page.getByText('Waiting for the first span').waitFor()
  await server.kill()
  await page.getByText('The server cannot be reached').waitFor()
  const again = await startServerProcess({ dataDir, like: server })
  await page.getByText('The server cannot be reached').waitFor({ state: 'detached' })
  await page.getByText('Waiting for the first span').waitFor()
  await context.close()
  await again.stop()
  await rm(dataDir, { recursive: true, force: true })
})

test('the list loads at most 180 KB, compressed with gzip', () => {
  const dist = join(import.meta.dirname, '../dist')
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
  const files = new Set<string>()
  const add = ({ file, css = [], imports = [] }: Chunk): void => {
    for (const one of [file, ...css]) files.add(one)
    for (const name of imports) add(manifest[name] as Chunk)
  }
  // What the page itself names, and all that this imports.
  for (const [, file] of readFileSync(join(dist, 'index.html'), 'utf8').matchAll(/"\/w\/(assets\/[^"]+\.(?:js|css))"/g))
    add(Object.values(manifest).find(chunk => chunk.file === file) as Chunk)
  const bytes = [...files].reduce((sum, file) => sum + statSync(join(dist, `${file}.gz`)).size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(180_000)
})

interface Chunk {
  file: string
  css?: string[]
  imports?: string[]
}

test('what is collapsed stays collapsed when a span arrives that began earlier', async () => {
  const [root, ...spans] = traceOf(
    {
      name: 'root',
      type: 'agent',
      at: 0,
      ms: 900,
      steps: [
        {
          name: 'first',
          type: 'chain',
          at: 100,
          ms: 100,
          steps: [{ name: 'in first', type: 'tool', at: 110, ms: 10 }],
        },
        {
          name: 'second',
          type: 'chain',
          at: 300,
          ms: 100,
          steps: [{ name: 'in second', type: 'tool', at: 310, ms: 9 }],
        },
      ],
    },
    { agoMs: 5_000 },
  )
  const own = await newProject()
  await own.store(...spans)
  const { page, close } = await visit(browser, own, `/w/traces/${root?.traceId}?view=tree`)
  const row = (name: string) => page.getByRole('treeitem', { name: `${name}, ` })
  await row('in second').waitFor()
  await page
    .getByRole('treeitem', { name: /^second, / })
    .locator('[data-chevron]')
    .click()
  await row('in second').waitFor({ state: 'detached' })
  await own.store(root as OtlpSpan)
  await row('root').waitFor()
  expect(await page.getByRole('treeitem').count()).toBe(4)
  await row('in first').waitFor()
  await close()
})
