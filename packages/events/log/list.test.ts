import { newId } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { validate } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import { eventQuery, exportEvents, listEvents } from './list.ts'
import { recordEvents } from './record.ts'

onEachDatabase('the log of events', postgres => {
  test('a page of large events is in memory one by one, and complete', async () => {
    const { db } = postgres()
    const project_id = newId()
    const state = { text: 'long '.repeat(600_000) }
    const names = Array.from({ length: 4 }, (_, n) => String(n))
    for (const name of names)
      await recordEvents(db, [{ project_id, type: 'environments.revisions.committed', attributes: { name, state } }])
    const query = validate(eventQuery, {}, 'body')
    const page = await listEvents({ db, project_id }, query)
    expect(Math.floor(page.bytesMax / state.text.length)).toBe(1)
    const listed = await Array.fromAsync(page.events)
    expect([page.count, page.windowing]).toEqual([4, undefined])
    expect(listed).toMatchObject(names.toReversed().map(name => ({ attributes: { name, state } })))
    const lines = await Array.fromAsync(exportEvents({ db, project_id }, query))
    expect(
      lines
        .join('')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual(listed)
  })
})
