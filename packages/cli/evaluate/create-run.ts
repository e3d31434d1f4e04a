import { answered, type Spanhouse } from '@spanhouse/client'
import { referencesTo } from '../references.ts'
import { UsageError } from '../usage-error.ts'

export interface NewRunOptions {
  testset?: string
  query?: string
  application?: string
  /** `REF` or `REF=ORIGIN`. */
  evaluator?: string[]
  name?: string
  repeats?: string
}

const ORIGINS = ['auto', 'human', 'custom'] as const
type Origin = (typeof ORIGINS)[number]

/** Creates a run from the latest revisions of what is named, starts it and returns its id. */
export async function createRun(spanhouse: Spanhouse, options: NewRunOptions): Promise<string> {
  const { testset, query, application, evaluator = [], name } = options
  if ((testset === undefined) === (query === undefined))
    throw new UsageError('Give either --testset or --query: what to evaluate.')
  if (evaluator.length === 0 && application === undefined) throw new UsageError('--evaluator is missing.')
  const repeats = repeatsOf(options)
  const pinned = async (family: Family, text: string | undefined) =>
    text === undefined ? undefined : { [await revisionOf(spanhouse, family, text)]: 'auto' as const }
  const evaluators: Record<string, Origin> = {}
  for (const text of evaluator) {
    const { reference, origin } = splitOrigin(text)
    evaluators[await revisionOf(spanhouse, 'evaluator', reference)] = origin
  }
  const data = {
    testset_steps: await pinned('testset', testset),
    query_steps: await pinned('query', query),
    application_steps: await pinned('application', application),
    ...(evaluator.length > 0 && { evaluator_steps: evaluators }),
    ...(repeats !== undefined && { repeats }),
  }
  const made = (await answered(
    spanhouse.POST('/simple/evaluations', { body: { evaluation: { ...(name !== undefined && { name }), data } } }),
  )) as { evaluation?: { id: string }; detail?: { message?: string } }
  if (made.evaluation) return made.evaluation.id
  throw new Error(made.detail?.message ?? 'The evaluation was not created.')
}

function repeatsOf({ repeats }: NewRunOptions): number | undefined {
  if (repeats === undefined) return undefined
  if (/^[1-9]\d*$/.test(repeats)) return Number(repeats)
  throw new UsageError(`--repeats ${repeats}: must be a whole number of at least 1.`)
}

function splitOrigin(text: string): { reference: string; origin: Origin } {
  const [reference = '', origin = 'auto'] = text.split('=')
  if ((ORIGINS as readonly string[]).includes(origin)) return { reference, origin: origin as Origin }
  throw new UsageError(`--evaluator ${text}: the origin must be one of ${ORIGINS.join(', ')}.`)
}

const PATHS = {
  testset: '/testsets/revisions/retrieve',
  query: '/queries/revisions/retrieve',
  application: '/applications/revisions/retrieve',
  evaluator: '/evaluators/revisions/retrieve',
} as const
type Family = keyof typeof PATHS

/** The id of the revision that a text names. */
async function revisionOf(spanhouse: Spanhouse, family: Family, text: string): Promise<string> {
  const references = Object.entries(referencesTo(family, text))
  const body = Object.fromEntries(references.map(([layer, reference]) => [`${layer}_ref`, reference]))
  const found = (await answered(spanhouse.POST(PATHS[family], { body }))) as Record<string, unknown>
  const revision = found[`${family}_revision`] as { id: string } | undefined
  if (!revision) throw new Error(`The ${family} ${text} does not exist.`)
  return revision.id
}
