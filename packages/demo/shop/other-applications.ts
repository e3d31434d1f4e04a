import type { Random } from './random.ts'
import type { Step } from './step.ts'

const QUERIES = [
  'oak desk 140',
  'red kettle',
  'gift for tea lovers',
  'pan induction 28 cm',
  'lamp dimmable',
  'linen curtains',
  'knife set',
]
const COMPLAINTS = [
  'The parcel arrived open and one cup is broken.',
  'I ordered the blue one and received the grey one.',
  'The desk wobbles although all screws are tight.',
  'Nobody called before the delivery.',
]
const ROUTES = ['replacement', 'refund', 'visit of a carpenter', 'voucher']

/** A search in the shop: embed, find, rank, and summarise the best hits. */
export function searchRequest(random: Random): Step {
  const query = random.pick(QUERIES)
  const hits = Array.from({ length: random.whole(3, 8) }, (_, at) => ({
    article: `${query.split(' ')[0]}-${at + 1}`,
    score: Number((0.94 - at * 0.06).toFixed(2)),
  }))
  const isEmpty = random.happens(0.03)
  return {
    name: 'search',
    type: 'chain',
    ms: random.skewed(6),
    inputs: { query },
    outputs: isEmpty ? [] : hits,
    steps: [
      {
        name: 'embed_query',
        type: 'embedding',
        ms: random.skewed(38),
        inputs: { text: query },
        usage: { model: 'text-embedding-3-small', prompt: 6, completion: 0 },
      },
      {
        name: 'find_candidates',
        type: 'query',
        ms: random.skewed(22),
        inputs: { query, limit: 50 },
        outputs: { found: isEmpty ? 0 : 50 },
      },
      {
        name: 'rank',
        type: 'rerank',
        ms: random.skewed(85),
        inputs: { query, candidates: 50 },
        outputs: isEmpty ? [] : hits,
      },
      ...(random.happens(0.4)
        ? [
            {
              name: 'summarise_hits',
              type: 'chat' as const,
              ms: random.skewed(540),
              inputs: { messages: [{ role: 'user', content: `Summarise for a shopper: ${JSON.stringify(hits)}` }] },
              outputs: { role: 'assistant', content: `The best match for “${query}” is ${hits[0]?.article}.` },
              usage: { model: 'gpt-4o-mini', prompt: 220 + 30 * hits.length, completion: random.whole(30, 70) },
            },
          ]
        : []),
    ],
  }
}

/** A complaint that is read, classified and routed; a strict reader of its JSON fails now and then. */
export function complaint(random: Random): Step {
  const text = random.pick(COMPLAINTS)
  const route = random.pick(ROUTES)
  const isMalformed = random.happens(0.05)
  return {
    name: 'route_complaint',
    type: 'workflow',
    ms: random.skewed(9),
    inputs: { text },
    outputs: isMalformed ? undefined : { route },
    ...(isMalformed && { fails: 'classification is not valid JSON' }),
    steps: [
      {
        name: 'classify',
        type: 'chat',
        ms: random.skewed(1_900),
        inputs: {
          messages: [
            { role: 'system', content: 'Answer with JSON: {"route": …}' },
            { role: 'user', content: text },
          ],
        },
        outputs: { role: 'assistant', content: isMalformed ? `route: ${route}` : JSON.stringify({ route }) },
        usage: { model: 'claude-sonnet-4-5', prompt: random.whole(380, 520), completion: random.whole(20, 40) },
      },
      {
        name: 'store_ticket',
        type: 'tool',
        ms: random.skewed(70),
        inputs: { route },
        outputs: { ticket: `T-${random.whole(1000, 9999)}` },
      },
    ],
  }
}
