import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engine } from '../engine/engine.ts'
import { newProject, openTestEngine } from '../spans.testing.ts'
import { createReaderStatements, dropReaderStatements, hasUser, projectReader, VIEWS } from './sql-reader.ts'

let engine: Engine
let close: () => Promise<void>
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

const hash = 'a'.repeat(64)

test('ClickHouse can parse all statements about readers, and rights come after policies', async () => {
  const reader = projectReader(newProject())
  const create = createReaderStatements(reader, hash)
  for (const text of [...create, ...dropReaderStatements(reader.name)])
    await engine.rows({ text: 'SELECT formatQuery({text:String}) AS text', params: { text } })
  const places = (start: string): number[] => create.flatMap((text, at) => (text.startsWith(start) ? [at] : []))
  const [policies, grants] = [places('CREATE ROW POLICY'), places('GRANT')]
  expect(policies).toHaveLength(Object.keys(reader.conditions).length)
  expect(grants).toHaveLength(VIEWS.length + policies.length + 1)
  expect(Math.max(...policies)).toBeLessThan(Math.min(...grants))
  expect(create.filter(text => text.endsWith(` TO ${reader.name}`))).toEqual([
    `GRANT SELECT ON ${reader.name}.* TO ${reader.name}`,
  ])
})

test('every table that a view reads has a policy', async () => {
  const reader = projectReader(newProject())
  const views = await engine.rows<{ sql: string }>({
    text: "SELECT create_table_query AS sql FROM system.tables WHERE engine = 'View' AND database = currentDatabase()",
    params: {},
  })
  expect(views).toHaveLength(VIEWS.length)
  const read = new Set(
    views.flatMap(({ sql }) => [...sql.matchAll(/(?:FROM|JOIN) default\.(\w+)/g)].map(([, name]) => name)),
  )
  expect([...read].sort()).toEqual(Object.keys(reader.conditions).sort())
})

test('a user is found by its name', async () => {
  expect(await hasUser(engine, 'spanhouse')).toBe(true)
  expect(await hasUser(engine, 'nobody')).toBe(false)
})
