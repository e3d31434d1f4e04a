import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { eventually, newProject, type TestProject } from '../../harness.ts'
import { HookReceiver, isSigned, type Received } from '../../hook-receiver.ts'
import { startRole, startStores } from '../../sets/networked.ts'

export interface WebhookChaosOptions {
  /** How often a worker is killed with SIGKILL. */
  kills: number
  tell(event: string): void
}

export interface WebhookChaosResult {
  kills: number
  commits: number
  /** Requests that the receiver got: more than commits, since a killed worker may not have recorded its success. */
  requests: number
  faults: string[]
}

const OPEN = { SPANHOUSE_OUTBOUND_OPEN: 'true' }
const WORKERS = 2
const COMMITS_PER_KILL = 10
/** Holds attempts open, so that workers are killed in the middle of them. */
const ANSWER_MS = 200
/** Longer than the claim of a killed worker on unfinished deliveries. */
const SETTLED_MS = 90_000

/**
 * Commits while workers are killed one after the other. Each commit must reach the receiver, signed, and each time
 * under the same id; and in the end each delivery is recorded as a success.
 */
export async function chaosWebhooks({ kills, tell }: WebhookChaosOptions): Promise<WebhookChaosResult> {
  const folder = await mkdtemp(join(tmpdir(), 'spanhouse-chaos-webhooks-'))
  const stores = await startStores()
  const receiver = await new HookReceiver().start()
  receiver.answering = response => void setTimeout(() => response.end(), ANSWER_MS)
  const api = await startRole('api', { stores, dataDir: join(folder, 'api'), env: OPEN })
  const startWorker = (number: number): Promise<ServerProcess> =>
    startRole('worker', { stores, dataDir: join(folder, `worker-${number}`), like: api, env: OPEN })
  const workers = await Promise.all(Array.from({ length: WORKERS }, (_, number) => startWorker(number)))
  try {
    const project = await newProject({ apiUrl: api.url, receiverUrl: api.url, adminKey: api.adminKey })
    const commits = await Commits.begin(project, receiver)
    for (let kill = 0; kill < kills; kill++) {
      const before = receiver.received.length
      for (let count = 0; count < COMMITS_PER_KILL; count++) await commits.add()
      await eventually(async () => receiver.received.length > before, SETTLED_MS)
      await workers[kill % WORKERS]?.kill()
      tell(
        `killed worker ${kill + 1} of ${kills}; ${commits.missing().length} of ${commits.count} commits not yet there`,
      )
      workers[kill % WORKERS] = await startWorker(kill % WORKERS)
    }
    const faults = await commits.faults()
    return { kills, commits: commits.count, requests: receiver.received.length, faults }
  } finally {
    await Promise.all([...workers, api].map(one => one.stop()))
    await receiver.kill()
    await stores.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const DATA = { uri: 'agenta:builtin:echo:v0', parameters: {} }
const revisionOf = ({ body }: Received): string => body.event.attributes.references.workflow_revision.id

/** Commits of one application, and what the receiver got of them. */
class Commits {
  readonly #project: TestProject
  readonly #receiver: HookReceiver
  readonly #secret: string
  readonly #application: { id: string; variant_id: string }
  readonly #revisions: string[] = []

  private constructor(project: TestProject, receiver: HookReceiver, made: { secret: string; application: any }) {
    this.#project = project
    this.#receiver = receiver
    this.#secret = made.secret
    this.#application = made.application
  }

  static async begin(project: TestProject, receiver: HookReceiver): Promise<Commits> {
    const { application } = await posted(project, '/simple/applications', { application: { slug: 'a', data: DATA } })
    const data = { url: receiver.url, event_types: ['workflows.revisions.committed'] }
    const { subscription } = await posted(project, '/webhooks/subscriptions', { subscription: { data } })
    return new Commits(project, receiver, { secret: subscription.secret, application })
  }

  get count(): number {
    return this.#revisions.length
  }

  async add(): Promise<void> {
    const { id, variant_id } = this.#application
    const data = { ...DATA, parameters: { number: this.count } }
    const revision = { application_id: id, application_variant_id: variant_id, data }
    const made = await posted(this.#project, '/applications/revisions/commit', { application_revision: revision })
    this.#revisions.push(made.application_revision.id)
  }

  /** Those that have not reached the receiver. */
  missing(): string[] {
    const told = new Set(this.#receiver.received.map(revisionOf))
    return this.#revisions.filter(id => !told.has(id))
  }

  /** Waits for all deliveries, and returns what is wrong. */
  async faults(): Promise<string[]> {
    await eventually(async () => this.missing().length === 0, SETTLED_MS).catch(() => undefined)
    const { received } = this.#receiver
    const ids = Map.groupBy(received, revisionOf)
      .entries()
      .filter(([, all]) => new Set(all.map(({ headers }) => headers['idempotency-key'])).size > 1)
    const recorded = async (): Promise<boolean> => {
      const query = { delivery: { status: { code: '200' } }, windowing: { limit: 10_000 } }
      return (await posted(this.#project, '/webhooks/deliveries/query', query)).count === this.count
    }
    const isRecorded = await eventually(recorded, SETTLED_MS).catch(() => false)
    return [
      ...this.missing().map(id => `the receiver was never told of ${id}`),
      ...[...ids].map(([id]) => `${id} had several delivery ids`),
      ...received.filter(one => !isSigned(one, this.#secret)).map(one => `${revisionOf(one)} had a wrong signature`),
      ...(isRecorded ? [] : ['not every delivery is recorded as a success']),
    ]
  }
}

async function posted(project: TestProject, path: string, body: object): Promise<any> {
  const { status, body: answer, text } = await project.post(`/api${path}`, body)
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
  return answer
}
