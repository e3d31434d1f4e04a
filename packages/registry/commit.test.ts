import type { JsonObject } from '@spanhouse/model'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { commitRevision } from './commit.ts'
import { deployRevision } from './environments/deploy.ts'
import { createFolder } from './folders/folders.ts'
import { listFolders } from './folders/rows.ts'
import type { Delta } from './kind.ts'
import { logRevisions } from './log.ts'
import { newScope } from './registry.testing.ts'
import { listRows } from './rows/list.ts'
import { findRow } from './rows/rows.ts'
import { listSimple } from './rows/simple-rows.ts'
import { createSimple } from './simple.ts'
import { setVariantArchived } from './variants.ts'

onEachDatabase('commits', postgres => {
  let as: Awaited<ReturnType<typeof newScope>>
  beforeAll(async () => {
    as = await newScope(postgres())
  })

  test('fifty at once make fifty versions without a gap', async () => {
    const scope = as('application')
    const { variant_id } = await createSimple(scope, { slug: 'busy', data: { parameters: { n: -1 } } })
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => commitRevision(scope, { variant_id, data: { parameters: { n } } })),
    )
    const rows = await Array.fromAsync((await logRevisions(scope, { variant_id })).rows)
    expect(rows.map(row => row.version)).toEqual(Array.from({ length: 52 }, (_, index) => 51 - index))
    expect(new Set(rows.map(row => row.data?.parameters)).size).toBe(52)
  })

  test('deltas at once are all applied, each to the head as it is then', async () => {
    const scope = as('application')
    const { variant_id } = await createSimple(scope, { slug: 'deltas', data: { parameters: {} } })
    const delta = (n: number): Delta => ({
      needsBase: false,
      apply: base => ({ data: { parameters: { ...(base?.parameters as JsonObject), [`k${n}`]: n } } }),
    })
    await Promise.all(Array.from({ length: 20 }, (_, n) => commitRevision(scope, { variant_id, delta: delta(n) })))
    const [head] = await Array.fromAsync((await logRevisions(scope, { variant_id, depth: 1 })).rows)
    expect(head?.version).toBe(21)
    expect(Object.keys(head?.data?.parameters as JsonObject)).toHaveLength(20)
  })

  test('long data is counted before it is read, and not read where there is no room for it', async () => {
    const scope = as('application')
    const data = { script: 'long '.repeat(40_000) }
    const { revision_id } = await createSimple(scope, { slug: 'long', data })
    const held: number[] = []
    const holder = { hold: (bytes: number) => void held.push(bytes), release: () => undefined }
    expect((await findRow({ ...scope, holder }, 'revision', revision_id))?.data).toEqual(data)
    expect(held).toHaveLength(1)
    expect(held[0]).toBeGreaterThanOrEqual(200_000)
    const full = {
      ...holder,
      hold: () => {
        throw new Error('no room')
      },
    }
    await expect(findRow({ ...scope, holder: full }, 'revision', revision_id)).rejects.toThrow('no room')
  })

  test('the batches of a list are not counted, since they are not kept', async () => {
    const scope = as('application')
    const script = 'long '.repeat(20_000)
    const { variant_id } = await createSimple(scope, { slug: 'listed', data: { script } })
    for (const n of [1, 2]) await commitRevision(scope, { variant_id, data: { script, parameters: { n } } })
    const held: number[] = []
    const holder = { hold: (bytes: number) => void held.push(bytes), release: () => undefined }
    const { rows, bytesMax } = await logRevisions({ ...scope, holder }, { variant_id })
    const read = await Array.fromAsync(rows)
    expect(read.map(({ data }) => data?.script)).toEqual([script, script, script, undefined])
    expect(bytesMax).toBeGreaterThan(3 * script.length)
    const flat = await listSimple(scope, { artifact_refs: [{ slug: 'listed' }] })
    expect(flat.bytesMax).toBeGreaterThan(script.length)
    expect(held).toEqual([])
  })

  test('a list knows how large its rows are, however short they are stored', async () => {
    const scope = (await newScope(postgres()))('query')
    const text = 'long '.repeat(200_000)
    await createSimple(scope, { slug: 'labels', description: text, meta: { text } })
    await createFolder(scope, { slug: 'labels', name: 'labels', meta: { text } })
    const lists = [
      await listRows(scope, 'artifact', {}),
      await listRows(scope, 'revision', {}),
      await listSimple(scope, {}),
      await listFolders(scope, {}),
    ]
    expect(lists.map(({ bytesMax }) => Math.floor(bytesMax / text.length))).toEqual([2, 2, 2, 1])
  })

  test('what only an archived head contains is committed again, on that head', async () => {
    const scope = as('workflow')
    const data = { parameters: { a: 1 } }
    const { variant_id, revision_id } = await createSimple(scope, { slug: 'hidden', data })
    await setVariantArchived(scope, variant_id, true)
    const { row, status } = await commitRevision(scope, { variant_id, base_revision_id: revision_id, data })
    expect({ status, version: row.version, data: row.data }).toEqual({ status: 'committed', version: 2, data })
    await expect(commitRevision(scope, { variant_id, base_revision_id: revision_id, data })).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  test('deployments at once lose none', async () => {
    const environment = await createSimple(as('environment'), { slug: 'live' })
    const slugs = Array.from({ length: 10 }, (_, index) => `app-${index}`)
    for (const slug of slugs) await createSimple(as('application'), { slug, data: { parameters: {} } })
    await Promise.all(
      slugs.map(slug =>
        deployRevision(as('application'), {
          references: { artifact: { slug } },
          environment: { artifact: { slug: 'live' } },
        }),
      ),
    )
    const log = await logRevisions(as('environment'), { variant_id: environment.variant_id, depth: 1 })
    const [head] = await Array.fromAsync(log.rows)
    expect(Object.keys(head?.data?.references ?? {}).toSorted()).toEqual(slugs.map(slug => `${slug}.revision`))
  })

  describe('a failure leaves nothing', () => {
    test.each([['a commit whose slug is taken', 'taken']])('%s', async (_name, slug) => {
      const scope = as('workflow')
      const { variant_id } = await createSimple(scope, { slug: 'orderly', data: { parameters: { a: 1 } } })
      await commitRevision(scope, { variant_id, slug, data: { parameters: { a: 2 } } })
      await expect(commitRevision(scope, { variant_id, slug, data: { parameters: { a: 3 } } })).rejects.toMatchObject({
        code: 'conflict',
        detail: { conflict: { slug } },
      })
      const { row } = await commitRevision(scope, { variant_id, data: { parameters: { a: 4 } } })
      expect(row.version).toBe(3)
    })

    test('a simple record whose data cannot be stored keeps no slug', async () => {
      const scope = as('evaluator')
      const input = { slug: 'half', data: { uri: 'agenta:builtin:no_such_key:v0' } }
      await expect(createSimple(scope, input)).rejects.toMatchObject({ code: 'unprocessable' })
      await createSimple(scope, { slug: 'half', data: { uri: 'agenta:builtin:auto_exact_match:v0' } })
    })
  })
})
