import { beforeAll, expect, test } from 'vitest'
import { newProject, type TestProject } from '../harness.ts'

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

const NUL = 'a\0b'

test.each<['GET' | 'POST' | 'DELETE', string, unknown, (string | number)[]]>([
  ['POST', '/applications/query', { application: { name: NUL } }, ['body', 'application', 'name']],
  [
    'POST',
    '/simple/applications/',
    { application: { slug: 'a', tags: { [NUL]: true } } },
    ['body', 'application', 'tags', NUL],
  ],
  ['POST', '/evaluations/runs/', { runs: [{ name: 'a', data: {} }, { name: NUL }] }, ['body', 'runs', 1, 'name']],
  ['POST', '/evaluations/results/query', { result: { step_keys: ['a', NUL] } }, ['body', 'result', 'step_keys', 1]],
  ['GET', '/secrets/%00', undefined, ['path', 'id']],
  ['DELETE', '/keys/%00', undefined, ['path', 'prefix']],
])('%s %s: a text that cannot be stored is named', async (method, path, body, loc) => {
  const url = `/api${path}`
  const answer =
    method === 'GET' ? project.get(url) : method === 'POST' ? project.post(url, body) : project.send(method, url, body)
  expect(await answer).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'value_error', loc, msg: 'Input should be a string without NUL characters' }] },
  })
})

test('not one beside it that can be', async () => {
  const application = { slug: 'stored', data: { parameters: { prompt: NUL } } }
  expect(await project.post('/api/simple/applications/', { application: { ...application, name: NUL } })).toMatchObject(
    {
      status: 422,
      body: { detail: [{ loc: ['body', 'application', 'name'] }] },
    },
  )
  expect(await project.post('/api/simple/applications/', { application })).toMatchObject({
    status: 200,
    body: { application: { data: { parameters: { prompt: NUL } } } },
  })
})
