import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Json, microsNow, moveClock, Problem } from '@spanhouse/model'
import { encodeTraces, scanTraces } from '@spanhouse/otlp'
import { deletedSpans, type Engine, SpanWriter, StoreMismatch } from '@spanhouse/span-store'
import { openTestEngine } from '@spanhouse/span-store/spans.testing.ts'
import { openEmbeddedStream, type SpanMessage, type SpanStream } from '@spanhouse/span-stream'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { BatchReport } from '../metrics.ts'
import { deletionIn } from './message-spans.ts'
import { PriceCache } from './price-cache.ts'
import { runWriter } from './writer.ts'

let folder: string
let stream: SpanStream
let engine: Engine
let closeEngine: () => Promise<void>
let running: Promise<void>
let stop: () => Promise<void>
let logged: string[]

let project: string
beforeAll(async () => {
  ;({ engine, close: closeEngine } = await openTestEngine())
})
afterAll(() => closeEngine())
beforeEach(async () => {
  project = randomUUID()
  logged = []
  folder = await mkdtemp(join(tmpdir(), 'spanhouse-writer-'))
  stream = await openEmbeddedStream({ path: join(folder, 'stream'), bytesMax: 64 * 1024 * 1024 })
})
afterEach(async () => {
  await stop()
  await stream.close()
  await rm(folder, { recursive: true })
})

function start(through: Engine = engine, prices = new PriceCache(async () => new Map())): BatchReport[] {
  const reports: BatchReport[] = []
  const stopping = new AbortController()
  running = runWriter({
    stream,
    writer: new SpanWriter(through),
    prices,
    partitions: [0],
    division: 1,
    signal: stopping.signal,
    log: pino({ base: null }, { write: line => logged.push(line) }),
    report: report => reports.push(report),
  })
  stop = () => {
    stopping.abort()
    return running
  }
  return reports
}

const messageOf = (body: Uint8Array, span_count = 1): SpanMessage => ({
  id: randomUUID(),
  partition: 0,
  project_id: project,
  user_id: project,
  accepted_at: 1_770_000_000_000_000,
  span_count,
  format: 'otlp',
  body,
})

function spanMessage(spanId: string, attributes: Record<string, string | number> = {}): SpanMessage {
  const span = {
    traceId: 'a'.repeat(32),
    spanId,
    name: 'step',
    startTimeUnixNano: '1770000000000000000',
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? { stringValue: value } : { intValue: value },
    })),
  }
  const bytes = encodeTraces({ resourceSpans: [{ scopeSpans: [{ spans: [span as unknown as Json] }] }] })
  return messageOf(scanTraces(bytes, 1, () => 0).shares[0]?.body as Uint8Array)
}

const storedIds = async (): Promise<string[]> =>
  (
    await engine.rows<{ id: string }>({
      text: 'SELECT lower(hex(span_id)) AS id FROM spans WHERE project_id = {project:UUID} ORDER BY id',
      params: { project },
    })
  ).map(row => row.id)

const costs = async (): Promise<number[]> =>
  (
    await engine.rows<{ cost: number }>({
      text: 'SELECT toFloat64(costs_cumulative_total) AS cost FROM spans WHERE project_id = {project:UUID}',
      params: { project },
    })
  ).map(row => row.cost)

const ids = ['1', '2', '3'].map(digit => digit.repeat(16))

test('the time from acceptance to storage is by the clock that the processes share', async () => {
  const ahead = 3_600_000_000
  moveClock(ahead)
  try {
    await stream.publish([{ ...spanMessage(ids[0] as string), accepted_at: microsNow() }])
    const reports = start()
    await expect.poll(() => reports.length).toBe(1)
    expect(reports[0]?.lagSeconds.every(seconds => seconds >= 0)).toBe(true)
  } finally {
    moveClock(-ahead)
  }
})

test('a message that cannot be decoded goes to the dead letters with its reason; the others are stored', async () => {
  const [one, two, three] = ids.map(id => spanMessage(id)) as [SpanMessage, SpanMessage, SpanMessage]
  await stream.publish([one, messageOf(Buffer.from('this is no protobuf')), two])
  start()
  await expect.poll(storedIds).toEqual(ids.slice(0, 2))
  await expect.poll(async () => (await stream.stats()).deadLetters).toBe(1)
  const [letter] = await stream.deadLetters({ limit: 10 })
  expect(letter?.reason).toMatch(/cannot be decoded: ./)
  const [line] = logged.map(one => JSON.parse(one))
  expect(line).toMatchObject({ project_id: project, msg: expect.stringContaining('moved to the dead letters') })
  await stream.publish([three])
  await expect.poll(storedIds).toEqual(ids)
  await expect.poll(async () => (await stream.stats()).depth).toBe(0)
})

test('of a message that is broken after many spans none is stored, whatever is around it', async () => {
  const [before, after] = ids.map(id => spanMessage(id)) as [SpanMessage, SpanMessage]
  const many = Array.from({ length: 100 }, (_, at) => spanMessage((at + 16).toString(16).padStart(16, '0')).body)
  const broken = messageOf(Buffer.concat([...many, Buffer.from('0a05', 'hex'), Buffer.from('wrong')]), many.length)
  await stream.publish([before, broken, after])
  const reports = start()
  await expect.poll(storedIds).toEqual(ids.slice(0, 2))
  await expect.poll(async () => (await stream.stats()).deadLetters).toBe(1)
  await expect.poll(() => reports).toMatchObject([{ spans: 2, rejectedMessages: 1 }])
})

test('a deletion takes what was accepted before it, also what comes again later; one without a trace is a dead letter', async () => {
  const [one, two] = ids.map(id => spanMessage(id)) as [SpanMessage, SpanMessage]
  const deletion: SpanMessage = {
    ...messageOf(Buffer.from('a'.repeat(32), 'hex'), 0),
    format: 'deletion',
    accepted_at: one.accepted_at + 1,
  }
  const later = { ...two, id: randomUUID(), accepted_at: one.accepted_at + 2 }
  await stream.publish([one, two, deletion, later, { ...deletion, id: randomUUID(), body: Buffer.from('x') }])
  const reports = start()
  await expect.poll(storedIds).toEqual([ids[1]])
  await expect.poll(async () => (await stream.stats()).deadLetters).toBe(1)
  await stream.publish([
    { ...one, id: randomUUID() },
    { ...deletion, id: randomUUID() },
  ])
  await expect.poll(async () => (await stream.stats()).depth).toBe(0)
  expect(await storedIds()).toEqual([ids[1]])
  expect(reports.reduce((sum, report) => sum + report.deleted, 0)).toBe(3)
})

test('a writer that is stopped before the store was ever there ends without an error', async () => {
  let refused = 0
  start({
    ...bound(engine),
    rows: () => {
      refused++
      return Promise.reject(new Problem('overloaded', 'ClickHouse cannot be reached; try again.'))
    },
  })
  await expect.poll(() => refused).toBeGreaterThan(0)
  await expect(stop()).resolves.toBeUndefined()
})

test('while the store is away the writer waits, and stores everything once it is back', async () => {
  let isAway = true
  let refused = 0
  const flaky: Engine = {
    ...bound(engine),
    insert: (...args) => {
      if (!isAway) return engine.insert(...args)
      refused++
      return Promise.reject(new Problem('overloaded', 'ClickHouse cannot be reached; try again.'))
    },
  }
  await stream.publish(ids.map(id => spanMessage(id)))
  const reports = start(flaky)
  await expect.poll(() => refused).toBeGreaterThan(2)
  expect(await storedIds()).toEqual([])
  isAway = false
  await expect.poll(storedIds).toEqual(ids)
  await expect.poll(() => reports.reduce((sum, report) => sum + report.inserted, 0)).toBe(3)
  expect((await stream.stats()).deadLetters).toBe(0)
})

test('while prices cannot be read nothing is stored, and then at those prices', async () => {
  let isAway = true
  let refused = 0
  const prices = new PriceCache(async () => {
    if (!isAway) return new Map([[project, { house: { input: 3, output: 4 } }]])
    refused++
    throw new Problem('overloaded', 'away')
  })
  await stream.publish([
    spanMessage(ids[0] as string, {
      'gen_ai.response.model': 'house',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.operation.name': 'chat',
    }),
  ])
  start(engine, prices)
  await expect.poll(() => refused).toBeGreaterThan(2)
  expect(await storedIds()).toEqual([])
  isAway = false
  await expect.poll(storedIds).toEqual(ids.slice(0, 1))
  expect(await costs()).toEqual([0.0003])
  expect((await stream.stats()).deadLetters).toBe(0)
})

test('a writer that waits for prices can be stopped, and loses nothing', async () => {
  let refused = 0
  const prices = new PriceCache(() => {
    refused++
    return Promise.reject(new Problem('overloaded', 'away'))
  })
  await stream.publish(ids.map(id => spanMessage(id)))
  start(engine, prices)
  await expect.poll(() => refused).toBeGreaterThan(0)
  await stop()
  start()
  await expect.poll(storedIds).toEqual(ids)
})

test('a deletion that has passed what was accepted before it waits for that, and tells of it', async () => {
  const [one, two] = ids.map(id => spanMessage(id)) as [SpanMessage, SpanMessage]
  const body = Buffer.from('a'.repeat(32), 'hex')
  const deletion: SpanMessage = { ...messageOf(body, 0), accepted_at: one.accepted_at + 1, format: 'deletion' }
  await stream.publish([one])
  const ending = new AbortController()
  const options = { consumer: 'writer' as const, spansMax: 1, sharedSpansMax: 1, bytesMax: 1_000, lingerMs: 0 }
  for await (const [delivery] of stream.deliveries({ ...options, partitions: [0], signal: ending.signal })) {
    ending.abort()
    await delivery?.retry(1_000)
  }
  await stream.publish([two, deletion])
  start()
  const deleted = () => deletedSpans(engine, deletionIn(deletion))
  await expect.poll(deleted).not.toBeNull()
  expect((await deleted())?.toSorted()).toEqual(ids.slice(0, 2))
  expect(await storedIds()).toEqual([])
  await expect.poll(async () => (await stream.stats()).depth).toBe(0)
})

test('where the tables lack a column the writer ends, and everything waits in the stream', async () => {
  await engine.command({ text: 'ALTER TABLE spans RENAME COLUMN agent_id TO agent', params: {} })
  await stream.publish([spanMessage(ids[0] as string)])
  start()
  stop = async () => {}
  await expect(running).rejects.toThrow(StoreMismatch)
  expect(await stream.stats()).toMatchObject({ depth: 1, deadLetters: 0 })
  await engine.command({ text: 'ALTER TABLE spans RENAME COLUMN agent TO agent_id', params: {} })
})

test('a message that the store can never take is found and put aside, alone', async () => {
  const poison = ids[1] as string
  const choosy: Engine = {
    ...bound(engine),
    insert: (table, columns, rows) =>
      rows.includes(Buffer.from(poison, 'hex'))
        ? Promise.reject(Object.assign(new Error('Cannot read all data'), { code: '33' }))
        : engine.insert(table, columns, rows),
  }
  await stream.publish(ids.map(id => spanMessage(id)))
  const reports = start(choosy)
  await expect.poll(storedIds).toEqual([ids[0], ids[2]])
  await expect.poll(async () => (await stream.stats()).deadLetters).toBe(1)
  const sumOf = (key: 'inserted' | 'rejectedMessages'): number => reports.reduce((sum, report) => sum + report[key], 0)
  await expect.poll(() => [sumOf('inserted'), sumOf('rejectedMessages')]).toEqual([2, 1])
  expect((await stream.deadLetters({ limit: 1 }))[0]?.reason).toBe('cannot be stored: Cannot read all data')
})

const bound = (inner: Engine): Engine => ({
  rows: statement => inner.rows(statement),
  binaryRows: (statement, read) => inner.binaryRows(statement, read),
  table: (...args) => inner.table(...args),
  command: statement => inner.command(statement),
  insert: (...args) => inner.insert(...args),
  endWrites: () => inner.endWrites(),
  close: () => inner.close(),
})
