import { randomUUID } from 'node:crypto'
import { type Answer, call, eventually } from '../harness.ts'
import { exportOf, newSpanId, newTraceId, otlpSpan } from '../otlp.ts'

/** Whose credential a request carries. `spare` owns an organization that may be deleted. */
export type Role = 'owner' | 'editor' | 'annotator' | 'viewer' | 'spare' | 'admin' | 'nobody'

/** Where to send, and the administrator's key. */
export interface Addresses {
  apiUrl: string
  receiverUrl: string
  /** Of exports over gRPC; empty if there is none. */
  grpcUrl: string
  adminKey: string
}

/** Ids by what they identify (`workflow`, `workflow_variant`, `trace` …). */
type Ids = Record<string, string[]>

/**
 * The records that the requests of some thousands of plays use: a project with a few records of each kind, members of
 * every role, and an organization to delete. Made anew from time to time, so that lists do not grow for ever.
 */
export interface World {
  /** Values of `Authorization`. */
  authorization: Record<Role, string | undefined>
  /** Left alone by what deletes. */
  kept: Ids
  /** For what deletes, archives and hands over. */
  spare: Ids
  /** Of another user's project. */
  foreign: Ids
  /** Members' of the organization that stays and of the one that may go. */
  emails: { kept: string[]; spare: string[] }
}

/** Records of each kind and their names in the interface. */
export const KINDS: Record<string, string> = {
  workflow: 'workflows',
  application: 'applications',
  evaluator: 'evaluators',
  testset: 'testsets',
  query: 'queries',
  environment: 'environments',
}

const ROLES = ['editor', 'annotator', 'viewer'] as const
const TRACES = 4
const SPARE_RECORDS = 6

type Ask = (method: string, path: string, body?: unknown) => Promise<any>

/** Every request must succeed; throws with the answer otherwise. */
function asking(url: string, authorization: string): Ask {
  return async (method, path, body) => {
    const answer: Answer = await call(url, method, `/api${path}`, authorization, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`)
    return answer.body
  }
}

export async function newWorld(addresses: Addresses, foreign: Ids): Promise<World> {
  const admin = `Access ${addresses.adminKey}`
  const team = await newTeam(asking(addresses.apiUrl, admin))
  const spareTeam = await newTeam(asking(addresses.apiUrl, admin))
  const ask = asking(addresses.apiUrl, team.authorization.owner as string)
  const kept = await newRecords(ask, 'kept')
  const spares: Ids[] = []
  for (let index = 0; index < SPARE_RECORDS; index++) spares.push(await newRecords(ask, `spare-${index}`))
  const authorization = team.authorization.owner as string
  const spareMore = await newExtras(asking(addresses.apiUrl, spareTeam.authorization.owner as string))
  const traces = await newTraces({ ...addresses, authorization })
  return {
    authorization: {
      ...team.authorization,
      admin,
      spare: spareTeam.authorization.owner,
      nobody: undefined,
    } as World['authorization'],
    kept: { ...kept, ...team.ids, ...traces, ...(await newSubscription(ask)) },
    spare: {
      ...merged([...spares, await newSubscription(ask), spareMore, spareTeam.ids]),
      trace: traces.trace?.slice(1) ?? [],
    },
    foreign,
    emails: { kept: team.emails, spare: spareTeam.emails },
  }
}

const merged = (all: readonly Ids[]): Ids => {
  const result: Ids = {}
  for (const ids of all)
    for (const [name, some] of Object.entries(ids)) result[name] = [...(result[name] ?? []), ...some]
  return result
}

/** What an organization's owner can delete; the last of each is kept. */
async function newExtras(ask: Ask): Promise<Ids> {
  const organization = await ask('POST', '/organizations', { name: 'Extra' })
  const project = await ask('POST', '/projects', { name: 'Extra' })
  return { organization: [organization.id], project: [project.id ?? project.project_id] }
}

interface Team {
  authorization: Record<string, string>
  ids: Ids
  emails: string[]
}

/** An organization with an owner and members of all roles, each with a key. */
async function newTeam(ask: Ask): Promise<Team> {
  const mark = randomUUID().slice(0, 8)
  const names = ['owner', ...ROLES]
  const by = <T>(make: (name: string) => T): Record<string, T> =>
    Object.fromEntries(names.map(name => [name, make(name)]))
  const [organization_ref, workspace_ref, project_ref] = [{ ref: 'o' }, { ref: 'w' }, { ref: 'p' }]
  const member = (scope: object): object =>
    Object.fromEntries(ROLES.map(role => [role, { ...scope, user_ref: { ref: role }, role }]))
  const { accounts } = await ask('POST', '/admin/accounts', {
    options: { create_api_keys: true, return_api_keys: true },
    users: by(name => ({ email: `${name}-${mark}@fuzz.test` })),
    organizations: { o: { name: 'Fuzz', owner_user_ref: { ref: 'owner' } } },
    workspaces: { w: { name: 'Fuzz', organization_ref } },
    projects: { p: { name: 'Fuzz', organization_ref, workspace_ref } },
    organization_memberships: member({ organization_ref }),
    workspace_memberships: member({ workspace_ref }),
    project_memberships: member({ project_ref }),
    api_keys: by(name => ({ project_ref, user_ref: { ref: name } })),
  })
  const [account] = accounts
  const idsOf = (records: object): string[] => Object.values(records).map((one: any) => one.id)
  return {
    authorization: by(name => `ApiKey ${account.api_keys[name].value}`),
    emails: names.map(name => `${name}-${mark}@fuzz.test`),
    ids: {
      organization: idsOf(account.organizations),
      workspace: idsOf(account.workspaces),
      project: idsOf(account.projects),
      user: idsOf(account.users),
      membership: idsOf(account.project_memberships),
      'api-key': idsOf(account.api_keys),
      key: Object.values(account.api_keys).map((one: any) => one.prefix),
    },
  }
}

const DATA: Record<string, object> = {
  testset: { testcases: [{ data: { question: 'why', answer: 'so' } }, { data: { question: 'when', n: 1 } }] },
  query: { filtering: { conditions: [{ field: 'span_name', operator: 'is', value: 'step' }] } },
  application: {
    uri: 'agenta:builtin:completion:v0',
    parameters: { prompt: { messages: [{ role: 'user', content: '{{x}}' }] } },
  },
  evaluator: { uri: 'agenta:builtin:auto_exact_match:v0', parameters: { correct_answer_key: 'answer' } },
}

/** One record of each kind. */
async function newRecords(ask: Ask, name: string): Promise<Ids> {
  const ids: Ids = {}
  for (const [kind, plural] of Object.entries(KINDS)) {
    const { [kind]: record } = await ask('POST', `/simple/${plural}/`, {
      [kind]: { slug: `${name}-${kind}`, name, ...(DATA[kind] && { data: DATA[kind] }) },
    })
    ids[kind] = [record.id]
    ids[`${kind}_variant`] = [record.variant_id]
    ids[`${kind}_revision`] = [record.revision_id]
    if (kind === 'testset') ids.testcase = record.data.testcase_ids
  }
  const { folder } = await ask('POST', '/folders', { folder: { slug: name, name } })
  const secret = { kind: 'provider_key', data: { kind: 'openai', provider: { key: 'k' } } }
  const { id } = await ask('POST', '/secrets', { slug: name, header: { name }, secret })
  return { ...ids, folder: [folder.id], secret: [id], ...(await newRun(ask)) }
}

/** An evaluation run with a scenario. */
async function newRun(ask: Ask): Promise<Ids> {
  const {
    runs: [run],
  } = await ask('POST', '/evaluations/runs/', { runs: [{ name: 'Fuzz' }] })
  const { scenarios } = await ask('POST', '/evaluations/scenarios/', { scenarios: [{ run_id: run.id }] })
  return { run: [run.id], evaluation: [run.id], scenario: scenarios.map(({ id }: { id: string }) => id) }
}

/** A webhook to an address that no name server knows. */
async function newSubscription(ask: Ask): Promise<Ids> {
  const { subscription } = await ask('POST', '/webhooks/subscriptions', {
    subscription: { data: { url: 'https://fuzz.invalid/' }, secret: randomUUID() },
  })
  return { subscription: [subscription.id] }
}

/** A few small traces, stored when this resolves. */
async function newTraces({ apiUrl, receiverUrl, authorization }: Addresses & { authorization: string }): Promise<Ids> {
  const spans = Array.from({ length: TRACES }, () => {
    const root = otlpSpan({ traceId: newTraceId(), spanId: newSpanId() }, { 'ag.data.inputs': '{"x":1}' })
    return [root, otlpSpan({ traceId: root.traceId, spanId: newSpanId(), parentSpanId: root.spanId })]
  }).flat()
  await asking(receiverUrl, authorization)('POST', '/otlp/v1/traces', exportOf(...spans))
  const trace = [...new Set(spans.map(({ traceId }) => traceId))]
  const ask = asking(apiUrl, authorization)
  const span = spans.map(({ spanId }) => spanId)
  await eventually(async () => (await ask('GET', `/spans/?trace_ids=${trace.join()}`)).count === spans.length)
  return { trace, span }
}
