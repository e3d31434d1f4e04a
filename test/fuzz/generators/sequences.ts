import type { Answer, Shot } from '../exchange.ts'
import { jsonBomb } from '../inputs/bombs.ts'
import { encoded } from '../inputs/encode.ts'
import { largeTrace, soundExport } from '../inputs/exports.ts'
import { costlyFilter } from '../inputs/questions.ts'
import { raw, toJsonText } from '../inputs/raw-json.ts'
import type { Role } from '../world.ts'
import type { Generator, Play } from './generator.ts'

/** A JSON request of an attack, counted under the attack's operation. */
const ask = (method: string, path: string, as: Role, body?: unknown): Shot => ({
  name: `${method} ${path.replaceAll(/[0-9a-f-]{32,36}/g, '{id}').split('?')[0]}`,
  method,
  path: `/api${path}`,
  as,
  ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: toJsonText(body) }),
})

/** The same in gzip: a few kilobytes on the wire. */
function zipped(shot: Shot): Shot {
  const { body, headers } = encoded(shot.body ?? '', 'gzip')
  return { ...shot, body, headers: { ...shot.headers, ...headers } }
}

/** The members of an answer, if it is JSON that was read whole. */
function jsonOf({ status, text }: Answer): any {
  if (status !== 200 && status !== 202) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const together = (times: number, send: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: times }, send))

/** Sizes of an attack: mostly some that any server takes, now and then one that hurts. */
const sized = <T>({ random }: Play, small: T, large: T): T => (random.chance(0.75) ? small : large)

/** Commits a delta to a new testset of so many rows. */
async function toTestset(play: Play, rows: number, delta: unknown): Promise<unknown> {
  const { random, send } = play
  const slug = `f-${random.hex(10)}`
  const testcases = Array.from({ length: rows }, (_, at) => ({ data: { [`c${at % 3}`]: at } }))
  const made = jsonOf(await send(ask('POST', '/simple/testsets/', 'owner', { testset: { slug, data: { testcases } } })))
  if (!made) return undefined
  const { id, variant_id } = made.testset
  const revision = { testset_id: id, testset_variant_id: variant_id, slug: `f-${random.hex(10)}`, delta }
  return send(zipped(ask('POST', '/testsets/revisions/commit', 'owner', { testset_revision: revision })))
}

/**
 * Commits revisions with these parameters and their number to a new workflow; resolves with its references. A revision
 * that is like the one before is none.
 */
async function workflowOf(
  play: Play,
  parameters: object,
  revisions: number,
): Promise<Record<string, string> | undefined> {
  const { random, send } = play
  const made = jsonOf(
    await send(ask('POST', '/simple/workflows/', 'owner', { workflow: { slug: `f-${random.hex(10)}` } })),
  )
  if (!made) return undefined
  const { id, variant_id } = made.workflow
  for (let count = 0; count < revisions; count++) {
    const data = { uri: 'agenta:builtin:completion:v0', parameters: { ...parameters, count } }
    const revision = { workflow_id: id, workflow_variant_id: variant_id, slug: `f-${random.hex(10)}`, data }
    await send(zipped(ask('POST', '/workflows/revisions/commit', 'owner', { workflow_revision: revision })))
  }
  return { id, variant_id }
}

/** Attacks of several steps: something large is made first and read then, or many do the same at once. */
export const SEQUENCES: readonly Generator[] = [
  {
    name: 'a testset of many columns as CSV',
    weight: 0.1,
    play: async play => {
      const { random, send } = play
      const [rows, columns] = sized(play, [50, 20], [2_000, 250])
      const testcases = Array.from({ length: rows }, (_, row) => ({
        data: Object.fromEntries(Array.from({ length: columns }, (_, at) => [`c${row}x${at}`, 1])),
      }))
      const testset = { slug: `f-${random.hex(10)}`, data: { testcases } }
      const made = jsonOf(await send(zipped(ask('POST', '/simple/testsets/', 'owner', { testset }))))
      const id = made?.testset.id
      if (id)
        for (const type of ['csv', 'json'])
          await send(ask('POST', `/simple/testsets/${id}/download?file_type=${type}`, 'viewer'))
    },
  },
  {
    name: 'many columns at once',
    weight: 0.15,
    play: play => {
      const [rows, count] = sized(play, [20, 50], [5_000, 5_000])
      const names = Array.from({ length: count }, (_, at) => `n${at}`)
      const columns = play.random.pick([
        { add: names },
        { remove: names },
        { replace: names.map(name => [name, `${name}x`]) },
      ])
      return toTestset(play, rows, { columns })
    },
  },
  {
    name: 'one column again and again',
    weight: 0.1,
    play: play =>
      toTestset(play, sized(play, 20, 2_000), { columns: { remove: raw('texts', sized(play, 100, 300_000)) } }),
  },
  {
    name: 'large revisions in lists',
    weight: 0.1,
    play: async play => {
      const { send } = play
      const bytes = sized(play, 20_000, 9_000_000)
      const found = await workflowOf(play, { text: raw('letters', bytes) }, 3)
      if (!found) return
      const refs = { workflow_refs: [{ id: found.id }] }
      await together(2, () => send(ask('POST', '/workflows/revisions/query', 'viewer', refs)))
      await send(ask('POST', '/workflows/revisions/log', 'viewer', { workflow_variant_ref: { id: found.variant_id } }))
    },
  },
  {
    name: 'many revisions',
    weight: 0.05,
    play: async play => {
      const found = await workflowOf(play, { text: 'small' }, sized(play, 10, 100))
      await play.send(ask('POST', '/workflows/revisions/query', 'viewer', { workflow_refs: [{ id: found?.id }] }))
    },
  },
  {
    name: 'edits of texts that are costly to search',
    weight: 0.2,
    play: async play => {
      const { random, send } = play
      const kind = random.pick(['blanks', 'letters', 'braces', 'hashes'] as const)
      const found = await workflowOf(play, { text: raw(kind, sized(play, 300, 80_000)) }, 1)
      const edits = [{ old_text: random.pick([' x', 'aab', '{{ x', '#/']), new_text: '' }]
      const delta = { operations: [{ operation: 'edit_text', target: ['parameters', 'text'], edits }] }
      const revision = {
        workflow_id: found?.id,
        workflow_variant_id: found?.variant_id,
        slug: `f-${random.hex(10)}`,
        delta,
      }
      await send(ask('POST', '/workflows/revisions/commit', 'owner', { workflow_revision: revision }))
    },
  },
  {
    name: 'tokens of snippets without an end',
    weight: 0.2,
    play: async play => {
      const text = `@{{workflow.slug=kept-workflow${' '.repeat(1_000)}`.repeat(sized(play, 5, 8_000))
      const found = await workflowOf(play, { text }, 1)
      const body = { workflow_ref: { id: found?.id }, resolve: true }
      await play.send(ask('POST', '/workflows/revisions/retrieve', 'viewer', body))
      await play.send(ask('POST', '/workflows/revisions/resolve', 'viewer', body))
    },
  },
  {
    name: 'schemas that are costly to check',
    weight: 0.3,
    play: async play => {
      const { random, send } = play
      const size = sized(play, 100, 20_000)
      const outputs = random.pick<object>([
        { $schema: raw('hashes', size * 3) },
        { $schema: 'http://json-schema.org/draft-04/schema#', enum: raw('empties', size) },
        { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
        { type: 'object', patternProperties: { '^(a|a)*$': { type: 'string' } } },
        { uniqueItems: true, type: 'array', default: raw('ones', size) },
        { $ref: '#' },
        { allOf: raw('objects', Math.min(size, 4_000)) },
      ])
      const slug = `f-${random.hex(10)}`
      const data = { uri: 'agenta:custom:feedback:v0', schemas: { outputs } }
      await send(ask('POST', '/simple/evaluators/', 'owner', { evaluator: { slug, data } }))
      const annotation = {
        data: { outputs: { a: `${'a'.repeat(30)}!`, [`${'a'.repeat(30)}!`]: 'x' } },
        references: { evaluator: { slug } },
        links: { invocation: { trace_id: play.world.kept.trace?.[0], span_id: play.world.kept.span?.[0] } },
      }
      await send(ask('POST', '/annotations/', 'annotator', { annotation }))
    },
  },
  {
    name: 'a large trace read by six',
    weight: 0.1,
    play: async play => {
      const { random, send } = play
      const [spans, bytes] = sized(play, [200, 500], [20_000, 10_000])
      const { traceId, type, bytes: body } = largeTrace(random, spans, bytes)
      const packed = encoded(body, 'gzip')
      const shot = ask('POST', '/otlp/v1/traces', 'annotator')
      await send({ ...shot, body: packed.body, headers: { ...packed.headers, 'content-type': type } })
      for (let tries = 0; tries < 20; tries++) {
        const found = await send(ask('GET', `/spans/?trace_id=${traceId}`, 'viewer'))
        if (found.bytes > spans * 100) break
      }
      await together(6, () => send(ask('GET', `/traces/${traceId}`, 'viewer')))
    },
  },
  {
    name: 'listeners with costly filters',
    weight: 0.2,
    play: async play => {
      const { random, send } = play
      const listeners = together(random.pick([2, 20]), () => {
        const filter = encodeURIComponent(toJsonText(costlyFilter(random)).slice(0, 12_000))
        return send({ ...ask('GET', `/spans/tail?filter=${filter}`, 'viewer'), listenMs: 4_000 })
      })
      for (let count = 0; count < 3; count++) {
        const { bytes } = soundExport(random)
        const shot = ask('POST', '/otlp/v1/traces', 'annotator')
        await send({ ...shot, body: bytes, headers: { 'content-type': 'application/json' } })
      }
      await listeners
    },
  },
  {
    name: 'a flood of costly questions',
    weight: 0.1,
    play: play =>
      together(sized(play, 6, 40), () => {
        const path = play.random.pick(['/spans/query', '/traces/query', '/spans/analytics/query'])
        return play.send(
          ask('POST', path, 'viewer', { filtering: costlyFilter(play.random), windowing: { limit: 10_000 } }),
        )
      }),
  },
  {
    name: 'bombs at once',
    weight: 0.1,
    play: play => {
      const path = play.random.pick([
        '/auth/reset-password',
        '/folders/query',
        '/tracing/spans/ingest',
        '/traces/ingest',
      ])
      const as = path.startsWith('/auth') ? 'nobody' : path.startsWith('/folders') ? 'viewer' : 'annotator'
      const { body, headers } = jsonBomb(play.random)
      return together(sized(play, 2, 4), () => play.send({ ...ask('POST', path, as, {}), body, headers }))
    },
  },
  {
    name: 'slow uploads at once',
    weight: 0.1,
    play: play => {
      const body = Buffer.alloc(sized(play, 60_000, 8_000_000), '[')
      const path = play.random.pick(['/auth/reset-password', '/spans/query', '/otlp/v1/traces'])
      const as = path.startsWith('/auth') ? 'nobody' : 'owner'
      return together(8, () => play.send({ ...ask('POST', path, as, {}), body, manner: 'slow' }))
    },
  },
  {
    name: 'deep members that are stored',
    weight: 0.3,
    play: async play => {
      const deep = raw('objects', sized(play, 100, play.random.pick([190, 210, 1_000, 1_990, 7_000])))
      const organization = play.world.spare.organization?.[0]
      const provider = { url: 'https://fuzz.invalid', version: '1', key: 'k', extras: { deep } }
      const secret = {
        kind: 'custom_provider',
        data: { kind: 'custom', provider, models: [{ slug: 'm', extras: { deep } }] },
      }
      const email = `${play.random.hex(10)}@fuzz.test`
      await play.send(
        play.random.pick([
          ask('PATCH', `/organizations/${organization}`, 'spare', { name: 'Deep', flags: { deep } }),
          ask('POST', '/secrets', 'owner', { slug: `f-${play.random.hex(10)}`, header: { name: 'N' }, secret }),
          ask('POST', '/admin/accounts', 'admin', {
            users: { u: { email } },
            organizations: { o: { name: 'O', metadata: { deep } } },
          }),
          ask('POST', '/workflows', 'owner', { workflow: { slug: `f-${play.random.hex(10)}`, meta: { deep } } }),
          ask('POST', '/simple/traces', 'owner', { trace: { data: { outputs: { deep } } } }),
        ]),
      )
    },
  },
  {
    name: 'addresses that are costly to read',
    weight: 0.2,
    play: ({ random, send }) => {
      const size = random.pick([100, 5_000, 80_000])
      const path = random.pick(['/', '//', '/../', '%2f', '@', ':', '[', '?'])
      const provider = { kind: 'custom', provider: { url: `https://fuzz.invalid${path.repeat(size)}`, key: 'k' } }
      return send(ask('POST', '/providers/probe', 'owner', { kind: 'custom_provider', data: provider, provider }))
    },
  },
]
