import { Agent } from 'node:http'
import { Readable, Writable } from 'node:stream'
import type { ServerProcessOptions } from '@spanhouse/server/server-process.testing.ts'
import { quantile, rounded } from '../measured.ts'
import { type Keep, post, withClickHouse, withRecordedServer } from '../recorder.ts'
import { ask } from './ask.ts'
import { QUESTIONS } from './questions.ts'

/** A statement as it went to ClickHouse. */
interface Statement {
  path: string
  type: string | undefined
  body: Buffer
}

interface Asking extends Pick<ServerProcessOptions, 'dataDir'> {
  like: NonNullable<ServerProcessOptions['like']>
  traces: number
  runs: { warmUp: number; measured: number }
}

/**
 * How long ClickHouse takes for each question with no program beside it: the statements of a server over a ClickHouse of
 * its own are recorded, then sent to that ClickHouse alone, one after the other. No program that sends these can answer
 * sooner. That server is asked each question for the first time: it knows no page of before.
 */
export async function askAlone(asking: Asking): Promise<object> {
  const recorded = await record(asking)
  const { warmUp } = asking.runs
  return withClickHouse(asking.dataDir, async clickhouse => {
    const timed = async (statements: readonly Statement[]): Promise<number> => {
      const started = performance.now()
      for (const { path, type, body } of statements) await post(clickhouse, { path, type, body: Readable.from([body]) })
      return performance.now() - started
    }
    const results: Record<string, object> = {}
    for (const runs of recorded.values()) for (const statements of runs.slice(0, warmUp)) await timed(statements)
    for (const [name, runs] of recorded) {
      const ms: number[] = []
      for (const statements of runs.slice(warmUp)) ms.push(await timed(statements))
      results[name] = { p50Ms: rounded(quantile(ms, 0.5), 1), p95Ms: rounded(quantile(ms, 0.95), 1) }
      process.stderr.write(`${name}, ClickHouse alone: ${JSON.stringify(results[name])}\n`)
    }
    return results
  })
}

/** The statements of each run of each question. */
async function record({ dataDir, like, traces, runs }: Asking): Promise<Map<string, Statement[][]>> {
  let statements: Statement[] = []
  const keep: Keep = (path, headers) => {
    const chunks: Buffer[] = []
    const kept = statements
    return new Writable({
      write: (chunk, _encoding, done) => done(void chunks.push(chunk)),
      final: done => {
        const body = Buffer.concat(chunks)
        // Others are of the server's own work.
        if (body.includes(' FROM spans ')) kept.push({ path, type: headers['content-type'], body })
        done()
      },
    })
  }
  return withRecordedServer({ dataDir, like, keep }, async server => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const recorded = new Map<string, Statement[][]>()
    for (const question of QUESTIONS) {
      const ofRuns: Statement[][] = []
      for (let run = 0; run < runs.warmUp + runs.measured; run++) {
        statements = []
        await ask(server, agent, question.ask(run, traces))
        if (statements.length === 0) throw new Error(`${question.name}: no statement was recorded`)
        ofRuns.push(statements)
      }
      recorded.set(question.name, ofRuns)
    }
    statements = []
    agent.destroy()
    return recorded
  })
}
