import type { CaseCell, CaseRow, Run, ScoreName, Step } from '../../api/evaluations.ts'
import type { Json, JsonObject } from '../../api/registry/registry.ts'
import { messagesIn, plainText } from '../../trace/messages.ts'
import type { StartSearch } from '../search.ts'

/** A score as the heading of a column. */
export interface ScoreColumn extends ScoreName {
  /** As in `scores` of a cell: the path below the outputs. */
  name: string
  title: string
}

export const OUTPUTS = 'attributes.ag.data.outputs'

/** The name of a score in a cell; empty for outputs that are a single value. */
export const nameIn = (path: string): string => (path === OUTPUTS ? '' : path.slice(OUTPUTS.length + 1))

export const stepsOf = (run: Run | null | undefined): readonly Step[] => run?.data?.steps ?? []

/** What a step runs, as people call it. */
export const titleOf = (step: Step): string => artifactOf(step)?.[1].slug ?? step.key

/** The artifact that a step is about, with its kind. */
export const artifactOf = ({ references = {} }: Step) =>
  Object.entries(references).find(([name]) => !/_(variant|revision)$/.test(name))

/** The revision that a step pins. */
export const revisionOf = ({ references = {} }: Step): { id?: string; slug?: string; version?: string } | undefined =>
  Object.entries(references).find(([name]) => name.endsWith('_revision'))?.[1]

/** A step as people call it, with the version that it pins; traces have none. */
export function pinnedOf(step: Step): string {
  const version = revisionOf(step)?.version
  return version === undefined ? titleOf(step) : `${titleOf(step)} v${version}`
}

/** What starts an evaluation like this run; undefined for one of traces. */
export function startSearchOf(run: Run): StartSearch | undefined {
  const of = (type: Step['type']) => stepsOf(run).filter(step => step.type === type)
  const [testset] = of('input').filter(step => artifactOf(step)?.[0] === 'testset')
  const applications = of('invocation').flatMap(step => revisionOf(step)?.id ?? [])
  if (testset === undefined || applications.length === 0) return undefined
  const evaluators = of('annotation').map(
    step => `${revisionOf(step)?.id}:${step.origin === 'human' ? 'human' : 'auto'}`,
  )
  return {
    name: run.name,
    testset: revisionOf(testset)?.id,
    applications: applications.join(),
    evaluators: evaluators.join() || undefined,
    repeats: run.data?.repeats,
  }
}

/** Columns for scores; one that several evaluators have is named with its evaluator. */
export function columnsOf(run: Run, scores: readonly ScoreName[]): ScoreColumn[] {
  const titles = new Map(stepsOf(run).map(step => [step.key, titleOf(step)]))
  const names = scores.map(({ path }) => nameIn(path))
  return scores.map((score, index) => {
    const name = names[index] as string
    const evaluator = titles.get(score.step_key) ?? score.step_key
    const isShared = names.filter(one => one === name).length > 1
    return {
      step_key: score.step_key,
      path: score.path,
      name,
      title: name === '' || isShared ? [evaluator, name].filter(Boolean).join(' · ') : name,
    }
  })
}

/** Members of a testcase that hold the expected output, if no evaluator says which one does. */
const EXPECTED = ['correct_answer', 'expected_output', 'expected', 'ground_truth', 'reference', 'target']

/** A case as it is shown. Undefined: there is no such value. */
export interface CaseModel {
  input: string | undefined
  expected: string | undefined
  output: string | undefined
  /** Why there is no output. */
  error: string | undefined
  /** The cell of the application, or of the source trace. */
  subject: CaseCell | undefined
  annotations: readonly CaseCell[]
}

/** `expectedKeys`: members of testcases that evaluators compare outputs with. */
export function modelOf(run: Run, row: CaseRow, expectedKeys: readonly string[]): CaseModel {
  const types = new Map(stepsOf(run).map(({ key, type }) => [key, type]))
  const of = (type: Step['type']): CaseCell[] => row.cells.filter(({ step_key }) => types.get(step_key) === type)
  const subject = of('invocation')[0] ?? of('input').find(({ trace_id }) => trace_id !== undefined)
  const data = row.testcase?.data
  const expected = [...expectedKeys, ...EXPECTED].find(name => data?.[name] !== undefined)
  return {
    input: textOf(data === undefined ? (subject?.inputs as Json | undefined) : withoutMember(data, expected)),
    expected: expected === undefined ? undefined : textOf(data?.[expected]),
    output: textOf(subject?.outputs as Json | undefined),
    error: row.cells.map(errorOf).find(one => one !== undefined),
    subject,
    annotations: of('annotation'),
  }
}

/** A case of each repeat of its application; one case if that is not repeated. */
export function modelsOf(run: Run, row: CaseRow, expectedKeys: readonly string[]): CaseModel[] {
  const applications = new Set(stepsOf(run).flatMap(({ key, type }) => (type === 'invocation' ? key : [])))
  const repeats = new Set(row.cells.flatMap(cell => (applications.has(cell.step_key) ? cell.repeat_idx : [])))
  if (repeats.size < 2) return [modelOf(run, row, expectedKeys)]
  return [...repeats].toSorted((one, other) => one - other).map(at => modelOf(run, atRepeat(row, at), expectedKeys))
}

/** The cells of one repeat; of steps that are not repeated those of the first. */
export function atRepeat(row: CaseRow, repeat: number): CaseRow {
  const isRepeated = new Set(row.cells.flatMap(cell => (cell.repeat_idx === repeat ? cell.step_key : [])))
  return { ...row, cells: row.cells.filter(cell => cell.repeat_idx === (isRepeated.has(cell.step_key) ? repeat : 0)) }
}

/** Members of testcases that identify them. */
const IDS = new Set(['testcase_id', 'testcase_dedup_id'])

const withoutMember = (data: JsonObject, name: string | undefined): JsonObject =>
  Object.fromEntries(Object.entries(data).filter(([key]) => key !== name && !IDS.has(key)))

/** The message of a cell that failed. */
export function errorOf({ error, status }: CaseCell): string | undefined {
  if (error === undefined)
    return status === 'failure' || status === 'errors' ? 'It failed without a message.' : undefined
  return typeof error.message === 'string' ? error.message : JSON.stringify(error)
}

/** A value as text: of a chat what was said, of an object with a single text that, of others their members. */
function textOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  const plain = plainText(value)
  if (plain !== undefined) return plain
  const said = messagesIn(value)?.flatMap(({ pieces }) =>
    pieces.flatMap(piece => (piece.kind === 'text' ? piece.text : [])),
  )
  if (said && said.length > 0) return said.join('\n')
  if (Array.isArray(value)) return JSON.stringify(value, null, 2)
  const members = Object.entries(value as JsonObject)
  if (members.length === 1) return textOf(members[0]?.[1])
  return members.map(([name, one]) => `${name}: ${typeof one === 'string' ? one : JSON.stringify(one)}`).join('\n')
}

/** The values of a score in all repeats of a case. */
export const valuesOf = (cells: readonly CaseCell[], { step_key, name }: ScoreColumn): (number | boolean | string)[] =>
  cells.flatMap(cell => (cell.step_key === step_key ? (cell.scores?.[name] ?? []) : []))
