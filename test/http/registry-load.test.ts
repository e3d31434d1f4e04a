import { expect, inject, test } from 'vitest'
import { registryClient, slugOf } from '../registry-client.ts'

const { apiUrl } = inject('target')
const { send, post, refused } = await registryClient()

/** Work proportional to the product of sent and stored rows would block the process for minutes. */
const HEALTH_MS_MAX = 2_000

/** The result of the work, if the process answered everybody else in time meanwhile. */
async function whileHealthy<T>(work: Promise<T>): Promise<T> {
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  let slowestMs = 0
  while (!isDone) {
    const start = performance.now()
    await (await fetch(`${apiUrl}/api/health`)).text()
    slowestMs = Math.max(slowestMs, performance.now() - start)
  }
  const result = await done
  expect(slowestMs).toBeLessThan(HEALTH_MS_MAX)
  return result
}

const list = <T>(length: number, item: (n: number) => T): T[] => Array.from({ length }, (_, n) => item(n))
const testsetOf = async (rows: object[]): Promise<any> => {
  const testset = { slug: slugOf('t'), data: { testcases: rows.map(data => ({ data })) } }
  return (await post('/simple/testsets/', { testset })).testset
}

test('rows with other columns each are stored and downloaded as JSON, and refused as CSV', async () => {
  const testset = await testsetOf(list(2_000, n => Object.fromEntries(list(250, c => [`c${n * 250 + c}`, 'x']))))
  const path = `/simple/testsets/${testset.id}/download?file_type=`
  const detail = await whileHealthy(refused(400, `${path}csv`))
  expect(detail).toContain('csv may have at most 10000000')
  const { status, body } = await send('POST', `${path}json`)
  expect([status, body.length]).toEqual([200, 2_000])
})

test('changes of columns cost what the rows do', async () => {
  const { id, revision_id } = await testsetOf(list(10_000, n => ({ a: n })))
  const commit = (columns: object): object => ({
    testset_revision_commit: { testset_id: id, testset_revision_id: revision_id, delta: { columns } },
    include_testcases: false,
  })
  const path = '/testsets/revisions/commit'
  const removed = commit({ remove: list(300_000, n => `c${n}`) })
  expect(await whileHealthy(refused(400, path, removed))).toContain('at most 10000')
  const added = commit({ add: list(5_000, n => `c${n}`) })
  expect(await whileHealthy(refused(400, path, added))).toContain('a testset may have at most')
  const changed = commit({ remove: list(10_000, n => `c${n}`), replace: list(10_000, n => [`d${n}`, `e${n}`]) })
  const { testset_revision } = await whileHealthy(post(path, changed))
  expect(testset_revision.data.testcase_ids).toHaveLength(10_000)
})

test('a project that changes a large testset keeps another one waiting for a part of that, and refuses nothing', async () => {
  const text = 'what a model is asked '.repeat(40)
  const { id, revision_id } = await testsetOf(list(10_000, n => ({ question: `${n} ${text}` })))
  const neighbour = await registryClient()
  const workflow = { slug: slugOf('n'), data: { parameters: {} } }
  const own = (await neighbour.post('/simple/workflows/', { workflow })).workflow.id
  let isDone = false
  const delta = { columns: { add: ['answer'] } }
  const commit = { testset_id: id, testset_revision_id: revision_id, delta }
  const body = { testset_revision_commit: commit, include_testcases: false }
  const begin = performance.now()
  const done = post('/testsets/revisions/commit', body).finally(() => {
    isDone = true
  })
  let slowestMs = 0
  while (!isDone) {
    const asked = performance.now()
    await neighbour.ok('GET', `/simple/workflows/${own}`)
    slowestMs = Math.max(slowestMs, performance.now() - asked)
  }
  await done
  expect(slowestMs).toBeLessThan((performance.now() - begin) / 2)
})

test('entries of an environment are removed in one pass', async () => {
  const reference = { application: { slug: 'a' } }
  const references = Object.fromEntries(list(30_000, n => [`k${n}`, reference]))
  const { environment } = await post('/simple/environments/', {
    environment: { slug: slugOf('e'), data: { references } },
  })
  const delta = { remove: list(100_000, n => `k${n + 1}`) }
  const { environment_variant_id = environment.variant_id, id } = environment
  const body = { environment_revision_commit: { environment_id: id, environment_variant_id, delta } }
  const { environment_revision } = await whileHealthy(post('/environments/revisions/commit', body))
  expect(environment_revision.data.references).toEqual({ k0: reference })
})

test('revisions that embeds refer to are loaded within a limit, whatever part of them is embedded', async () => {
  const slugs = list(14, n => slugOf(`large-${n}`))
  for (const slug of slugs) {
    const data = { parameters: { text: 'x'.repeat(5_000_000), small: 1 } }
    await post('/simple/workflows/', { workflow: { slug, data } })
  }
  const resolve = (count: number): [path: string, body: object] => {
    const texts = slugs.slice(0, count).map(slug => `@{{workflow.slug=${slug}, path=small}}`)
    return ['/workflows/revisions/resolve', { workflow_revision: { data: { parameters: { texts } } } }]
  }
  const { workflow_revision } = await post(...resolve(2))
  expect(workflow_revision.data.parameters.texts).toEqual(['1', '1'])
  expect(await whileHealthy(refused(400, ...resolve(14)))).toContain('contain more than')
})
