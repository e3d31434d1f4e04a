import { randomUUID } from 'node:crypto'
import { createConnection } from 'node:net'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { ask, eventually, newProject, type TestProject } from '../harness.ts'
import { newSpanId, newTraceId, otlpSpan } from '../otlp.ts'

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

/**
 * Requests the server's health repeatedly in a thread of its own; posts the slowest response time when asked to end.
 */
const WATCH = `
  const { parentPort, workerData } = require('node:worker_threads')
  let slowest = 0
  parentPort.once('message', () => parentPort.postMessage(slowest))
  const look = async () => {
    const asked = performance.now()
    await (await fetch(workerData)).text()
    slowest = Math.max(slowest, performance.now() - asked)
    setTimeout(look, 5)
  }
  look()`

/** Runs work, and returns the slowest response time of the health endpoint meanwhile, in milliseconds. */
async function slowestHealth(work: () => Promise<unknown>): Promise<number> {
  const watcher = new Worker(WATCH, { eval: true, workerData: `${inject('target').apiUrl}/api/health` })
  try {
    await work()
    watcher.postMessage('end')
    return await new Promise((resolve, reject) => watcher.once('message', resolve).once('error', reject))
  } finally {
    await watcher.terminate()
  }
}

describe('a trace of 80 MB, sent in less than one', () => {
  const SPANS = 8_000
  const trace_id = newTraceId()
  const root = newSpanId()
  const filtering = { conditions: [{ field: 'trace_id', operator: 'is', value: trace_id }] }
  const ids: string[] = [root]

  beforeAll(async () => {
    const resource = { attributes: [{ key: 'large', value: { stringValue: 'x'.repeat(10_000) } }] }
    for (let sent = 0; sent < SPANS; sent += 2_000) {
      const spans = Array.from({ length: 2_000 }, (_, n) => {
        if (sent + n === 0) return otlpSpan({ traceId: trace_id, spanId: root, name: 'root' })
        const spanId = newSpanId()
        ids.push(spanId)
        return otlpSpan({ traceId: trace_id, spanId, parentSpanId: root, name: `step ${n % 3}` })
      })
      const body = gzipSync(JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }))
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      expect((await project.export(body, headers)).body.count).toBe(2_000)
    }
    await eventually(async () => {
      const last = ids.at(-1) as string
      return (await project.get(`/api/spans/${trace_id}/${last}`)).body.count === 1
    }, 90_000)
  })

  test('read four times at once it is whole or refused, and the server goes on answering', async () => {
    const slowest = await slowestHealth(async () => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => project.get(`/api/traces/${trace_id}`)))
      const statuses = new Set(answers.map(answer => answer.status))
      expect(statuses).toContain(200)
      // Refused for lack of memory, or because other reads of the project took too long.
      expect([200, 429, 503]).toEqual(expect.arrayContaining([...statuses]))
      for (const { status, headers, body } of answers) {
        if (status !== 200) {
          expect(headers.get('retry-after')).toMatch(/^\d+$/)
          continue
        }
        const { spans } = body.trace.spans.root
        expect(Object.keys(spans)).toHaveLength(3)
        expect(Object.values(spans as object).flat()).toHaveLength(SPANS - 1)
      }
    })
    expect(slowest).toBeLessThan(1500)
    // All memory has been released.
    expect((await project.get(`/api/traces/${trace_id}`)).status).toBe(200)
  })

  test('a page of its spans ends early and says where to go on', async () => {
    const seen: string[] = []
    let pages = 0
    for (let windowing: object | undefined = {}; windowing; pages++) {
      const { body } = await project.post('/api/spans/query', { filtering, windowing })
      expect(body.count).toBe(body.spans.length)
      seen.push(...body.spans.map((span: { span_id: string }) => span.span_id))
      windowing = body.windowing
    }
    expect(pages).toBe(2)
    expect(seen.toSorted()).toEqual(ids.toSorted())
  })
})

describe('six traces of 18 MB', () => {
  const ids = Array.from({ length: 6 }, () => newTraceId())
  const filtering = { conditions: [{ field: 'trace_id', operator: 'in', value: ids }] }

  beforeAll(async () => {
    const resource = { attributes: [{ key: 'large', value: { stringValue: 'x'.repeat(10_000) } }] }
    for (const traceId of ids) {
      const root = otlpSpan({ traceId, spanId: newSpanId() })
      const others = Array.from({ length: 1_799 }, () =>
        otlpSpan({ traceId, spanId: newSpanId(), parentSpanId: root.spanId }),
      )
      const body = gzipSync(
        JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [root, ...others] }] }] }),
      )
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      expect((await project.export(body, headers)).body.count).toBe(1_800)
      const last = others.at(-1)?.spanId
      await eventually(async () => (await project.get(`/api/spans/${traceId}/${last}`)).body.count === 1)
    }
  })

  test('a page of them ends early and says where to go on', async () => {
    const pages: string[][] = []
    for (let windowing: object | undefined = {}; windowing; ) {
      const { body } = await project.post('/api/traces/query', { filtering, windowing })
      pages.push(body.traces.map((trace: { trace_id: string }) => trace.trace_id))
      windowing = body.windowing
    }
    expect(pages.map(page => page.length)).toEqual([3, 3])
    expect(pages.flat().toSorted()).toEqual(ids.toSorted())
  })

  test.each(['trace', 'span'])('where the answer cannot say so, it is refused: focus %s', async focus => {
    const filter = JSON.stringify(filtering)
    const { status, text } = await project.post('/api/tracing/spans/query', { focus, filter })
    expect(status).toBe(400)
    expect(text).toContain('The spans exceed the maximum of 67108864 bytes')
  })
})

describe('lists of the registry', () => {
  const slug = `large-${randomUUID()}`
  const parameters = (version: number) => ({
    version,
    text: `é"\\${version}`.repeat(400_000),
    big: { list: [1, null] },
  })

  test('revisions with much in them are listed as each is by itself, in parts', async () => {
    const data = { parameters: parameters(0) }
    const made = await project.post('/api/simple/workflows/', { workflow: { slug, name: slug, data } })
    const { id, variant_id } = made.body.workflow
    for (const version of [1, 2]) {
      const workflow_revision = { workflow_variant_id: variant_id, data: { parameters: parameters(version) } }
      const committed = await project.post('/api/workflows/revisions/commit', { workflow_revision })
      expect(committed.status).toBe(200)
    }
    const listed = await project.post('/api/workflows/revisions/query', { workflow_refs: [{ id }] })
    const logged = await project.post('/api/workflows/revisions/log', { workflow: { workflow_variant_id: variant_id } })
    expect(listed.headers.get('content-length')).toBeNull()
    expect(listed.body.count).toBe(listed.body.workflow_revisions.length)
    expect(logged.body.workflow_revisions).toEqual(listed.body.workflow_revisions)
    for (const revision of listed.body.workflow_revisions) {
      const alone = await project.get(`/api/workflows/revisions/${revision.id}`)
      expect(revision).toEqual(alone.body.workflow_revision)
    }
    const flat = await project.post('/api/simple/workflows/query', { workflow_refs: [{ id }] })
    expect(flat.body.workflows[0].data.parameters).toEqual(parameters(2))
  })

  test('a list without a limit is whole, and one with a limit says where to go on', async () => {
    const count = 600
    const names = Array.from({ length: count }, (_, n) => `many-${n}`)
    for (const name of names)
      await project.post('/api/workflows/', { workflow: { slug: `${name}-${randomUUID()}`, name } })
    const all = await project.post('/api/workflows/query', { workflow: { name: 'many-' } })
    const listed: string[] = all.body.workflows.map((one: { name: string }) => one.name)
    expect(listed).toEqual(names.toReversed())
    expect(all.body.windowing).toBeUndefined()
    const page = await project.post('/api/workflows/query', { workflow: { name: 'many-' }, windowing: { limit: 300 } })
    expect(page.body.windowing.next).toBe(all.body.workflows[299].id)
  })
})

describe('headers', () => {
  test('no answer is taken for another type', async () => {
    const { apiUrl } = inject('target')
    const paths = ['/api/health', '/api/nowhere', '/api/spans/%', '/api/docs/', '/metrics']
    const answers = await Promise.all([
      ...paths.map(path => ask(apiUrl + path)),
      project.post('/api/spans/query', {}),
      project.post('/api/spans/query', '{'),
    ])
    for (const { headers } of answers) expect(headers.get('x-content-type-options')).toBe('nosniff')
    const socket = createConnection({ host: new URL(apiUrl).hostname, port: Number(new URL(apiUrl).port) })
    socket.write('no HTTP\r\n\r\n')
    const [text] = await new Promise<[string | Buffer]>(resolve => socket.once('data', (...data) => resolve(data)))
    expect(String(text)).toContain('\r\nX-Content-Type-Options: nosniff\r\n')
  })

  test('responses with a secret may not be cached', async () => {
    const { apiUrl, adminKey } = inject('target')
    const authorization = `Access ${adminKey}`
    const accounts = { one: { user: { email: `${randomUUID()}@corp.test` } } }
    const admin = await ask(`${apiUrl}/api/admin/simple/accounts/`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ accounts }),
    })
    const answers = [admin, await project.post('/api/keys/'), await project.get('/api/secrets/')]
    for (const { status, headers } of answers) expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect((await project.get('/api/keys/')).headers.get('cache-control')).toBeNull()
  })

  test('the documentation cannot be framed by other sites and runs only its own scripts', async () => {
    for (const path of ['/api/docs/', '/api/docs/errors', '/docs/errors']) {
      const { headers, status } = await ask(inject('target').apiUrl + path)
      expect([status, headers.get('x-frame-options')], path).toEqual([200, 'DENY'])
      expect(headers.get('content-security-policy'), path).toMatch(/script-src 'self';.*frame-ancestors 'none'/)
    }
  })
})
