import { Problem } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { HostedWorkflows, type HostedWorkflowsParts } from './hosted-workflows.ts'

/** More would be asked for without end, if nothing else had its turn meanwhile. */
const ASKED_MAX = 1_000

test('a call that is refused a slot does not keep the process from freeing one', async () => {
  let isFree = false
  let asked = 0
  const take = async () => {
    asked++
    if (!isFree && asked < ASKED_MAX) throw new Problem('too_many_requests', 'Too many wait.')
    return () => {}
  }
  const workflows = new HostedWorkflows({
    services: {
      registry: { runtime: { servicesUrl: 'http://services.test', uriPrefix: 'agenta' } },
      errorsUrl: () => '',
      openMeans: () => ({}),
      traces: { publish: async () => {}, hold: () => {} },
    },
    authenticator: { workerFor: async () => ({ role: 'owner', permissions: new Set() }) },
    shares: { take },
    log: { error: () => {} },
  } as unknown as HostedWorkflowsParts)
  const data = { uri: 'agenta:custom:mock:v0', parameters: { key: 'static', kwargs: { output: 'Lima' } } }
  const workflow = await workflows.open({ project_id: 'p', user_id: 'u' }, { id: 'r', data })
  setTimeout(() => {
    isFree = true
  })
  const request = { trace_id: '1'.repeat(32), flags: {}, references: {}, links: {} }
  const { traced } = await workflow.call(request as never, new AbortController().signal)
  expect(traced.outputs).toBe('Lima')
  expect(asked).toBe(2)
})
