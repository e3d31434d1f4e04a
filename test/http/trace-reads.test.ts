import { describe, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { dashed, exportOf, newSpanId, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

const START = 1_770_109_200_000_000_000n // 2026-02-03T09:00:00Z

/** A span of a second that starts so many seconds after nine. */
const at = (seconds: number, span: Partial<OtlpSpan> & { traceId: string }): OtlpSpan => {
  const start = START + BigInt(Math.round(seconds * 1000)) * 1_000_000n
  return otlpSpan({ startTimeUnixNano: String(start), endTimeUnixNano: String(start + 1_000_000_000n), ...span })
}

const traceOf = async (project: TestProject, traceId: string): Promise<any> =>
  (await project.get(`/api/traces/${traceId}`)).body.trace

/** The tree with names for spans: `{ root: { step: [{}, {}] } }`. */
function outline(spans: any): any {
  const entries = Object.entries(spans ?? {}).map(([name, entry]) => {
    const nodes = [entry].flat() as any[]
    for (const node of nodes) expect(node.span_name).toBe(name)
    return [name, Array.isArray(entry) ? nodes.map(node => outline(node.spans)) : outline(nodes[0].spans)]
  })
  return Object.fromEntries(entries)
}

describe.concurrent('the tree of a trace', () => {
  test('has children below their parents by name, and lists of those with the same name in order of start', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = at(0, { traceId, name: 'root' })
    const [late, early] = [3, 1].map(second => at(second, { traceId, parentSpanId: root.spanId, name: 'model' }))
    const single = at(2, { traceId, parentSpanId: root.spanId, name: 'lookup' })
    const leaf = at(1.5, { traceId, parentSpanId: early?.spanId as string, name: 'http' })
    await project.store(leaf, late as OtlpSpan, single, early as OtlpSpan, root)
    const { status, body } = await project.get(`/api/traces/${traceId}`)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['count', 'trace'])
    expect(Object.keys(body.trace).sort()).toEqual(['spans', 'trace_id'])
    expect(body).toMatchObject({ count: 1, trace: { trace_id: traceId } })
    expect(outline(body.trace.spans)).toEqual({ root: { model: [{ http: {} }, {}], lookup: {} } })
    const { model, lookup } = body.trace.spans.root.spans
    expect(model.map((span: any) => span.span_id)).toEqual([early?.spanId, late?.spanId])
    expect(model[0].spans.http).toMatchObject({ trace_id: traceId, parent_id: early?.spanId })
    expect(lookup).not.toHaveProperty('spans')
    expect(body.trace.spans.root).not.toHaveProperty('parent_id')
  })

  test('is made of parents alone: a child may start, and arrive, before its parent', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = at(5, { traceId, name: 'root' })
    const child = at(3, { traceId, parentSpanId: root.spanId, name: 'child' })
    const grandchild = at(1, { traceId, parentSpanId: child.spanId, name: 'grandchild' })
    for (const span of [grandchild, root, child]) await project.export(exportOf(span))
    await eventually(async () => {
      const trace = await traceOf(project, traceId)
      return trace?.spans.root?.spans?.child?.spans?.grandchild
    })
    expect(outline((await traceOf(project, traceId)).spans)).toEqual({ root: { child: { grandchild: {} } } })
  })

  test('shows all roots, the one that started last first', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const roots = [at(1, { traceId, name: 'one' }), at(3, { traceId, name: 'three' }), at(2, { traceId, name: 'two' })]
    const child = at(9, { traceId, name: 'child', parentSpanId: roots[0]?.spanId as string })
    await project.store(...roots, child)
    const { spans } = await traceOf(project, traceId)
    expect(Object.keys(spans)).toEqual(['three', 'two', 'one'])
    expect(outline(spans)).toEqual({ three: {}, two: {}, one: { child: {} } })
  })

  test('has a list of roots with the same name', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const [first, second] = [at(1, { traceId, name: 'run' }), at(2, { traceId, name: 'run' })]
    await project.store(first, second)
    const { spans } = await traceOf(project, traceId)
    expect(spans.run.map((span: any) => span.span_id)).toEqual([second.spanId, first.spanId])
  })

  test('has spans without their parent at the top, after the roots', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = at(5, { traceId, name: 'root' })
    const orphan = at(1, { traceId, name: 'orphan', parentSpanId: newSpanId() })
    const below = at(2, { traceId, name: 'below', parentSpanId: orphan.spanId })
    const later = at(9, { traceId, name: 'later', parentSpanId: newSpanId() })
    await project.store(later, orphan, below, root)
    const { spans } = await traceOf(project, traceId)
    expect(Object.keys(spans)).toEqual(['root', 'orphan', 'later'])
    expect(outline(spans)).toEqual({ root: {}, orphan: { below: {} }, later: {} })
    expect(spans.orphan).toHaveProperty('parent_id')
  })

  test('begins with the root also when the name of another span is a number', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = at(1, { traceId, name: 'root' })
    await project.store(root, at(2, { traceId, name: '7', parentSpanId: newSpanId() }))
    const { text } = await project.get(`/api/traces/${traceId}`)
    expect(text.indexOf('"root":')).toBeGreaterThan(0)
    expect(text.indexOf('"root":')).toBeLessThan(text.indexOf('"7":'))
  })

  test('survives spans that are each other’s parents', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const [a, b] = [newSpanId(), newSpanId()]
    await project.store(
      at(0, { traceId, name: 'root' }),
      at(1, { traceId, spanId: a, parentSpanId: b, name: 'a' }),
      at(2, { traceId, spanId: b, parentSpanId: a, name: 'b' }),
      otlpSpan({ traceId, spanId: 'ee'.repeat(8), parentSpanId: 'ee'.repeat(8), name: 'own parent' }),
    )
    const { spans } = await traceOf(project, traceId)
    expect(Object.keys(spans)[0]).toBe('root')
    expect(outline(spans)).toEqual({ root: {}, a: { b: {} }, 'own parent': {} })
  })

  test('takes any names', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const names = ['', '__proto__', 'constructor', 'spans', 'a.b', '😀', 'x'.repeat(1000)]
    const root = at(0, { traceId, name: 'toString' })
    await project.store(root, ...names.map(name => at(1, { traceId, name, parentSpanId: root.spanId })))
    const { text } = await project.get(`/api/traces/${traceId}`)
    const children = JSON.parse(text).trace.spans.toString.spans
    expect(Object.keys(children).sort()).toEqual([...names].sort())
  })

  test('of a depth of 3,000 is answered, alone and in a list', async () => {
    const project = await newProject()
    const ids = Array.from({ length: 3000 }, () => newSpanId())
    const traceId = newTraceId()
    await project.export(
      exportOf(
        ...ids.map((spanId, n) => ({ traceId, spanId, name: 'n', ...(n > 0 ? { parentSpanId: ids[n - 1] } : {}) })),
      ),
    )
    const last = { filter: { conditions: [{ field: 'span_id', value: ids.at(-1) }] } }
    await eventually(async () => (await project.post('/api/spans/query', last)).body.count === 1)
    for (const trace of [
      await traceOf(project, traceId),
      (await project.post('/api/traces/query', last)).body.traces[0],
      (await project.get(`/api/traces?trace_id=${traceId}`)).body.traces[0],
    ]) {
      const found: string[] = []
      for (let node = trace.spans.n; node; node = node.spans?.n) found.push(node.span_id)
      expect(found).toEqual(ids)
    }
  })

  test('is not shown while its root is still on its way; its spans are', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = at(0, { traceId, name: 'root' })
    const child = at(1, { traceId, name: 'child', parentSpanId: root.spanId })
    const whole = at(0, { traceId: newTraceId(), name: 'whole' })
    await project.store(child, whole)
    expect((await project.get(`/api/traces/${traceId}`)).body).toEqual({ count: 0 })
    expect((await project.get(`/api/traces/?trace_id=${traceId}`)).body).toEqual({ count: 0, traces: [] })
    expect((await project.get(`/api/spans/${traceId}/${child.spanId}`)).body.count).toBe(1)
    expect((await project.post('/api/spans/query')).body.count).toBe(2)
    // It does not take the place of another one either: it would be the first.
    const query = await project.post('/api/traces/query', { windowing: { limit: 1 } })
    expect(query.body).toMatchObject({ count: 1, traces: [{ trace_id: whole.traceId }] })
    await project.export(exportOf(root))
    await eventually(async () => (await project.get(`/api/traces/${traceId}`)).body.count === 1)
    expect((await project.post('/api/traces/query', {})).body.count).toBe(2)
  })

  test('has nothing to do with another trace that uses the same span ids', async () => {
    const project = await newProject()
    const [one, other] = [newTraceId(), newTraceId()]
    const [rootId, childId] = [newSpanId(), newSpanId()]
    const trace = (traceId: string, name: string): OtlpSpan[] => [
      at(0, { traceId, spanId: rootId, name: `${name} root` }),
      at(1, { traceId, spanId: childId, parentSpanId: rootId, name: `${name} child` }),
    ]
    await project.store(...trace(one, 'one'))
    await project.store(...trace(other, 'other'))
    for (const path of [`/api/traces/?trace_id=${one}&trace_id=${other}`, '/api/traces/query']) {
      const { body } = path.endsWith('query') ? await project.post(path) : await project.get(path)
      expect(body.count).toBe(2)
      const byId = Object.fromEntries(body.traces.map((found: any) => [found.trace_id, outline(found.spans)]))
      expect(byId).toEqual({
        [one]: { 'one root': { 'one child': {} } },
        [other]: { 'other root': { 'other child': {} } },
      })
    }
    expect((await project.get(`/api/spans/?span_id=${childId}`)).body.count).toBe(2)
  })
})

describe.concurrent('traces by id', () => {
  test('are listed in order of their root’s start, each once', async () => {
    const project = await newProject()
    const [b, a, c] = [2, 1, 3].map(second => at(second, { traceId: newTraceId(), name: `t${second}` })) as [
      OtlpSpan,
      OtlpSpan,
      OtlpSpan,
    ]
    const early = at(0, { traceId: c.traceId, parentSpanId: c.spanId, name: 'early child' })
    await project.store(a, b, c, early)
    const ids = (path: string) =>
      project.get(path).then(({ body }) => {
        expect(body.count).toBe(body.traces.length)
        return body.traces.map((trace: any) => trace.trace_id)
      })
    expect(await ids(`/api/traces/?trace_ids=${c.traceId},${b.traceId},${a.traceId}`)).toEqual(
      [a, b, c].map(span => span.traceId),
    )
    const repeated = `/api/traces/?trace_id=0x${b.traceId.toUpperCase()}&trace_ids=%20${b.traceId}%20,${c.traceId},`
    expect(await ids(repeated)).toEqual([b.traceId, c.traceId])
    expect(await ids(`/api/traces?trace_id=${newTraceId()}`)).toEqual([])
    expect((await project.get(`/api/traces/?trace_id=${newTraceId()}`)).body).toEqual({ count: 0, traces: [] })
    expect(await project.get(`/api/traces/${newTraceId()}`)).toMatchObject({ status: 200, text: '{"count":0}' })
  })

  test('are understood in every form of an id', async () => {
    const project = await newProject()
    const root = at(0, { traceId: newTraceId() })
    const { traceId: id } = root
    await project.store(root)
    const uuid = dashed(id)
    for (const form of [id, id.toUpperCase(), `0x${id}`, uuid, uuid.toUpperCase()])
      expect((await project.get(`/api/traces/${form}`)).body).toMatchObject({ count: 1, trace: { trace_id: id } })
    const { body } = await project.get(`/api/traces/?trace_ids=${[id, `0x${id}`, uuid].join()}`)
    expect(body.count).toBe(1)
  })

  test('are refused when an id is malformed or none is given', async () => {
    const project = await newProject()
    const good = newTraceId()
    const paths = [
      'abc',
      good.slice(16),
      `${good}0`,
      `x${good.slice(1)}`,
      '0'.repeat(32),
      'null',
      '%20',
      '..%2f',
      `${good}%00`,
    ]
    for (const path of [...paths, '?', '?trace_ids=', `?trace_id=${good}&trace_id=abc`, `?trace_ids=${good},abc`]) {
      const answer = await project.get(`/api/traces/${path}`)
      expect(answer, path).toMatchObject({ status: 400, body: { detail: expect.stringContaining('trace_id') } })
    }
  })
})
