import { expect, inject, test } from 'vitest'
import { call, eventually, newProject, type TestProject } from '../harness.ts'
import { exportOf, newTraceId, otlpSpan } from '../otlp.ts'

interface Listening {
  status: number
  type: string | null
  spans: any[]
  comments: string[]
  /** The response has ended. */
  isOver: boolean
  stop(): void
}

/** Listens until it is stopped. */
async function listen(project: TestProject, search = ''): Promise<Listening> {
  const { apiUrl } = inject('target')
  const stopping = new AbortController()
  const headers = { authorization: `ApiKey ${project.apiKey}`, 'accept-encoding': 'gzip' }
  const response = await fetch(`${apiUrl}/api/spans/tail${search}`, { headers, signal: stopping.signal })
  const listening: Listening = {
    status: response.status,
    type: response.headers.get('content-type'),
    spans: [],
    comments: [],
    isOver: false,
    stop: () => stopping.abort(),
  }
  void collect(response, listening)
    .catch(() => {})
    .finally(() => {
      listening.isOver = true
    })
  return listening
}

async function collect(response: Response, { spans, comments }: Listening): Promise<void> {
  let text = ''
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += Buffer.from(chunk).toString()
    const events = text.split('\n\n')
    text = events.pop() as string
    for (const event of events) {
      if (event.startsWith(':')) comments.push(event.slice(2))
      else spans.push(JSON.parse(event.replace('event: span\ndata: ', '')))
    }
  }
}

test('spans are sent as they are stored, with the totals of their traces, and again when they change', async () => {
  const project = await newProject()
  const before = otlpSpan({ traceId: newTraceId(), name: 'before' })
  await project.store(before)
  const listening = await listen(project)
  expect([listening.status, listening.type]).toEqual([200, expect.stringContaining('text/event-stream')])
  await eventually(async () => listening.comments.includes('listening'))
  const traceId = newTraceId()
  const root = otlpSpan({ traceId, name: 'root' })
  const child = otlpSpan({ traceId, name: 'child', parentSpanId: root.spanId }, { 'ag.metrics.unit.tokens.total': 7 })
  await project.export(exportOf(root, child))
  await eventually(async () => listening.spans.length === 2)
  const told = listening.spans.find(span => span.span_name === 'root')
  expect(told).toEqual((await project.get(`/api/spans/${traceId}/${root.spanId}`)).body.span)
  expect(told.attributes.ag.metrics.tokens.cumulative.total).toBe(7)
  await project.export(exportOf({ ...root, name: 'renamed' }))
  await eventually(async () => listening.spans.some(span => span.span_name === 'renamed'))
  expect(listening.spans.map(span => span.span_name)).not.toContain('before')
  expect(listening.spans).toHaveLength(3)
  listening.stop()
})

test('a filter chooses, and projects hear only their own', async () => {
  const [mine, theirs] = [await newProject(), await newProject()]
  const filter = { conditions: [{ field: 'attributes', key: 'plan', operator: 'is', value: 'pro' }] }
  const search = `?filter=${encodeURIComponent(JSON.stringify(filter))}`
  const [chosen, same, all, other] = await Promise.all([
    listen(mine, search),
    listen(mine, search.replace('filter', 'filtering')),
    listen(mine, '?project_id=x'),
    listen(theirs),
  ])
  const spans = ['pro', 'free', 'pro'].map(plan => otlpSpan({ traceId: newTraceId() }, { plan }))
  await mine.store(...spans)
  await eventually(async () => all.spans.length === 3 && chosen.spans.length === 2 && same.spans.length === 2)
  for (const { spans } of [chosen, same]) expect(spans.map(span => span.attributes.plan)).toEqual(['pro', 'pro'])
  expect(other.spans).toEqual([])
  for (const one of [chosen, same, all, other]) one.stop()
})

test('spans that arrive faster than they are read are dropped, and the listener gets their number', async () => {
  const project = await newProject()
  const listening = await listen(project)
  await eventually(async () => listening.comments.includes('listening'))
  await project.export(exportOf(...Array.from({ length: 1500 }, () => otlpSpan({ traceId: newTraceId() }))))
  // On a busy machine even fewer are shown: what is not shown in time is dropped as well.
  await eventually(async () => listening.spans.length + droppedOf(listening) === 1500)
  expect(listening.spans.length).toBeGreaterThan(0)
  await project.export(exportOf(otlpSpan({ traceId: newTraceId(), name: 'last' })))
  await eventually(async () => listening.spans.some(span => span.span_name === 'last'))
  expect(listening.spans.length + droppedOf(listening)).toBe(1501)
  listening.stop()
})

test('of more than one look takes, no span is counted twice', async () => {
  const project = await newProject()
  const listening = await listen(project)
  await eventually(async () => listening.comments.includes('listening'))
  let sent = 21_000
  // One that a look finds among thousands of others may be among those that it drops: then the next one is told.
  const isTold = (name: string) => async () => {
    sent++
    await project.store(otlpSpan({ traceId: newTraceId(), name }))
    return eventually(async () => listening.spans.some(span => span.span_name === name), 1_000)
  }
  const spans = Array.from({ length: 21_000 }, () => otlpSpan({ traceId: newTraceId() }))
  await Promise.all([0, 7_000, 14_000].map(from => project.export(exportOf(...spans.slice(from, from + 7_000)))))
  for (const name of ['one look later', 'two looks later']) await eventually(isTold(name))
  expect(listening.spans.length + droppedOf(listening)).toBeLessThanOrEqual(sent)
  listening.stop()
})

const droppedOf = ({ comments }: Listening): number =>
  comments.reduce((sum, text) => sum + Number(/^dropped (\d+) spans$/.exec(text)?.[1] ?? 0), 0)

test.each([
  ['a filter that is no JSON', '?filter=%7B', 422],
  ['a filter that makes no sense', `?filter=${encodeURIComponent('{"conditions":[{"field":"no"}]}')}`, 400],
])('%s is refused', async (_name, search, status) => {
  const listening = await listen(await newProject(), search)
  expect(listening.status).toBe(status)
})

test('nobody listens without a key', async () => {
  expect((await call(inject('target').apiUrl, 'GET', '/api/spans/tail', undefined)).status).toBe(401)
})

const filterSearch = (conditions: object[]): string =>
  `?filter=${encodeURIComponent(JSON.stringify({ conditions: [{ operator: 'or', conditions }] }))}`

/** How long the slowest health check took while the work was done, in milliseconds. */
async function slowestHealthDuring(work: () => Promise<unknown>): Promise<number> {
  let slowest = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const begin = performance.now()
      await call(inject('target').apiUrl, 'GET', '/api/health', undefined)
      slowest = Math.max(slowest, performance.now() - begin)
    }
  })()
  await work()
  isOver = true
  await watching
  return slowest
}

test('whoever listens is cut off when their key is deleted', async () => {
  const project = await newProject()
  const { body: apiKey } = await project.post('/api/keys')
  const [withKey, other] = [await listen({ ...project, apiKey }), await listen(project)]
  const first = otlpSpan({ traceId: newTraceId(), name: 'first' })
  await project.export(exportOf(first))
  await eventually(async () => [withKey, other].every(({ spans }) => spans.length === 1))
  expect((await project.send('DELETE', `/api/keys/${apiKey.split('.')[0]}`)).status).toBe(200)
  await eventually(async () => withKey.isOver, 10_000)
  await project.export(exportOf(otlpSpan({ traceId: newTraceId(), name: 'second' })))
  await eventually(async () => other.spans.length === 2)
  expect([withKey.spans.length, other.isOver]).toEqual([1, false])
  other.stop()
})

test('spans of megabytes are left out and counted, and delay no other listener', async () => {
  const project = await newProject()
  const listening = await listen(project)
  await eventually(async () => listening.comments.includes('listening'))
  const inputs = JSON.stringify({ n: Array(1_500_000).fill(1.5) })
  const slowest = await slowestHealthDuring(async () => {
    await project.export(exportOf(otlpSpan({ traceId: newTraceId(), name: 'large' }, { 'ag.data.inputs': inputs })))
    await project.export(exportOf(otlpSpan({ traceId: newTraceId(), name: 'small' })))
    await eventually(async () => listening.spans.length === 1 && droppedOf(listening) === 1)
  })
  expect(slowest).toBeLessThan(1_000)
  expect(listening.spans[0].span_name).toBe('small')
  listening.stop()
})

test('filters that are slow to match delay no other listener: spans they cannot match in time are dropped and counted', async () => {
  const project = await newProject()
  const like = { field: 'span_name', operator: 'like', value: '%a%a%a%a%a%ab' }
  const number = { field: 'attributes', key: 'n', operator: 'gt', value: 5 }
  const places = { field: 'attributes', key: 'n', operator: 'like', value: `%_${'1'.repeat(20)}b%` }
  const plain = await listen(project)
  const hard = await Promise.all([like, number, places].map(one => listen(project, filterSearch(Array(40).fill(one)))))
  const spans = Array.from({ length: 10 }, () =>
    otlpSpan({ traceId: newTraceId(), name: 'a'.repeat(140) }, { n: `${'1'.repeat(80_000)}x` }),
  )
  const slowest = await slowestHealthDuring(async () => {
    await project.export(exportOf(...spans))
    await eventually(async () => plain.spans.length === 10, 45_000)
    await eventually(async () => droppedOf(hard[2] as Listening) > 0)
  })
  expect(slowest).toBeLessThan(1_000)
  expect(hard.flatMap(one => one.spans)).toEqual([])
  for (const one of [plain, ...hard]) one.stop()
})

test('a filter that asks too much of each span is refused', async () => {
  const values = Array.from({ length: 500 }, (_, at) => at)
  const { apiUrl } = inject('target')
  const project = await newProject()
  const search = filterSearch([{ field: 'attributes', key: 'n', operator: 'in', value: values }])
  const answer = await call(apiUrl, 'GET', `/api/spans/tail${search}`, project.apiKey)
  expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining('more than 500') } })
})

test('unknown parameters are refused: a misspelt filter would let everything through', async () => {
  const { apiKey } = await newProject()
  const answer = await call(inject('target').apiUrl, 'GET', '/api/spans/tail?filtre={}', apiKey)
  expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'filtre'] }] } })
})
