import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { type Answer, call, newProject } from '../harness.ts'
import { newPerson, secretFor } from './people.ts'

const project = await newProject()
const ok = ({ status, body, text }: Answer): any => {
  expect(status, text).toBe(200)
  return body
}
const post = (path: string, body: unknown = {}) => project.posted(path, body)
const get = async (path: string): Promise<any> => ok(await project.get(`/api${path}`))
const statusOf = async (path: string, body: unknown): Promise<number> =>
  (await project.post(`/api${path}`, body)).status

const slugOf = (): string => `t-${randomUUID().slice(0, 8)}`
const cases = (...rows: object[]) => rows.map(data => ({ data }))
const simple = async (...rows: object[]): Promise<any> =>
  (await post('/simple/testsets/', { testset: { slug: slugOf(), data: { testcases: cases(...rows) } } })).testset
const idsOf = (record: any): string[] => record.data.testcase_ids
const rowsOf = (record: any): any[] => record.data.testcases.map((one: any) => one.data)
const withoutDedup = (rows: any[]): any[] => rows.map(({ testcase_dedup_id: _, ...row }) => row)

async function plain(): Promise<{ testset_id: string; testset_variant_id: string; testset_slug: string }> {
  const { testset } = await post('/testsets/', { testset: { slug: slugOf() } })
  const { testset_variant } = await post('/testsets/variants/', {
    testset_variant: { testset_id: testset.id, slug: slugOf() },
  })
  return { testset_id: testset.id, testset_variant_id: testset_variant.id, testset_slug: testset.slug }
}
const commit = async (revision: object, more: object = {}): Promise<any> =>
  (await post('/testsets/revisions/commit', { testset_revision: revision, ...more })).testset_revision

describe('the flat surface', () => {
  test('creates, reads and edits a testset with its rows', async () => {
    const made = await simple({ a: 1 }, { a: 1 }, { a: { deep: [null] }, testcase_dedup_id: 'mine' })
    expect(withoutDedup(rowsOf(made))).toEqual([{ a: 1 }, { a: 1 }, { a: { deep: [null] } }])
    expect(made.data.testcases.map((one: any) => one.id)).toEqual(idsOf(made))
    expect(new Set(idsOf(made)).size).toBe(3)
    expect(rowsOf(made)[2].testcase_dedup_id).toBe('mine')
    expect(made.data.testcases[0]).toMatchObject({ testset_id: made.id, created_at: expect.any(String) })
    expect(made.data.testcases[0]).not.toHaveProperty('set_id')
    const { testset } = await get(`/simple/testsets/${made.id}`)
    expect(testset).toEqual(made)
    const same = await edit(made.id, { data: { testcases: made.data.testcases } })
    expect(same.revision_id).toBe(made.revision_id)
    expect(same.data).toEqual(made.data)
    const renamed = await edit(made.id, { name: 'other' })
    expect(renamed.revision_id).not.toBe(made.revision_id)
    expect(renamed.data).toEqual(made.data)
    const changed = await edit(made.id, { data: { testcases: cases({ b: 2 }) } })
    expect(withoutDedup(rowsOf(changed))).toEqual([{ b: 2 }])
    expect((await get(`/simple/testsets/${made.id}?include_testcases=false`)).testset.data).toEqual({
      testcase_ids: idsOf(changed),
    })
  })

  const edit = async (id: string, changes: object): Promise<any> =>
    ok(await project.send('PUT', `/api/simple/testsets/${id}`, { testset: { id, ...changes } })).testset

  test.each<[string, object]>([
    ['no data', {}],
    ['empty data', { data: {} }],
    ['no rows', { data: { testcases: [] } }],
  ])('%s: an empty testset', async (_name, data) => {
    const { testset } = await post('/simple/testsets/', { testset: { slug: slugOf(), ...data } })
    expect(testset.data).toEqual({ testcase_ids: [], testcases: [] })
    expect((await get(`/simple/testsets/${testset.id}`)).testset.data).toEqual(testset.data)
  })

  test('archived and restored without its rows', async () => {
    const { id } = await simple({ a: 1 })
    for (const verb of ['archive', 'unarchive'])
      expect((await post(`/simple/testsets/${id}/${verb}`)).testset).not.toHaveProperty('data')
    expect(rowsOf((await get(`/simple/testsets/${id}`)).testset)).toHaveLength(1)
  })

  test('refusals', async () => {
    const made = await simple({ a: 1 })
    const other = { testset: { id: randomUUID(), data: { testcases: [] } } }
    expect((await project.send('PUT', `/api/simple/testsets/${made.id}`, other)).status).toBe(400)
    const unknown = randomUUID()
    const put = await project.send('PUT', `/api/simple/testsets/${unknown}`, { testset: { id: unknown } })
    expect(put.status).toBe(404)
    const theirs = (
      await (
        await newProject()
      ).post('/api/simple/testsets/', { testset: { slug: 'x', data: { testcases: cases({}) } } })
    ).body.testset
    expect(
      await statusOf('/simple/testsets/', { testset: { slug: slugOf(), data: { testcase_ids: idsOf(theirs) } } }),
    ).toBe(422)
    const tooMany = { testset: { slug: slugOf(), data: { testcases: Array(10_001).fill({ data: { a: 1 } }) } } }
    expect(await statusOf('/simple/testsets/', tooMany)).toBe(400)
    expect((await post('/simple/testsets/query', { testset_refs: [{ slug: tooMany.testset.slug }] })).count).toBe(0)
    for (const data of [{ rows: [] }, { testcases: [{ data: 1 }] }, { testcase_ids: ['x'] }])
      expect(await statusOf('/simple/testsets/', { testset: { slug: slugOf(), data } })).toBe(422)
  })

  test('lists come with the rows of all testsets', async () => {
    const { post: ask } = await newProject()
    const make = (slug: string, ...rows: object[]) =>
      ask('/api/simple/testsets/', { testset: { slug, data: { testcases: cases(...rows) } } })
    await make('one', { a: 1 }, { a: 2 })
    await make('two', { b: 1 })
    const { body } = await ask('/api/simple/testsets/query', {})
    expect(body.testsets.map((one: any) => withoutDedup(rowsOf(one)))).toEqual([[{ b: 1 }], [{ a: 1 }, { a: 2 }]])
    const { body: bare } = await ask('/api/simple/testsets/query', { include_testcases: false })
    expect(bare.testsets.map((one: any) => Object.keys(one.data))).toEqual([['testcase_ids'], ['testcase_ids']])
  })
})

test('the project of a new organization has a testset to begin with', async () => {
  const person = await newPerson()
  const { id } = (await person.ask('POST', '/organizations', { name: 'Corp' })).body
  const { body: projects } = await person.ask('GET', '/projects')
  const { project_id } = projects.find((one: any) => one.organization_id === id)
  const authorization = secretFor(person.user_id, project_id)
  const { body } = await call(inject('target').apiUrl, 'POST', '/api/simple/testsets/query', authorization, {})
  expect(body.testsets).toMatchObject([{ slug: 'completion_testset' }])
  expect(Object.keys(rowsOf(body.testsets[0])[0])).toEqual(['country', 'correct_answer', 'testcase_dedup_id'])
})

describe('commits', () => {
  test('rows that are alike share an id and stay as many as they were', async () => {
    const { testset_id, testset_variant_id } = await plain()
    const testcases = [...cases({ a: 1 }, { a: 1 }), { id: randomUUID(), set_id: 'x', other: 1 }]
    const revision = await commit({ testset_id, testset_variant_id, data: { testcases } })
    expect(rowsOf(revision)).toEqual([{ a: 1 }, { a: 1 }, {}])
    expect(new Set(idsOf(revision)).size).toBe(2)
    const again = await commit({ testset_variant_id, data: { testcase_ids: idsOf(revision) } })
    expect(again).toMatchObject({ version: '1', testset_id, data: revision.data })
    const both = { testcase_ids: [randomUUID()], testcases: again.data.testcases }
    expect((await commit({ testset_variant_id, data: both })).data).toEqual(again.data)
  })

  test('an id is that of the content in its testset', async () => {
    const id = '019d9ca1-0000-7000-8000-000000000000'
    const { testset } = await post(`/testsets/?testset_id=${id}`, { testset: { slug: slugOf() } })
    expect(testset.id).toBe(id)
    const { testset_variant } = await post('/testsets/variants/', {
      testset_variant: { testset_id: id, slug: slugOf() },
    })
    const testcases = cases({ country: 'France', capital: 'Paris' }, {}, { café: 'é' })
    const revision = await commit({ testset_variant_id: testset_variant.id, data: { testcases } })
    expect(idsOf(revision)).toEqual([
      '1eae9df5-2b86-5fca-bbf0-eb336b86c62c',
      '5833e1e7-63d2-5066-8d6c-adf5a5466480',
      '6e0bbd90-d4df-57b5-9aa3-c8c097476dac',
    ])
    expect(Object.keys(rowsOf(revision)[0])).toEqual(['country', 'capital'])
  })

  test('where a commit goes', async () => {
    const first = await plain()
    const { testset_id } = first
    const made = await commit({ testset_id, data: { testcases: cases({ a: 1 }) } })
    expect(made.testset_variant_id).toBe(first.testset_variant_id)
    const other = await plain()
    const delta = { rows: { add: cases({ a: 2 }) } }
    const data = { testcases: [] }
    const { testset_variant_id } = other
    for (const [body, status] of [
      [{ testset_id, testset_variant_id, data }, 400],
      [{ testset_variant_id: randomUUID(), data }, 404],
      [{ testset_id: randomUUID(), data }, 404],
      [{ testset_variant_id, delta }, 404],
      [{ testset_id, revision_id: randomUUID(), delta }, 404],
      [{ testset_id, data, delta }, 400],
      [{ testset_id }, 400],
      [{ testset_id, data: { testcase_ids: [randomUUID()] } }, 422],
      [{ testset_id, data: { testcases: Array(10_001).fill({ data: {} }) } }, 400],
      [{ testset_id, data: { columns: [] } }, 422],
      [{ testset_id, delta: { rows: { remove: ['x'] } } }, 422],
      [{ testset_id, delta: { columns: { replace: [['a']] } } }, 422],
    ] as const)
      expect(await statusOf('/testsets/revisions/commit', { testset_revision: body }), JSON.stringify(body)).toBe(
        status,
      )
  })

  test('a delta, as the interface shows it', async () => {
    const { testset_id, testset_variant_id } = await plain()
    const testcases = cases({ city: 'Rome', days: 1 }, { city: 'Bern', days: 2 })
    const base = await commit({ testset_id, testset_variant_id, data: { testcases } })
    const [r1, r2] = idsOf(base)
    const delta = {
      columns: { replace: [['days', 'nights']], add: ['note'] },
      rows: { remove: [r1], add: [{ data: { city: 'Oslo', nights: 2 } }] },
    }
    const head = await commit({ testset_id, testset_variant_id, delta, name: 'n', tags: { t: 'x' } })
    expect(rowsOf(head)).toEqual([
      { city: 'Bern', nights: 2, note: '' },
      { city: 'Oslo', nights: 2 },
    ])
    expect(head).toMatchObject({ version: '1', message: 'Patched testset revision', name: 'n', tags: { t: 'x' } })
    expect(idsOf(head)).not.toContain(r2)
    const older = { testset_id, revision_id: base.id, delta: { rows: { remove: [r2] } }, message: 'back' }
    const next = await commit(older, { include_testcases: false })
    expect(next).toMatchObject({ version: '2', testset_variant_id, message: 'back', data: { testcase_ids: [r1] } })
    const named = { testset_id, testset_revision_id: base.id, delta: {} }
    expect(idsOf(await commit(named))).toEqual([r1, r2])
  })

  test('a row is replaced whatever form its id has', async () => {
    const ids = await plain()
    const base = await commit({ ...ids, data: { testcases: cases({ n: 1 }, { n: 2 }) } })
    const [one, two] = idsOf(base) as [string, string]
    const rows = { replace: [{ id: one.toUpperCase(), data: { n: 3 } }, { id: two.replaceAll('-', '') }] }
    expect(rowsOf(await commit({ ...ids, delta: { rows } }))).toEqual([{ n: 3 }, {}])
  })

  test('deltas at once lose nothing', async () => {
    const { testset_id, data } = await plain().then(ids => commit({ ...ids, data: { testcases: [] } }))
    expect(data.testcase_ids).toEqual([])
    await Promise.all(
      Array.from({ length: 8 }, (_, n) => commit({ testset_id, delta: { rows: { add: cases({ n }) } } })),
    )
    const { testset_revision } = await post('/testsets/revisions/retrieve', { testset_ref: { id: testset_id } })
    expect(testset_revision.version).toBe('8')
    expect(new Set(rowsOf(testset_revision).map(row => row.n)).size).toBe(8)
  })

  test('metadata of rows is kept, and distinguishes rows', async () => {
    const ids = await plain()
    const said = { flags: { f: true }, tags: { t: 'x' }, meta: { m: [1, null] } }
    const testcases = [{ data: { a: 1 }, ...said }, ...cases({ a: 1 }, { a: 2 })]
    const base = await commit({ ...ids, data: { testcases } })
    const delta = { columns: { add: ['b'] }, rows: { replace: [{ id: idsOf(base)[2], data: { a: 3 }, ...said }] } }
    const head = await commit({ ...ids, delta })
    expect(head.data.testcases).toMatchObject([{ data: { a: 1, b: '' }, ...said }, { data: { a: 1, b: '' } }, said])
    expect(head.data.testcases[1]).not.toHaveProperty('meta')
  })
})

describe('reading', () => {
  test('what is included', async () => {
    const ids = await plain()
    const revision = await commit({ ...ids, data: { testcases: cases({ n: 1 }, { n: 2 }, { n: 3 }) } })
    const [one, two, three] = idsOf(revision)
    const testset_revision_ref = { id: revision.id }
    const retrieve = async (more: object): Promise<any> =>
      (await post('/testsets/revisions/retrieve', { testset_revision_ref, ...more })).testset_revision
    const rows: [object, string[] | undefined, boolean][] = [
      [{}, [one, two, three] as string[], true],
      [{ include_testcase_ids: false }, [one, two, three] as string[], true],
      [{ include_testcases: false }, [one, two, three] as string[], false],
      [{ windowing: { limit: 2 } }, [one, two] as string[], true],
      [{ windowing: { next: two } }, [three] as string[], true],
      [{ windowing: { next: randomUUID() } }, [], true],
      [{ windowing: { order: 'descending', limit: 2 }, include_testcases: false }, [three, two] as string[], false],
    ]
    for (const [more, expected, withRows] of rows) {
      const { data } = await retrieve(more)
      expect(data.testcase_ids, JSON.stringify(more)).toEqual(expected)
      expect(data.testcases?.map((row: any) => row.id)).toEqual(withRows ? expected : undefined)
    }
    const bare = await retrieve({ include_testcases: false, include_testcase_ids: false })
    expect(bare).toMatchObject({ id: revision.id, version: '0' })
    expect(bare).not.toHaveProperty('data')
    const { retrieval_info } = await post('/testsets/revisions/retrieve', { testset_revision_ref })
    expect(Object.keys(retrieval_info.references)).toEqual(['testset', 'testset_variant', 'testset_revision'])
    expect(await post('/testsets/revisions/retrieve', {})).toEqual({ count: 0 })
  })

  test.each(['ascending', 'descending'])('a revision in pages, %s, whose rows are there twice', async order => {
    const ids = await plain()
    const { id, data } = await commit({ ...ids, data: { testcases: cases({ n: 1 }, { n: 2 }, { n: 1 }, { n: 3 }) } })
    const found: string[][] = []
    for (let windowing: any = { limit: 1, order }; windowing !== undefined; ) {
      expect(found.length).toBeLessThan(4)
      const page = await post('/testsets/revisions/retrieve', { testset_revision_ref: { id }, windowing })
      found.push(idsOf(page.testset_revision))
      windowing = page.windowing
    }
    const inOrder = order === 'ascending' ? data.testcase_ids : data.testcase_ids.toReversed()
    expect(found).toEqual(inOrder.map((one: string) => [one]))
  })

  test('fetch, query and log', async () => {
    const ids = await plain()
    await commit({ ...ids, data: { testcases: cases({ n: 1 }, { n: 2 }) } })
    const head = await commit({ ...ids, delta: { rows: { add: cases({ n: 3 }) } } })
    const path = `/testsets/revisions/${head.id}`
    expect((await get(path)).testset_revision.data).toEqual(head.data)
    const bare = (await get(`${path}?include_testcases=false`)).testset_revision
    expect(bare.data).toEqual({ testcase_ids: idsOf(head) })
    const query = { testset_refs: [{ id: ids.testset_id }] }
    const log = { testset_revisions: { testset_id: ids.testset_id } }
    for (const [path, body] of [
      ['/testsets/revisions/query', query],
      ['/testsets/revisions/log', log],
    ] as const) {
      const all = (await post(path, body)).testset_revisions
      expect(all.map(rowsOf)).toEqual([
        [{ n: 1 }, { n: 2 }, { n: 3 }],
        [{ n: 1 }, { n: 2 }],
      ])
      const without = (await post(path, { ...body, include_testcases: false })).testset_revisions
      expect(without.map((one: any) => one.data)).toEqual(all.map((one: any) => ({ testcase_ids: idsOf(one) })))
    }
    const page = await post('/testsets/revisions/query', { ...query, windowing: { limit: 1 } })
    expect(page.testset_revisions.map(idsOf)).toEqual([idsOf(head)])
  })
})

test('many rows are listed beside labels of any size', async () => {
  const rows = Array.from({ length: 7_000 }, (_, n) => ({ n }))
  const ids = await plain()
  // Random, since what can be compressed is small where it is stored.
  const meta = { text: randomBytes(600_000).toString('hex') }
  const revision = await commit({ ...ids, data: { testcases: cases(...rows) }, meta }, { include_testcases: false })
  expect(idsOf(revision)).toHaveLength(rows.length)
  const { testset_revisions } = await post('/testsets/revisions/query', {
    testset_refs: [{ id: ids.testset_id }],
    include_testcases: false,
  })
  expect(testset_revisions.map(idsOf)).toEqual([idsOf(revision)])
})

describe('testcases', () => {
  test('by id', async () => {
    const made = await simple({ n: 1 }, { n: 2 }, { n: 3 })
    const ids = idsOf(made).toReversed()
    const [row] = made.data.testcases
    const { testcase } = await get(`/testcases/${row.id}`)
    expect(testcase).toEqual({ ...row, set_id: made.id })
    expect(await get(`/testcases/${randomUUID()}`)).toEqual({ count: 0 })
    const listed = async (query: string): Promise<string[]> =>
      (await get(`/testcases/?${query}`)).testcases.map((one: any) => one.id)
    expect(await listed(ids.map(id => `testcase_id=${id}`).join('&'))).toEqual(ids)
    expect(await listed(`testcase_ids=${[...ids, randomUUID()].join(',')}`)).toEqual(ids)
    expect(await get('/testcases/?testcase_ids=x')).toEqual({ count: 0, testcases: [] })
    expect((await project.get('/api/testcases/')).status).toBe(400)
    expect((await project.get('/api/testcases/?testcase_id=x')).status).toBe(422)
    expect((await project.get('/api/testcases/x')).status).toBe(422)
    const other = await newProject()
    expect((await other.get(`/api/testcases/${row.id}`)).body).toEqual({ count: 0 })
  })

  test('queries by ids and by references', async () => {
    const ids = await plain()
    const rows = cases({ n: 1 }, { n: 2 }, { n: 1 }, { n: 3 })
    const revision = await commit({ ...ids, data: { testcases: rows } })
    const [one, two, , three] = idsOf(revision) as [string, string, string, string]
    const found = async (body: object): Promise<string[]> => {
      const answer = await post('/testcases/query', body)
      expect(answer.count).toBe(answer.testcases.length)
      return answer.testcases.map((row: any) => row.id)
    }
    const all = [one, two, one, three]
    expect(await found({ testcase_ids: [three, one, randomUUID()] })).toEqual([three, one])
    expect(await found({ testset_ref: { slug: ids.testset_slug } })).toEqual(all)
    expect(await found({ testset_variant_ref: { id: ids.testset_variant_id } })).toEqual(all)
    expect(await found({ testset_revision_ref: { id: revision.id } })).toEqual(all)
    expect(await found({ testset_revision_ref: { id: revision.id }, testcase_ids: [two] })).toEqual([two])
    expect(await found({ testset_id: randomUUID(), testcase_ids: [two] })).toEqual([])
    expect(await post('/testcases/query', { testset_ref: { slug: 'none' } })).toEqual({ count: 0, testcases: [] })
    for (const body of [{}, { testset_ref: {} }, { testset_revision_ref: { version: '1' } }])
      expect(await statusOf('/testcases/query', body)).toBe(400)
    expect(await statusOf('/testcases/query', { testset_id: 'x' })).toBe(422)
  })

  test('pages of a revision that contains a row twice', async () => {
    const ids = await plain()
    const revision = await commit({ ...ids, data: { testcases: cases({ n: 1 }, { n: 2 }, { n: 1 }, { n: 3 }) } })
    for (const limit of [1, 2, 3, 4]) {
      const query = { testset_revision_ref: { id: revision.id } }
      expect(await pages(query, { limit }, limit)).toEqual(idsOf(revision))
    }
  })

  const pages = async (query: object, windowing: any, limit: number): Promise<string[]> => {
    const seen: string[] = []
    for (let next = windowing; next !== undefined; ) {
      const page = await post('/testcases/query', { ...query, windowing: next })
      expect(page.count).toBeLessThanOrEqual(limit)
      seen.push(...page.testcases.map((row: any) => row.id))
      next = page.windowing
    }
    return seen
  }

  test('a list that lost the row of the cursor is refused; it does not seem to end', async () => {
    const ids = await plain()
    const { testset_id } = ids
    const first = await commit({ ...ids, data: { testcases: cases({ n: 1 }, { n: 2 }, { n: 3 }) } })
    const query = { testset_ref: { id: testset_id }, windowing: { limit: 1 } }
    const { windowing } = await post('/testcases/query', query)
    await commit({ ...ids, delta: { rows: { remove: [windowing.next] } } })
    const { status, body } = await project.post('/api/testcases/query', { ...query, windowing })
    expect([status, body.detail]).toEqual([400, expect.stringContaining('testset_revision_ref')])
    const of = (revision: any): object => ({ testset_revision_ref: { id: revision.id } })
    expect((await post('/testcases/query', { ...of(first), windowing })).testcases[0].data.n).toBe(2)
  })

  test('everything a testset ever had, in the order it came', async () => {
    const ids = await plain()
    await commit({ ...ids, data: { testcases: cases({ n: 1 }, { n: 2 }, { n: 3 }) } })
    await commit({ ...ids, data: { testcases: cases({ n: 3 }, { n: 4 }) } })
    const { testset_id } = ids
    const { testcases } = await post('/testcases/query', { testset_id })
    expect(testcases.map((row: any) => row.data.n)).toEqual([1, 2, 3, 4])
    const all = testcases.map((row: any) => row.id)
    for (const limit of [1, 2, 3]) {
      expect(await pages({ testset_id }, { limit }, limit)).toEqual(all)
      expect(await pages({ testset_id }, { limit, order: 'descending' }, limit)).toEqual(all.toReversed())
    }
    const first = await post('/testcases/query', { testset_id, windowing: { limit: 2 } })
    expect(first.windowing).toEqual({ limit: 2, next: all[1], oldest: testcases[1].created_at })
    const newest = testcases[1].created_at
    const counts = await Promise.all(
      [{ newest }, { oldest: newest }, { newest, order: 'descending' }, { oldest: newest, order: 'descending' }].map(
        windowing => post('/testcases/query', { testset_id, windowing }).then(page => page.count),
      ),
    )
    expect(counts).toEqual([2, 2, 1, 3])
  })
})
