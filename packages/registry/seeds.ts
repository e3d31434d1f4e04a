import type { JsonObject, Uuid } from '@spanhouse/model'
import type { Trx } from '@spanhouse/postgres'
import { findTemplate, type RuntimeSettings } from '@spanhouse/runtime'
import type { Scope } from './kind.ts'
import { KINDS } from './kinds.ts'
import { createSimple } from './simple.ts'

const ENVIRONMENTS = ['development', 'staging', 'production']

const evaluatorsWith = (runtime: RuntimeSettings): { slug: string; name: string; data: JsonObject }[] => [
  {
    slug: 'exact-match',
    name: 'Exact Match',
    data: {
      uri: `${runtime.uriPrefix}:builtin:auto_exact_match:v0`,
      parameters: { correct_answer_key: 'correct_answer' },
    },
  },
  { slug: 'contains-json', name: 'Contains JSON', data: { uri: `${runtime.uriPrefix}:builtin:auto_contains_json:v0` } },
  { slug: 'quality-rating', name: 'Quality Rating', data: qualityRating(runtime) },
]

/** A revision created from the preset of the catalogue. */
function qualityRating(runtime: RuntimeSettings): JsonObject {
  const preset = findTemplate('evaluator', 'feedback', runtime)?.presets.find(({ key }) => key === 'quality-rating')
  return { ...preset?.data, schemas: { ...preset?.data.schemas } }
}

/**
 * Gives every new project its environments and evaluators (section 5.8 of the interface), in the transaction that
 * creates it.
 */
export const registrySeed =
  (runtime: RuntimeSettings) =>
  async (db: Trx, { project_id, user_id }: { project_id: Uuid; user_id: Uuid }): Promise<void> => {
    const scope = { db, project_id, user_id, runtime, mayDeploy: true }
    const environment: Scope = { ...scope, kind: KINDS.environment }
    for (const slug of ENVIRONMENTS) await createSimple(environment, { slug, name: slug })
    const evaluator: Scope = { ...scope, kind: KINDS.evaluator }
    for (const record of evaluatorsWith(runtime)) await createSimple(evaluator, record)
  }
