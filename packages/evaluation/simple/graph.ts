import type { JsonObject, Uuid } from '@spanhouse/model'
import { findRevision, KINDS, type RevisionRow, testcaseIdsAt } from '@spanhouse/registry'
import { list, mapOf, optional, uuid, z } from '@spanhouse/validation'
import { type Origin, origin } from '../entities/fields.ts'
import { mappingsOf } from '../runs/mappings.ts'
import type { Mapping, Step } from '../runs/run-data.ts'
import { registryScope, type Scope } from '../scope.ts'
import { findsInvocations } from './finds-invocations.ts'

/** The maximum number of revisions of one family. */
const TARGETS_MAX = 100

/** The revisions of one family and who executes their steps. A list contains revisions only. */
export type Targets = Map<Uuid, Origin>

/** A list of revision ids, all executed by `usual`, or a map from revision id to who executes it. */
export const targets = (usual: Origin) =>
  z.union([
    list(uuid, { max: TARGETS_MAX }).transform(ids => new Map(ids.map(id => [id, usual] as const))),
    mapOf(origin, TARGETS_MAX).transform((map, context): Targets => {
      const read: Targets = new Map()
      for (const [key, value] of map) {
        const id = uuid.safeParse(key)
        if (id.success) read.set(id.data, value)
        else
          context.addIssue({
            code: 'custom',
            params: { type: 'uuid_parsing' },
            message: 'Input should be a valid UUID',
            path: [key],
          })
      }
      return read
    }),
  ])

/** The members of `data` that name revisions, and what each family's steps are. The order is that of a run's steps. */
const FAMILIES = [
  { member: 'query_steps', kind: 'query', type: 'input' },
  { member: 'testset_steps', kind: 'testset', type: 'input' },
  { member: 'application_steps', kind: 'application', type: 'invocation' },
  { member: 'evaluator_steps', kind: 'evaluator', type: 'annotation' },
] as const
type Family = (typeof FAMILIES)[number]
export type FamilyMember = Family['member']

export type GraphTargets = { [member in FamilyMember]?: Targets }

/** `data` of a simple evaluation, as far as it names revisions. Origins of a bare list are `custom`. */
export const graphMembers = {
  query_steps: optional(targets('custom')),
  testset_steps: optional(targets('custom')),
  application_steps: optional(targets('custom')),
  evaluator_steps: optional(targets('custom')),
}

/** A create or an edit that is rejected without an error status: the response has a count of 0 and this reason. */
export class Rejected extends Error {
  readonly detail: JsonObject

  constructor(message: string, detail: JsonObject = {}) {
    super(message)
    this.detail = { message, ...detail }
  }
}

/**
 * The steps that pinned revisions make, with the columns that show them. Throws {@link Rejected} for a revision that
 * there is not, or that cannot be evaluated with.
 */
export async function buildGraph(
  scope: Scope,
  graph: GraphTargets,
  { isLive = false, direct = [] }: { isLive?: boolean; direct?: readonly Step[] },
): Promise<{ steps: Step[]; mappings: Mapping[] }> {
  const steps: Step[] = [...direct]
  const hasApplication = (graph.application_steps?.size ?? 0) > 0
  for (const family of FAMILIES) {
    for (const [id, by] of graph[family.member] ?? []) {
      const revision = await usableRevision(scope, family, { id, isLive })
      const hasSource = steps.some(({ type }) => type === 'input')
      steps.push(stepOf(family, revision, { by, hasApplication, hasSource }))
    }
  }
  return { steps, mappings: await mappingsOf(scope, steps) }
}

async function usableRevision(
  scope: Scope,
  { member, kind }: Family,
  { id, isLive }: { id: Uuid; isLive: boolean },
): Promise<RevisionRow> {
  const rejected = (message: string): Rejected => new Rejected(`${member}: ${message}`, { step: member, id })
  const place = registryScope(scope, KINDS[kind])
  const revision = await findRevision(place, { revision: { id } })
  if (!revision) throw rejected(`there is no ${kind} revision ${id}`)
  if (kind === 'evaluator' && !revision.data) throw rejected(`the evaluator revision ${id} has no data`)
  if (kind === 'query' && isLive && !findsInvocations(revision.data))
    throw rejected(`the query revision ${id} needs the condition trace_type is invocation to be evaluated live`)
  if (kind === 'testset' && !(await testcaseIdsAt(place, { revision: { id } }))?.length)
    throw rejected(`the testset revision ${id} has no testcases`)
  return revision
}

interface Surroundings {
  by: Origin
  hasApplication: boolean
  hasSource: boolean
}

/** A step whose references hold all three layers of the revision. */
function stepOf({ kind, type }: Family, revision: RevisionRow, { by, hasApplication, hasSource }: Surroundings): Step {
  const { id, slug, version, variant_id, variant_slug, artifact_id, artifact_slug } = revision
  const all = [...(hasApplication ? ['__all_invocations__'] : []), ...(hasSource ? ['__all_inputs__'] : [])]
  const inputs = { input: undefined, invocation: ['__all_inputs__'], annotation: all }[type]
  return {
    key: `${kind}-${slug}`,
    type,
    origin: by,
    references: {
      [kind]: { id: artifact_id, slug: artifact_slug, version: undefined },
      [`${kind}_variant`]: { id: variant_id, slug: variant_slug, version: undefined },
      [`${kind}_revision`]: { id, slug, version: String(version) },
    },
    inputs: inputs?.map(key => ({ key })),
    schemas: undefined,
  }
}

/** Which revisions the steps of a run pin, by family. */
export function targetsOf(steps: readonly Step[]): Record<FamilyMember, Record<Uuid, Origin>> {
  const entries = FAMILIES.map(({ member, kind, type }) => {
    const pinned = steps.flatMap(step => {
      const id = step.type === type ? step.references[`${kind}_revision`]?.id : undefined
      return id === undefined ? [] : [[id, step.origin] as const]
    })
    return [member, Object.fromEntries(pinned)] as const
  })
  return Object.fromEntries(entries) as Record<FamilyMember, Record<Uuid, Origin>>
}
