import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newProject } from '../harness.ts'

const { post, get, send } = await newProject()
const make = (folder: object) => post('/api/folders/', { folder })
const made = async (folder: object): Promise<any> => {
  const answer = await make(folder)
  expect(answer, answer.text).toMatchObject({ status: 200, body: { count: 1 } })
  return answer.body.folder
}
const put = (id: string, folder: object) => send('PUT', `/api/folders/${id}`, { folder: { id, ...folder } })
const pathsOf = async (folder: object): Promise<string[]> => {
  const { body } = await post('/api/folders/query', { folder })
  expect(body.count).toBe(body.folders.length)
  return body.folders.map((one: any) => one.path)
}

test('a folder is made, read, changed and deleted', async () => {
  const made = await make({ slug: 'one', name: 'Ünö 1_a-b', description: 'd', tags: { t: 'x' }, meta: { n: null } })
  const folder = made.body.folder
  expect(folder).toMatchObject({ slug: 'one', name: 'Ünö 1_a-b', kind: 'applications', path: 'one', tags: { t: 'x' } })
  expect(folder).toMatchObject({ meta: { n: null }, created_at: expect.any(String), created_by_id: expect.any(String) })
  for (const absent of ['parent_id', 'flags', 'updated_at', 'project_id']) expect(folder).not.toHaveProperty(absent)
  expect((await get(`/api/folders/${folder.id}`)).body).toEqual({ count: 1, folder })
  const { body } = await put(folder.id, { name: 'Two', flags: { f: true } })
  expect(body.folder).toMatchObject({ name: 'Two', description: 'd', path: 'one', flags: { f: true } })
  expect(body.folder.updated_at).toEqual(expect.any(String))
  expect((await put(folder.id, { name: 'Two', description: null })).body.folder).not.toHaveProperty('description')
  expect(await send('DELETE', `/api/folders/${folder.id}`)).toMatchObject({
    status: 200,
    body: { count: 1, id: folder.id },
  })
  for (const answer of [
    await send('DELETE', `/api/folders/${folder.id}`),
    await get(`/api/folders/${folder.id}`),
    await put(folder.id, { name: 'x' }),
  ])
    expect(answer).toMatchObject({ status: 200, body: { count: 0 } })
})

test('moving and renaming a folder moves everything below it', async () => {
  const top = await made({ slug: 'top', name: 'top' })
  const mid = await made({ slug: 'mid', name: 'mid', parent_id: top.id })
  const leaf = await made({ slug: 'leaf', name: 'leaf', parent_id: mid.id })
  await made({ slug: 'top_mid', name: 'not below top' })
  expect(leaf).toMatchObject({ path: 'top.mid.leaf', parent_id: mid.id })
  await put(top.id, { name: 'top', slug: 'peak' })
  expect(await pathsOf({ prefix: 'peak' })).toEqual(['peak', 'peak.mid', 'peak.mid.leaf'])
  const moved = await put(mid.id, { name: 'mid', parent_id: null })
  expect(moved.body.folder).toMatchObject({ path: 'mid' })
  expect(moved.body.folder).not.toHaveProperty('parent_id')
  expect(await pathsOf({ prefixes: ['mid', 'top_mid'] })).toEqual(['mid', 'mid.leaf', 'top_mid'])
  for (const parent_id of [mid.id, leaf.id]) expect((await put(mid.id, { name: 'mid', parent_id })).status).toBe(400)
  await make({ slug: 'leaf', name: 'leaf' })
  expect((await put(leaf.id, { name: 'leaf', parent_id: null })).status).toBe(409)
  await send('DELETE', `/api/folders/${mid.id}`)
  expect((await get(`/api/folders/${leaf.id}`)).body).toEqual({ count: 0 })
})

test('ten folders deep and no deeper, by making and by moving', async () => {
  let parent_id: string | undefined
  const ids: string[] = []
  for (let depth = 1; depth <= 10; depth++) {
    parent_id = (await made({ slug: `d${depth}`, name: 'd', parent_id })).id as string
    ids.push(parent_id)
  }
  expect((await make({ slug: 'd11', name: 'd', parent_id })).status).toBe(400)
  const above = await made({ slug: 'above', name: 'a' })
  expect((await put(ids[0] as string, { name: 'd', parent_id: above.id })).status).toBe(400)
  expect((await put(ids[1] as string, { name: 'd', parent_id: above.id })).status).toBe(200)
})

test.each([
  ['application', 'applications'],
  ['testset', 'testsets'],
])('%s: filed in a folder, and in none once it is deleted', async (one, many) => {
  const folder = await made({ slug: `f-${many}`, name: 'f' })
  const inner = await made({ slug: 'inner', name: 'f', parent_id: folder.id })
  const create = (slug: string, folder_id: string) => post(`/api/${many}/`, { [one]: { slug, folder_id } })
  const filed = (await create('filed', inner.id)).body[one]
  expect(filed.folder_id).toBe(inner.id)
  expect((await create('nowhere', randomUUID())).status).toBe(404)
  const other = await newProject()
  const theirs = (await other.post('/api/folders/', { folder: { slug: 'x', name: 'x' } })).body.folder
  expect((await create('elsewhere', theirs.id)).status).toBe(404)
  const listed = async (folder_id: string | null): Promise<string[]> =>
    (await post(`/api/${many}/query`, { [one]: { folder_id } })).body[many].map((record: any) => record.slug)
  expect(await listed(inner.id)).toEqual(['filed'])
  await send('DELETE', `/api/folders/${folder.id}`)
  expect((await get(`/api/${many}/${filed.id}`)).body[one]).not.toHaveProperty('folder_id')
  expect(await listed(null)).toEqual(['filed'])
})

describe('refusals', () => {
  test.each<[string, object, number]>([
    ['no name', { slug: 'a' }, 400],
    ['null name', { slug: 'a', name: null }, 400],
    ['blank name', { slug: 'a', name: ' ' }, 400],
    ['a name with a sign', { slug: 'a', name: 'a/b' }, 400],
    ['a long slug', { slug: 'a'.repeat(65), name: 'a' }, 400],
    ['a very long slug', { slug: 'a'.repeat(300), name: 'a' }, 400],
    ['a dot in the slug', { slug: 'a.b', name: 'a' }, 400],
    ['no slug', { name: 'a' }, 422],
    ['a bad slug', { slug: 'a b', name: 'a' }, 422],
    ['another kind', { slug: 'a', name: 'a', kind: 'testsets' }, 422],
    ['an unknown parent', { slug: 'a', name: 'a', parent_id: randomUUID() }, 404],
  ])('%s', async (_name, folder, status) => {
    expect((await make(folder)).status).toBe(status)
  })

  test('a path that is taken', async () => {
    await made({ slug: 'taken', name: 'a' })
    const { status, body } = await make({ slug: 'taken', name: 'b' })
    expect({ status, body }).toMatchObject({ status: 409, body: { detail: { conflict: { path: 'taken' } } } })
  })

  test('ids that differ, no wrapper, no UUID', async () => {
    const id = randomUUID()
    expect((await send('PUT', `/api/folders/${id}`, { folder: { id: randomUUID(), name: 'a' } })).status).toBe(400)
    expect((await put(id, {})).status).toBe(400)
    expect((await post('/api/folders/', { slug: 'a', name: 'a' })).status).toBe(422)
    expect((await post('/api/folders/query', {})).status).toBe(422)
    expect((await get('/api/folders/x')).status).toBe(422)
  })
})

test('filters', async () => {
  const project = await newProject()
  const create = async (folder: object): Promise<any> => (await project.post('/api/folders/', { folder })).body.folder
  const a = await create({ slug: 'a', name: 'a', tags: { t: 'x', u: 'y' }, flags: { f: true } })
  const ab = await create({ slug: 'b', name: 'b', parent_id: a.id, tags: { t: 'x' } })
  const abc = await create({ slug: 'c', name: 'c', parent_id: ab.id })
  const b = await create({ slug: 'b', name: 'b' })
  const rows: [object, string[]][] = [
    [{}, ['a', 'a.b', 'a.b.c', 'b']],
    [{ id: a.id }, ['a']],
    [{ ids: [a.id, b.id, randomUUID()] }, ['a', 'b']],
    [{ slug: 'b' }, ['a.b', 'b']],
    [{ slugs: ['b', 'c'] }, ['a.b', 'a.b.c', 'b']],
    [{ kind: 'applications' }, ['a', 'a.b', 'a.b.c', 'b']],
    [{ kinds: ['applications'], slug: 'a' }, ['a']],
    [{ kinds: true, slug: 'a' }, ['a']],
    [{ kinds: false }, []],
    [{ parent_id: null }, ['a', 'b']],
    [{ parent_id: a.id }, ['a.b']],
    [{ parent_ids: [a.id, ab.id] }, ['a.b', 'a.b.c']],
    [{ path: 'a.b' }, ['a.b']],
    [{ paths: ['a', 'a.b.c'] }, ['a', 'a.b.c']],
    [{ prefix: 'a.b' }, ['a.b', 'a.b.c']],
    [{ prefixes: ['a.b.c', 'b'] }, ['a.b.c', 'b']],
    [{ tags: { t: 'x' } }, ['a', 'a.b']],
    [{ flags: { f: true } }, ['a']],
    [{ slug: 'b', parent_id: null }, ['b']],
    [{ name: 'nothing', description: 'nothing', meta: { x: 1 }, unknown: 1, path: 'a' }, ['a']],
  ]
  for (const [folder, paths] of rows) {
    const { body } = await project.post('/api/folders/query', { folder })
    expect(
      body.folders.map((one: any) => one.path),
      JSON.stringify(folder),
    ).toEqual(paths)
  }
  expect(abc.parent_id).toBe(ab.id)
  expect(await pathsOf({ ids: [a.id] })).toEqual([])
  expect((await get(`/api/folders/${a.id}`)).body).toEqual({ count: 0 })
})
