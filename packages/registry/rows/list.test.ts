import { newId, sql } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { validate, windowing } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import { newScope } from '../registry.testing.ts'
import { createSimple } from '../simple.ts'
import { listRows } from './list.ts'

onEachDatabase('lists', postgres => {
  test('a filter with many values costs about as much as one with a single value', async () => {
    const scope = (await newScope(postgres()))('workflow')
    const { id, variant_id } = await createSimple(scope, { slug: 'long', data: {} })
    await sql`
      insert into revisions (project_id, family, id, artifact_id, variant_id, version, slug, created_by_id)
      select ${scope.project_id}, 'workflow', gen_random_uuid(), ${id}, ${variant_id}, n, 'r' || n, ${scope.user_id}
      from generate_series(2, 20001) n`.execute(postgres().db)
    await sql`analyze revisions`.execute(postgres().db)
    const firstRow = validate(windowing, { limit: 1 }, 'body')
    const fastestMs = async (count: number): Promise<number> => {
      const authors = Array.from({ length: count }, newId)
      const times: number[] = []
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const begin = performance.now()
        expect(await listRows(scope, 'revision', { filter: { authors }, windowing: firstRow })).toMatchObject({
          count: 0,
        })
        times.push(performance.now() - begin)
      }
      return Math.min(...times)
    }
    expect(await fastestMs(1_000)).toBeLessThan(10 * (await fastestMs(1)) + 200)
  })
})
