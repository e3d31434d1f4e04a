import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { eventually, newProject } from '../harness.ts'
import { newSpanId, newTraceId } from '../otlp.ts'

/** Every evaluator of the catalogue from its template to the annotation of its run. */
const project = await newProject()

const post = project.posted

const templateOf = async (key: string): Promise<any> =>
  (await project.get(`/api/evaluators/catalog/templates/${key}`)).body.template

/** What the evaluators that call nobody can be given, and what they return. */
const EVALUATIONS: Record<string, { parameters?: object; inputs?: object; outputs?: unknown; expected: object }> = {
  json_multi_field_match: {
    parameters: { fields: ['id', 'addr.zip'] },
    inputs: { correct_answer: { id: 7, addr: { zip: '0150' } } },
    outputs: { id: 7, addr: { zip: '0151' } },
    expected: { id: 1, 'addr.zip': 0, aggregate_score: 0.5 },
  },
  auto_json_diff: {
    inputs: { correct_answer: { a: 1, b: 2 } },
    outputs: { a: 1, b: 3 },
    expected: { score: 0.5, success: true },
  },
  echo: { inputs: { aloha: 'hi' }, expected: { got: 'hi' } },
  mock: { parameters: { key: 'score', kwargs: { score: 0.4 } }, expected: { score: 0.4, success: false } },
  match: {
    parameters: { matchers: [{ key: 'a', target: 'outputs', match: 'contains', reference: '4' }] },
    expected: { success: true },
  },
  auto_exact_match: { expected: { success: true } },
  auto_regex_test: { parameters: { regex_pattern: '^\\d$' }, expected: { success: true } },
  field_match_test: { parameters: { json_field: 'a' }, outputs: { a: '4' }, expected: { success: true } },
  auto_starts_with: { parameters: { prefix: '4' }, expected: { success: true } },
  auto_ends_with: { parameters: { suffix: '5' }, expected: { success: false } },
  auto_contains: { parameters: { substring: '4' }, expected: { success: true } },
  auto_contains_any: { parameters: { substrings: ['4', '5'] }, expected: { success: true } },
  auto_contains_all: { parameters: { substrings: ['4', '5'] }, expected: { success: false } },
  auto_contains_json: { outputs: 'x {"a": 1}', expected: { success: true } },
  auto_levenshtein_distance: { expected: { score: 1, success: true } },
  auto_similarity_match: { parameters: { similarity_threshold: 0.5 }, expected: { score: 1, success: true } },
  code: {
    parameters: { runtime: 'python', code: 'def evaluate(inputs, outputs, trace):\n    return float(outputs) / 8' },
    expected: { score: 0.5, success: true },
  },
  auto_custom_code_run: {
    parameters: { runtime: 'javascript', version: '3', code: 'const evaluate = (i, o) => o === i.correct_answer' },
    expected: { success: true },
  },
}

/** With a model or a service of their own: see test/services. */
const CALLING = ['auto_ai_critique', 'auto_semantic_similarity', 'auto_webhook_test', 'hook', 'llm']
/** Given by people. */
const FEEDBACK = 'feedback'

test('no template of an evaluator is left out', async () => {
  const { body } = await project.get('/api/evaluators/catalog/templates/?include_archived=true')
  const keys: string[] = body.templates.map(({ key }: { key: string }) => key)
  expect(keys.toSorted()).toEqual([...Object.keys(EVALUATIONS), ...CALLING, FEEDBACK].toSorted())
})

/** Creates an evaluator from its template as it is, and commits its configuration as a second revision. */
async function committed(key: string, parameters: object): Promise<any> {
  const { data: template } = await templateOf(key)
  const made = await post('/simple/evaluators/', {
    evaluator: { slug: `e-${randomUUID().slice(0, 8)}`, data: { uri: template.uri, parameters: template.parameters } },
  })
  const { id, variant_id } = made.evaluator
  const data = { uri: template.uri, parameters: { ...template.parameters, ...parameters } }
  const { evaluator_revision } = await post('/evaluators/revisions/commit', {
    evaluator_revision_commit: { evaluator_variant_id: variant_id, message: 'configured', data },
  })
  expect(evaluator_revision.version).toBe('2')
  return { id, data, revision_id: evaluator_revision.id }
}

const annotationsOf = (evaluator_id: string, count: number): Promise<any[]> =>
  eventually(async () => {
    const found = await post('/annotations/query', { annotation: { references: { evaluator: { id: evaluator_id } } } })
    return found.annotations?.length === count ? found.annotations : undefined
  })

test.each(Object.entries(EVALUATIONS))(
  '%s: created, committed, run as a playground does and by references, and its annotations are found',
  async (key, { parameters = {}, inputs = { correct_answer: '4' }, outputs = '4', expected }) => {
    const { id, data, revision_id } = await committed(key, parameters)
    const given = { inputs, outputs }
    const references = { evaluator_revision: { id: revision_id } }
    const links = { invocation: { trace_id: newTraceId(), span_id: newSpanId() } }
    const ways: [string, object][] = [
      [`/${key}/v0/invoke`, { data: { ...given, parameters: data.parameters } }],
      ['/invoke', { data: { ...given, revision: { data } } }],
      ['/invoke', { data: { ...given, revision: data } }],
      ['/invoke', { references, links, data: given }],
      [`/${key}/v0/invoke`, { references, links, data: given }],
    ]
    for (const [path, body] of ways) {
      const { status, text, body: answer } = await project.run(path, body)
      expect(status, text).toBe(200)
      expect(answer.data.outputs).toMatchObject(expected)
    }
    for (const annotation of await annotationsOf(id, 2)) {
      expect(annotation).toMatchObject({ links, data: { outputs: expected } })
      expect(annotation.references.evaluator_revision).toMatchObject({ id: revision_id, version: '2' })
    }
  },
)

test('feedback is not run: people give it, and its annotation is found', async () => {
  const { id, revision_id } = await committed(FEEDBACK, {})
  const { status } = await project.run('/invoke', { references: { evaluator_revision: { id: revision_id } } })
  expect(status).toBe(400)
  await post('/annotations/', {
    annotation: {
      origin: 'human',
      data: { outputs: { approved: true } },
      references: { evaluator: { id } },
      links: { invocation: { trace_id: newTraceId(), span_id: newSpanId() } },
    },
  })
  // The failed run has left one too.
  const given = (await annotationsOf(id, 2)).map(({ data }) => data.outputs)
  expect(given).toContainEqual({ approved: true })
})
