import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '@spanhouse/model'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, eventually, newProject, type TestProject } from '../../../test/harness.ts'
import { dashed, newTraceId, otlpSpan } from '../../../test/otlp.ts'
import { newDataDir, type ServerProcess, startServerProcess } from '../server-process.testing.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const NOT_EMPTY = /\S/

let dataDir: string
let server: ServerProcess
let mine: Filled
let theirs: Filled
let reader: Credentials

interface Credentials {
  url: string
  database: string
  user: string
  password: string
}

interface Filled {
  project: TestProject
  run_id: string
  scenario_id: string
  subject: string
  evaluator: string
}

const TESTCASE = '01900000-0000-7000-8000-000000000001'
const REVISION = '01900000-0000-7000-8000-00000000000e'

beforeAll(async () => {
  dataDir = await newDataDir('sql')
  server = await startServerProcess({ dataDir })
  mine = await fill('mine')
  theirs = await fill('secret')
  reader = await newReader(mine.project)
})
afterAll(async () => {
  await server?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** A project with a run of one scenario whose traces are named by a word. */
async function fill(
  word: string,
  outputs: JsonObject = { score: 0.5, success: false, deep: { note: word } },
): Promise<Filled> {
  const project = await newProject({ apiUrl: server.url, receiverUrl: server.url, adminKey: server.adminKey })
  const post = async (path: string, body: object): Promise<any> =>
    (await project.post(`/api/evaluations/${path}`, body)).body
  const [subject, evaluator] = [newTraceId(), newTraceId()]
  await project.store(
    otlpSpan({ traceId: subject, name: word }, { 'ag.data.outputs': word }),
    otlpSpan({ traceId: evaluator, name: word }, { 'ag.data.outputs': outputs }),
  )
  const steps = [
    { key: 't', type: 'input', origin: 'custom', references: {} },
    { key: 'a', type: 'invocation', origin: 'custom', references: { application_revision: { id: REVISION } } },
    { key: 'e', type: 'annotation', origin: 'custom', references: { evaluator_revision: { id: REVISION } } },
  ]
  const [run] = (await post('runs/', { runs: [{ name: word, data: { steps, repeats: 2 } }] })).runs
  const [scenario] = (await post('scenarios/', { scenarios: [{ run_id: run.id }] })).scenarios
  const cell = { run_id: run.id, scenario_id: scenario.id, status: 'success' }
  await post('results/', {
    results: [
      { ...cell, step_key: 't', testcase_id: TESTCASE },
      { ...cell, step_key: 'a', trace_id: subject },
      { ...cell, step_key: 'e', trace_id: evaluator },
      { ...cell, step_key: 'e', repeat_idx: 1, status: 'pending' },
    ],
  })
  await post('metrics/refresh', { metrics: { run_id: run.id } })
  return { project, run_id: run.id, scenario_id: scenario.id, subject, evaluator }
}

async function newReader({ send }: TestProject): Promise<Credentials> {
  const answer = await send('PUT', '/api/projects/current/sql-reader')
  expect(answer.status, answer.text).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  return answer.body
}

/** Asks ClickHouse itself. */
async function ask(sql: string, { url, database, user, password } = reader): Promise<{ status: number; text: string }> {
  const authorization = `Basic ${btoa(`${user}:${password}`)}`
  const answer = await fetch(`${url}/?database=${database}`, { method: 'POST', body: sql, headers: { authorization } })
  return { status: answer.status, text: (await answer.text()).trim() }
}

async function rows(sql: string, as = reader): Promise<any[]> {
  const { status, text } = await ask(`${sql} FORMAT JSONEachRow`, as)
  expect(status, `${sql}\n${text}`).toBe(200)
  return text === '' ? [] : text.split('\n').map(line => JSON.parse(line))
}

test('a result has its run, scenario, testcase, revisions, scores and both traces', async () => {
  const results = await eventually(async () => {
    const found = await rows('SELECT * FROM v1_evaluation_results ORDER BY repeat_idx, score_key')
    return found.length === 4 && found
  })
  const { project, run_id, scenario_id, subject, evaluator } = mine
  const common = {
    project_id: project.projectId,
    run_id,
    run_name: 'mine',
    scenario_id,
    testcase_id: TESTCASE,
    evaluator_step: 'e',
    evaluator_revision_id: REVISION,
    subject_step: 'a',
    subject_revision_id: REVISION,
    subject_trace_id: subject,
    subject_duration_ms: 1000,
  }
  const scored = { ...common, repeat_idx: 0, status: 'success', verdict: false, evaluator_trace_id: evaluator }
  expect(results).toMatchObject([
    { ...scored, score_key: 'deep.note', score_text: 'mine', score_value: null },
    { ...scored, score_key: 'score', score_value: 0.5, score_text: null },
    { ...scored, score_key: 'success', score_value: 0 },
    { ...common, repeat_idx: 1, status: 'pending', score_key: '', verdict: null, evaluator_trace_id: '' },
  ])
})

test('numbers beyond 64 bits are in the scores and can be read in the outputs, which may be long', async () => {
  const deep = { low: -1e20, half: 0.5, name: '100000000000000000000' }
  const { project, run_id } = await fill('huge', { score: 1e20, deep, success: true, reason: 'x'.repeat(40_000) })
  const owner = await newReader(project)
  const scores = await eventually(async () => {
    const found = await rows(
      `SELECT score_key, score_value, left(score_text, 30) AS score_text, verdict FROM v1_evaluation_results
      WHERE run_id = '${run_id}' AND repeat_idx = 0 ORDER BY score_key`,
      owner,
    )
    return found.length > 1 && found
  })
  const score = { score_value: null, score_text: null, verdict: true }
  expect(scores).toEqual([
    { ...score, score_key: 'deep.half', score_value: 0.5 },
    { ...score, score_key: 'deep.low', score_value: -1e20 },
    { ...score, score_key: 'deep.name', score_text: deep.name },
    { ...score, score_key: 'reason', score_text: 'x'.repeat(30) },
    { ...score, score_key: 'score', score_value: 1e20 },
    { ...score, score_key: 'success', score_value: 1 },
  ])
  for (const view of ['v1_spans', 'v1_traces'])
    expect(
      await rows(
        `SELECT JSONExtractFloat(outputs, 'score') AS score, JSONExtractString(outputs, 'deep', 'name') AS name
        FROM ${view} WHERE length(outputs) > 1000`,
        owner,
      ),
    ).toEqual([{ score: 1e20, name: deep.name }])
})

test('traces and spans are those of the interface, also after they were sent again', async () => {
  const span = otlpSpan({ traceId: newTraceId(), name: 'twice' })
  await mine.project.store(span)
  await mine.project.store(span)
  for (const view of ['v1_spans', 'v1_traces'])
    expect(await rows(`SELECT trace_id, duration_ms FROM ${view} WHERE trace_id = '${span.traceId}'`)).toEqual([
      { trace_id: span.traceId, duration_ms: 1000 },
    ])
})

test('what is deleted or replaced is gone from the results', async () => {
  const { project, run_id, scenario_id, subject } = await fill('gone')
  const owner = await newReader(project)
  const scores = (): Promise<any[]> =>
    rows(
      `SELECT score_key, evaluator_trace_id FROM v1_evaluation_results WHERE run_id = '${run_id}' ORDER BY score_key`,
      owner,
    )
  await eventually(async () => (await scores()).length === 4)
  const cell = { run_id, scenario_id, step_key: 'e', status: 'success', trace_id: dashed(subject) }
  await project.post('/api/evaluations/results/', { results: [cell] })
  await eventually(async () => (await scores()).every(({ score_key }) => score_key === ''))
  await project.post(`/api/simple/evaluations/${run_id}/prune`, { repeat_idxs: [0], step_keys: ['e'] })
  await eventually(async () => (await scores()).length === 1)
  await project.send('DELETE', `/api/evaluations/runs/${run_id}`)
  await eventually(async () => (await scores()).length === 0)
})

describe('a reader of one project', () => {
  test.each(['v1_spans', 'v1_traces', 'v1_evaluation_results'])('sees only its rows of %s', async name => {
    const found = await rows(`SELECT DISTINCT project_id FROM ${name}`)
    expect(found).toEqual([{ project_id: mine.project.projectId }])
  })

  test('finds the views and nothing else', async () => {
    expect((await ask('SHOW DATABASES')).text).toBe(reader.database)
    expect((await ask('SHOW TABLES')).text).toBe('v1_evaluation_results\nv1_spans\nv1_traces')
    expect(await rows('SELECT sum(total_rows) AS count FROM system.tables')).toEqual([{ count: null }])
  })

  test.each([
    "SELECT count() FROM v1_spans WHERE throwIf(span_name = 'secret') = 0",
    "SELECT count() FROM v1_traces WHERE throwIf(name = 'secret') = 0",
    "SELECT count() FROM v1_evaluation_results WHERE throwIf(run_name = 'secret') = 0",
    "SELECT count() FROM v1_spans WHERE throwIf(span_name = 'secret') = 0 SETTINGS optimize_move_to_prewhere = 0",
    `SELECT count() FROM v1_spans SETTINGS additional_table_filters = {'default.spans': 'throwIf(span_name = \\'secret\\') = 0'}`,
  ])('learns nothing of others from errors: %s', async sql => {
    const { status, text } = await ask(sql)
    expect(status, text).toBe(200)
    // The same works on its own rows.
    expect((await ask(sql.replace('secret', 'mine'))).status).not.toBe(200)
  })

  test.each([
    ...['system.query_log', 'system.processes', 'system.users', 'system.parts', 'system.row_policies', 'system.grants'],
    ...['deleted_traces', 'schema_migrations', 'project_retention', 'writer_runs', 'evaluation_feed'],
    ...[
      "url('http://127.0.0.1:1/', CSV, 'a String')",
      "file('/etc/passwd', LineAsString)",
      "remote('127.0.0.1', default, spans)",
    ],
    ...[
      "s3('http://127.0.0.1:1/a.csv')",
      "executable('x', TSV, 'a String')",
      "postgresql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    ],
    ...["merge('default', '.*')", "cluster('default', default, spans)", 'default.spans', 'default.v1_spans'],
    ...["mergeTreeIndex('default', 'spans')", "mergeTreeIndex('default', 'evaluation_runs')"],
    ...["mergeTreeTextIndex('default', 'spans', 'by_words')", "mergeTreeAnalyzeIndexes('default', 'spans')"],
  ])('may not read %s', async table => {
    const { status, text } = await ask(`SELECT * FROM ${table}`)
    const others = [theirs.project.projectId, theirs.run_id, 'secret']
    for (const word of others) expect(text).not.toContain(word)
    expect(status, text).not.toBe(200)
  })

  test.each([
    ...["INSERT INTO spans (span_name) VALUES ('x')", 'DROP TABLE spans', 'ALTER TABLE spans DELETE WHERE 1'],
    ...[
      'CREATE TABLE x (a Int8) ENGINE = Memory',
      'CREATE TEMPORARY TABLE x (a Int8)',
      "CREATE USER x IDENTIFIED BY 'x'",
    ],
    ...['TRUNCATE TABLE evaluation_cells', 'SYSTEM SHUTDOWN', "KILL QUERY WHERE user != ''", 'SET readonly = 0'],
    ...[
      'SELECT 1 SETTINGS max_execution_time = 31',
      'SELECT 1 SETTINGS max_execution_time = 0',
      'SELECT 1 SETTINGS max_memory_usage = 0',
    ],
    ...[
      'SELECT 1 SETTINGS readonly = 0',
      'SELECT 1 SETTINGS max_threads = 64',
      'SELECT sleep(3) SETTINGS max_concurrent_queries_for_user = 100',
    ],
    ...["SELECT file('/etc/hostname')", "SELECT 1 AS n FORMAT Protobuf SETTINGS output_format_schema = '/tmp/x'"],
    ...["SELECT 1 INTO OUTFILE '/tmp/x'", "SELECT joinGet('fenced_runs', 'is_fenced', 1)"],
  ])('may not: %s', async sql => {
    const { status, text } = await ask(sql)
    expect(status, text).not.toBe(200)
    expect((await ask('SELECT count() FROM v1_spans')).text).not.toBe('0')
  })

  test('may lower its limits, as dashboards do', async () => {
    expect((await ask('SELECT 1 SETTINGS max_execution_time = 10, max_threads = 1')).status).toBe(200)
  })

  test('a new password replaces the old one, and a removed reader is out; others are not touched', async () => {
    const first = await newReader(theirs.project)
    const second = await newReader(theirs.project)
    expect((await ask('SELECT 1', first)).status).not.toBe(200)
    expect(await rows('SELECT DISTINCT project_id FROM v1_spans', second)).toEqual([
      { project_id: theirs.project.projectId },
    ])
    const remove = async () => (await theirs.project.send('DELETE', '/api/projects/current/sql-reader')).body
    expect([await remove(), await remove()]).toEqual([{ count: 1 }, { count: 0 }])
    expect((await ask('SELECT 1', second)).status).not.toBe(200)
    expect((await ask('SELECT 1')).status).toBe(200)
  })

  test('the user of a deleted project is gone, and those of others are still there', async () => {
    const gone = await newProject({ apiUrl: server.url, receiverUrl: server.url, adminKey: server.adminKey })
    const credentials = await newReader(gone)
    await rows('SELECT 1', credentials)
    const path = `/api/admin/simple/accounts/projects/${gone.projectId}`
    expect((await call(server.url, 'DELETE', path, `Access ${server.adminKey}`)).status).toBe(200)
    // Its server restarts meanwhile.
    const says = (): Promise<string> => ask('SELECT 1', credentials).then(({ text }) => text, String)
    await expect.poll(says).toContain('AUTHENTICATION_FAILED')
    await rows('SELECT 1')
  })

  test('the user of ClickHouse that a former owner made is gone, and that of a member is still there', async () => {
    const { projectId, get } = theirs.project
    const { organization_id, workspace_id } = (await get('/api/projects/current')).body
    const as = { apiUrl: server.url, receiverUrl: server.url, adminKey: server.adminKey }
    const leaver = await newProject(as)
    const { id, email } = (await leaver.get('/api/profile')).body
    const workspace = `/organizations/${organization_id}/workspaces/${workspace_id}`
    const { url } = await theirs.project.posted(`${workspace}/invite`, [{ email, roles: ['owner'] }])
    await leaver.posted(`${workspace}/invite/accept`, { token: new URL(url).searchParams.get('token'), email })
    const key = await call(server.url, 'POST', '/api/admin/simple/accounts/api-keys/', `Access ${server.adminKey}`, {
      api_key: { project_ref: { id: projectId }, user_ref: { id } },
      options: { return_api_keys: true },
    })
    const authorization = `ApiKey ${key.body.accounts[0].api_keys.key.value}`
    const made = await call(server.url, 'PUT', '/api/projects/current/sql-reader', authorization)
    expect(made.status, made.text).toBe(200)
    await rows('SELECT 1', made.body)
    const remove = `/api/workspaces/${workspace_id}/users?email=${encodeURIComponent(email)}`
    expect((await theirs.project.send('DELETE', remove)).status).toBe(200)
    const says = (): Promise<string> => ask('SELECT 1', made.body).then(({ text }) => text, String)
    await expect.poll(says).toContain('AUTHENTICATION_FAILED')
    await rows('SELECT 1')
  })
})

/** Statements of a Markdown file. */
async function examples(): Promise<string[]> {
  const text = await readFile(join(ROOT, 'docs/sql.md'), 'utf8')
  return [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql.trim())
}

/** Statements of the dashboards, with what Grafana puts in place of its macros. */
async function dashboardStatements(): Promise<string[]> {
  const folder = join(ROOT, 'docker/grafana/dashboards')
  const boards = await Promise.all((await readdir(folder)).map(file => readFile(join(folder, file), 'utf8')))
  const targets: { rawSql?: string }[] = boards.flatMap(text =>
    JSON.parse(text).panels.flatMap((panel: any) => panel.targets ?? []),
  )
  // The dashboard for operators asks Prometheus.
  const statements = targets.flatMap(({ rawSql }) => rawSql ?? [])
  return statements.map(statement =>
    statement
      .replace(/\$__timeFilter\((\w+)\)/g, "$1 >= toDateTime(0) AND $1 <= toDateTime('2100-01-01 00:00:00')")
      .replace(/\$__timeInterval\((\w+)\)/g, 'toStartOfInterval(toDateTime($1), INTERVAL 60 second)'),
  )
}

test('the examples of the documentation and the statements of the dashboards run, and the latter find something', async () => {
  const [documented, shown] = await Promise.all([examples(), dashboardStatements()])
  expect([documented.length, shown.length]).toEqual([5, 11])
  for (const sql of documented) await rows(sql)
  const empty: string[] = []
  for (const sql of shown) if (!NOT_EMPTY.test((await ask(sql)).text)) empty.push(sql)
  // No span of this test used a model.
  expect(empty).toEqual([expect.stringContaining('response_model')])
  for (const sql of shown) await rows(sql)
})

test('the documentation names every column', async () => {
  const text = await readFile(join(ROOT, 'docs/sql.md'), 'utf8')
  for (const view of ['v1_spans', 'v1_traces', 'v1_evaluation_results']) {
    const [, columns = ''] = new RegExp(`^\`${view}\`:$(.*?)(?=^\`v1_|^Name only)`, 'ms').exec(text) ?? []
    for (const { name } of await rows(`DESCRIBE TABLE ${view}`))
      expect(columns, `${view}.${name}`).toContain(`\`${name}\``)
  }
})

// The last one: nobody can make a reader for a while after it.
test('after many new passwords in a row a further one is refused, and a reader can still be removed', async () => {
  const { send } = mine.project
  const change = (): ReturnType<typeof send> => send('PUT', '/api/projects/current/sql-reader')
  let answer = await change()
  for (let at = 0; at < 20 && answer.status === 200; at++) {
    reader = answer.body
    answer = await change()
  }
  expect(answer.status, answer.text).toBe(429)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answer.body.detail).toMatch(/SQL readers were changed too often/)
  expect((await ask('SELECT 1')).status).toBe(200)
  expect((await send('DELETE', '/api/projects/current/sql-reader')).body).toEqual({ count: 1 })
  expect((await ask('SELECT 1')).text).toContain('AUTHENTICATION_FAILED')
})
