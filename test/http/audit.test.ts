import { expect, inject, test } from 'vitest'
import { ask, call } from '../harness.ts'
import { keepAccounts } from './day/accounts.ts'
import { newDay } from './day/caller.ts'
import { evaluate } from './day/evaluations.ts'
import { keepRegistry } from './day/registry.ts'
import { removeTraces } from './day/traces.ts'
import { subscribe } from './day/webhooks.ts'

const { apiUrl, adminKey } = inject('target')

/** They are not GET, but read: the question is in the body. */
const READS =
  /\/(query|export|log|retrieve|resolve|download|analytics|rows|previews|count|facets|groups|compare|cases|fetch|inspect|probe)$/

const SQL_READERS: [RegExp, string] = [/sql-reader$/, 'the set has a ClickHouse that takes its users from files alone']

/** What changes something and has no event of its own, and why. */
const EXCEPTIONS: [operations: RegExp, reason: string][] = [
  [
    /^POST .*\/(otlp\/v1\/traces|ingest)$|^(POST|PUT) (\/tracing)?\/traces(\/\{trace_id\})?$/,
    'spans name who sent them',
  ],
  [/^(POST|PATCH) \/(simple\/traces|annotations|invocations)(\/\{trace_id\})?$/, 'spans name who sent and edited them'],
  [/^POST \/services\//, 'runs leave traces, which name who ran what'],
  [/^POST \/auth\/reset-password$/, 'who follows a link has no credential; the link itself has an event'],
  [/\/memberships\/\{membership_id\}$/, 'always refused'],
  [/^POST \/admin\/simple\/accounts\/workspaces$/, 'creates nothing: an organization has one workspace from the start'],
  ...(inject('target').set === 'embedded' ? [] : [SQL_READERS]),
  [/^POST .*\/refresh$/, 'computes again what follows from other rows'],
]

/** `GET /a/{b}` of each operation of the OpenAPI document. */
async function operations(): Promise<string[]> {
  const { paths } = (await ask(`${apiUrl}/api/openapi.json`)).body
  return Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
}

/** The operations that events name since this time. */
async function loggedSince(since: string): Promise<Set<string>> {
  const logged = new Set<string>()
  let windowing: object | undefined = { limit: 1_000, oldest: since }
  while (windowing) {
    const { status, body, text } = await call(apiUrl, 'POST', '/api/admin/events/query', `Access ${adminKey}`, {
      windowing,
    })
    if (status !== 200) throw new Error(text)
    for (const { actor } of body.events) if (actor) logged.add(String(actor.operation).replaceAll(/:(\w+)/g, '{$1}'))
    windowing = body.windowing
  }
  return logged
}

test('the log names every writing operation of the interface after a day on which each was called', async () => {
  const since = new Date().toISOString()
  const day = await newDay()
  await keepRegistry(day)
  await evaluate(day)
  await keepAccounts(day)
  await subscribe(day)
  await removeTraces(day)
  const logged = await loggedSince(since)
  const writing = (await operations()).filter(
    operation =>
      !operation.startsWith('GET ') && !READS.test(operation) && !EXCEPTIONS.some(([exempt]) => exempt.test(operation)),
  )
  expect(writing.length).toBeGreaterThan(200)
  expect(writing.filter(operation => !logged.has(operation))).toEqual([])
})
