import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChdbConnection } from 'chdb/connection'
import { LAYOUTS, type Layout, QUESTIONS, source } from './layouts.ts'

const ROWS_PER_INSERT = 50_000
const RUNS = 15
const RESENT_SHARE = 0.05

type Run = (sql: string) => Promise<string>

/**
 * The same spans in every layout of `layouts.ts`, made by the engine itself: what inserting costs, what they take on
 * disk, what the questions cost, and what becomes of both when a twentieth of the spans comes again. Costs are processor
 * time, which other load on the machine changes least; questions have their median time as well.
 */
export async function compareLayouts({ spans }: { spans: number }): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'spanhouse-layouts-'))
  const connection = createChdbConnection({ path: folder })
  const run: Run = async sql =>
    Buffer.from((await connection.chdb.queryAsync(sql, { format: 'TSV' })).bytes()).toString()
  try {
    const layouts: { [name: string]: object } = {}
    for (const layout of LAYOUTS) {
      layouts[layout.name] = await measureLayout(run, layout, spans)
      process.stderr.write(`${layout.name}: ${JSON.stringify(layouts[layout.name])}\n`)
    }
    return { spans, layouts }
  } finally {
    await connection.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureLayout(run: Run, { ddl, select, questions, about }: Layout, spans: number): Promise<object> {
  await run('DROP TABLE IF EXISTS source SYNC')
  await run(`CREATE TABLE source ENGINE = Memory AS ${source(0, spans, spans)}`)
  await run('DROP TABLE IF EXISTS layout SYNC')
  await run(ddl)
  const insert = (from: number, count: number): string =>
    `INSERT INTO layout SELECT ${select} FROM source LIMIT ${count} OFFSET ${from} SETTINGS max_insert_threads = 1, max_threads = 1`
  // Reading the source costs the same in every layout and is taken off.
  let micros = 0
  for (let at = 0; at < spans; at += ROWS_PER_INSERT) {
    const reading = (
      await cost(() => run(`${insert(at, ROWS_PER_INSERT).replace(/^.*? SELECT/, 'SELECT')} FORMAT Null`))
    ).cpu
    micros += (await cost(() => run(insert(at, ROWS_PER_INSERT)))).cpu - reading
  }
  const merging = await cost(() => run('OPTIMIZE TABLE layout FINAL'))
  const bytes = Number(await run("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'layout'"))
  const asked = await askAll(run, questions)
  await run(insert(Math.floor(spans / 2), spans * RESENT_SHARE))
  await run('DROP TABLE source SYNC')
  return {
    about,
    insertMicrosPerSpan: round(micros / spans),
    mergeMicrosPerSpan: round(merging.cpu / spans),
    diskBytesPerSpan: round(bytes / spans),
    questions: asked,
    afterResend: await askAll(run, questions),
  }
}

async function askAll(run: Run, questions: Layout['questions']): Promise<object> {
  const answers: { [question: string]: object } = {}
  for (const name of QUESTIONS) answers[name] = await ask(run, questions[name], name === 'count of spans')
  return answers
}

async function ask(run: Run, sql: string, isShown: boolean): Promise<object> {
  const costs: { cpu: number; ms: number }[] = []
  const shown = (await run(sql)).trim()
  for (let at = 0; at < RUNS; at++) costs.push(await cost(() => run(`${sql} FORMAT Null`)))
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
  const cpuMs = round(median(costs.map(({ cpu }) => cpu)) / 1000)
  return { cpuMs, p50Ms: round(median(costs.map(({ ms }) => ms))), ...(isShown && { answer: Number(shown) }) }
}

/** Microseconds of processor time of this process, engine included, and milliseconds that went by. */
async function cost(work: () => Promise<unknown>): Promise<{ cpu: number; ms: number }> {
  const [before, started] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpu: user + system, ms: performance.now() - started }
}

const round = (value: number): number => Math.round(value * 10) / 10
