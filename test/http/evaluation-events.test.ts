import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { call, eventually, newProject } from '../harness.ts'

const { apiUrl } = inject('target')

interface Event {
  name: string
  data: any
}

const project = await newProject()
const post = project.posted
const newRun = async (): Promise<string> =>
  (await post('/evaluations/runs/', { runs: [{ status: 'running' }] })).runs[0].id

/** Listens to a run until it is over. */
async function listen(run_id: string, key = project.apiKey) {
  const stopping = new AbortController()
  const headers = { authorization: `ApiKey ${key}` }
  const response = await fetch(`${apiUrl}/api/evaluations/runs/${run_id}/events`, { headers, signal: stopping.signal })
  const events: Event[] = []
  const ended = (async () => {
    let text = ''
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(chunk).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) {
        const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
        if (name !== undefined) events.push({ name, data: JSON.parse(data as string) })
      }
    }
  })().catch(() => undefined)
  return { response, events, ended, stop: () => stopping.abort() }
}

test('a run reports its counts, its states and its end; all listeners get the same', async () => {
  const run_id = await newRun()
  const listeners = [await listen(run_id), await listen(run_id)]
  for (const { response } of listeners)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ])
  const { scenarios } = await post('/evaluations/scenarios', {
    scenarios: [
      { run_id, status: 'running' },
      { run_id, status: 'running' },
    ],
  })
  const cell = { run_id, step_key: 'a', status: 'success' }
  await post('/evaluations/results/', { results: scenarios.map(({ id }: any) => ({ ...cell, scenario_id: id })) })
  await post('/evaluations/metrics/', {
    metrics: [{ run_id, data: { a: { 'attributes.ag.metrics.costs.cumulative.total': { sum: 0.25 } }, b: 'x' } }],
  })
  await eventually(async () => listeners.every(({ events }) => events.at(-1)?.data.costs === 0.25))
  expect(listeners[0]?.events.at(-1)).toEqual({
    name: 'progress',
    data: {
      run_id,
      status: 'running',
      is_active: false,
      is_closed: false,
      scenarios: { total: 2, by_status: { running: 2 } },
      cells: { total: 2, by_status: { success: 2 } },
      costs: 0.25,
    },
  })
  await project.send('PATCH', '/api/evaluations/scenarios', {
    scenarios: scenarios.map(({ id }: any) => ({ id, status: 'success' })),
  })
  for (const { ended, events } of listeners) {
    await ended
    const state = { run_id, status: 'success', is_active: false, is_closed: false }
    expect(events).toContainEqual({ name: 'state', data: state })
    expect(events.at(-1)).toMatchObject({
      name: 'end',
      data: { ...state, scenarios: { total: 2, by_status: { success: 2 } } },
    })
  }
  const late = await listen(run_id)
  await late.ended
  expect(late.events.map(({ name }) => name)).toEqual(['progress', 'end'])
})

test('a deleted run ends, an unknown one and that of another project is a 404', async () => {
  const run_id = await newRun()
  const { events, ended } = await listen(run_id)
  await eventually(async () => events.length > 0)
  await project.send('DELETE', `/api/evaluations/runs/${run_id}`)
  await ended
  expect(events.at(-1)).toEqual({ name: 'end', data: { run_id, is_deleted: true } })
  expect((await project.get(`/api/evaluations/runs/${randomUUID()}/events`)).status).toBe(404)
  const other = await newProject()
  const path = `/api/evaluations/runs/${await newRun()}/events`
  expect((await call(apiUrl, 'GET', path, `ApiKey ${other.apiKey}`)).status).toBe(404)
})

test('whoever listens is cut off when their key is deleted', async () => {
  const run_id = await newRun()
  const { body: key } = await project.post('/api/keys')
  const { events, ended } = await listen(run_id, key)
  await eventually(async () => events.length > 0)
  await project.send('DELETE', `/api/keys/${key.split('.')[0]}`)
  await ended
  await post('/evaluations/scenarios/', { scenarios: [{ run_id }] })
  expect(events.map(({ name }) => name)).toEqual(['progress'])
})

test('costs that clients wrote and that no number can hold are left out', async () => {
  const run_id = await newRun()
  const step = (sum: number) => ({ 'attributes.ag.metrics.costs.cumulative.total': { sum } })
  const data = { a: step(1.7e308), b: step(1.7e308), c: step(5e-324), d: step(0.25) }
  await post('/evaluations/metrics/', { metrics: [{ run_id, data }] })
  const { response, events, stop } = await listen(run_id)
  expect(response.status).toBe(200)
  await eventually(async () => events.length > 0)
  expect(events[0]?.data.costs).toBe(0.25)
  stop()
})

test('a project has 20 listeners at most; what they hold is given back', async () => {
  const own = await newProject()
  const run_id = (await own.post('/api/evaluations/runs/', { runs: [{}] })).body.runs[0].id
  const listeners = await Promise.all(Array.from({ length: 20 }, () => listen(run_id, own.apiKey)))
  expect(listeners.map(({ response }) => response.status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect((await own.get(`/api/evaluations/runs/${run_id}/events`)).status).toBe(429)
  for (const { stop } of listeners) stop()
  await own.send('DELETE', `/api/evaluations/runs/${run_id}`)
  await eventually(async () => (await own.get(`/api/evaluations/runs/${run_id}/events`)).status === 404)
})
