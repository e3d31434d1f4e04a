import { rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { postgresAvailable } from '@spanhouse/postgres/postgres-server.testing.ts'
import { newDataDir, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { natsAvailable } from '@spanhouse/span-stream/nats-server.testing.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { HookReceiver, isSigned, type Received } from '../hook-receiver.ts'
import { isSample } from '../sets/sample.ts'
import { chaosWebhooks } from './chaos/webhooks.ts'

/** Deliveries to receivers on this machine, which these servers may call. */
const OPEN = { SPANHOUSE_OUTBOUND_OPEN: 'true' }

const folders: string[] = []
const kept = (folder: string): string => {
  folders.push(folder)
  return folder
}
const stops: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

const subscribe = async (project: TestProject, data: object, more: object = {}): Promise<any> => {
  const made = await project.post('/api/webhooks/subscriptions/', { subscription: { name: 'hook', data, ...more } })
  if (made.status !== 200) throw new Error(made.text)
  return made.body.subscription
}

let slugs = 0
async function createApplication(project: TestProject): Promise<any> {
  const made = await project.post('/api/simple/applications/', { application: { slug: `app-${slugs++}`, data: DATA } })
  if (made.status !== 200) throw new Error(made.text)
  return made.body.application
}
const DATA = { uri: 'agenta:builtin:echo:v0', parameters: { tone: 'dry' } }

const commit = async (project: TestProject, application: any, tone: string): Promise<any> => {
  const made = await project.post('/api/applications/revisions/commit', {
    application_revision: {
      application_id: application.id,
      application_variant_id: application.variant_id,
      message: `now ${tone}`,
      data: { ...DATA, parameters: { tone } },
    },
  })
  if (made.status !== 200) throw new Error(made.text)
  return made.body.application_revision
}

const COMMITTED = ['workflows.revisions.committed']
const revisionOf = ({ body }: Received): string => body.event.attributes.references.workflow_revision.id

describe('one process', async () => {
  const server = await startServerProcess({ dataDir: kept(await newDataDir('webhooks')), env: OPEN })
  stops.push(() => server.stop())
  const anew = () => newProject({ apiUrl: server.url, receiverUrl: server.url, adminKey: server.adminKey })
  const receiver = await new HookReceiver().start()
  stops.push(() => receiver.kill())

  test('a commit arrives with its event, signed', async () => {
    const project = await anew()
    const { id, secret } = await subscribe(project, { url: `${receiver.url}/plain`, event_types: COMMITTED })
    expect(secret).toMatch(/^[A-Za-z0-9]{32}$/)
    const application = await createApplication(project)
    const revision = await commit(project, application, 'wet')
    await eventually(async () => receiver.at('/plain').length === 3)
    const [got] = receiver.at('/plain').filter(one => revisionOf(one) === revision.id) as [Received]
    expect(isSigned(got, secret)).toBe(true)
    const { event } = got.body
    expect(got.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.any(String),
      'x-agenta-event-type': 'workflows.revisions.committed',
      'x-agenta-event-id': event.event_id,
      'x-agenta-delivery-id': got.headers['idempotency-key'],
    })
    expect(got.body).toEqual({
      event: {
        event_id: expect.any(String),
        event_type: 'workflows.revisions.committed',
        timestamp: expect.any(String),
        created_at: expect.any(String),
        attributes: {
          user_id: expect.any(String),
          message: 'now wet',
          references: {
            workflow: { id: application.id, slug: application.slug },
            workflow_variant: { id: revision.variant_id, slug: expect.any(String) },
            workflow_revision: { id: revision.id, slug: revision.slug, version: '2' },
          },
        },
      },
      subscription: { id, name: 'hook', created_at: expect.any(String) },
      scope: { project_id: project.projectId },
    })
    expect(got.text).not.toContain(': ')
    expect(Object.keys(got.body)).toEqual(['event', 'scope', 'subscription'])
    // The receiver has the request before its answer is recorded.
    const delivery = await eventually(async () => {
      const path = `/api/webhooks/deliveries/${got.headers['x-agenta-delivery-id']}`
      return (await project.get(path)).body.delivery
    })
    expect(delivery).toMatchObject({
      subscription_id: id,
      event_id: event.event_id,
      status: { code: '200', message: 'success' },
      data: { url: `${receiver.url}/plain`, payload: got.body, response: { status_code: 200, body: 'ok' } },
    })
    expect(delivery.data.headers['X-Agenta-Signature']).toBe('[REDACTED]')
  })

  test('a deployment sends the new state and what changed', async () => {
    const project = await anew()
    const application = await createApplication(project)
    await subscribe(project, { url: `${receiver.url}/deployed`, event_types: ['environments.revisions.committed'] })
    const deploy = () =>
      project.post('/api/applications/revisions/deploy', {
        application_ref: { slug: application.slug },
        environment_ref: { slug: 'production' },
      })
    expect((await deploy()).status).toBe(200)
    await eventually(async () => receiver.at('/deployed').length === 1)
    await commit(project, application, 'wet')
    expect((await deploy()).status).toBe(200)
    await eventually(async () => receiver.at('/deployed').length === 2)
    const [first, second] = receiver.at('/deployed').map(one => one.body.event.attributes)
    const key = `${application.slug}.revision`
    const entry = first.state.references[key]
    expect(first.diff).toEqual({ created: { [key]: { new: entry } }, updated: {}, deleted: {} })
    const next = second.state.references[key]
    expect(second.diff).toEqual({ created: {}, updated: { [key]: { old: entry, new: next } }, deleted: {} })
    expect(next).not.toEqual(entry)
  })

  test('a template, headers of one’s own, and authorization', async () => {
    const project = await anew()
    const data = {
      url: `${receiver.url}/formed`,
      auth_mode: 'authorization',
      event_types: COMMITTED,
      headers: { 'X-Own': 'mine', authorization: 'stolen', HOST: 'elsewhere', 'idempotency-key': 'x' },
      payload_fields: {
        z: '$.event.event_type',
        a: { pointer: '/scope/project_id', list: ['$.event.attributes.references.*.slug', 7, '$.nothing'] },
        text: 'as it is',
      },
    }
    const made = await subscribe(project, data, { secret: 'Bearer of-the-receiver' })
    expect(made.data).toEqual(data)
    const application = await createApplication(project)
    await eventually(async () => receiver.at('/formed').length === 2)
    const [got] = receiver.at('/formed') as [Received]
    expect(got.headers).toMatchObject({ 'x-own': 'mine', authorization: 'Bearer of-the-receiver' })
    expect(got.headers['x-agenta-signature']).toBeUndefined()
    expect(got.headers.host).toBe(new URL(receiver.url).host)
    expect(got.body).toEqual({
      a: { list: [expect.arrayContaining([application.slug]), 7, null], pointer: project.projectId },
      text: 'as it is',
      z: 'workflows.revisions.committed',
    })
    expect(got.text.startsWith('{"a":{"list":[[')).toBe(true)
    const { body } = await project.post('/api/webhooks/deliveries/query', { delivery: { subscription_id: made.id } })
    expect(JSON.stringify(body)).not.toContain('of-the-receiver')
  })

  test('a receiver that is killed and started again gets every event, under the same id', async () => {
    const project = await anew()
    const own = await new HookReceiver().start()
    const { secret } = await subscribe(project, { url: own.url, event_types: COMMITTED })
    const application = await createApplication(project)
    await eventually(async () => own.received.length === 2)
    own.answering = response => response.writeHead(503).end()
    const revisions = [await commit(project, application, 'one')]
    const refused = await eventually(async () => own.received.find(one => revisionOf(one) === revisions[0].id))
    await own.kill()
    revisions.push(await commit(project, application, 'two'))
    own.answering = response => response.end()
    await own.start()
    await eventually(async () =>
      revisions.every(({ id }) => own.received.filter(one => one !== refused).some(one => revisionOf(one) === id)),
    )
    const again = own.received.filter(one => revisionOf(one) === revisions[0].id)
    expect(new Set(again.map(one => one.headers['idempotency-key'])).size).toBe(1)
    expect(again.length).toBeGreaterThan(1)
    for (const one of own.received) expect(isSigned(one, secret)).toBe(true)
    await own.kill()
  })

  test('receivers that stall, never end their headers, send large or compressed responses or redirect delay no other', async () => {
    const project = await anew()
    const silent = createServer(socket => void socket.write('HTTP/1.1 200 OK\r\nX-A: b\r\n'))
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const odd = await new HookReceiver().start()
    odd.answering = (response, { path }) => {
      if (path === '/stalled') return
      if (path === '/moved') return void response.writeHead(302, { location: `${receiver.url}/redirected` }).end()
      if (path === '/gone') return void response.writeHead(410).end('x'.repeat(5_000))
      if (path === '/packed') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end('zzz')
      response.writeHead(200, { 'content-length': 200 * 1024 ** 2 })
      const fill = (): void => {
        while (response.write(Buffer.alloc(64 * 1024, 'y')) && !response.destroyed);
      }
      response.on('drain', fill)
      fill()
    }
    const event_types = COMMITTED
    await subscribe(project, { url: `http://127.0.0.1:${port}/`, event_types })
    for (const path of ['/stalled', '/moved', '/gone', '/large', '/packed'])
      await subscribe(project, { url: odd.url + path, event_types }, { name: path })
    await subscribe(project, { url: `${receiver.url}/beside`, event_types })
    const application = await createApplication(project)
    for (let count = 0; count < 10; count++) await commit(project, application, `${count}`)
    await eventually(async () => receiver.at('/beside').length === 12)
    const ended = (code: string) =>
      eventually(async () => {
        const { body } = await project.post('/api/webhooks/deliveries/query', { delivery: { status: { code } } })
        return body.count === 12 && body.deliveries
      })
    await project.post('/api/webhooks/subscriptions/query', {})
    expect((await ended('302'))[0]).toMatchObject({ status: { message: 'failed' } })
    expect((await ended('410'))[0].data.response.body).toHaveLength(2_000)
    const { body } = await eventually(async () => {
      const answer = await project.post('/api/webhooks/deliveries/query', { delivery: { status: { code: '200' } } })
      return answer.body.count === 36 ? answer : undefined
    })
    const large = body.deliveries.find((one: any) => one.data.url.endsWith('/large'))
    expect(large).toMatchObject({ status: { message: 'success' }, data: { response: { body: 'y'.repeat(2_000) } } })
    const packed = body.deliveries.find((one: any) => one.data.url.endsWith('/packed'))
    expect(packed.data.response).toEqual({ status_code: 200, body: '[compressed: gzip]' })
    expect(receiver.at('/redirected')).toEqual([])
    expect(odd.at('/gone')).toHaveLength(12)
    silent.close()
    await odd.kill()
  })

  test('attempts of one event that end together are recorded', async () => {
    const project = await anew()
    const own = await new HookReceiver().start()
    await subscribe(project, { url: own.url, event_types: COMMITTED })
    await createApplication(project)
    const deliveries = () => project.post('/api/webhooks/deliveries/query', {})
    const [{ id }] = await eventually(async () => {
      const { body } = await deliveries()
      return body.count === 2 && body.deliveries
    })
    const held: ServerResponse[] = []
    own.answering = response => void held.push(response)
    for (let count = 1; count <= 3; count++) {
      await project.post(`/api/webhooks/deliveries/${id}/redeliver`)
      await eventually(async () => held.length === count)
    }
    for (const response of held) response.writeHead(201).end()
    await eventually(
      async () => (await project.get(`/api/webhooks/deliveries/${id}`)).body.delivery.status.code === '201',
    )
    await own.kill()
  })

  test('what is redelivered during an attempt is sent once more after it', async () => {
    const project = await anew()
    const own = await new HookReceiver().start()
    // A subscription that fails has one attempt at a time.
    own.answering = response => response.writeHead(400).end()
    await subscribe(project, { url: own.url, event_types: COMMITTED })
    await createApplication(project)
    const [{ id }] = await eventually(async () => {
      const { body } = await project.post('/api/webhooks/deliveries/query', {})
      return body.count === 2 && body.deliveries
    })
    const held: ServerResponse[] = []
    own.answering = response => void held.push(response)
    const redeliver = () => project.post(`/api/webhooks/deliveries/${id}/redeliver`)
    await redeliver()
    await eventually(async () => held.length === 1)
    expect((await redeliver()).status).toBe(200)
    held[0]?.writeHead(400).end()
    await eventually(async () => held.length === 2)
    // Of an attempt that is repeated by itself, the one that was asked for comes first.
    expect((await redeliver()).status).toBe(200)
    held[1]?.writeHead(503).end()
    await eventually(async () => held.length === 3)
    held[2]?.writeHead(201).end()
    await eventually(
      async () => (await project.get(`/api/webhooks/deliveries/${id}`)).body.delivery.status.code === '201',
    )
    await own.kill()
  })

  test('a paused subscription receives nothing, and missed events are not sent later', async () => {
    const project = await anew()
    const { id } = await subscribe(project, { url: `${receiver.url}/stopped`, event_types: COMMITTED })
    await subscribe(project, { url: `${receiver.url}/running` })
    const act = (verb: string) => project.post(`/api/webhooks/subscriptions/${id}/${verb}`)
    expect((await act('stop')).body.subscription.flags).toEqual({ is_active: false })
    const application = await createApplication(project)
    await eventually(async () => receiver.at('/running').length === 2)
    expect((await act('start')).body.subscription.flags).toEqual({ is_active: true })
    const { id: revision } = await commit(project, application, 'heard')
    await eventually(async () => receiver.at('/stopped').length > 0)
    expect(receiver.at('/stopped').map(revisionOf)).toEqual([revision])
  })

  test('reads are sent, each with what was read', async () => {
    const project = await anew()
    const application = await createApplication(project)
    await subscribe(project, {
      url: `${receiver.url}/reads`,
      event_types: ['retrieved', 'fetched', 'queried', 'logged'].map(verb => `workflows.revisions.${verb}`),
    })
    const revision = application.revision_id
    await project.get(`/api/applications/revisions/${revision}`)
    await project.post('/api/workflows/revisions/retrieve', { workflow_ref: { slug: application.slug } })
    const listed = await project.post('/api/applications/revisions/query', {
      application_refs: [{ id: application.id }],
    })
    await project.post('/api/applications/revisions/log', { application: { application_id: application.id } })
    await project.post('/api/applications/revisions/query', { application_refs: [{ slug: 'unknown' }] })
    await eventually(async () => receiver.at('/reads').length === 4)
    const events = new Map(receiver.at('/reads').map(({ body: { event } }) => [event.event_type, event.attributes]))
    for (const verb of ['fetched', 'retrieved'])
      expect(events.get(`workflows.revisions.${verb}`)).toMatchObject({
        count: 1,
        references: { workflow: { id: application.id }, workflow_revision: { id: revision } },
      })
    for (const verb of ['queried', 'logged'])
      expect(events.get(`workflows.revisions.${verb}`)).toMatchObject({
        count: listed.body.count,
        user_id: expect.any(String),
      })
    expect(events.get('workflows.revisions.queried').references).toHaveLength(2)
  })

  test('a test is sent once, for drafts too, and an event again on request', async () => {
    const project = await anew()
    const { id, secret } = await subscribe(project, { url: `${receiver.url}/tested`, event_types: [] })
    const tested = await project.post('/api/webhooks/subscriptions/test', { subscription_id: id })
    expect(tested.body.delivery).toMatchObject({ subscription_id: id, status: { code: '200', message: 'success' } })
    const draft = { data: { url: `${receiver.url}/draft` } }
    const drafted = await project.post('/api/webhooks/subscriptions/test', { subscription: draft })
    expect(drafted.body.delivery).toMatchObject({
      subscription_id: '00000000-0000-0000-0000-000000000000',
      status: { code: '200' },
    })
    expect(receiver.at('/draft')[0]?.body).toMatchObject({
      event: { event_type: 'webhooks.subscriptions.tested', attributes: { subscription_id: 'draft' } },
      subscription: { id: 'draft' },
    })
    expect((await project.get(`/api/webhooks/deliveries/${drafted.body.delivery.id}`)).status).toBe(404)
    const path = `/api/webhooks/deliveries/${tested.body.delivery.id}`
    expect((await project.get(path)).body.delivery).toEqual(tested.body.delivery)
    expect((await project.post(`${path}/redeliver`)).status).toBe(200)
    await eventually(async () => receiver.at('/tested').length === 2)
    const [first, second] = receiver.at('/tested') as [Received, Received]
    expect(second.headers['idempotency-key']).toBe(first.headers['idempotency-key'])
    expect(isSigned(second, secret)).toBe(true)
    expect(second.body.event.event_id).toBe(first.body.event.event_id)
  })
})

test.skipIf(!natsAvailable || !postgresAvailable)('workers that are killed again and again lose nothing', async () => {
  const { faults, commits, requests } = await chaosWebhooks({ kills: isSample ? 1 : 4, tell: () => {} })
  expect(faults).toEqual([])
  expect(requests).toBeGreaterThanOrEqual(commits)
})
