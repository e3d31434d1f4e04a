import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChdbConnection } from 'chdb/connection'
import { median, rounded } from '../measured.ts'
import type { SpanSet } from '../span-sets.ts'
import { CHATS_PER_INSERT, chatLayouts, makeChats } from './chat.ts'
import { LAYOUTS, type Layout, makeSpans, type Run, type SourceOf } from './layouts.ts'

const RUNS = 15
/** For slow questions, which are asked fewer times. */
const ASKING_MS = 3_000
const RESENT_SHARE = 0.05

interface Comparison {
  /** Makes the table `source`, whose rows are numbered by `position`. */
  makeSource(run: Run, of: SourceOf): Promise<void>
  spansPerInsert: number
  layouts(spans: number): readonly Layout[]
}

const COMPARISONS: Record<SpanSet, Comparison> = {
  small: { makeSource: makeSpans, spansPerInsert: 50_000, layouts: () => LAYOUTS },
  chat: { makeSource: makeChats, spansPerInsert: CHATS_PER_INSERT, layouts: chatLayouts },
}

/**
 * The same spans in every layout of `layouts.ts` or `chat.ts`: the cost of inserting them, their size on disk, what
 * the questions cost, and how both change when a twentieth of the spans arrives again. Costs are processor time, which
 * other load on the machine affects least; questions also have their median time.
 */
export async function compareLayouts({ set, spans }: { set: SpanSet; spans: number }): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'spanhouse-layouts-'))
  const connection = createChdbConnection({ path: join(folder, 'clickhouse') })
  const run: Run = async sql =>
    Buffer.from((await connection.chdb.queryAsync(sql, { format: 'TSV' })).bytes()).toString()
  try {
    const { makeSource, spansPerInsert, layouts } = COMPARISONS[set]
    await makeSource(run, { spans, folder })
    const measured: { [name: string]: object } = {}
    for (const layout of layouts(spans)) {
      measured[layout.name] = await measureLayout(run, layout, { spans, spansPerInsert })
      process.stderr.write(`${layout.name}: ${JSON.stringify(measured[layout.name])}\n`)
    }
    return { set, spans, layouts: measured }
  } finally {
    await connection.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureLayout(
  run: Run,
  { ddl, select, questions, about }: Layout,
  { spans, spansPerInsert }: { spans: number; spansPerInsert: number },
): Promise<object> {
  await run('DROP TABLE IF EXISTS layout SYNC')
  await run(ddl)
  const rows = (from: number, count: number): string =>
    `SELECT ${select} FROM source WHERE position >= ${from} AND position < ${from + count}`
  const insert = (from: number, count: number): Promise<string> =>
    run(`INSERT INTO layout ${rows(from, count)} SETTINGS max_insert_threads = 1, max_threads = 1`)
  // Merged once, after the last insert: otherwise parts that the engine has merged by then would be merged again.
  await run('ALTER TABLE layout MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1')
  let micros = 0
  for (let at = 0; at < spans; at += spansPerInsert) {
    // Reading the source costs the same in every layout and is subtracted.
    const reading = await cost(() => run(`${rows(at, spansPerInsert)} SETTINGS max_threads = 1 FORMAT Null`))
    micros += (await cost(() => insert(at, spansPerInsert))).cpu - reading.cpu
  }
  const merging = await cost(() => run('OPTIMIZE TABLE layout FINAL'))
  const bytes = Number(await run("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'layout'"))
  const asked = await askAll(run, questions)
  await insert(Math.floor(spans / 2), spans * RESENT_SHARE)
  return {
    about,
    insertMicrosPerSpan: rounded(micros / spans, 1),
    mergeMicrosPerSpan: rounded(merging.cpu / spans, 1),
    diskBytesPerSpan: rounded(bytes / spans, 1),
    questions: asked,
    afterResend: await askAll(run, questions),
  }
}

async function askAll(run: Run, questions: Layout['questions']): Promise<object> {
  const answers: { [question: string]: object } = {}
  for (const [name, sql] of Object.entries(questions)) answers[name] = await ask(run, sql, name === 'count of spans')
  return answers
}

async function ask(run: Run, sql: string, isShown: boolean): Promise<object> {
  const costs: { cpu: number; ms: number }[] = []
  const shown = (await run(sql)).trim()
  // The engine would cache where a condition matched before.
  const again = `${sql} SETTINGS use_query_condition_cache = 0 FORMAT Null`
  const until = performance.now() + ASKING_MS
  do costs.push(await cost(() => run(again)))
  while (costs.length < RUNS && performance.now() < until)
  const cpuMs = rounded(median(costs.map(({ cpu }) => cpu)) / 1000, 1)
  return { cpuMs, p50Ms: rounded(median(costs.map(({ ms }) => ms)), 1), ...(isShown && { answer: Number(shown) }) }
}

/** Microseconds of processor time of this process, engine included, and elapsed milliseconds. */
async function cost(work: () => Promise<unknown>): Promise<{ cpu: number; ms: number }> {
  const [before, started] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpu: user + system, ms: performance.now() - started }
}
