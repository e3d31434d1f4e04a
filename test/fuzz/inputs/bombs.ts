import { type Encoded, encoded } from './encode.ts'
import type { Random } from './random.ts'

const MB = 1 << 20

/** JSON that costs more to read than to send: what stands before, what is repeated, what stands after. */
const SHAPES: Record<string, { before: string; pattern: string; after: string }> = {
  'open lists': { before: '', pattern: '[', after: '' },
  'open objects': { before: '', pattern: '{"a":', after: '' },
  'empty objects': { before: '[', pattern: '{},', after: '{}]' },
  'empty lists': { before: '[', pattern: '[],', after: '[]]' },
  ones: { before: '[', pattern: '1,', after: '1]' },
  'one number': { before: '', pattern: '7', after: '' },
  'one exponent': { before: '1e', pattern: '9', after: '' },
  'one text': { before: '"', pattern: 'a', after: '"' },
  'one text of blanks': { before: '"', pattern: ' ', after: 'x"' },
  'one text of escapes': { before: '"', pattern: '\\u0000', after: '"' },
  'names again and again': { before: '{', pattern: '"a":1,', after: '"a":1}' },
  blanks: { before: '', pattern: ' ', after: '1' },
  zeros: { before: '', pattern: '\u0000', after: '' },
}

/** Where in a body the bomb goes off; `@` is its place. */
const PLACES = [
  '@',
  '{"folder":{"ids":@}}',
  '{"folder":{"slugs":@,"paths":@}}',
  '{"spans":@}',
  '{"traces":{"a":{"spans":@}}}',
  '{"trace":{"data":@}}',
  '{"filtering":{"conditions":@}}',
  '{"filter":@,"windowing":{"oldest":@}}',
  '{"windowing":{"limit":@}}',
  '{"token":"t","password":@}',
  '{"testset":{"slug":"bomb","data":{"testcases":@}}}',
  '{"workflow_refs":@,"workflow_variant_refs":@}',
  '{"testcase":@,"testcase_ids":@}',
  '{"resourceSpans":@}',
  '{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":@}]}]}]}',
  '{"prices":@}',
  '{"accounts":@}',
]

const bodies = new Map<string, Encoded>()

/**
 * A bomb in gzip, deflate or zstd, of up to 30 MB when it is decompressed; it is made when it is first used and kept,
 * as making it costs the client more than most servers.
 */
export function jsonBomb(random: Random): Encoded {
  const shape = random.pick(Object.keys(SHAPES))
  const place = random.pick(PLACES)
  const size = random.pick([60_000, MB, 9 * MB, 30 * MB])
  const coding = random.pick(['gzip', 'gzip', 'deflate', 'zstd'] as const)
  const layers = random.chance(0.1) ? [coding, 'gzip' as const] : [coding]
  const key = [shape, place, size, ...layers].join()
  const made = bodies.get(key) ?? encoded(bombBytes(shape, place, size), ...layers)
  bodies.set(key, made)
  return made
}

/** Of the largest one, with room for what stands around its filling. */
const BOMB_BYTES_MAX = 30 * MB + 1_000

/** Holds one bomb at a time until it is compressed: new memory for each took longer than filling it. */
let scratch: Buffer | undefined

/**
 * As bytes from the beginning: a text of 30 MB is made and encoded more slowly than it is compressed. Valid until the
 * next one.
 */
function bombBytes(shape: string, place: string, bytes: number): Buffer {
  const { before, pattern, after } = SHAPES[shape] as (typeof SHAPES)[string]
  const [head = '', ...rest] = place.split('@')
  const share = Math.floor(bytes / rest.length)
  // The pattern is repeated as a whole.
  const filling = share - (share % pattern.length)
  scratch ??= Buffer.allocUnsafe(BOMB_BYTES_MAX)
  let end = scratch.write(head)
  for (const text of rest) {
    end += scratch.write(before, end)
    scratch.fill(pattern, end, end + filling)
    end += filling
    end += scratch.write(after + text, end)
  }
  return scratch.subarray(0, end)
}

/** Bytes that are no JSON and decompress to far more than any limit. */
export function zeroBomb(random: Random): Encoded {
  const coding = random.pick(['gzip', 'deflate', 'zstd'] as const)
  const megabytes = random.pick([12, 40, 200])
  return zeros(megabytes, random.chance(0.5) ? [coding, coding] : [coding])
}

/** So many zeros in these codings, one around the other. */
export function zeros(megabytes: number, layers: readonly ('gzip' | 'deflate' | 'zstd')[]): Encoded {
  const key = ['zeros', megabytes, ...layers].join()
  const made = bodies.get(key) ?? encoded(Buffer.alloc(megabytes * MB), ...layers)
  bodies.set(key, made)
  return made
}
