import { readFileSync } from 'node:fs'
import { type CodeRequest, openSandbox, type Runtime, type Sandbox } from '@spanhouse/sandbox'
import { quantile, rounded } from './measured.ts'

const ROUNDS = 2_000
/** Not counted: the engines compile what is run often. */
const WARM_UP_ROUNDS = 500

const PYTHON = `
import json, re

def evaluate(inputs, outputs, trace):
    words = re.findall(r"\\w+", outputs.lower())
    wanted = inputs["correct_answer"].lower().split()
    score = sum(word in words for word in wanted) / len(wanted)
    return {"score": score, "success": score >= 0.5}
`
const JAVASCRIPT = `
function evaluate(inputs, outputs, trace) {
  const words = outputs.toLowerCase().match(/\\w+/g)
  const wanted = inputs.correct_answer.toLowerCase().split(' ')
  const score = wanted.filter(word => words.includes(word)).length / wanted.length
  return { score, success: score >= 0.5 }
}
`
const SOURCES: Record<Runtime, string> = {
  javascript: JAVASCRIPT,
  typescript: JAVASCRIPT.replace('(inputs, outputs, trace)', '(inputs: any, outputs: string, trace: unknown): object'),
  python: PYTHON,
}

/** A question, an answer of a paragraph, and a trace of twenty spans: 8 KB. */
const ARGUMENTS: CodeRequest['arguments'] = [
  { question: 'Which city is the capital of France?', correct_answer: 'Paris' },
  'The capital of France is Paris, which lies on the Seine. '.repeat(8),
  {
    spans: Array.from({ length: 20 }, (_, n) => ({
      span_name: `step ${n}`,
      attributes: { ag: { data: 'x'.repeat(300) } },
    })),
  },
]

interface Figures {
  readyMs: number
  runsPerSecond: number
  /** Of the process that runs the code and of this one, which asks it. */
  cpuMsPerRun: number
  runsPerCoreSecond: number
  p50Ms: number
  p95Ms: number
}

/** An evaluator in each language, called one after the other in one process. */
export async function benchSandbox(): Promise<Record<string, Figures>> {
  const figures: [string, Figures][] = []
  for (const runtime of ['javascript', 'typescript', 'python'] as const) {
    const sandbox = openSandbox({ processesMax: 1, warm: 0 })
    try {
      figures.push([runtime, await measure(sandbox, runtime)])
    } finally {
      await sandbox.close()
    }
  }
  return Object.fromEntries(figures)
}

async function measure(sandbox: Sandbox, runtime: Runtime): Promise<Figures> {
  const run = (): Promise<number> =>
    timed(sandbox, { owner: 'bench', runtime, source: SOURCES[runtime], arguments: ARGUMENTS })
  const readyMs = await run()
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await run()
  const cpuBefore = cpuMs(sandbox)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push(await run())
  const total = times.reduce((sum, one) => sum + one, 0)
  const cpuMsPerRun = (cpuMs(sandbox) - cpuBefore) / ROUNDS
  return {
    readyMs: rounded(readyMs),
    runsPerSecond: Math.round((ROUNDS * 1000) / total),
    cpuMsPerRun: rounded(cpuMsPerRun),
    runsPerCoreSecond: Math.round(1000 / cpuMsPerRun),
    p50Ms: rounded(quantile(times, 0.5)),
    p95Ms: rounded(quantile(times, 0.95)),
  }
}

const TICK_MS = 10

/** Processor time so far; that of other processes as Linux counts it. */
function cpuMs(sandbox: Sandbox): number {
  const { user, system } = process.cpuUsage()
  const children = sandbox.pids().map(pid => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  })
  return (user + system) / 1000 + children.reduce((sum, one) => sum + one, 0)
}

async function timed(sandbox: Sandbox, request: CodeRequest): Promise<number> {
  const start = performance.now()
  const outcome = await sandbox.run(request)
  if (!outcome.ok) throw new Error(outcome.message)
  return performance.now() - start
}
