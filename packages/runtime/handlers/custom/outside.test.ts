import { type Json, type JsonObject, parseJson } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { runWith } from '../../run.testing.ts'
import type { Means, PostReply, PostRequest, Run, RunEvent } from '../../run.ts'
import { agent } from '../application/agent.ts'
import { echo } from '../echo.ts'
import { autoCustomCodeRun } from './auto_custom_code_run.ts'
import { autoWebhookTest } from './auto_webhook_test.ts'
import { code } from './code.ts'
import { feedback } from './feedback.ts'
import { hook } from './hook.ts'
import { mock } from './mock.ts'

/** A service that answers with this, and what it was asked. */
function service(reply: Json | PostReply): { asked: PostRequest[]; means: Partial<Means> } {
  const asked: PostRequest[] = []
  const isReply = typeof reply === 'object' && reply !== null && 'status' in reply && 'text' in reply
  const post = async (request: PostRequest): Promise<PostReply> => {
    asked.push(request)
    return isReply ? (reply as PostReply) : { status: 200, text: JSON.stringify(reply) }
  }
  return { asked, means: { post } }
}

/** A sandbox whose code returns this, and what it was asked. */
function sandbox(result: Json) {
  const asked: Parameters<Means['evaluate']>[0][] = []
  const evaluate: Means['evaluate'] = async request => {
    asked.push(request)
    return result
  }
  return { asked, means: { evaluate } }
}

describe('auto_webhook_test', () => {
  const URL = 'https://judge.test/score'
  const judged = (reply: Json | PostReply, more: JsonObject = {}) =>
    runWith(autoWebhookTest, {
      parameters: { webhook_url: URL, ...more },
      inputs: { q: 1, correct_answer: 'x' },
      outputs: { a: 'é' },
      means: service(reply).means,
    })

  test('inputs, output and the expected answer are posted', async () => {
    const { asked, means } = service(0.7)
    const inputs = { q: 1, expected: 'x' }
    await runWith(autoWebhookTest, { parameters: { webhook_url: URL }, inputs, outputs: { a: 'é' }, means })
    const parameters = { webhook_url: URL, correct_answer_key: 'expected' }
    await runWith(autoWebhookTest, { parameters, inputs, outputs: 'a', means })
    expect(asked.map(one => one.body)).toEqual([
      { inputs, output: '{"a": "é"}' },
      { inputs, output: 'a', correct_answer: 'x' },
    ])
    expect(asked[0]).toMatchObject({ url: URL, timeoutMs: 10_000 })
  })

  test.each<[Json, JsonObject, Json]>([
    [0.7, {}, { score: 0.7, success: true }],
    [0.7, { threshold: 0.8 }, { score: 0.7, success: false }],
    [0, { threshold: 0 }, { score: 0, success: true }],
    [true, {}, { success: true }],
    [false, {}, { success: false }],
    [{ score: 0.8 }, {}, { score: 0.8 }],
    ['good', {}, 'good'],
  ])('%j, %j: %j', async (reply, more, result) => expect(await judged(reply, more)).toEqual(result))

  test.each<[Json | PostReply, JsonObject, object]>([
    [null, {}, { status: 400, fragment: 'v0:schemas:invalid-outputs' }],
    [[1], {}, { status: 400, fragment: 'v0:schemas:invalid-outputs' }],
    [{ status: 200, text: 'no json' }, {}, { status: 500, fragment: 'v0:workflows:custom-hook-client-error' }],
    [{ status: 418, text: '1' }, {}, { status: 418, fragment: 'v0:workflows:custom-hook-server-error' }],
    [{ status: 201, text: '1' }, {}, { status: 500, fragment: 'v0:workflows:custom-hook-server-error' }],
    [1, { threshold: 3 }, { status: 400, details: { path: 'threshold', got: 'number' } }],
    [1, { webhook_url: 5 }, { status: 400, details: { path: 'webhook_url' } }],
  ])('%j, %j is refused', async (reply, more, error) => {
    await expect(judged(reply, more)).rejects.toMatchObject(error)
  })
})

describe('hook', () => {
  const revision = { uri: 'agenta:custom:hook:v0', url: 'https://mine.test/app/', headers: { 'x-n': 4, 'x-t': 'a' } }

  test('the service is sent the envelope, and its data at the top', async () => {
    const { asked, means } = service({ data: { outputs: { a: 1 } } })
    const given = { parameters: { tone: 'dry' }, inputs: { q: 'hi' }, outputs: null, testcase: { n: 1 } }
    expect(await runWith(hook, { revision, ...given, means })).toEqual({ a: 1 })
    expect(asked).toMatchObject([
      { url: 'https://mine.test/app/invoke', headers: { 'x-n': '4', 'x-t': 'a' }, timeoutMs: 30_000 },
    ])
    const data = { inputs: { q: 'hi' }, parameters: { tone: 'dry' }, testcase: { n: 1 } }
    expect(asked[0]?.body).toEqual({
      version: '2025.07.14',
      session_id: 'session',
      flags: { stream: false, trim: false, force: false },
      references: {},
      links: {},
      data: { ...data, revision: { data: revision } },
      ...data,
    })
  })

  test.each([
    ['https://mine.test/run?token=abc', 'https://mine.test/run/invoke?token=abc'],
    ['https://mine.test/run//?a=/b#c', 'https://mine.test/run/invoke?a=/b#c'],
    ['https://mine.test', 'https://mine.test/invoke'],
  ])('%s is called as %s', async (url, called) => {
    const { asked, means } = service('fine')
    await runWith(hook, { revision: { ...revision, url }, means })
    expect(asked.map(one => one.url)).toEqual([called])
  })

  test.each<[Json | PostReply, Json]>([
    [{ data: { outputs: null } }, null],
    [{ outputs: 1 }, { outputs: 1 }],
    [{ data: {} }, { data: {} }],
    [[1], [1]],
    [null, null],
    [{ status: 200, text: 'plain' }, 'plain'],
    [{ status: 200, text: '' }, ''],
  ])('%j becomes %j', async (reply, outputs) => {
    expect(await runWith(hook, { revision, means: service(reply).means })).toEqual(outputs)
  })

  test('without an address, or when the service refuses', async () => {
    await expect(runWith(hook, {})).rejects.toMatchObject({
      fragment: 'v0:schemas:missing-parameter',
      details: { path: 'url' },
    })
    const refused = runWith(hook, { revision, means: service({ status: 429, text: '' }).means })
    await expect(refused).rejects.toMatchObject({ status: 429, fragment: 'v0:workflows:custom-hook-server-error' })
  })
})

describe('code', () => {
  const evaluated = (parameters: JsonObject, result: Json, more: Partial<Run> = {}) => {
    const { asked, means } = sandbox(result)
    const given = { inputs: { correct_answer: 'x' }, outputs: 'a', trace: { id: 1 }, ...more }
    const all = { parameters: { code: 'source', ...parameters }, ...given, means }
    return { asked, outputs: runWith(autoCustomCodeRun, all) }
  }

  test.each<[JsonObject, Json, Json]>([
    [{ version: '3' }, true, { success: true }],
    [{ version: '3' }, 0.4, { score: 0.4, success: false }],
    [{ version: '3', threshold: 0 }, 0, { score: 0, success: true }],
    [{ version: '3' }, parseJson('1180591620717411303424'), { score: 2 ** 70, success: true }],
    [{ version: '3' }, 'x', 'x'],
    [{ version: '3' }, [1], [1]],
    [{ version: '3' }, { a: 1 }, { a: 1 }],
    [{ version: '2' }, ' 0.25 ', { score: 0.25, success: false }],
    [{ version: '2' }, true, { score: 1, success: true }],
    [{}, 1, { score: 1, success: true }],
    [{ version: 2 }, true, { score: 1, success: true }],
    [{ version: { toString: 1 } }, 1, { score: 1, success: true }],
    [{ version: parseJson('18446744073709551616') }, 1, { score: 1, success: true }],
  ])('%j: %j becomes %j', async (parameters, result, outputs) => {
    expect(await evaluated(parameters, result).outputs).toEqual(outputs)
  })

  test.each<[JsonObject, Json, Partial<Run>, string, string | undefined]>([
    [{ version: '3' }, null, {}, 'v0:workflows:code-error', 'evaluate'],
    [{ version: '2' }, 'x', {}, 'v0:workflows:code-error', 'evaluate'],
    [{ version: '2' }, '', {}, 'v0:workflows:code-error', 'evaluate'],
    [{ version: '2' }, { score: 1 }, {}, 'v0:workflows:code-error', 'evaluate'],
    [{ code: 4 }, 1, { outputs: 4 }, 'v0:schemas:invalid-parameter', 'code'],
    [{}, 1, { inputs: {}, outputs: 4 }, 'v0:schemas:missing-input', 'correct_answer'],
    [{ version: '2', threshold: 9 }, 1, { outputs: 4 }, 'v0:schemas:invalid-outputs', 'outputs'],
    [{ runtime: 'perl', threshold: 9 }, 1, {}, 'v0:schemas:invalid-parameter', 'threshold'],
    [{ runtime: 'perl' }, 1, {}, 'v0:schemas:invalid-parameter', 'runtime'],
  ])('%j, %j, %j: %s at %s', async (parameters, result, more, fragment, path) => {
    const error = { status: 400, fragment, details: { path } }
    await expect(evaluated(parameters, result, more).outputs).rejects.toMatchObject(error)
  })

  test('arguments by position', async () => {
    const first = evaluated({ version: 1 }, 1)
    const third = evaluated({ version: '3', runtime: 'javascript' }, 1)
    await Promise.all([first.outputs, third.outputs])
    const inputs = { correct_answer: 'x' }
    expect(first.asked).toEqual([{ source: 'source', runtime: 'python', arguments: [{}, inputs, 'a', 'x'] }])
    expect(third.asked).toEqual([{ source: 'source', runtime: 'javascript', arguments: [inputs, 'a', { id: 1 }] }])
  })

  test('an application takes its script from the revision, and runs without outputs', async () => {
    const { asked, means } = sandbox('answer')
    const revision = { script: 'mine', runtime: 'typescript' }
    const parameters = { version: '3', code: 'other', runtime: 'python' }
    expect(await runWith(code, { revision, parameters, inputs: { q: 1 }, means })).toBe('answer')
    expect(asked).toEqual([{ source: 'mine', runtime: 'typescript', arguments: [{ q: 1 }, null, null] }])
    expect(await runWith(code, { parameters: { code: 'c' }, means: sandbox(1).means })).toEqual({
      score: 1,
      success: true,
    })
    await expect(runWith(code, {})).rejects.toMatchObject({ details: { path: 'script' } })
    await expect(runWith(code, { revision, outputs: 5 })).rejects.toMatchObject({ details: { path: 'outputs' } })
  })
})

describe('mock', () => {
  test.each<[JsonObject, Partial<Run>, Json]>([
    [{ key: 'echo' }, { inputs: { a: 1 } }, { a: 1 }],
    [{ key: 'static', kwargs: { output: [1] } }, {}, [1]],
    [{ key: 'messages', kwargs: { text: 'hi' } }, {}, { messages: [{ role: 'assistant', content: 'hi' }] }],
    [{ key: 'pass' }, {}, { score: 1, success: true }],
    [{ key: 'fail' }, {}, { score: 0, success: false }],
    [{ key: 'score' }, {}, { score: 0, success: false }],
    [{ key: 'score', kwargs: { score: 0.5 } }, {}, { score: 0.5, success: true }],
    [{ key: 'score', kwargs: { score: 0.5, threshold: 0.6 } }, {}, { score: 0.5, success: false }],
    [{ key: 'reflect' }, { outputs: { a: 1 } }, { score: 1, success: true }],
    [{ key: 'reflect' }, { outputs: {} }, { score: 0, success: false }],
    [{ key: 'reflect' }, { outputs: { score: 1 } }, { score: 0, success: false }],
    [{ key: 'reflect' }, { outputs: 'x' }, { score: 0, success: false }],
    [{ key: 'delay', kwargs: JSON.parse('{"seconds": 0.001, "then": "pass"}') }, {}, { score: 1, success: true }],
    [{ key: 'delay', kwargs: JSON.parse('{"then": {"key": "static", "kwargs": {"output": 2}}}') }, {}, 2],
  ])('%j', async (parameters, given, outputs) => {
    expect(await runWith(mock, { parameters, ...given })).toEqual(outputs)
  })

  test.each<[JsonObject, number, string]>([
    [{}, 400, 'v0:schemas:missing-parameter'],
    [{ key: 'nope' }, 400, 'v0:schemas:invalid-parameter'],
    [{ key: 'toString' }, 400, 'v0:schemas:invalid-parameter'],
    [{ key: 'pass', kwargs: [] }, 400, 'v0:schemas:invalid-parameter'],
    [{ key: 'score', kwargs: { score: true } }, 400, 'v0:schemas:invalid-parameter'],
    [{ key: 'delay', kwargs: { seconds: 1e9 } }, 400, 'v0:schemas:invalid-parameter'],
    [{ key: 'error', kwargs: { message: 'down' } }, 500, 'v0:workflows:mock-error'],
  ])('%j: %i %s', async (parameters, status, fragment) => {
    await expect(runWith(mock, { parameters })).rejects.toMatchObject({ status, fragment })
  })

  test('a delay ends when the run does', async () => {
    const parameters = { key: 'delay', kwargs: { seconds: 1_000 } }
    const run = runWith(mock, { parameters, signal: AbortSignal.timeout(20) })
    await expect(run).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('events are emitted before the answer', async () => {
    const events: RunEvent[] = []
    const parameters = { key: 'events', kwargs: { text: 'one two' } }
    const outputs = await runWith(mock, { parameters, emit: event => void events.push(event) })
    expect(outputs).toEqual({ messages: [{ role: 'assistant', content: 'one two' }] })
    expect(events.map(one => one.type)).toEqual(['message_start', 'message_delta', 'message_delta', 'message_end'])
  })
})

test('echo, feedback and agent', async () => {
  expect(await runWith(echo, { inputs: { aloha: [1] } })).toEqual({ got: [1] })
  expect(await runWith(echo, {})).toEqual({ got: null })
  await expect(runWith(feedback, {})).rejects.toMatchObject({ status: 400, fragment: 'v0:workflows:feedback-error' })
  await expect(runWith(agent, {})).rejects.toMatchObject({
    status: 501,
    fragment: 'v0:workflows:agent-not-implemented',
  })
})
