import { makerOfSqlReader } from '@spanhouse/access'
import type { Uuid } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import type { Engine } from '@spanhouse/span-store'
import { expect, test } from 'vitest'
import { makeAccount, principalOf } from '../../access/account.testing.ts'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { createSqlReader, removeReadersOfFormerOwners, type SqlReaders } from './sql-readers.ts'

onEachDatabase('makers of SQL readers', postgres => {
  const db = (): Database => postgres().db

  /** What is done to the readers of ClickHouse, with who is noted as the maker at that moment. */
  function recorded(project_id: Uuid, set: SqlReaders['set'] = async () => undefined) {
    const done: [string, Uuid | undefined][] = []
    const note = async (what: string): Promise<void> => {
      done.push([what, await makerOfSqlReader(db(), project_id)])
    }
    const readers: SqlReaders = {
      set: (...reader) => note('set').then(() => set(...reader)),
      remove: () => note('remove').then(() => true),
    }
    return { done, parts: { db: db(), readers, clickhouseUrl: 'http://127.0.0.1:8123' } }
  }

  test('a reader has a note of who knows its password at any time, also if the process ends in between', async () => {
    const { project_id, user_id } = await principalOf(db(), await makeAccount(db()))
    const other = await principalOf(db(), await makeAccount(db()))
    const { done, parts } = recorded(project_id)
    await createSqlReader(parts, { project_id, user_id })
    await createSqlReader(parts, { project_id, user_id })
    await createSqlReader(parts, { project_id, user_id: other.user_id })
    expect(done).toEqual([
      ['remove', undefined],
      ['set', user_id],
      ['set', user_id],
      ['remove', user_id],
      ['set', other.user_id],
    ])
  })

  test('a reader that could not be made leaves the note: whether it was made is not known', async () => {
    const { project_id, user_id } = await principalOf(db(), await makeAccount(db()))
    const { parts } = recorded(project_id, () => Promise.reject(new Error('away')))
    await expect(createSqlReader(parts, { project_id, user_id })).rejects.toThrow('away')
    expect(await makerOfSqlReader(db(), project_id)).toBe(user_id)
  })

  test('a reader that an owner makes while that of a former one is removed keeps its note', async () => {
    const { project_id, user_id } = await principalOf(db(), await makeAccount(db()))
    const stranger = await principalOf(db(), await makeAccount(db()))
    const { done, parts } = recorded(project_id)
    await createSqlReader(parts, { project_id, user_id: stranger.user_id })
    const readers: SqlReaders = {
      ...parts.readers,
      remove: async () => {
        await createSqlReader(parts, { project_id, user_id })
        return true
      },
    }
    // Every reader is there.
    const engine = { rows: async ({ params }: any) => params.names.map((name: string) => ({ name })) }
    await removeReadersOfFormerOwners(db(), { engine: engine as unknown as Engine, readers })
    expect(done.at(-1)).toEqual(['set', user_id])
    expect(await makerOfSqlReader(db(), project_id)).toBe(user_id)
  })
})
