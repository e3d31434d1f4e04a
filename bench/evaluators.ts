import type { Json, JsonObject } from '@spanhouse/model'
import { HANDLERS, type Means, type Run, workMeans } from '@spanhouse/runtime'

const PAIRS = 200
const WARM_UP_MS = 500
const MEASURED_MS = 2_000

/** An output of a model, the answer it should have been, and the same as documents. */
interface Pair {
  output: string
  answer: string
  outputDocument: JsonObject
  answerDocument: JsonObject
}

/** The inputs of one evaluator, a pair at a time. */
type Given = (pair: Pair) => { parameters?: JsonObject; answer?: Json; outputs: Json }

const texts: Given = ({ output, answer }) => ({ answer, outputs: output })
const documents: Given = ({ outputDocument, answerDocument }) => ({ answer: answerDocument, outputs: outputDocument })
const configured =
  (given: Given, parameters: JsonObject): Given =>
  pair => ({ ...given(pair), parameters })

const MATCHERS: Json = [
  { key: 'short', target: 'outputs', match: 'starts_with', reference: 'the', case_sensitive: false },
  { key: 'named', target: 'outputs', match: 'contains', references: ['weather', 'train'], contains: 'any' },
  {
    key: 'like',
    target: 'outputs',
    match: 'similarity',
    reference: '$.inputs.correct_answer',
    threshold: 0.5,
    weight: 3,
  },
]

const GIVEN: Record<string, Given> = {
  auto_exact_match: texts,
  auto_regex_test: configured(texts, { regex_pattern: '(?i)\\btrain\\b.*\\d{2}' }),
  auto_starts_with: configured(texts, { prefix: 'The weather' }),
  auto_ends_with: configured(texts, { suffix: 'today.', case_sensitive: false }),
  auto_contains: configured(texts, { substring: 'station', case_sensitive: false }),
  auto_contains_any: configured(texts, { substrings: ['umbrella', 'station', 'harbour'] }),
  auto_contains_all: configured(texts, { substrings: 'weather, train' }),
  auto_contains_json: pair => ({ outputs: `Here it is: ${JSON.stringify(pair.outputDocument)} Anything else?` }),
  field_match_test: configured(documents, { json_field: 'summary' }),
  json_multi_field_match: configured(documents, {
    fields: ['summary', 'places.0.name', '$.places[1].score', '/tags/2'],
  }),
  auto_json_diff: documents,
  auto_levenshtein_distance: texts,
  auto_similarity_match: texts,
  match: configured(texts, { matchers: MATCHERS }),
}

/**
 * Runs of every evaluator that needs no model, one after the other, called in this process with outputs of 300 to 1,000
 * characters of which half resemble the expected answer.
 */
export async function benchEvaluators(): Promise<object> {
  const pairs = makePairs()
  const runsPerSecond: Record<string, number> = {}
  for (const [key, given] of Object.entries(GIVEN)) {
    const runs = pairs.map(given).map(one => runOf(one))
    await runFor(key, runs, WARM_UP_MS)
    runsPerSecond[key] = Math.round(await runFor(key, runs, MEASURED_MS))
  }
  return { pairs: PAIRS, runsPerSecond }
}

/** Runs per second of processor time, threads included, which other load on the machine affects least. */
async function runFor(key: string, runs: readonly Run[], measuredMs: number): Promise<number> {
  const run = HANDLERS.find(handler => handler.key === key)?.run
  if (!run) throw new Error(`${key} cannot be run`)
  const begin = process.cpuUsage()
  const end = performance.now() + measuredMs
  let count = 0
  while (performance.now() < end) await run(runs[count++ % runs.length] as Run)
  const { user, system } = process.cpuUsage(begin)
  return (count * 1e6) / (user + system)
}

function runOf({ parameters = {}, answer = null, outputs }: ReturnType<Given>): Run {
  return {
    parameters,
    inputs: { question: 'What will the weather be?', correct_answer: answer },
    outputs,
    trace: undefined,
    testcase: undefined,
    revision: {},
    flags: { stream: false, trim: false, force: false },
    labels: { references: {}, links: {}, baggage: {} },
    sessionId: 'bench',
    signal: new AbortController().signal,
    means: workMeans('bench') as Means,
    emit: () => undefined,
  }
}

const WORDS =
  'the a of to in and weather train station umbrella morning evening tomorrow degrees wind rain cloud sun mountain harbour people travel early late maybe likely short answer question model city market coffee price because while before after about without under between'.split(
    ' ',
  )

function makePairs(): Pair[] {
  const random = lcg(20261122)
  const pick = (): string => WORDS[Math.floor(random() * WORDS.length)] as string
  const sentence = (length: number): string => {
    let written = 'The'
    while (written.length < length) written += `${random() < 0.1 ? '. It is' : ''} ${pick()}`
    return `${written} ${Math.floor(random() * 100)}.`
  }
  const changed = (text: string): string => text.replace(/\w+/g, word => (random() < 0.1 ? pick() : word))
  const documentOf = (text: string): JsonObject => ({
    summary: text.slice(0, 200),
    places: [0, 1, 2].map(at => ({ name: pick(), score: at / 2, near: [pick(), pick()] })),
    tags: [pick(), pick(), pick(), pick()],
    total: Math.floor(random() * 3),
  })
  return Array.from({ length: PAIRS }, (_, at) => {
    const answer = sentence(300 + random() * 700)
    const output = at % 2 === 0 ? changed(answer) : sentence(300 + random() * 700)
    return { output, answer, outputDocument: documentOf(output), answerDocument: documentOf(answer) }
  })
}

/** Numbers of 0 to 1, the same in each run: the linear congruential generator of Numerical Recipes. */
function lcg(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
