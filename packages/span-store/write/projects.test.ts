import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engine } from '../engine/engine.ts'
import { newProject, openTestEngine } from '../spans.testing.ts'
import { removeProjects } from './projects.ts'

let engine: Engine
let close: () => Promise<void>

beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

/** Some roots and many more other spans, at four a microsecond. */
const fill = (project: string, rows: number): Promise<void> =>
  engine.command({
    text: `INSERT INTO spans (project_id, is_root, start_time, trace_id, span_id)
      SELECT {project:UUID}, number % 8 = 0, fromUnixTimestamp64Micro(toInt64(1770000000000000 + intDiv(number, 4))),
        toFixedString(hex(number), 16), toFixedString(leftPad(hex(number), 8, '0'), 8) FROM numbers({rows:UInt32})`,
    params: { project, rows },
  })

const note = (project: string): Promise<void> =>
  engine.command({
    text: `INSERT INTO deleted_traces (project_id, trace_id, deleted_at, deletion_id, is_done)
      SELECT {project:UUID}, toFixedString('0123456789abcdef', 16), now64(6), {project:UUID}, true`,
    params: { project },
  })

async function rowsOf(project: string): Promise<number[]> {
  const tables = ['spans', 'deleted_traces']
  const counts = tables.map(table =>
    engine.rows<{ rows: number }>({
      text: `SELECT count() AS rows FROM ${table} WHERE project_id = {project:UUID}`,
      params: { project },
    }),
  )
  return (await Promise.all(counts)).map(([count]) => count?.rows ?? -1)
}

test('all that is stored for projects goes, of any size, and nothing of others', async () => {
  const [large, small, other, empty] = [newProject(), newProject(), newProject(), newProject()]
  await fill(large, 450_000)
  for (const project of [small, other]) await fill(project, 20)
  for (const project of [small, other]) await note(project)
  expect(await rowsOf(small)).toEqual([20, 1])
  const aborted = new AbortController()
  aborted.abort()
  await removeProjects(engine, [small], aborted.signal)
  expect(await rowsOf(small)).toEqual([20, 1])
  await removeProjects(engine, [large, small, empty])
  expect(await rowsOf(large)).toEqual([0, 0])
  expect(await rowsOf(small)).toEqual([0, 0])
  expect(await rowsOf(other)).toEqual([20, 1])
  // What comes later goes with the next call.
  await fill(small, 20)
  await removeProjects(engine, [small])
  expect(await rowsOf(small)).toEqual([0, 0])
  expect(await rowsOf(other)).toEqual([20, 1])
})
