import { hostileText, lengthOf } from '../inputs/hostile.ts'
import type { Random } from '../inputs/random.ts'
import { RAW_KINDS, raw, toJsonText } from '../inputs/raw-json.ts'

/** A testset as a form with a file, sound or not. */
export function multipart(random: Random): { headers: Record<string, string>; body: Buffer } {
  const boundary = `b${random.hex(12)}`
  const type = random.pick(['csv', 'json'])
  const fields = { file_type: type, testset_slug: `f-${random.hex(10)}`, testset_name: hostileName(random) }
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.${type}"\r\n\r\n`
  const end = random.chance(0.95) ? `\r\n--${boundary}--\r\n` : ''
  const content = type === 'csv' ? csv(random) : toJsonText(rows(random))
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.from(`${parts.join('')}${head}${content}${end}`),
  }
}

const hostileName = (random: Random): string =>
  random.chance(0.7)
    ? 'name'
    : hostileText(random)
        .replaceAll(/[\r\n]/g, '')
        .toWellFormed()

function csv(random: Random): string {
  const kind = random.below(12)
  if (kind === 0) return `${'"'.repeat(lengthOf(random))}\n`
  if (kind === 1) return `${','.repeat(lengthOf(random))}\n1\n`
  if (kind === 2) return `${Array.from({ length: lengthOf(random) }, (_, at) => `c${at}`).join()}\n1\n`
  if (kind === 3) return `a,b\n${'1,2\n'.repeat(lengthOf(random))}`
  if (kind === 4) return `a,__proto__,constructor\n1,2,3\n"unclosed`
  if (kind === 5) return `a\n${hostileText(random).toWellFormed()}\n`
  return 'question,answer\nwhy,"so, there"\nwhen,now\n'
}

function rows(random: Random): unknown {
  const kind = random.below(8)
  if (kind === 0) return raw(random.pick(RAW_KINDS), lengthOf(random))
  if (kind === 1) return [{ a: raw(random.pick(RAW_KINDS), lengthOf(random)) }]
  return [{ question: 'why' }, { question: 'when', [hostileText(random)]: 1 }]
}
