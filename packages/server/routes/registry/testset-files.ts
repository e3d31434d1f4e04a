import multipart from '@fastify/multipart'
import { invalid, type JsonBounds, type JsonObject, Problem, parseJson, scanShortJson } from '@spanhouse/model'
import {
  commitRevision,
  createSimple,
  editSimple,
  FILE_TYPES,
  type FoundSimpleRow,
  findRow,
  findSimple,
  newSlug,
  readTestcaseFile,
  type Scope,
  TESTCASE_FILE_BYTES_MAX,
  type TestcaseBody,
  testcaseFile,
  testcaseRowsOf,
  toRevisionJson,
  toSimpleJson,
  withDedupIds,
  withTestcases,
} from '@spanhouse/registry'
import { booleanText, jsonObject, optional, slug, storedObject, tags, uuid, z } from '@spanhouse/validation'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { attachment } from '../../http/answer/attachment.ts'
import { one } from '../../http/answer/envelopes.ts'
import { formFile } from '../../http/body/form.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { oneAnswer, type Registry, scopeOf } from './endpoint.ts'

const tag = 'testsets'
const method = 'POST'
const form = { fileBytesMax: TESTCASE_FILE_BYTES_MAX }

const fileType = z.enum(FILE_TYPES)
const revisionForm = z.object({
  file: formFile,
  file_type: optional(fileType),
  include_testcases: optional(booleanText),
})
const simpleForm = revisionForm.extend({
  testset_name: optional(z.string()),
  testset_description: optional(z.string()),
  testset_tags: optional(z.string()),
  testset_meta: optional(z.string()),
})
const newSimpleForm = simpleForm.extend({ testset_slug: optional(slug) })
const download = z.object({ file_type: optional(fileType), file_name: optional(z.string()) })

/** The response of a download, by its media type. */
const file = { answer: z.array(jsonObject), answerTypes: ['application/json', 'text/csv'] }

const byRevision = z.object({ testset_revision_id: uuid })
const byTestset = z.object({ testset_id: uuid })

/** Testsets as files: uploads, which replace all rows, and downloads in the formats that can be uploaded. */
export function testsetFileRoutes(registry: Registry): (app: FastifyInstance) => void {
  return app => {
    app.register(async inside => {
      await inside.register(multipart)
      addUploads(inside, registry)
      addDownloads(inside, registry)
    })
  }
}

function addUploads(app: FastifyInstance, registry: Registry): void {
  const permission = 'edit_testsets'
  addEndpoint(app, {
    method,
    path: '/testsets/revisions/:testset_revision_id/upload',
    tag,
    permission,
    share: 'heavy',
    form,
    summary: "Commits the rows in a file to a revision's variant.",
    params: byRevision,
    body: revisionForm,
    answer: oneAnswer('testset_revision'),
    handle: async ({ principal, params, body, holder }) => {
      const scope = scopeOf(registry, 'testset', { principal, holder })
      const { variant_id } = await revisionAt(scope, params.testset_revision_id)
      const data = dataOf(await withDedupIds(await rowsIn(body)))
      const { row } = await commitRevision(scope, { variant_id, data })
      return withRows(scope, 'testset_revision', toRevisionJson(scope, row), body)
    },
  })
  addEndpoint(app, {
    method,
    path: '/simple/testsets/upload',
    tag,
    permission,
    share: 'heavy',
    form,
    body: newSimpleForm,
    summary: 'Creates a testset with the rows in a file.',
    answer: oneAnswer('testset'),
    handle: async ({ principal, body, holder }) => {
      const scope = scopeOf(registry, 'testset', { principal, holder })
      const chosen = body.testset_slug ?? newSlug()
      const data = dataOf(await rowsIn(body))
      const row = await createSimple(scope, { name: chosen, ...headerIn(body), slug: chosen, data })
      return withRows(scope, 'testset', toSimpleJson(scope, row), body)
    },
  })
  addEndpoint(app, {
    method,
    path: '/simple/testsets/:testset_id/upload',
    tag,
    permission,
    share: 'heavy',
    form,
    summary: 'Replaces the rows of a testset by those in a file.',
    params: byTestset,
    body: simpleForm,
    answer: oneAnswer('testset'),
    handle: async ({ principal, params, body, holder }) => {
      const scope = scopeOf(registry, 'testset', { principal, holder })
      const data = dataOf(await rowsIn(body))
      const row = await editSimple(scope, params.testset_id, { ...headerIn(body), data })
      return withRows(scope, 'testset', toSimpleJson(scope, known(row, params.testset_id)), body)
    },
  })
}

function addDownloads(app: FastifyInstance, registry: Registry): void {
  const permission = 'view_testsets'
  addEndpoint(app, {
    method,
    path: '/testsets/revisions/:testset_revision_id/download',
    tag,
    permission,
    share: 'heavy',
    summary: 'Returns the rows of a revision as a file.',
    params: byRevision,
    query: download,
    ...file,
    handle: async ({ principal, params, query, reply, holder }) => {
      const scope = scopeOf(registry, 'testset', { principal, holder })
      const { id, data } = await revisionAt(scope, params.testset_revision_id)
      return sendRows(reply, scope, data, { name: `revision_${id}`, ...query })
    },
  })
  addEndpoint(app, {
    method,
    path: '/simple/testsets/:testset_id/download',
    tag,
    permission,
    share: 'heavy',
    summary: 'Returns the newest rows of a testset as a file.',
    params: byTestset,
    query: download,
    ...file,
    handle: async ({ principal, params, query, reply, holder }) => {
      if (query.file_type === undefined) throw invalid('file_type is required')
      const scope = scopeOf(registry, 'testset', { principal, holder })
      const { id, data } = known(await findSimple(scope, params.testset_id), params.testset_id)
      return sendRows(reply, scope, data, { name: `testset_${id}`, ...query })
    },
  })
}

const rowsIn = ({ file, file_type = 'csv' }: z.output<typeof revisionForm>): Promise<TestcaseBody[]> =>
  readTestcaseFile(file, file_type)

/** In the shape of a JSON request. */
const dataOf = (testcases: readonly TestcaseBody[]): JsonObject => ({ testcases }) as unknown as JsonObject

/** What a form contains about the testset; omitted members stay unchanged. */
function headerIn(body: z.output<typeof simpleForm>) {
  const { testset_name, testset_description, testset_tags, testset_meta } = body
  return {
    ...(testset_name !== undefined && { name: testset_name }),
    ...(testset_description !== undefined && { description: testset_description }),
    ...(testset_tags !== undefined && { tags: tagsIn(testset_tags) }),
    ...(testset_meta !== undefined && { meta: objectIn('testset_meta', testset_meta) }),
  }
}

function tagsIn(text: string): JsonObject {
  const read = tags.safeParse(objectIn('testset_tags', text))
  if (!read.success) throw invalid('testset_tags may contain only strings, booleans and maps of these')
  return read.data
}

const FIELD_BOUNDS: JsonBounds = { depthMax: 1_000, valuesMax: 10_000, membersMax: 10_000, digitsMax: 1_000 }

function objectIn(name: string, text: string): JsonObject {
  try {
    scanShortJson(text, FIELD_BOUNDS)
    return storedObject.parse(parseJson(text))
  } catch (cause) {
    throw new Problem('invalid', `${name} is not a JSON object, or is too large or too deeply nested`, { cause })
  }
}

async function withRows(
  scope: Scope,
  name: string,
  record: JsonObject,
  options: { include_testcases?: boolean },
): Promise<JsonObject> {
  return one(name, await withTestcases(scope, record, { include_testcases: options.include_testcases }))
}

async function revisionAt(scope: Scope, id: string) {
  const row = await findRow(scope, 'revision', id)
  if (!row) throw new Problem('not_found', `The testset revision ${id} does not exist.`)
  return row
}

function known(row: FoundSimpleRow | undefined, id: string): FoundSimpleRow {
  if (!row) throw new Problem('not_found', `The testset ${id} does not exist.`)
  return row
}

async function sendRows(
  reply: FastifyReply,
  scope: Scope,
  data: JsonObject | null,
  { name, file_name = '', file_type = 'csv' }: z.output<typeof download> & { name: string },
): Promise<FastifyReply> {
  const { mediaType, content } = await testcaseFile(await testcaseRowsOf(scope, data), file_type)
  const header = attachment(file_name.trim() === '' ? name : file_name, file_type)
  return reply.type(mediaType).header('content-disposition', header).send(content)
}
