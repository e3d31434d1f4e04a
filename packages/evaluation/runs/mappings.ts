import { isJsonObject, type JsonObject } from '@spanhouse/model'
import { findRevision, findTestcase, KINDS, testcaseIdsAt } from '@spanhouse/registry'
import { registryScope, type Scope } from '../scope.ts'
import type { Mapping, Step } from './run-data.ts'
import { schemaLeaves } from './schema-leaves.ts'

const OUTPUTS = 'attributes.ag.data.outputs'

const mapping = ({ key }: Step, kind: string, name: string, path: string): Mapping => ({
  column: { kind, name },
  step: { key, path },
})

/**
 * The columns that show steps (section 1.5 of the interface), as far as their references lead to something. A testcase
 * and a schema may have names with NUL characters, which no run can store.
 */
export async function mappingsOf(scope: Scope, steps: readonly Step[]): Promise<Mapping[]> {
  const mappings: Mapping[] = []
  for (const step of steps) mappings.push(...(await mappingsOfStep(scope, step)))
  return mappings.filter(({ column }) => !column.name.includes('\0'))
}

async function mappingsOfStep(scope: Scope, step: Step): Promise<Mapping[]> {
  if (step.type === 'invocation') return [mapping(step, 'invocation', 'outputs', OUTPUTS)]
  if (step.type === 'annotation') return evaluatorMappings(scope, step)
  const { testset_revision, query_revision } = step.references
  if (testset_revision?.id !== undefined) return testsetMappings(scope, step, testset_revision.id)
  if (query_revision || step.key === 'traces') return [mapping(step, 'query', 'data', 'attributes.ag.data')]
  return step.key === 'testcases' ? [mapping(step, 'testset', 'data', 'data')] : []
}

async function testsetMappings(scope: Scope, step: Step, id: string): Promise<Mapping[]> {
  const testsets = registryScope(scope, KINDS.testset)
  const [first] = (await testcaseIdsAt(testsets, { revision: { id } })) ?? []
  const testcase = first === undefined ? undefined : await findTestcase(testsets, first)
  return Object.keys(testcase?.data ?? {}).map(key => mapping(step, 'testset', key, `data.${key}`))
}

async function evaluatorMappings(scope: Scope, step: Step): Promise<Mapping[]> {
  const { id } = step.references.evaluator_revision ?? {}
  if (id === undefined) return []
  const revision = await findRevision(registryScope(scope, KINDS.evaluator), { revision: { id } })
  return revision ? outputMappings(step, revision.data) : []
}

/** The column of an evaluator's outputs until they are known. */
export const PLACEHOLDER_PATH = `${OUTPUTS}.outputs`

/** The columns of an evaluator's outputs. Without any schemas it has one until its outputs are known. */
export function outputMappings(step: Step, data: JsonObject | null): Mapping[] {
  const schemas = data?.schemas
  if (!isJsonObject(schemas)) return [mapping(step, 'annotation', 'outputs', PLACEHOLDER_PATH)]
  return schemaLeaves(schemas.outputs).map(({ path }) =>
    mapping(step, 'annotation', path.join('.') || 'outputs', [OUTPUTS, ...path].join('.')),
  )
}
