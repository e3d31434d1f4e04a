import { invalid, parseUuid } from '@spanhouse/model'
import type { RowList } from '@spanhouse/postgres'
import {
  findTestcase,
  hasReference,
  KINDS,
  listTestcases,
  listTestcasesOf,
  type Scope,
  type TestcaseRow,
  testcaseIdsAt,
  toTestcaseJson,
} from '@spanhouse/registry'
import { list, optional, uuid, windowing, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import type { HeldAnswer } from '../../http/answer/answer-room.ts'
import { answerOfMany, answerOfOne, manyRead, one } from '../../http/answer/envelopes.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { referenceMembers } from './bodies.ts'
import { type Registry, scopeOf } from './endpoint.ts'
import { notedTestcases, noteTestcase } from './read-events.ts'

const tag = 'testcases'
const permission = 'view_testsets'
const IDS_MAX = 10_000

const record = z.looseObject({ id: uuid, testset_id: uuid, set_id: uuid })
const listAnswer = answerOfMany('testcases', record)

const references = referenceMembers(KINDS.testset)
const query = z.object({
  testcase_ids: optional(list(uuid, { max: IDS_MAX })),
  testset_id: optional(uuid),
  ...references.members,
  windowing: optional(windowing),
})

const repeated = z.union([uuid, list(uuid)]).transform(ids => [ids].flat())
const idsQuery = z.object({
  testcase_id: optional(repeated),
  testcase_ids: optional(z.union([z.string(), list(z.string())]).transform(texts => [texts].flat().join())),
})

/** Rows of testsets: by id, and those of a testset. */
export function testcaseRoutes(registry: Registry): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path: '/testcases',
      tag,
      permission,
      answer: listAnswer,
      query: idsQuery,
      summary: 'Fetches testcases by id, in the order of the ids.',
      share: 'heavy',
      handle: async ({ principal, query, holder }) => {
        const ids = idsOf(query)
        const list = ids && (await listTestcases(scopeOf(registry, 'testset', { principal, holder }), ids))
        return listed(list && notedTestcases(registry, principal, { verb: 'fetched', list }), holder)
      },
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/testcases/:testcase_id',
      tag,
      permission,
      summary: 'Fetches a testcase.',
      params: z.object({ testcase_id: uuid }),
      answer: answerOfOne('testcase', record),
      handle: async ({ principal, params, holder }) => {
        const row = await findTestcase(scopeOf(registry, 'testset', { principal, holder }), params.testcase_id)
        noteTestcase(registry, principal, row)
        return one('testcase', row && toTestcaseJson(row))
      },
    })
    addEndpoint(app, {
      bodyBytesMax: QUERY_BODY_BYTES_MAX,
      method: 'POST',
      path: '/testcases/query',
      tag,
      permission,
      share: 'heavy',
      answer: listAnswer,
      body: query,
      summary: 'Lists testcases: by id, of a revision of a testset, or all that a testset has ever had.',
      handle: async ({ principal, body, holder }) => {
        const list = await pageOf(scopeOf(registry, 'testset', { principal, holder }), body)
        return listed(list && notedTestcases(registry, principal, { verb: 'queried', list }), holder)
      },
    })
  }
}

/** Ids may be listed in one text; an entry that is not a UUID matches nothing (undefined). */
function idsOf({ testcase_id = [], testcase_ids }: z.output<typeof idsQuery>): string[] | undefined {
  const texts = (testcase_ids ?? '').split(',').filter(text => text.trim() !== '')
  if (testcase_id.length + texts.length === 0) throw invalid('testcase_id or testcase_ids is required')
  const parsed = texts.map(parseUuid)
  return parsed.includes(null) ? undefined : [...testcase_id, ...(parsed as string[])]
}

/** Undefined if a reference identifies no revision. Several conditions are combined with "and". */
async function pageOf(scope: Scope, body: z.output<typeof query>): Promise<RowList<TestcaseRow> | undefined> {
  const { testcase_ids, testset_id, windowing } = body
  const given = references.pick(body)
  if (hasReference(scope.kind, given)) {
    const ids = await testcaseIdsAt(scope, given)
    const wanted = testcase_ids && new Set(testcase_ids)
    return ids && listTestcases(scope, wanted ? ids.filter(id => wanted.has(id)) : ids, { windowing, testset_id })
  }
  if (testcase_ids) return listTestcases(scope, testcase_ids, { windowing, testset_id })
  if (testset_id !== undefined) return listTestcasesOf(scope, testset_id, windowing)
  throw invalid('testcase_ids, testset_id or a reference to a testset is required')
}

const listed = (list: RowList<TestcaseRow> | undefined, holder: HeldAnswer): object =>
  list ? manyRead('testcases', list, { holder, record: toTestcaseJson }) : { count: 0, testcases: [] }
