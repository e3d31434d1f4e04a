import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../harness.ts'
import { networkedAvailable } from '../sets/networked.ts'
import { isSample } from '../sets/sample.ts'
import { type ModelSet, startEmbeddedModelSet, startNetworkedModelSet } from './model-sets.ts'

const MODELS = ['gpt-4o-mini', 'fake-stall-middle', 'text-embedding-3-small']

/** A set, and the response of a stream whose provider stalls in the middle. */
interface StalledSet {
  set: ModelSet
  stalled: Promise<Sent>
}

interface Sent {
  status: number
  text: string
}

const stall = (set: ModelSet): StalledSet => ({
  set,
  stalled: sendAs(
    set,
    `${set.servicesUrl}/completion/v0/invoke`,
    { data: { parameters: promptOf(set, 'Which city?', 'fake-stall-middle') } },
    'text/event-stream',
  ),
})

const promptOf = ({ connection }: ModelSet, content: string, model = 'gpt-4o-mini'): object => ({
  prompt: { messages: [{ role: 'user', content }], llm_config: { model, connection } },
})

/** Sends to an address that a response named, as a client does. */
async function sendAs({ project }: ModelSet, url: string, body: object, accept: string): Promise<Sent> {
  const headers = { authorization: `ApiKey ${project.apiKey}`, 'content-type': 'application/json', accept }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

/**
 * What a user does with applications and models, in one process and with each role in a process of its own. Both sets
 * start at once, and in each a stream stalls from the beginning: its limit of 60 s passes during the other tests. In a
 * sample the networked one, where requests go through more processes: models.test.ts invokes in one process.
 */
const hasNetworked = networkedAvailable || Boolean(process.env.CI)
const SETS = Object.entries({
  ...(isSample && hasNetworked ? {} : { embedded: startEmbeddedModelSet }),
  ...(hasNetworked ? { networked: startNetworkedModelSet } : {}),
}).map(([name, start]): [name: string, started: Promise<StalledSet>] => [name, start(MODELS).then(stall)])
afterAll(() => Promise.all(SETS.map(async ([, started]) => (await started).set.stop())))

describe.each(SETS)('%s', (_name, started) => {
  let set: ModelSet
  let stalled: Promise<Sent>
  beforeAll(async () => {
    ;({ set, stalled } = await started)
  })

  const post = async (path: string, body: unknown): Promise<any> => {
    const { status, text, body: answer } = await set.project.post(`/api${path}`, body)
    expect(status, text).toBe(200)
    return answer
  }
  const prompt = (content: string): object => promptOf(set, content)
  const sendTo = async (url: string, body: object, accept = 'application/json'): Promise<string> => {
    const { status, text } = await sendAs(set, url, body, accept)
    expect(status, text).toBe(200)
    return text
  }

  test('an application: created, committed, deployed, retrieved, invoked whole and as a stream', async () => {
    const { count, templates } = (await set.project.get('/api/applications/catalog/templates/')).body
    expect(count).toBe(templates.length)
    const { uri } = templates.find(({ key }: { key: string }) => key === 'completion').data
    const { application } = await post('/simple/applications/', {
      application: {
        slug: 'capitals',
        name: 'Capitals',
        flags: { is_application: true },
        data: { uri, parameters: prompt('Say hello') },
      },
    })
    const parameters = prompt('What is the capital of {{country}}?')
    await post('/applications/revisions/commit', {
      application_revision_commit: {
        application_variant_id: application.variant_id,
        message: 'asks for capitals',
        data: { uri, parameters },
      },
    })
    await post('/applications/revisions/deploy', {
      application_variant_ref: { id: application.variant_id },
      environment_ref: { slug: 'production' },
    })
    const { application_revision } = await post('/applications/revisions/retrieve', {
      environment_ref: { slug: 'production' },
      key: 'capitals.revision',
    })
    const { data } = application_revision
    expect(data).toMatchObject({ url: application.data.url, parameters, schemas: { inputs: { type: 'object' } } })
    const body = { data: { inputs: { country: 'France' }, parameters: data.parameters } }
    const whole = JSON.parse(await sendTo(`${data.url}/invoke`, body))
    expect(whole.data.outputs).toBe('The capital of France is Paris.')
    const events = (await sendTo(`${data.url}/invoke`, body, 'text/event-stream'))
      .split('\n\n')
      .filter(frame => frame.startsWith('data: '))
      .map(frame => JSON.parse(frame.slice('data: '.length)))
    const pieces = events.flatMap(({ type, data: { delta } }) => (type === 'message_delta' ? [delta] : []))
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.join('')).toBe(whole.data.outputs)
    const { trace } = await eventually(async () => {
      const { body: found } = await set.project.get(`/api/traces/${whole.trace_id}`)
      return found.trace?.spans.completion_v0?.spans && found
    })
    expect(trace.spans.completion_v0.attributes.ag.data.outputs).toBe(whole.data.outputs)
    expect(trace.spans.completion_v0.attributes.ag.metrics.costs.cumulative.total).toBeGreaterThan(0)
  })

  test('a conversation of a user interface reaches the model with its files and tools', async () => {
    const messages = [
      {
        id: 'u1',
        role: 'user',
        parts: [
          { type: 'text', text: 'What is in the picture?' },
          { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' },
        ],
      },
      {
        id: 'a1',
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'not for the model' },
          {
            type: 'tool-look',
            toolCallId: 'c1',
            state: 'output-available',
            input: { at: 1 },
            output: { seen: 'a cat' },
          },
          { type: 'text', text: 'A cat.' },
        ],
      },
      { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'What is 6 * 7?' }] },
    ]
    const headers = { accept: 'text/event-stream', 'x-ag-messages-format': 'vercel' }
    const body = { data: { inputs: { messages }, parameters: prompt('Look closely.') } }
    const { text } = await set.project.run('/chat/v0/invoke', body, headers)
    const parts = text
      .split('\n\n')
      .filter(frame => frame.startsWith('data: {'))
      .map(frame => JSON.parse(frame.slice('data: '.length)))
    expect(parts.flatMap(({ type, delta }) => (type === 'text-delta' ? [delta] : [])).join('')).toBe('6 * 7 = 42')
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop', messageMetadata: { usage: {} } })
    expect(set.provider.requests.at(-1)?.body.messages).toEqual([
      { role: 'user', content: 'Look closely.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is in the picture?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"seen":"a cat"}' },
      { role: 'assistant', content: 'A cat.' },
      { role: 'user', content: 'What is 6 * 7?' },
    ])
  })

  test('evaluators that call a model or a service: created, committed, run by references, annotations found', async () => {
    const service = createServer((_request, response) => response.end('0.8')).listen(0, '127.0.0.1')
    await once(service, 'listening')
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/judge`
    const { connection } = set
    const evaluators: [uri: string, data: object, expected: object | number][] = [
      ['builtin:auto_webhook_test', { parameters: { webhook_url: url } }, { score: 0.8, success: true }],
      ['custom:hook', { url }, 0.8],
      [
        'builtin:llm',
        {
          parameters: { llms: [{ model: 'gpt-4o-mini', connection }], messages: [{ role: 'user', content: 'hello' }] },
        },
        { status: { code: 200 }, messages: [{ role: 'user' }, { role: 'assistant' }] },
      ],
      [
        'builtin:auto_ai_critique',
        {
          parameters: {
            prompt_template: [{ role: 'user', content: 'Score {{outputs}} from 0 to 10' }],
            model: 'gpt-4o-mini',
            connection,
            response_type: 'text',
          },
        },
        { score: expect.any(Number), success: expect.any(Boolean) },
      ],
      [
        'builtin:auto_semantic_similarity',
        { parameters: { correct_answer_key: 'correct_answer', embedding_model: 'lab/custom/text-embedding-3-small' } },
        { score: expect.closeTo(1), success: true },
      ],
    ]
    for (const [name, data, expected] of evaluators) {
      const uri = `agenta:${name}:v0`
      const { evaluator } = await post('/simple/evaluators/', {
        evaluator: { slug: name.replace(/\W|_/g, '-'), data: { uri } },
      })
      const { evaluator_revision } = await post('/evaluators/revisions/commit', {
        evaluator_revision_commit: { evaluator_variant_id: evaluator.variant_id, data: { uri, ...data } },
      })
      const given = { inputs: { correct_answer: 'Paris' }, outputs: 'Paris' }
      const references = { evaluator: { id: evaluator.id }, evaluator_revision: { id: evaluator_revision.id } }
      for (const body of [{ data: { ...given, revision: { data: { uri, ...data } } } }, { references, data: given }]) {
        const answer = await set.project.run('/invoke', body)
        expect(answer.status, answer.text).toBe(200)
        if (typeof expected === 'object') expect(answer.body.data.outputs).toMatchObject(expected)
        else expect(answer.body.data.outputs).toBe(expected)
      }
      await eventually(async () => {
        const found = await post('/annotations/query', {
          annotation: { references: { evaluator: { id: evaluator.id } } },
        })
        return found.annotations?.length === 1
      })
    }
    service.close()
  })

  test('the command line runs the application and scores an output', async () => {
    const streamed = await set.command('run', 'capitals', '--input', 'country=Italy')
    expect(streamed).toEqual({ code: 0, out: 'The capital of Italy is Rome.\n', err: '' })
    const deployed = await set.command(
      'run',
      'capitals',
      '--environment',
      'production',
      '--input',
      'country=Peru',
      '--json',
    )
    expect(JSON.parse(deployed.out)).toMatchObject({
      status: { code: 200 },
      data: { outputs: expect.stringContaining('Lima') },
    })
    const scored = await set.command('evaluate-one', 'exact-match', '--outputs', '4', '--input', 'correct_answer=4')
    expect([scored.code, JSON.parse(scored.out)]).toEqual([0, { success: true }])
    const pinned = await set.command('run', 'capitals:1')
    expect(pinned).toMatchObject({ code: 0, out: expect.stringContaining('hello') })
    expect(await set.command('run')).toMatchObject({ code: 2 })
    expect(await set.command('run', 'capitals', '--input', 'country')).toMatchObject({ code: 2 })
    expect(await set.command('run', 'nothing-here')).toMatchObject({
      code: 1,
      err: expect.stringContaining('nothing-here'),
    })
  })

  test('a provider that stalls inside a stream: the caller is kept informed, and then gets an error', async () => {
    const { status, text } = await stalled
    expect(status, text).toBe(200)
    expect(text).toMatch(/^data: .*message_start/)
    expect(text.match(/^: keepalive$/gm)?.length).toBeGreaterThanOrEqual(2)
    const frames = text.split('\n\n').filter(frame => frame.startsWith('data: '))
    const [error, last] = frames.slice(-2).map(frame => JSON.parse(frame.slice('data: '.length)))
    expect(error.type).toBe('error')
    expect(last.status.code).toBeGreaterThanOrEqual(500)
    expect(last.status.message).toMatch(/60 s/)
    const ofStalled = () => set.provider.requests.find(({ body }) => body.model === 'fake-stall-middle')
    await eventually(async () => ofStalled()?.end === 'aborted')
    const spans = await eventually(async () => {
      const { body: found } = await set.project.post('/api/spans/query', {
        filter: { conditions: [{ field: 'trace_id', value: last.trace_id }] },
      })
      return found.count === 2 && found.spans
    })
    for (const span of spans as any[]) expect(span.status_code).toBe('STATUS_CODE_ERROR')
  })
})
