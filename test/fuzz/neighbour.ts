import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, call, eventually, newProject } from '../harness.ts'
import { exportOf, newSpanId, newTraceId, otlpSpan } from '../otlp.ts'
import type { Addresses } from './world.ts'

const ASK_EVERY_MS = 500
const TOKENS = 42

/** Another project on the same installation, which is to notice nothing. */
export interface Neighbour {
  /** Occurs in all of its data, and must never in an answer to somebody else. */
  canary: string
  /** Ids of its records, for others to try. */
  ids: Record<string, string[]>
  /** Reads its data again and again until told to end; tells of every answer that is late, refused or changed. */
  watch(ended: AbortSignal, tell: (kind: string, detail: string) => void): Promise<void>
}

interface Question {
  method: string
  path: string
  body?: unknown
}

export async function newNeighbour(addresses: Addresses, answerMs: number): Promise<Neighbour> {
  const canary = `canary${randomBytes(12).toString('hex')}`
  const project = await newProject(addresses)
  const traceId = newTraceId()
  const root = otlpSpan({ traceId, spanId: newSpanId(), name: canary }, { 'ag.data.inputs': canary })
  const child = otlpSpan(
    { traceId, spanId: newSpanId(), parentSpanId: root.spanId, name: canary },
    { 'ag.metrics.tokens.incremental.total': TOKENS },
  )
  const sent = await project.export(exportOf(root, child))
  if (sent.body?.count !== 2) throw new Error(`the neighbour's trace was not taken: ${sent.status} ${sent.text}`)
  const made = await project.post('/api/simple/testsets/', {
    testset: { slug: canary, data: { testcases: [{ data: { canary } }] } },
  })
  if (made.status !== 200) throw new Error(`the neighbour's testset was not taken: ${made.status} ${made.text}`)
  const { testset } = made.body
  const questions: Question[] = [
    { method: 'GET', path: `/api/traces/${traceId}` },
    { method: 'POST', path: '/api/spans/query', body: { windowing: { limit: 10 } } },
    { method: 'GET', path: `/api/simple/testsets/${testset.id}` },
  ]
  const ask = ({ method, path, body }: Question): Promise<Answer> =>
    call(addresses.apiUrl, method, path, `ApiKey ${project.apiKey}`, body)
  await eventually(async () => (await ask(questions[0] as Question)).text.includes(`"total":${TOKENS}`))
  const expected = await Promise.all(questions.map(async question => (await ask(question)).text))
  return {
    canary,
    ids: { ...idsOf(testset), trace: [traceId], span: [root.spanId], project: [project.projectId] },
    watch: async (ended, tell) => {
      for (let turn = 0; !ended.aborted; turn++) {
        const at = turn % questions.length
        const question = questions[at] as Question
        const began = performance.now()
        const answer = await ask(question).catch(() => undefined)
        const ms = performance.now() - began
        const what = `${question.method} ${question.path}`
        if (answer && answer.status !== 200)
          tell('neighbour refused', `${what}: ${answer.status} ${answer.text.slice(0, 200)}`)
        else if (answer && answer.text !== expected[at])
          tell('neighbour changed', `${what}: ${answer.text.slice(0, 500)}`)
        else if (answer && ms > answerMs) tell('neighbour late', `${what}: ${Math.round(ms)} ms`)
        await delay(ASK_EVERY_MS)
      }
    },
  }
}

const idsOf = (testset: any): Record<string, string[]> => ({
  testset: [testset.id],
  testset_variant: [testset.variant_id],
  testset_revision: [testset.revision_id],
  workflow: [testset.id],
  testcase: testset.data.testcase_ids,
})
