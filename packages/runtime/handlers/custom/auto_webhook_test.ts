import { isJsonObject, type Json, numberOf } from '@spanhouse/model'
import { outputText } from '../../evaluation/judged.ts'
import { answerKeyOf, requiredInputs, requiredText, thresholdOf } from '../../evaluation/parameters.ts'
import { jsonReplyTo } from '../../evaluation/remote-reply.ts'
import { graded } from '../../evaluation/verdict.ts'
import type { Handler } from '../../handler.ts'
import { misfit } from '../../run-error.ts'
import { closed, field, OPTIONAL_CORRECT_ANSWER_KEY, SCORE_AND_SUCCESS, THRESHOLD } from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    webhook_url: field('string', {
      title: 'Address',
      description: 'The address to which the inputs and output are posted; the response is the score.',
      widget: 'text',
    }),
    correct_answer_key: OPTIONAL_CORRECT_ANSWER_KEY,
    threshold: THRESHOLD,
  },
  ['webhook_url'],
)

const TIMEOUT_MS = 10_000

/** Lets somebody else's service judge. */
export const autoWebhookTest: Handler = {
  key: 'auto_webhook_test',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SCORE_AND_SUCCESS },
  template: {
    name: 'Webhook test',
    description: 'Posts the inputs and output to an address and returns the response as the result.',
    categories: ['custom'],
  },
  legacy: { directUse: false, requiresModel: false },
  run: async ({ parameters, inputs, outputs, means }) => {
    const url = requiredText(parameters, 'webhook_url')
    const answerKey = answerKeyOf(parameters)
    const columns = requiredInputs(inputs)
    const output = await outputText(outputs)
    const threshold = thresholdOf(parameters)
    const answer = Object.hasOwn(columns, answerKey) ? columns[answerKey] : undefined
    const body = { inputs: columns, output, ...(answer === undefined ? {} : { correct_answer: answer }) }
    return evaluationOf(await jsonReplyTo(means, { url, body, timeoutMs: TIMEOUT_MS }), threshold)
  },
}

/** What a service's reply says of the output: a verdict, a score, or an evaluation of its own. */
function evaluationOf(reply: Json, threshold: number): Json {
  if (typeof reply === 'boolean') return { success: reply }
  const score = numberOf(reply)
  if (score !== undefined) return graded(score, threshold)
  if (typeof reply === 'string' || isJsonObject(reply)) return reply
  throw misfit('outputs', 'webhook_url', 'a number, a boolean, a string or an object in reply', reply)
}
