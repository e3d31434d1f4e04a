import { expect, test } from 'vitest'
import { SpanBatch } from '../bytes/span-batch.ts'
import type { Engine } from '../engine/engine.ts'
import { makeSpan, newProject, openTestEngine } from '../spans.testing.ts'
import { mergeLeftovers } from './leftovers.ts'
import { SpanWriter } from './write.ts'

/** Stores spans, by default of three megabytes each, one per batch. */
async function store(engine: Engine, project_id: string, ids: readonly number[], words = 450_000): Promise<void> {
  const writer = new SpanWriter(engine)
  await writer.recover()
  for (const id of ids) {
    const [trace_id, span_id] = [String(id).padStart(32, '0'), String(id).padStart(16, '0')]
    const span = makeSpan({ trace_id, span_id })
    const ag = { ...(span.attributes.ag as object), data: { outputs: `word${id} `.repeat(words) } }
    const sender = { project_id, user_id: project_id, accepted_at: id }
    await writer.write(SpanBatch.of([{ ...sender, span: { ...span, attributes: { ag } } }]))
  }
}

/** How many granules the index of words leaves to a search. */
async function granulesWith(engine: Engine, word: string): Promise<string | undefined> {
  const text = `EXPLAIN indexes = 1 SELECT count() FROM spans WHERE hasToken(lowerUTF8(concat(data, long_data)), '${word}')`
  const plan = (await engine.rows<{ explain: string }>({ text, params: {} })).map(({ explain }) => explain).join('\n')
  return /Name: by_words[\s\S]*?Granules: (\d+\/\d+)/.exec(plan)?.[1]
}

test('what the last inserts left is merged once it is old and large enough, and then found by its words', async context => {
  const { engine, close } = await openTestEngine()
  context.onTestFinished(close)
  const merge = (): Promise<boolean> => mergeLeftovers(engine, { ageS: 0 })
  const project = newProject()
  await store(engine, project, [1, 2])
  expect(await merge(), 'two parts').toBe(false)
  await store(engine, project, [3, 4])
  expect(await mergeLeftovers(engine), 'parts of this moment').toBe(false)
  expect(await granulesWith(engine, 'word3'), 'inserts have no index').toBe('4/4')
  expect(await merge()).toBe(true)
  expect(await granulesWith(engine, 'word3')).toBe('1/4')
  expect(await merge(), 'nothing is left').toBe(false)
})

test('what is searched quickly anyway is left as it is', async context => {
  const { engine, close } = await openTestEngine()
  context.onTestFinished(close)
  await store(engine, newProject(), [1, 2, 3, 4], 100)
  expect(await mergeLeftovers(engine, { ageS: 0 })).toBe(false)
})
