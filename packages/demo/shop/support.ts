import type { Random } from './random.ts'
import type { Step } from './step.ts'

/** What customers ask the assistant of the shop, and how it answers. */
interface Topic {
  question: string
  answer: string
  tool: { name: string; inputs: object; outputs: unknown }
  document: string
}

const ORDER = { order: 'A-20417', status: 'shipped', carrier: 'DHL', expected: '2026-11-24' }

const TOPICS: readonly Topic[] = [
  {
    question: 'Where is my order A-20417?',
    answer: 'It left our warehouse yesterday with DHL and should arrive on November 24.',
    tool: { name: 'find_order', inputs: { order: 'A-20417' }, outputs: ORDER },
    document: 'Orders are shipped within two working days; the carrier sends a link for tracking.',
  },
  {
    question: 'Can I return the red kettle? I bought it three weeks ago.',
    answer: 'Yes. Everything can be returned within 30 days. I have sent a label to your e-mail address.',
    tool: {
      name: 'create_return_label',
      inputs: { order: 'A-19980', item: 'kettle-red' },
      outputs: { label: 'R-5531' },
    },
    document: 'Articles can be returned within 30 days of delivery; members have 60 days.',
  },
  {
    question: 'Is the oak desk in stock in 140 cm?',
    answer: 'The oak desk in 140 cm is in stock: four pieces, delivered within a week.',
    tool: { name: 'check_stock', inputs: { article: 'desk-oak-140' }, outputs: { stock: 4, days: 6 } },
    document: 'Furniture is delivered by our own vans, to the place of use.',
  },
  {
    question: 'You charged me twice for the lamp.',
    answer: 'One of the two charges was only a reservation. It disappears from your statement within three days.',
    tool: {
      name: 'find_payments',
      inputs: { order: 'A-20388' },
      outputs: [
        { amount: 79, state: 'captured' },
        { amount: 79, state: 'voided' },
      ],
    },
    document: 'A card may show a reservation and a charge for up to three days.',
  },
  {
    question: 'Do you ship to Norway?',
    answer: 'Yes, within five working days. Customs duties are included in the price.',
    tool: { name: 'quote_shipping', inputs: { country: 'NO', weight: 2.4 }, outputs: { price: 14.9, days: 5 } },
    document: 'We ship to all countries of the EEA and to Switzerland.',
  },
  {
    question: 'The handle of my pan is loose. What can I do?',
    answer:
      'Tighten the screw below the handle. If it does not hold, we replace the pan: it has a warranty of five years.',
    tool: {
      name: 'find_warranty',
      inputs: { article: 'pan-steel-28' },
      outputs: { years: 5, covers: ['handle', 'base'] },
    },
    document: 'Pans have a warranty of five years on material and workmanship.',
  },
  {
    question: 'Can you recommend a gift for somebody who likes tea?',
    answer: 'The cast-iron teapot is our most popular gift; with two cups it costs 68 euros.',
    tool: {
      name: 'search_products',
      inputs: { query: 'gift tea', limit: 5 },
      outputs: ['teapot-iron', 'cups-iron-2', 'tea-sampler'],
    },
    document: 'Gifts are wrapped for three euros; a card is free.',
  },
]

const OPENINGS = ['', 'Hi! ', 'Hello, ', 'Good evening. ', 'Thanks. Another question: ', 'And one more thing: ']
const SYSTEM =
  'You are the assistant of a shop for household goods. Answer in at most three sentences, and use the tools.'

export interface Situation {
  random: Random
  /** What was said before in the session. */
  history: readonly { role: string; content: string }[]
  /** The payment service and its neighbours do not respond. */
  isOutage: boolean
  model: string
}

/** One turn with the assistant: the agent plans, looks something up, calls a tool and answers. */
export function supportTurn({ random, history, isOutage, model }: Situation): {
  step: Step
  said: Situation['history']
} {
  const topic = random.pick(TOPICS)
  const question = random.pick(OPENINGS) + topic.question
  const messages = [{ role: 'system', content: SYSTEM }, ...history, { role: 'user', content: question }]
  const fails = random.happens(isOutage ? 0.55 : 0.025)
  const answer = fails ? 'I cannot reach our systems right now. Please try again in a few minutes.' : topic.answer
  const prompt = 240 + JSON.stringify(messages).length / 4
  const call = { name: topic.tool.name, arguments: JSON.stringify(topic.tool.inputs) }
  const tool = fails
    ? { outputs: undefined, fails: `${topic.tool.name}: no response within 4000 ms`, ms: 4_000 }
    : { outputs: topic.tool.outputs, ms: random.skewed(140) }
  const step: Step = {
    name: 'support_agent',
    type: 'agent',
    ms: random.skewed(12),
    inputs: { messages: messages.slice(-1) },
    outputs: answer,
    steps: [
      {
        name: 'plan',
        type: 'chat',
        ms: random.skewed(620),
        inputs: { messages },
        outputs: { role: 'assistant', content: '', tool_calls: [{ id: 'call_1', type: 'function', function: call }] },
        usage: { model, prompt: Math.round(prompt), completion: random.whole(24, 60) },
      },
      {
        name: 'look_up_policy',
        type: 'query',
        ms: random.skewed(60),
        inputs: { query: topic.question },
        outputs: [{ document: topic.document, score: 0.87 }],
        steps: [
          {
            name: 'embed_question',
            type: 'embedding',
            ms: random.skewed(45),
            inputs: { text: topic.question },
            usage: { model: 'text-embedding-3-small', prompt: Math.round(topic.question.length / 4), completion: 0 },
          },
        ],
      },
      { name: topic.tool.name, type: 'tool', inputs: topic.tool.inputs, ...tool },
      {
        name: 'answer',
        type: 'chat',
        ms: random.skewed(1_150),
        inputs: {
          messages: [
            ...messages,
            { role: 'assistant', content: '', tool_calls: [{ id: 'call_1', type: 'function', function: call }] },
            { role: 'tool', content: JSON.stringify(tool.outputs ?? { error: 'timeout' }) },
          ],
        },
        outputs: { role: 'assistant', content: answer },
        usage: { model, prompt: Math.round(prompt) + random.whole(80, 160), completion: random.whole(30, 110) },
      },
    ],
  }
  return {
    step,
    said: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
  }
}
