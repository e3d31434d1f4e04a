import { expect, inject, test } from 'vitest'
import { ask, newProject } from '../harness.ts'

const { apiUrl, receiverUrl } = inject('target')
const origin = 'https://pages.example'

test.each([
  [apiUrl, '/api/spans/query', 'POST'],
  [apiUrl, '/api/keys/abcdefgh', 'DELETE'],
  [receiverUrl, '/api/otlp/v1/traces', 'POST'],
])('a page of any origin may ask %s%s whether it may send %s, without credentials', async (url, path, method) => {
  const headers = {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  }
  const answer = await ask(url + path, { method: 'OPTIONS', headers })
  expect(answer.status).toBe(204)
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('access-control-allow-methods')?.split(', ')).toContain(method)
  expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
})

test('answers and refusals can be read by the page, with what helps to find an error', async () => {
  const { apiKey } = await newProject()
  for (const [authorization, status] of [
    [`ApiKey ${apiKey}`, 200],
    ['nobody', 401],
  ] as const) {
    const answer = await ask(`${apiUrl}/api/keys`, { headers: { origin, authorization } })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['x-ag-support-id', 'x-ag-support-ts']))
  }
})

test.each([{}, { origin }, { 'access-control-request-method': 'GET' }])(
  'OPTIONS with %j is no preflight and needs credentials as everything does',
  async headers => {
    const answer = await ask(`${apiUrl}/api/keys`, { method: 'OPTIONS', headers: headers as Record<string, string> })
    expect([answer.status, answer.body]).toEqual([401, { detail: { message: 'Unauthorized' } }])
  },
)

test.each([
  ['PUT', '/api/keys', 'GET, HEAD, POST'],
  ['GET', '/api/keys/abcdefgh/', 'DELETE'],
  ['GET', '/api/traces/query', 'POST'],
  ['DELETE', '/api/traces/query', 'POST'],
  ['OPTIONS', '/api/spans/query?a=1', 'POST'],
])('a 405 for %s %s says what is allowed: %s', async (method, path, allowed) => {
  const { apiKey } = await newProject()
  const answer = await ask(apiUrl + path, { method, headers: { authorization: `ApiKey ${apiKey}` } })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed])
})
