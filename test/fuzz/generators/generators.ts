import { costlyFilter, question } from '../inputs/questions.ts'
import type { Random } from '../inputs/random.ts'
import { toJsonText } from '../inputs/raw-json.ts'
import type { Generator } from './generator.ts'
import { EXPORTS } from './ingest.ts'
import { bombedOperation, soundOperation, spoiledOperation } from './operation.ts'
import { SEQUENCES } from './sequences.ts'

const ASKED = [
  '/spans/query',
  '/traces/query',
  '/tracing/spans/query',
  '/spans/analytics/query',
  '/spans/sessions/query',
]

/** Questions of all kinds, and the few that are costly. */
const questions: Generator = {
  name: 'question',
  weight: 10,
  play: ({ random, world, send }) => {
    const path = random.pick(ASKED)
    const body = random.chance(0.98)
      ? question(random, world)
      : { filtering: costlyFilter(random), windowing: { limit: 10 } }
    return send({
      name: `POST ${path}`,
      method: 'POST',
      path: `/api${path}`,
      as: random.pick(['viewer', 'owner'] as const),
      headers: { 'content-type': 'application/json' },
      body: toJsonText(body),
    })
  },
}

/** Of the weights of attacks in several steps: see "Shares" in README.md. */
const SEQUENCE_SHARE = 1 / 3

/** Every way to attack. What is added here takes part in each run. */
export const GENERATORS: readonly Generator[] = [
  soundOperation,
  spoiledOperation,
  bombedOperation,
  questions,
  ...EXPORTS,
  ...SEQUENCES.map(sequence => ({ ...sequence, weight: sequence.weight * SEQUENCE_SHARE })),
]

const total = GENERATORS.reduce((sum, { weight }) => sum + weight, 0)

export function pickGenerator(random: Random): Generator {
  let at = (random.below(1_000_000) / 1_000_000) * total
  for (const generator of GENERATORS) {
    at -= generator.weight
    if (at < 0) return generator
  }
  return GENERATORS[0] as Generator
}
