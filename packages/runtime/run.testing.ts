import type { Json, JsonObject } from '@spanhouse/model'
import type { Handler } from './handler.ts'
import type { ChatAnswer, ChatPlan, Means, Run } from './run.ts'
import { RunError } from './run-error.ts'
import { workMeans } from './work/work-threads.ts'

/** A model that answers what it is told to, in order; a run error stands for a failed call. */
export interface ScriptedModel {
  plans: ChatPlan[]
  chat: Means['chat']
}

export function scriptedModel(...answers: (string | JsonObject | RunError)[]): ScriptedModel {
  const plans: ChatPlan[] = []
  const chat = async (plan: ChatPlan): Promise<ChatAnswer> => {
    plans.push(plan)
    const answer = answers[plans.length - 1] ?? answers.at(-1) ?? ''
    if (answer instanceof RunError) throw answer
    const message = typeof answer === 'string' ? { role: 'assistant', content: answer } : answer
    return { message, model: 'scripted', finishReason: 'stop', usage: { prompt: 3, completion: 2, total: 5 } }
  }
  return { plans, chat }
}

const unreachable = (name: string) => async (): Promise<never> => {
  throw new Error(`the run called ${name}`)
}

/** Runs a handler as an invocation does. What it is not given reaches nobody. */
export async function runWith(
  handler: Handler,
  { chat, means, ...given }: Partial<Omit<Run, 'means'>> & { chat?: Means['chat']; means?: Partial<Means> },
): Promise<Json> {
  if (!handler.run) throw new Error(`${handler.key} cannot be run`)
  return handler.run({
    parameters: {},
    inputs: undefined,
    outputs: undefined,
    trace: undefined,
    testcase: undefined,
    revision: {},
    flags: { stream: false, trim: false, force: false },
    labels: { references: {}, links: {}, baggage: {} },
    sessionId: 'session',
    signal: new AbortController().signal,
    emit: () => undefined,
    means: {
      chat: chat ?? unreachable('chat'),
      requireKey: async () => undefined,
      embed: unreachable('embed'),
      evaluate: unreachable('evaluate'),
      post: unreachable('post'),
      ...workMeans('a project'),
      ...means,
    },
    ...given,
  })
}
