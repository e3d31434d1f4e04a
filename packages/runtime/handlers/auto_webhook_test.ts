import type { Handler } from '../handler.ts'
import { closed, field, OPTIONAL_CORRECT_ANSWER_KEY, SCORE_AND_SUCCESS, THRESHOLD } from '../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    webhook_url: field('string', {
      title: 'Address',
      description: 'Where inputs and output are posted to; the answer is the score.',
      widget: 'text',
    }),
    correct_answer_key: OPTIONAL_CORRECT_ANSWER_KEY,
    threshold: THRESHOLD,
  },
  ['webhook_url'],
)

/** Lets somebody else's service judge. */
export const autoWebhookTest: Handler = {
  key: 'auto_webhook_test',
  kind: 'builtin',
  version: 'v0',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SCORE_AND_SUCCESS },
  template: {
    name: 'Webhook test',
    description: 'Posts inputs and output to an address and takes the answer as the result.',
    categories: ['custom'],
  },
  legacy: { directUse: false, requiresModel: false },
}
