import type { Uuid } from '@spanhouse/model'
import type { Trx } from '@spanhouse/postgres'
import type { RuntimeSettings } from '@spanhouse/runtime'
import { KINDS } from '../kinds.ts'
import { createSimple } from '../simple.ts'

const SLUG = 'completion_testset'

const CAPITALS = [
  ['Bhutan', 'Thimphu'],
  ['Estonia', 'Tallinn'],
  ['Kiribati', 'South Tarawa'],
  ['Laos', 'Vientiane'],
  ['Mongolia', 'Ulaanbaatar'],
  ['Paraguay', 'Asunción'],
  ['Rwanda', 'Kigali'],
  ['Slovenia', 'Ljubljana'],
]

/** Gives the project of an organization that a user creates an initial testset (section 5.8 of the interface). */
export const testsetSeed =
  (runtime: RuntimeSettings) =>
  async (db: Trx, { project_id, user_id }: { project_id: Uuid; user_id: Uuid }): Promise<void> => {
    const scope = { db, project_id, user_id, runtime, mayDeploy: true, kind: KINDS.testset }
    const testcases = CAPITALS.map(([country = '', correct_answer = '']) => ({ data: { country, correct_answer } }))
    await createSimple(scope, { slug: SLUG, name: SLUG, data: { testcases } })
  }
