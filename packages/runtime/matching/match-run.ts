import { type Json, type JsonObject, nextTurn } from '@spanhouse/model'
import { required } from '../evaluation/parameters.ts'
import type { Run } from '../run.ts'
import { Compared, Incomparable } from './comparisons.ts'
import { type Aggregation, aggregationOf, type Comparison, type MatchNode, matchNodes } from './match-node.ts'

/**
 * Evaluates all matchers of a run and combines their results (contract of the runtime, section 6). Throws a 400
 * RunError for an invalid configuration; a comparison that cannot be made gives a result with an `error`.
 */
export async function runMatchers(run: Run): Promise<JsonObject> {
  const nodes = matchNodes(required(run.parameters, 'matchers'), 'matchers')
  const aggregation = aggregationOf(run.parameters, '')
  const results = await resultsOf(nodes, { compared: new Compared(run), signal: run.signal })
  return Object.fromEntries<Json>([...membersOf(results), ...Object.entries(aggregated(results, aggregation))])
}

/** The result of a node, with those of its children by key. */
interface Result {
  node: MatchNode
  score: number
  success: boolean
  shown: JsonObject
}

interface Matching {
  compared: Compared
  /** Nobody waits any more. */
  signal: AbortSignal
}

async function resultsOf(nodes: readonly MatchNode[], matching: Matching): Promise<Result[]> {
  const results: Result[] = []
  for (const node of nodes) {
    await nextTurn()
    matching.signal.throwIfAborted()
    results.push(await resultOf(node, matching))
  }
  return results
}

async function resultOf(node: MatchNode, matching: Matching): Promise<Result> {
  if (node.comparison) return { node, ...(await compare(node.comparison, matching.compared)) }
  const results = await resultsOf(node.children, matching)
  const { score, success } = aggregated(results, node)
  const own: [string, Json][] = [
    ['success', success],
    ['score', score],
    ['error', null],
  ]
  return { node, score, success, shown: Object.fromEntries<Json>([...membersOf(results), ...own]) }
}

const membersOf = (results: readonly Result[]): [string, Json][] => results.map(({ node, shown }) => [node.key, shown])

async function compare(comparison: Comparison, compared: Compared): Promise<Omit<Result, 'node'>> {
  try {
    const { score, success } = await compared.outcomeOf(comparison)
    return { score, success, shown: { success, score, error: null } }
  } catch (error) {
    if (!(error instanceof Incomparable)) throw error
    return { score: 0, success: false, shown: { success: false, score: 0, error: error.message } }
  }
}

/** An empty list succeeds. */
function aggregated(results: readonly Result[], aggregation: Aggregation): { score: number; success: boolean } {
  if (results.length === 0) return { score: 1, success: true }
  const score = SCORES[aggregation.score](results)
  if (aggregation.success === 'all') return { score, success: results.every(result => result.success) }
  if (aggregation.success === 'any') return { score, success: results.some(result => result.success) }
  return { score, success: score >= aggregation.threshold }
}

const SCORES: Record<Aggregation['score'], (results: readonly Result[]) => number> = {
  weighted: results => {
    const weights = results.reduce((sum, { node }) => sum + node.weight, 0)
    const weighted = results.reduce((sum, { node, score }) => sum + score * node.weight, 0)
    return weighted / (weights > 0 ? weights : 1)
  },
  min: results => results.reduce((least, { score }) => Math.min(least, score), Number.POSITIVE_INFINITY),
  max: results => results.reduce((most, { score }) => Math.max(most, score), Number.NEGATIVE_INFINITY),
}
