import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Answer, Shot } from '../exchange.ts'
import type { Operation } from '../inputs/operations.ts'
import { randomOf } from '../inputs/random.ts'
import type { World } from '../world.ts'
import { GENERATORS, pickGenerator } from './generators.ts'

const world: World = {
  authorization: { owner: 'o', editor: 'e', annotator: 'a', viewer: 'v', spare: 's', admin: 'x', nobody: undefined },
  kept: { workflow: ['w'], trace: ['t'], span: ['s'] },
  spare: { workflow: ['w2'], organization: ['o2'] },
  foreign: { trace: ['f'] },
  emails: { kept: ['a@fuzz.test'], spare: ['b@fuzz.test'] },
}
const slug = { type: 'string', maxLength: 128 }
const operations: Operation[] = [
  { name: 'GET /a', method: 'GET', path: '/a', parameters: [], body: undefined },
  {
    name: 'POST /workflows/{workflow_id}',
    method: 'POST',
    path: '/workflows/{workflow_id}',
    parameters: [{ in: 'path', name: 'workflow_id', required: true, schema: { type: 'string', format: 'uuid' } }],
    body: { type: 'application/json', schema: { type: 'object', properties: { slug }, required: ['slug'] } },
  },
]
const answer: Answer = { status: 404, ms: 1, bytes: 2, headers: {}, text: '{}', isLate: false }

/** A hash of the requests of a play, when each is answered with 404. */
async function hashOf(seed: number, index: number): Promise<string> {
  const hash = createHash('sha256')
  const random = randomOf(seed, index)
  const send = async (shot: Shot): Promise<Answer> => {
    const { body = '', ...head } = shot
    hash.update(JSON.stringify(head)).update(body)
    return answer
  }
  await pickGenerator(random).play({ random, world, operations, send })
  return hash.digest('hex')
}

test('the same seed and number make the same requests, others make others', async () => {
  const plays = Array.from({ length: 120 }, (_, index) => index)
  const hashes = new Map<number, string>()
  for (const play of plays) hashes.set(play, await hashOf(1, play))
  for (const play of plays.toReversed()) expect(await hashOf(1, play)).toBe(hashes.get(play))
  const other = await Promise.all(plays.slice(0, 20).map(play => hashOf(2, play)))
  expect(other).not.toEqual([...hashes.values()].slice(0, 20))
  expect(new Set(hashes.values()).size).toBeGreaterThan(60)
})

test('every generator has its turn', () => {
  const chosen = new Set(Array.from({ length: 30_000 }, (_, index) => pickGenerator(randomOf(3, index)).name))
  expect([...chosen].toSorted()).toEqual(GENERATORS.map(({ name }) => name).toSorted())
})
