import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { quantile, rounded } from '../measured.ts'

const RUNS = 20
/** A question that is slower than expected, as lists of giants are, is asked less often. */
const QUESTION_MS_MAX = 10_000

interface Question {
  path: string
  body?: object
}

const roots = { field: 'parent_id', operator: 'is', value: null }
const newest = (conditions: object[], focus = 'span'): Question => ({
  path: '/api/spans/query',
  body: { focus, filtering: { conditions }, windowing: { limit: 50, order: 'descending' } },
})

/** By name; each run asks with another number. */
const QUESTIONS: Record<string, (run: number, traces: readonly string[]) => Question> = {
  'newest 50 roots': () => newest([roots]),
  'newest 50 spans of one type': () => newest([{ field: 'span_type', operator: 'is', value: 'chat' }]),
  'one trace': (run, traces) => ({ path: `/api/traces/${traces[Math.floor((traces.length * run) / RUNS)]}` }),
  'substring in outputs': () =>
    newest([{ field: 'attributes', key: 'ag.data.outputs', operator: 'contains', value: 'perihelion' }]),
  'content, frequent words': () => newest([{ field: 'content', operator: 'contains', value: 'water light' }]),
  'analytics of a month': () => ({
    path: '/api/spans/analytics/query',
    body: { windowing: { oldest: '2026-11-01T00:00:00Z', newest: '2026-12-01T00:00:00Z', interval: 1440 } },
  }),
}

interface Figures {
  p50Ms: number
  p95Ms: number
  cpuMs: number
  answerKb: number
  runs: number
}

/** Asks each question several times, one request after the other. Throws on any status but 200. */
export async function askAll(server: ServerProcess, traces: readonly string[]): Promise<Record<string, Figures>> {
  const figures: Record<string, Figures> = {}
  for (const [name, question] of Object.entries(QUESTIONS)) {
    await ask(server, question(0, traces))
    const cpuBefore = await server.cpuSeconds()
    const times: number[] = []
    let bytes = 0
    const until = performance.now() + QUESTION_MS_MAX
    for (let run = 0; run < RUNS && performance.now() < until; run++) {
      const started = performance.now()
      bytes += await ask(server, question(run, traces))
      times.push(performance.now() - started)
    }
    const at = (share: number): number => rounded(quantile(times, share), 1)
    const cpuMs = rounded((((await server.cpuSeconds()) - cpuBefore) * 1000) / times.length, 1)
    figures[name] = {
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      cpuMs,
      answerKb: Math.round(bytes / times.length / 1000),
      runs: times.length,
    }
  }
  return figures
}

async function ask({ url, apiKey }: ServerProcess, { path, body }: Question): Promise<number> {
  const headers = { authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' }
  const answer = await fetch(url + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 500)}`)
  return text.length
}
