import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { call, eventually } from '../../harness.ts'
import type { Day } from './caller.ts'

/** Each surface with the name of its record and what the record refers to. */
const SURFACES = [
  ['/simple/traces', 'trace', { application: { slug: 'a' } }],
  ['/invocations', 'invocation', { application: { slug: 'a' } }],
  ['/annotations', 'annotation', { evaluator: { slug: 'e' } }],
] as const

/** Deletes traces on every surface, and handles dead letters. */
export async function removeTraces({ as, host }: Day): Promise<void> {
  for (const [path, name, references] of SURFACES) {
    const create = async (): Promise<string> => {
      const { trace_id } = (await as('POST', path, { [name]: { data: { outputs: { x: 1 } }, references, links: {} } }))[
        name
      ]
      await eventually(async () => (await host.ask('GET', `${path}/${trace_id}`)).body.count === 1)
      return trace_id
    }
    await as('DELETE', `${path}/${await create()}`)
    if (name === 'trace')
      for (const prefix of ['', '/tracing']) await as('DELETE', `${prefix}/traces/${await create()}`)
  }
  const { apiUrl, adminKey } = inject('target')
  // There is no letter with this id: who asked for what is recorded before it is done.
  const letter = `/api/admin/dead-letters/${randomUUID()}`
  await call(apiUrl, 'POST', `${letter}/replay`, `Access ${adminKey}`)
  await call(apiUrl, 'DELETE', letter, `Access ${adminKey}`)
  // Nor is there another shard to add.
  await call(apiUrl, 'POST', '/api/admin/cluster/shards', `Access ${adminKey}`)
  // And a stream never gets fewer partitions.
  await call(apiUrl, 'POST', '/api/admin/cluster/partitions', `Access ${adminKey}`, { partitions: 1 })
}
