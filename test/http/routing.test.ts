import { once } from 'node:events'
import { request } from 'node:http'
import { createConnection } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { ask, call, newProject, type TestProject } from '../harness.ts'
import { newTraceId, otlpSpan } from '../otlp.ts'

const { apiUrl, receiverUrl } = inject('target')

let project: TestProject
let traceId: string
let spanId: string

beforeAll(async () => {
  project = await newProject()
  const root = otlpSpan({ traceId: newTraceId(), name: 'root' })
  traceId = root.traceId
  spanId = root.spanId
  await project.store(root)
})

const authorized = (): { authorization: string } => ({ authorization: `ApiKey ${project.apiKey}` })

test.each([
  ['GET /api/health HTTP/1.1', 400, 'The header Host is missing.'],
  ['GET /api/health HTTP/1.1\r\nHost: a\r\nExpect: 200-ok', 417, 'Expect 200-ok is not supported'],
])('%j is answered in JSON', async (head, status, detail) => {
  const { hostname, port } = new URL(apiUrl)
  const socket = createConnection({ host: hostname, port: Number(port) })
  socket.write(`${head}\r\nConnection: close\r\n\r\n`)
  const answer = (await Array.fromAsync(socket.setEncoding('utf8'))).join('')
  expect(answer).toContain(`HTTP/1.1 ${status}`)
  expect(answer).toContain(`{"detail":"${detail}`)
})

describe('paths', () => {
  test.each(['', '/api', '/api/api', '/api/api/api', '/preview', '/api/preview', '/api/api/preview'])(
    'the prefix "%s" and either spelling of the trailing slash lead to the same endpoints',
    async prefix => {
      for (const slash of ['', '/']) {
        const trace = await project.get(`${prefix}/traces/${traceId}${slash}`)
        expect(trace).toMatchObject({ status: 200, body: { count: 1, trace: { trace_id: traceId } } })
        const span = await project.get(`${prefix}/spans/${traceId}/${spanId}${slash}`)
        expect(span).toMatchObject({ status: 200, body: { count: 1, span: { span_id: spanId } } })
        const listed = await project.get(`${prefix}/spans${slash}?trace_id=${traceId}`)
        expect(listed).toMatchObject({ status: 200, body: { count: 1 } })
        for (const family of ['traces', 'spans']) {
          const found = await project.post(`${prefix}/${family}/query${slash}`, {})
          expect(found).toMatchObject({ status: 200, body: { count: 1 } })
        }
      }
    },
  )

  test.each(['/v1/traces', '/api/v1/traces', '/api/public/otel/v1/traces', '/otel/v1/traces/', '/v1/otlp/v1/traces'])(
    'exports are taken at %s too, for exporters that are given another base path',
    async path => {
      const answer = await call(receiverUrl, 'GET', path, `ApiKey ${project.apiKey}`)
      expect(answer).toMatchObject({ status: 200, body: { status: 'ready' } })
      expect(await call(receiverUrl, 'GET', path, undefined)).toMatchObject({ status: 401 })
    },
  )

  test.each(['', '/api', '/api/api'])('exports go to "%s/otlp/v1/traces", with and without a slash', async prefix => {
    for (const slash of ['', '/']) {
      const answer = await call(receiverUrl, 'GET', `${prefix}/otlp/v1/traces${slash}`, `ApiKey ${project.apiKey}`)
      expect(answer).toMatchObject({ status: 200, body: { status: 'ready' } })
    }
  })

  test('an idle connection stays longer than proxies keep theirs', async () => {
    expect((await ask(`${apiUrl}/api/health`)).headers.get('keep-alive')).toBe('timeout=620')
  })

  test.each(['/', '/api', '/api/'])('%s links to the documentation without a key', async path => {
    const answer = await call(apiUrl, 'GET', path, undefined)
    expect(answer).toMatchObject({ status: 200, body: { service: 'Spanhouse', documentation: `${apiUrl}/api/docs` } })
    for (const url of [answer.body.documentation, answer.body.openapi]) expect((await ask(url)).status).toBe(200)
    expect(await call(apiUrl, 'POST', path, `ApiKey ${project.apiKey}`)).toMatchObject({ status: 405 })
  })

  test.each(['/api/nothing', '/apitraces/query', '/api/preview/keys', '/api/spans/a/b/c', '/spansx'])(
    '%s does not exist',
    async path => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await call(apiUrl, method, path, `ApiKey ${project.apiKey}`)
        expect(answer).toMatchObject({ status: 404, body: { detail: expect.any(String) } })
      }
    },
  )

  test.each([
    ['GET', '/api/traces/query'],
    ['GET', '/api/traces/ingest'],
    ['GET', '/api/traces/query/'],
    ['GET', '/api/spans/query'],
    ['PUT', '/api/spans/query'],
    ['DELETE', '/api/spans'],
    ['PATCH', '/api/traces/'],
    ['PUT', '/api/keys'],
    ['GET', '/api/keys/abcdefgh'],
    ['POST', '/api/health'],
    ['OPTIONS', '/api/spans/query'],
  ])('%s %s is the wrong verb', async (method, path) => {
    const answer = await call(apiUrl, method, path, `ApiKey ${project.apiKey}`)
    expect(answer).toMatchObject({ status: 405, body: { detail: expect.any(String) } })
  })

  test('the receiver reports a wrong verb too', async () => {
    const answer = await call(receiverUrl, 'PUT', '/api/otlp/v1/traces', `ApiKey ${project.apiKey}`)
    expect(answer).toMatchObject({ status: 405, body: { detail: expect.any(String) } })
  })

  test.each([
    '/api/traces/%',
    '/api/traces/%zz',
    '/api/traces/%E0%A4%A',
    `/api/spans/%ff/${'0'.repeat(16)}`,
    '/api/spans/?trace_id=%zz',
    '/%',
  ])('%s is malformed, which is said in JSON', async path => {
    const answer = await project.get(path)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(answer.body.detail).toEqual(expect.any(String))
    expect(await call(apiUrl, 'GET', path, undefined)).toMatchObject({ status: 401 })
  })

  test('a URL with an origin in the request line, as for a proxy, is the path after it', async () => {
    const { hostname, port } = new URL(apiUrl)
    const path = 'http://spanhouse.example:4600/api/health?x=1'
    const [answer] = await once(request({ hostname, port, path }).end(), 'response')
    expect(answer.resume().statusCode).toBe(200)
  })

  test('a path of any length is answered', async () => {
    const answer = await project.get(`/api/traces/${'a'.repeat(4000)}`)
    expect([400, 404, 414]).toContain(answer.status)
    expect(answer.body.detail).toEqual(expect.any(String))
    const longer = await project.get(`/api/traces/${'a'.repeat(60_000)}`)
    expect(longer).toMatchObject({ status: 431, body: { detail: expect.any(String) } })
  })

  test.each(['HEAD', 'OPTIONS'])('%s is answered on any path', async method => {
    for (const path of ['/api/health', '/api/traces', `/api/traces/${traceId}`, '/api/spans/query', '/api/none', '/']) {
      const { status } = await call(apiUrl, method, path, `ApiKey ${project.apiKey}`)
      expect([200, 204, 400, 404, 405], path).toContain(status)
    }
  })

  test('nothing is ever redirected', async () => {
    for (const path of ['/api/traces/', '/api/traces', '/api', '/api/health/', '/api//health', '//health']) {
      const { status } = await call(apiUrl, 'GET', path, `ApiKey ${project.apiKey}`)
      expect(status < 300 || status >= 400, path).toBe(true)
    }
  })
})

describe('request bodies', () => {
  const query = (body: Uint8Array<ArrayBuffer> | string, headers: Record<string, string> = {}) =>
    ask(`${apiUrl}/api/spans/query`, { method: 'POST', headers: { ...authorized(), ...headers }, body })

  test('no body at all is an empty query', async () => {
    for (const family of ['traces', 'spans']) {
      const answer = await call(apiUrl, 'POST', `/api/${family}/query`, `ApiKey ${project.apiKey}`)
      expect(answer).toMatchObject({ status: 200, body: { count: 1 } })
    }
  })

  test.each(['gzip', undefined])('gzip is understood, declared as %s', async encoding => {
    const none = { filtering: { conditions: [{ field: 'span_name', value: 'no such span' }] } }
    const body = gzipSync(JSON.stringify(none))
    const answer = await query(body, encoding ? { 'content-encoding': encoding } : {})
    expect(answer).toMatchObject({ status: 200, body: { count: 0, spans: [] } })
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8', 'odd', ''])(
    'the content type %s does not matter',
    async type => {
      expect(await query('{}', { 'content-type': type })).toMatchObject({ status: 200, body: { count: 1 } })
    },
  )

  test.each([
    ['{', 1],
    ['{"filtering": nonsense}', 14],
    ['{}{}', 2],
    ["{'a': 1}", 1],
    ['NaN', 0],
    ['[1,]', 3],
    ['\ufeff\u0000', undefined],
    ['{"a":"\u0001"}', undefined],
  ])('%j is no JSON', async (body, offset) => {
    const answer = await query(body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toMatchObject([{ type: 'json_invalid', loc: ['body', expect.any(Number)] }])
    if (offset !== undefined) expect(answer.body.detail[0].loc[1]).toBe(offset)
  })

  test('bytes that are no UTF-8 are no JSON', async () => {
    const answer = await query(new Uint8Array([0x22, 0xff, 0xfe, 0x22]))
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ type: 'json_invalid' }] } })
  })

  test.each(['[]', '"text"', '1', 'true', '[{}]'])('%s is no object', async body => {
    for (const family of ['traces', 'spans']) {
      const answer = await project.post(`/api/${family}/query`, body)
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ type: expect.any(String), loc: ['body'] }] } })
    }
  })

  test('JSON nested a hundred thousand deep is refused, not stumbled over', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const body of [deep, `{"filtering":${deep}}`, `{"filtering":{"conditions":${deep}}}`]) {
      const { status } = await query(body)
      expect([400, 422]).toContain(status)
    }
  })

  test.each([
    ['plain', Buffer.alloc(33 * 1024 * 1024, ' '), {}],
    ['compressed', gzipSync(Buffer.alloc(40 * 1024 * 1024, ' ')), { 'content-encoding': 'gzip' }],
  ])('a body over the limit, %s, is too large', async (_way, body, headers) => {
    const answer = await query(body, headers as Record<string, string>)
    expect(answer).toMatchObject({ status: 413, body: { detail: expect.any(String) } })
  })

  test('a body without a declared length has the same limit', async () => {
    const answer = await ask(`${apiUrl}/api/spans/query`, {
      method: 'POST',
      headers: authorized(),
      body: new Blob([Buffer.alloc(33 * 1024 * 1024, ' ')]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(answer).toMatchObject({ status: 413, body: { detail: expect.any(String) } })
  })

  test.each([
    ['broken gzip', Buffer.from([0x1f, 0x8b, 1, 2, 3]), 'gzip'],
    ['an unknown encoding', Buffer.from('{}'), 'br'],
  ])('%s is refused', async (_what, body, encoding) => {
    const answer = await query(body, { 'content-encoding': encoding })
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.any(String) } })
  })
})

describe('answers', () => {
  test('are compressed from 1,000 bytes on for who takes that', async () => {
    const big = await newProject()
    const spans = Array.from({ length: 10 }, () => otlpSpan({ traceId: newTraceId() }))
    await big.store(...spans)
    const get = (path: string, encoding: string) =>
      ask(`${apiUrl}${path}`, { headers: { authorization: `ApiKey ${big.apiKey}`, 'accept-encoding': encoding } })
    const ids = spans.map(span => span.traceId)
    const path = `/api/spans/?trace_ids=${ids.join()}`
    const compressed = await get(path, 'gzip')
    expect(compressed.headers.get('content-encoding')).toBe('gzip')
    const plain = await get(path, 'identity')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(compressed.text).toBe(plain.text)
    const short = await get(`/api/spans/?trace_id=${newTraceId()}`, 'gzip')
    expect(short.headers.get('content-encoding')).toBeNull()
  })

  test('errors are JSON', async () => {
    for (const path of ['/api/none', '/api/traces/xyz', '/api/traces/query']) {
      const answer = await project.get(path)
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      expect(Object.keys(answer.body)).toEqual(['detail'])
    }
  })
})

describe('for operators', () => {
  test.each([apiUrl, receiverUrl])('health, readiness and metrics need no credentials (%#)', async url => {
    expect(await call(url, 'GET', '/api/health', undefined)).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await call(url, 'GET', '/health', undefined)).toMatchObject({ status: 200 })
    const ready = await call(url, 'GET', '/api/ready', undefined)
    expect(ready).toMatchObject({ status: 200, body: { status: 'ok', parts: { postgres: 'ok' } } })
    const metrics = await call(url, 'GET', '/metrics', undefined)
    expect(metrics.status).toBe(200)
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(metrics.text).toMatch(/^process_cpu_seconds_total /m)
  })

  test('the receiver counts what it accepted, rejected and refused', async () => {
    const figures = async () => {
      const { text } = await call(receiverUrl, 'GET', '/metrics', undefined)
      const sum = (name: string): number =>
        [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce(
          (all, [, one]) => all + Number(one),
          0,
        )
      return {
        accepted: sum('spanhouse_spans_accepted_total'),
        rejected: sum('spanhouse_spans_rejected_total'),
        refused: sum('spanhouse_exports_refused_total'),
        hasStream: text.includes('spanhouse_stream_up 1'),
      }
    }
    const before = await figures()
    await project.export({
      resourceSpans: [{ scopeSpans: [{ spans: [otlpSpan({ traceId: newTraceId() }), otlpSpan({ traceId: 'ab' })] }] }],
    })
    await project.export('nonsense')
    const after = await figures()
    // Other tests may export at the same time.
    expect(after.accepted).toBeGreaterThan(before.accepted)
    expect(after.rejected).toBeGreaterThan(before.rejected)
    expect(after.refused).toBeGreaterThan(before.refused)
    expect(after.hasStream).toBe(true)
  })
})
