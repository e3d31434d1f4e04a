import { setTimeout } from 'node:timers/promises'
import { isJsonObject, type Json, type JsonObject, numberOf } from '@spanhouse/model'
import { required } from '../evaluation/parameters.ts'
import { graded } from '../evaluation/verdict.ts'
import type { Run } from '../run.ts'
import { misfit, RunError } from '../run-error.ts'

/** The rule of a mock, and its settings. */
interface Mock {
  key: string
  kwargs: JsonObject
}

const TEXT = 'This is a mock answer.'

/**
 * Responds by the fixed rule that `key` names (3.5). Throws a 400 RunError for an unknown rule, and the errors of the
 * rule.
 */
export async function runMock(run: Run): Promise<Json> {
  let mock = mockOf(run.parameters, required(run.parameters, 'key'))
  while (mock.key === 'delay') {
    await setTimeout(1_000 * secondsOf(mock.kwargs), undefined, { signal: run.signal })
    mock = nextOf(mock.kwargs)
  }
  const answer = ANSWERS.get(mock.key)
  if (!answer) throw misfit('parameter', 'key', `one of ${[...ANSWERS.keys(), 'delay'].join(', ')}`, mock.key)
  return answer(mock.kwargs, run)
}

function mockOf(parameters: JsonObject, key: Json): Mock {
  const kwargs = parameters.kwargs ?? {}
  if (typeof key !== 'string') throw misfit('parameter', 'key', 'a string', key)
  if (!isJsonObject(kwargs)) throw misfit('parameter', 'kwargs', 'an object', kwargs)
  return { key, kwargs }
}

/** The rule after a delay: a key, or a mock with its own settings; by default `echo`. */
function nextOf(kwargs: JsonObject): Mock {
  const next = kwargs.then ?? 'echo'
  return isJsonObject(next) ? mockOf(next, required(next, 'key')) : mockOf({}, next)
}

function secondsOf(kwargs: JsonObject): number {
  const seconds = numberIn(kwargs, 'seconds', 0)
  if (seconds < 0 || seconds > SECONDS_MAX) throw misfit('parameter', 'kwargs.seconds', `0 to ${SECONDS_MAX}`, seconds)
  return seconds
}

/** The maximum of timers; runs end long before. */
const SECONDS_MAX = 3_600

/** By the key of the mock. */
const ANSWERS = new Map(
  Object.entries<(kwargs: JsonObject, run: Run) => Json>({
    echo: (_kwargs, { inputs }) => inputs ?? {},
    static: ({ output = null }) => output,
    messages: kwargs => ({ messages: [{ role: 'assistant', content: textIn(kwargs, 'text', TEXT) }] }),
    events: (kwargs, run) => streamed(textIn(kwargs, 'text', TEXT), run),
    pass: () => ({ score: 1, success: true }),
    fail: () => ({ score: 0, success: false }),
    score: kwargs => graded(numberIn(kwargs, 'score', 0), numberIn(kwargs, 'threshold', 0.5)),
    reflect: (_kwargs, { outputs }) => graded(isUnjudged(outputs) ? 1 : 0, 1),
    error: kwargs => {
      throw new RunError(500, 'v0:workflows:mock-error', textIn(kwargs, 'message', 'This is a mock error.'))
    },
  }),
)

/** Emits the text word by word. */
function streamed(text: string, run: Run): Json {
  const id = 'mock'
  run.emit({ type: 'message_start', data: { id } })
  for (const delta of text.match(/\S+\s*|\s+/g) ?? []) run.emit({ type: 'message_delta', data: { id, delta } })
  run.emit({ type: 'message_end', data: { id } })
  return { messages: [{ role: 'assistant', content: text }] }
}

/** Whether the outputs are an application's rather than an evaluator's. */
const isUnjudged = (outputs: Json | undefined): boolean =>
  isJsonObject(outputs) && Object.keys(outputs).length > 0 && !('score' in outputs) && !('success' in outputs)

function numberIn(kwargs: JsonObject, name: string, fallback: number): number {
  const value = kwargs[name] ?? fallback
  const number = numberOf(value)
  if (number === undefined) throw misfit('parameter', `kwargs.${name}`, 'a number', value)
  return number
}

function textIn(kwargs: JsonObject, name: string, fallback: string): string {
  const value = kwargs[name] ?? fallback
  if (typeof value !== 'string') throw misfit('parameter', `kwargs.${name}`, 'a string', value)
  return value
}
