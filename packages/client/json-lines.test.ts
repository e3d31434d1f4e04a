import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonLines } from './json-lines.ts'

/** A body that arrives in pieces of these lengths, whatever the characters in it. */
function bodyOf(text: string, lengths: readonly number[]): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text)
  let at = 0
  let piece = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      const length = lengths[piece++ % lengths.length] as number
      controller.enqueue(new Uint8Array(bytes.subarray(at, at + length)))
      at += length
    },
  })
}

const values = fc.array(fc.jsonValue({ maxDepth: 2 }))
const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 })

test('lines are read whole, wherever the pieces end, with or without an end of the last one', async () => {
  await fc.assert(
    fc.asyncProperty(values, lengths, fc.boolean(), async (sent, lengths, isEnded) => {
      const text = sent.map(value => JSON.stringify(value)).join('\n') + (isEnded ? '\n' : '')
      const received = await Array.fromAsync(jsonLines(bodyOf(text, lengths)))
      expect(received).toEqual(JSON.parse(JSON.stringify(sent)))
    }),
  )
})

test('a line is there before the next one arrives', async () => {
  let send!: (line: string) => void
  const body = new ReadableStream<Uint8Array>({
    start: controller => {
      send = line => controller.enqueue(new TextEncoder().encode(line))
    },
  })
  const lines = jsonLines<number>(body)
  send('1\n')
  expect((await lines.next()).value).toBe(1)
  send('\n2\n3')
  expect((await lines.next()).value).toBe(2)
  await lines.return()
})

test('a line that is not JSON is an error', async () => {
  await expect(Array.fromAsync(jsonLines(bodyOf('{"a":1}\n{"a":\n', [5])))).rejects.toThrow(SyntaxError)
})

test('a body that ends within a line says so', async () => {
  const cut = Array.fromAsync(jsonLines(bodyOf('{"a":1}\n{"a":', [5])))
  await expect(cut).rejects.toThrow('The response ended early.')
})
