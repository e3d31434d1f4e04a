import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { postgresAvailable, startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { newApiKey, sendTo } from './api.ts'
import { quantile, rounded } from './measured.ts'

const RECEIVERS = 200
/** They accept connections and never answer. */
const DEAD = RECEIVERS / 10
const COMMITS = 40
const AT_ONCE = 8
const LATENCIES = 400
const SUBSCRIPTIONS = 10

/**
 * Deliveries a second to 200 receivers in another thread, 20 of which never answer, while commits make events for all
 * of them; and how long a commit takes in a project with ten subscriptions and in one without, in turn.
 */
export async function benchWebhooks(): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-webhooks-'))
  const postgres = postgresAvailable ? await startPostgres() : undefined
  const env = { SPANHOUSE_OUTBOUND_OPEN: 'true', ...(postgres && { DATABASE_URL: postgres.url }) }
  const server = await startServerProcess({ dataDir, env })
  const receivers = new Worker(new URL('./webhook-receivers.ts', import.meta.url), {
    workerData: { alive: RECEIVERS - DEAD, dead: DEAD },
  })
  try {
    const [{ urls, fast, counts }] = (await once(receivers, 'message')) as [Listening]
    return {
      database: postgres ? 'Postgres' : 'embedded',
      ...(await deliver(server, urls, counts)),
      commitMs: await compareCommits(server, fast),
    }
  } finally {
    await server.stop()
    await receivers.terminate()
    await postgres?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function deliver(server: ServerProcess, urls: readonly string[], counts: Int32Array): Promise<object> {
  const project = await newProject(server)
  await Promise.all(urls.map(url => project.subscribe(url)))
  const applications = await Promise.all(Array.from({ length: AT_ONCE }, () => project.application()))
  // Creating them made events too.
  await untilReceived(counts, 2 * AT_ONCE * (RECEIVERS - DEAD))
  const before = counts[0] as number
  const [started, cpuBefore] = [performance.now(), await server.cpuSeconds()]
  await Promise.all(
    applications.map(async application => {
      for (let commit = 0; commit < COMMITS / AT_ONCE; commit++) await project.commit(application, String(commit))
    }),
  )
  const commits = AT_ONCE * Math.ceil(COMMITS / AT_ONCE)
  const committedSeconds = (performance.now() - started) / 1000
  const deliveries = commits * (RECEIVERS - DEAD)
  await untilReceived(counts, before + deliveries)
  const seconds = (performance.now() - started) / 1000
  const cpuMs = ((await server.cpuSeconds()) - cpuBefore) * 1000
  return {
    receivers: RECEIVERS,
    dead: DEAD,
    deliveries,
    seconds: rounded(seconds),
    committedSeconds: rounded(committedSeconds),
    deliveriesPerSecond: Math.round(deliveries / seconds),
    cpuMsPerDelivery: rounded(cpuMs / deliveries),
  }
}

async function untilReceived(counts: Int32Array, count: number): Promise<void> {
  const end = performance.now() + 120_000
  while ((counts[0] as number) < count) {
    if (performance.now() > end) throw new Error(`only ${counts[0]} of ${count} deliveries arrived`)
    await delay(10)
  }
}

async function compareCommits(server: ServerProcess, url: string): Promise<object> {
  const projects = { without: await newProject(server), with: await newProject(server) }
  for (let count = 0; count < SUBSCRIPTIONS; count++) await projects.with.subscribe(url)
  const times: Record<keyof typeof projects, number[]> = { without: [], with: [] }
  const applications = { without: await projects.without.application(), with: await projects.with.application() }
  for (let commit = 0; commit < LATENCIES; commit++)
    for (const name of ['without', 'with'] as const) {
      const begin = performance.now()
      await projects[name].commit(applications[name], String(commit))
      times[name].push(performance.now() - begin)
    }
  const figures = (share: number) => {
    const at = (name: keyof typeof projects): number => quantile(times[name].slice(LATENCIES / 4), share)
    return { without: rounded(at('without')), with: rounded(at('with')), ratio: rounded(at('with') / at('without')) }
  }
  return { p50: figures(0.5), p95: figures(0.95) }
}

/** What the receivers tell of themselves. */
interface Listening {
  urls: string[]
  /** Answers at once, and counts nothing. */
  fast: string
  counts: Int32Array
}

interface Application {
  id: string
  variant_id: string
}

/** A project of its own, and what is done in it. */
async function newProject(server: ServerProcess) {
  const target = { url: server.url, apiKey: await newApiKey(server) }
  const post = (path: string, body: object) => sendTo(target, 'POST', path, body)
  const data = (tone: string) => ({ uri: 'agenta:builtin:echo:v0', parameters: { tone } })
  return {
    subscribe: (url: string): Promise<unknown> => {
      const subscription = { data: { url, event_types: ['workflows.revisions.committed'] } }
      return post('/webhooks/subscriptions', { subscription })
    },
    application: async (): Promise<Application> => {
      const application = { slug: `a${crypto.randomUUID()}`, data: data('first') }
      return (await post('/simple/applications', { application })).application
    },
    commit: ({ id, variant_id }: Application, tone: string): Promise<unknown> => {
      const revision = { application_id: id, application_variant_id: variant_id, data: data(tone) }
      return post('/applications/revisions/commit', { application_revision: revision })
    },
  }
}
