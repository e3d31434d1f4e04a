import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, inject, test } from 'vitest'
import { type Answer, ask, newProject } from '../harness.ts'

const { apiUrl } = inject('target')
const project = await newProject()
const authorization = `ApiKey ${project.apiKey}`

/** Parts in their order; a text part may follow the file. */
async function upload(path: string, parts: Record<string, string | Blob>): Promise<Answer> {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) form.append(name, value as string)
  return ask(`${apiUrl}/api${path}`, { method: 'POST', headers: { authorization }, body: form })
}
const file = (text: string | Uint8Array<ArrayBuffer>): Blob => new File([text], 'rows')
const download = (path: string): Promise<Answer> => project.post(`/api${path}`)
const uploaded = async (text: string, parts: Record<string, string> = {}): Promise<any> => {
  const answer = await upload('/simple/testsets/upload', { file: file(text), ...parts })
  expect(answer, answer.text).toMatchObject({ status: 200, body: { count: 1 } })
  return answer.body.testset
}
const rowsOf = (record: any): any[] => record.data.testcases.map((one: any) => one.data)
const withoutDedup = (record: any): any[] => rowsOf(record).map(({ testcase_dedup_id: _, ...row }) => row)

test('a testset is made from a CSV file, and the file comes back', async () => {
  const text = 'city,days\nOslo,2\n"Rome, ""eternal""",\nOslo,2\n'
  const testset = await uploaded(text)
  expect(testset.slug).toMatch(/^[0-9a-f]{12}$/)
  expect(testset.name).toBe(testset.slug)
  const oslo = { city: 'Oslo', days: '2' }
  expect(withoutDedup(testset)).toEqual([oslo, { city: 'Rome, "eternal"', days: '' }, oslo])
  const answer = await download(`/simple/testsets/${testset.id}/download?file_type=csv`)
  expect(answer.headers.get('content-type')).toContain('text/csv')
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename=testset_${testset.id}.csv`)
  const again = await uploaded(answer.text)
  expect(rowsOf(again)).toEqual(rowsOf(testset))
  const replaced = await upload(`/simple/testsets/${testset.id}/upload`, { file: file(answer.text) })
  expect(replaced.body.testset.revision_id).toBe(testset.revision_id)
})

test('a testset is made from a JSON file, and nothing is lost on the way', async () => {
  const rows = [
    { a: 1.5, b: null, c: [true, { d: 'é' }], __flags__: { f: true }, __meta__: { m: [1] } },
    { a: '', testcase_dedup_id: 'mine', __dedup_id__: 'other' },
    { a: 2, __dedup_id__: 'theirs' },
  ]
  const parts = {
    file_type: 'json',
    testset_slug: `t-${randomUUID().slice(0, 8)}`,
    testset_name: 'Cities',
    testset_description: 'd',
    testset_tags: '{"t":"x"}',
    testset_meta: '{"n":null}',
  }
  const testset = await uploaded(JSON.stringify([...rows, 1, null]), parts)
  expect(testset).toMatchObject({ slug: parts.testset_slug, name: 'Cities', description: 'd', tags: { t: 'x' } })
  expect(testset.meta).toEqual({ n: null })
  expect(withoutDedup(testset)).toEqual([{ a: 1.5, b: null, c: [true, { d: 'é' }] }, { a: '' }, { a: 2 }])
  expect(rowsOf(testset).map(row => row.testcase_dedup_id)).toEqual([expect.any(String), 'mine', 'theirs'])
  expect(testset.data.testcases[0]).toMatchObject({ flags: { f: true }, meta: { m: [1] } })
  for (const type of ['json', 'csv']) {
    const path = `/testsets/revisions/${testset.revision_id}`
    const { text, headers } = await download(`${path}/download?file_type=${type}`)
    expect(headers.get('content-disposition')).toBe(`attachment; filename=revision_${testset.revision_id}.${type}`)
    const { body } = await upload(`${path}/upload`, { file: file(text), file_type: type })
    const { testset_revision } = body
    expect(testset_revision).toMatchObject({ testset_id: testset.id, testset_variant_id: testset.variant_id })
    expect(testset_revision.data.testcases[0]).toMatchObject({ flags: { f: true }, meta: { m: [1] } })
    expect(rowsOf(testset_revision).map(row => row.testcase_dedup_id)).toEqual(
      rowsOf(testset).map(row => row.testcase_dedup_id),
    )
    if (type === 'json') expect(testset_revision.data).toEqual(testset.data)
  }
})

test('what is downloaded', async () => {
  const made = await project.post('/api/simple/testsets/', {
    testset: { slug: 'mixed', data: { testcases: [{ data: { b: true, a: null, testcase_dedup_id: 'x' } }] } },
  })
  const { id, data } = made.body.testset
  const row = { b: true, a: null, __id__: data.testcase_ids[0], __dedup_id__: 'x' }
  const json = await download(`/simple/testsets/${id}/download?file_type=json&file_name=my%20rows`)
  expect(json.body).toEqual([{ ...row, __flags__: null, __tags__: null, __meta__: null }])
  expect(json.headers.get('content-disposition')).toContain("filename*=UTF-8''my%20rows.json")
  const csv = await download(`/testsets/revisions/${made.body.testset.revision_id}/download`)
  expect(csv.text).toBe(`__dedup_id__,__id__,a,b\nx,${row.__id__},,True\n`)
  const empty = await uploaded('')
  expect(empty.data.testcases).toEqual([])
  expect(await download(`/simple/testsets/${empty.id}/download?file_type=csv`)).toMatchObject({ status: 200, text: '' })
  const other = await newProject()
  expect((await other.post(`/api/simple/testsets/${id}/download?file_type=csv`)).status).toBe(404)
})

test('parts that are not sent leave the testset as it is', async () => {
  const testset = await uploaded('a\n1\n', { testset_name: 'Mine', testset_tags: '{"t":"x"}' })
  const path = `/simple/testsets/${testset.id}/upload`
  const { body } = await upload(path, { file: file('a\n2\n'), include_testcases: 'false' })
  expect(body.testset).toMatchObject({ id: testset.id, slug: testset.slug, name: 'Mine', tags: { t: 'x' } })
  expect(body.testset.data).toEqual({ testcase_ids: [expect.any(String)] })
  expect(body.testset.revision_id).not.toBe(testset.revision_id)
  expect((await upload(path, { file: file('a\n2\n'), testset_name: 'Other' })).body.testset.name).toBe('Other')
  const unfilled = { file_type: '', include_testcases: '', testset_name: '', testset_tags: '', testset_meta: '' }
  const kept = await upload(path, { file: file('a\n3\n'), ...unfilled })
  expect(kept.body.testset, kept.text).toMatchObject({ name: 'Other', tags: { t: 'x' } })
})

test('tags and metadata may be parts of their own type', async () => {
  const part = (head: string, text: string): string =>
    `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`
  const json = (name: string, value: unknown): string =>
    part(`name="${name}"\r\nContent-Type: application/json`, JSON.stringify(value))
  const parts = [
    part('name="file"; filename="rows"', 'a\n1'),
    json('testset_name', 'Mine'),
    json('testset_tags', { t: 'x' }),
    json('testset_meta', { n: [1, null] }),
  ]
  const { body, text } = await ask(`${apiUrl}/api/simple/testsets/upload`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'multipart/form-data; boundary=x' },
    body: `${parts.join('')}--x--\r\n`,
  })
  expect(body.testset, text).toMatchObject({ name: 'Mine', tags: { t: 'x' }, meta: { n: [1, null] } })
})

test('the OpenAPI document describes the form', async () => {
  const { body } = await ask(`${apiUrl}/api/openapi.json`)
  const { requestBody } = body.paths['/simple/testsets/upload'].post
  const { properties, required } = requestBody.content['multipart/form-data'].schema
  expect(properties).toMatchObject({ file: { type: 'string', format: 'binary' }, testset_slug: {} })
  expect(required).toEqual(['file'])
})

describe('refusals', () => {
  test.each<[string, Record<string, string | Blob>, number, RegExp]>([
    ['another type', { file: file('a'), file_type: 'xml' }, 422, /file_type/],
    ['no file', { file_type: 'csv' }, 422, /"file"/],
    ['a bad slug', { file: file('a'), testset_slug: 'a b' }, 422, /testset_slug/],
    ['a ragged row', { file: file('a,b\n1,2\n3\n') }, 400, /row 2/],
    ['no UTF-8', { file: file(new Uint8Array([0x61, 0x0a, 0xe9])) }, 400, /UTF-8/],
    ['no JSON', { file: file('[{'), file_type: 'json' }, 400, /JSON/],
    ['no list', { file: file('{}'), file_type: 'json' }, 400, /list/],
    ['bad tags', { file: file('a'), testset_tags: '{' }, 400, /testset_tags/],
    ['tags of another kind', { file: file('a'), testset_tags: '{"a":2}' }, 400, /testset_tags/],
    ['bad meta', { file: file('a'), testset_meta: '[]' }, 400, /testset_meta/],
    ['a text that is too long', { file: file('a'), testset_name: 'x'.repeat(300_000) }, 400, /testset_name.*262144/],
    ['two files', { file: file('a'), other: file('b') }, 400, /several files; one is expected/],
    ['too many rows', { file: file(`a\n${'1\n'.repeat(10_001)}`) }, 400, /10000/],
  ])('%s', async (_name, parts, status, detail) => {
    const answer = await upload('/simple/testsets/upload', parts)
    expect(answer.status, answer.text).toBe(status)
    expect(answer.text).toMatch(detail)
  })

  test('what is not there, and a form that is none', async () => {
    const id = randomUUID()
    for (const path of [`/testsets/revisions/${id}`, `/simple/testsets/${id}`]) {
      expect((await upload(`${path}/upload`, { file: file('a') })).status).toBe(404)
      expect((await download(`${path}/download?file_type=csv`)).status).toBe(404)
      expect((await download(`${path}/download?file_type=xml`)).status).toBe(422)
    }
    const { id: testset } = await uploaded('a\n1\n')
    expect((await download(`/simple/testsets/${testset}/download`)).status).toBe(400)
    expect((await project.post('/api/simple/testsets/upload', { file: 'a' })).status).toBe(422)
    const headers = { authorization, 'content-type': 'multipart/form-data; boundary=x' }
    const broken = { method: 'POST', headers, body: '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\na' }
    expect((await ask(`${apiUrl}/api/simple/testsets/upload`, broken)).status).toBe(400)
    const zipped = { ...broken, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(broken.body) }
    expect(await ask(`${apiUrl}/api/simple/testsets/upload`, zipped)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('Content-Encoding gzip') },
    })
    const stranger = { ...broken, headers: { ...headers, authorization: 'ApiKey x' } }
    expect((await ask(`${apiUrl}/api/simple/testsets/upload`, stranger)).status).toBe(401)
  })
})

test('50 MB are refused, and others are answered meanwhile', async () => {
  const slug = `t-${randomUUID().slice(0, 8)}`
  const row = `${'x'.repeat(1000)}\n`
  const large = file(`a\n${row.repeat(50_000)}`)
  const rows = Array.from({ length: 50_000 }, () => ({ data: { a: 'x'.repeat(1000) } }))
  const waits: number[] = []
  const watched = async (work: Promise<Answer>): Promise<Answer> => {
    let isDone = false
    const answer = work.finally(() => {
      isDone = true
    })
    while (!isDone) {
      const start = performance.now()
      expect((await project.get('/api/testcases/00000000-0000-5000-8000-000000000000')).status).toBe(200)
      waits.push(performance.now() - start)
    }
    return answer
  }
  const asFile = await watched(upload('/simple/testsets/upload', { file: large, testset_slug: slug }))
  expect(asFile).toMatchObject({ status: 400, body: { detail: expect.stringContaining('10485760') } })
  const asJson = await watched(project.post('/api/simple/testsets/', { testset: { slug, data: { testcases: rows } } }))
  expect([400, 413]).toContain(asJson.status)
  expect(waits.length).toBeGreaterThan(5)
  expect(Math.max(...waits)).toBeLessThan(3_000)
  const { body } = await project.post('/api/simple/testsets/query', { testset_refs: [{ slug }] })
  expect(body.count).toBe(0)
})
