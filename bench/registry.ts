import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, newId, openPostgres, sql } from '@spanhouse/postgres'
import {
  changedReferences,
  commitRevision,
  findSimple,
  KINDS,
  type KindName,
  listSimple,
  registrySeed,
  retrieveRevision,
  type Scope,
} from '@spanhouse/registry'
import { quantile, rounded } from './measured.ts'

const ROUNDS = 300
/** Not counted: V8 compiles and the database fills its caches. */
const WARM_UP_ROUNDS = 50
const RUNTIME = { servicesUrl: 'http://127.0.0.1/services', uriPrefix: 'agenta' }

interface Figures {
  p50Ms: number
  p95Ms: number
  /** Without `begin` and `commit`. */
  statements: number
}

/**
 * Reads and commits on applications of ten revisions each, 1 KB of data a revision, in one project. On `DATABASE_URL`
 * when it is set (an empty database, which is left filled), otherwise on the embedded database.
 */
export async function benchRegistry({ artifacts }: { artifacts: number }): Promise<object> {
  const url = process.env.DATABASE_URL
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-registry-'))
  const postgres = await openPostgres(url ? { url } : { dataDir })
  try {
    await postgres.migrate()
    const project = await newProject(postgres.db)
    await fill(postgres.db, project.project_id, artifacts)
    return {
      database: url ? 'server' : 'embedded',
      artifacts,
      revisions: artifacts * 10,
      ...(await measure(postgres.db, project, artifacts)),
    }
  } finally {
    await postgres.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

interface Project {
  project_id: string
  user_id: string
}

async function measure(db: Database, project: Project, artifacts: number): Promise<Record<string, Figures>> {
  const counter = countStatements(db)
  const as = (kind: KindName): Scope => ({
    ...project,
    db: counter.db,
    kind: KINDS[kind],
    runtime: RUNTIME,
    mayDeploy: true,
  })
  const any = (): number => 1 + Math.floor(Math.random() * artifacts)
  const application = as('application')
  await deployAll(as('environment'), Math.min(artifacts, 200))
  const deployed = (): number => 1 + Math.floor(Math.random() * Math.min(artifacts, 200))
  const work: Record<string, () => Promise<unknown>> = {
    retrieveByVariantSlug: () =>
      retrieveRevision(application, { references: { variant: { slug: `variant-${any()}` } } }),
    retrieveByArtifactSlug: () => retrieveRevision(application, { references: { artifact: { slug: `app-${any()}` } } }),
    retrieveThroughEnvironment: () =>
      retrieveRevision(application, {
        references: { artifact: { slug: `app-${deployed()}` } },
        environment: { artifact: { slug: 'production' } },
      }),
    simpleQueryOf100: () => listSimple(application, { windowing: windowOf(100) }),
    simpleQueryByTag: () => listSimple(application, { filter: { tags: { group: `g${any() % 1000}` } } }),
    commit: async () => {
      const record = await findSimple(application, idOf(1, any()))
      const data = { parameters: { round: Math.random() } }
      counter.reset()
      return commitRevision(application, { variant_id: record?.variant_id as string, data })
    },
  }
  const figures: [string, Figures][] = []
  for (const [name, run] of Object.entries(work)) figures.push([name, await timed(counter, run)])
  return Object.fromEntries(figures)
}

async function timed(counter: Counter, run: () => Promise<unknown>): Promise<Figures> {
  const times: number[] = []
  let statements = 0
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await run()
  for (let round = 0; round < ROUNDS; round++) {
    counter.reset()
    const start = performance.now()
    if (!(await run())) throw new Error('nothing was found')
    times.push(performance.now() - start)
    statements = Math.max(statements, counter.count())
  }
  return { p50Ms: rounded(quantile(times, 0.5)), p95Ms: rounded(quantile(times, 0.95)), statements }
}

interface Counter {
  db: Database
  count(): number
  reset(): void
}

function countStatements(db: Database): Counter {
  let statements = 0
  const counted = db.withPlugin({
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { db: counted, count: () => statements, reset: () => (statements = 0) }
}

const windowOf = (limit: number) => ({
  limit,
  newest: undefined,
  oldest: undefined,
  next: undefined,
  order: undefined,
  interval: undefined,
  rate: undefined,
})

export async function newProject(db: Database): Promise<Project> {
  const [user_id, organization_id, workspace_id, project_id] = [newId(), newId(), newId(), newId()]
  await db
    .insertInto('users')
    .values({ id: user_id, uid: user_id, email: `${user_id}@x.test`, username: 'x' })
    .execute()
  await db.insertInto('organizations').values({ id: organization_id, name: 'x', owner_id: user_id }).execute()
  await db.insertInto('workspaces').values({ id: workspace_id, organization_id, name: 'x' }).execute()
  await db.insertInto('projects').values({ id: project_id, organization_id, workspace_id, name: 'x' }).execute()
  await db.transaction().execute(trx => registrySeed(RUNTIME)(trx, { project_id, user_id }))
  return { project_id, user_id }
}

/** Ids of made-up records ascend with their number; `layer` keeps those of different layers apart. */
const idOf = (layer: number, n: number): string => `00000000-0000-7000-8${layer}00-${n.toString(16).padStart(12, '0')}`

async function fill(db: Database, project_id: string, artifacts: number): Promise<void> {
  const id = (layer: number, n: string) =>
    sql.raw(`('00000000-0000-7000-8${layer}00-' || lpad(to_hex(${n}), 12, '0'))::uuid`)
  const roles = { is_application: true, is_evaluator: false, is_snippet: false }
  const data = { parameters: { prompt: { messages: [{ role: 'user', content: 'word '.repeat(180) }] } } }
  await sql`
    insert into artifacts (project_id, family, id, slug, name, flags, tags)
    select ${project_id}, 'workflow', ${id(1, 'n')}, 'app-' || n, 'Application ' || n,
      ${JSON.stringify(roles)}::jsonb, jsonb_build_object('group', 'g' || n % 1000)
    from generate_series(1, ${sql.lit(artifacts)}) n`.execute(db)
  await sql`
    insert into variants (project_id, family, id, artifact_id, slug)
    select ${project_id}, 'workflow', ${id(2, 'n')}, ${id(1, 'n')}, 'variant-' || n
    from generate_series(1, ${sql.lit(artifacts)}) n`.execute(db)
  for (let version = 0; version < 10; version++) {
    await sql`
      insert into revisions (project_id, family, id, artifact_id, variant_id, version, slug, flags, data)
      select ${project_id}, 'workflow', ${id(3, `n * 16 + ${version}`)}, ${id(1, 'n')}, ${id(2, 'n')}, ${sql.lit(version)},
        'r-' || n || '-' || ${sql.lit(version)}, '{"has_url": false}', ${JSON.stringify(data)}::jsonb
      from generate_series(1, ${sql.lit(artifacts)}) n`.execute(db)
  }
  await sql`analyze`.execute(db)
}

async function deployAll(environment: Scope, count: number): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select v.id from variants v join artifacts a on a.project_id = v.project_id and a.id = v.artifact_id
    where a.project_id = ${environment.project_id} and a.family = 'environment' and a.slug = 'production'`.execute(
    environment.db,
  )
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  const entries = numbers.map(n => [
    `app-${n}.revision`,
    { application: { id: idOf(1, n) }, application_revision: { id: idOf(3, n * 16 + 9) } },
  ])
  const delta = changedReferences(Object.fromEntries(entries))
  await commitRevision(environment, { variant_id: rows[0]?.id as string, delta })
}
