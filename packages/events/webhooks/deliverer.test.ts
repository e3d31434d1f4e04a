import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openVault } from '@spanhouse/access'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { expect, test } from 'vitest'
import { makeAccount, principalOf } from '../../access/account.testing.ts'
import { recordEvents } from '../log/record.ts'
import { Deliverer } from './deliverer.ts'
import { createSubscription } from './subscriptions.ts'

onEachDatabase('the deliverer of webhooks', postgres => {
  test('an attempt that lasts keeps its claim, so the event is sent once', async () => {
    const { db } = postgres()
    const vault = openVault('the secret key')
    const { project_id, user_id } = await principalOf(db, await makeAccount(db))
    const received: ServerResponse[] = []
    const receiver = createServer((_request, response) => void received.push(response))
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const outbound = { isOpen: true }
    const scope = { db, vault, outbound, project_id, user_id, maySeeSecrets: false }
    await createSubscription(scope as never, { data: { url } } as never)
    const type = 'workflows.revisions.committed'
    await recordEvents(db, [{ project_id, type, attributes: {} }])
    const queued = () => db.selectFrom('webhook_queue').select('due_at').execute()
    const deliverer = new Deliverer({ db, vault, outbound, onAttempt: () => undefined, onError: () => undefined })
    await expect.poll(() => received.length, { timeout: 5_000 }).toBe(1)
    const claimed = await queued()
    await expect.poll(queued, { timeout: 8_000, interval: 500 }).not.toEqual(claimed)
    const renewed = await queued()
    expect(Date.parse(String(renewed[0]?.due_at))).toBeGreaterThan(Date.parse(String(claimed[0]?.due_at)))
    received[0]?.end('ok')
    await expect.poll(queued, { timeout: 5_000 }).toEqual([])
    await delay(500)
    expect(received).toHaveLength(1)
    await deliverer.stop()
    receiver.close()
  })

  test('a template with a NUL is sent as it is, once, and holds up no other', async () => {
    const { db } = postgres()
    const vault = openVault('the secret key')
    const { project_id, user_id } = await principalOf(db, await makeAccount(db))
    const received: string[] = []
    const receiver = createServer(async (request, response) => {
      received.push(Buffer.concat(await request.toArray()).toString())
      response.end()
    })
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const outbound = { isOpen: true }
    const scope = { db, vault, outbound, project_id, user_id, maySeeSecrets: false }
    for (const payload_fields of [{ a: 'x\0y' }, { a: 'z' }])
      await createSubscription(scope as never, { data: { url, payload_fields } } as never)
    await recordEvents(db, [{ project_id, type: 'workflows.revisions.committed', attributes: {} }])
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const deliverer = new Deliverer({ db, vault, outbound, onAttempt: () => undefined, onError })
    const stored = () =>
      db.selectFrom('webhook_deliveries').select('data').where('project_id', '=', project_id).execute()
    await expect.poll(async () => (await stored()).length, { timeout: 5_000 }).toBe(2)
    await deliverer.stop()
    receiver.close()
    expect(received.toSorted()).toEqual(['{"a":"x\\u0000y"}', '{"a":"z"}'])
    expect((await stored()).map(({ data }: any) => data.payload.a).toSorted()).toEqual(['x\ufffdy', 'z'])
    expect(errors).toEqual([])
  })
})
