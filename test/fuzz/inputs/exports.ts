import { readdirSync, readFileSync } from 'node:fs'
import type { Json } from '@spanhouse/model'
import { encodeTraces } from '@spanhouse/otlp'
import { exportOf, otlpSpan } from '../../otlp.ts'
import { hostileText, hostileValue, lengthOf } from './hostile.ts'
import { mutated, mutatedBytes } from './mutate.ts'
import type { Random } from './random.ts'
import { RAW_KINDS, raw, toJsonText } from './raw-json.ts'

const FIXTURES = new URL('../../../packages/otlp/fixtures/', import.meta.url)

/** Recorded exports of real instrumentations. */
const RECORDED: object[] = readdirSync(FIXTURES)
  .filter(name => name.endsWith('.json'))
  .toSorted()
  .map(name => JSON.parse(readFileSync(new URL(name, FIXTURES), 'utf8')))

const RECORDED_BYTES = RECORDED.map(one => encodeTraces(one as Json))

/** An export as it is sent, before any compression. */
export interface Export {
  type: 'application/json' | 'application/x-protobuf'
  bytes: Uint8Array | string
}

const json = (value: unknown): Export => ({ type: 'application/json', bytes: toJsonText(value) })
const protobuf = (bytes: Uint8Array): Export => ({ type: 'application/x-protobuf', bytes })

const idsOf = (random: Random): { traceId: string; spanId: string } => ({
  traceId: random.hex(31).padEnd(32, '1'),
  spanId: random.hex(15).padEnd(16, '1'),
})

/** A few spans with new ids, which will be stored. */
export const soundExport = (random: Random): Export =>
  json(
    exportOf(
      ...Array.from({ length: random.between(1, 4) }, () =>
        otlpSpan({ ...idsOf(random), name: random.pick(['step', 'a'.repeat(140)]) }, { n: random.below(9), k: 'v' }),
      ),
    ),
  )

/** A recorded or made export with something wrong in it. */
export function spoiledExport(random: Random): Export {
  const kind = random.below(6)
  if (kind < 2) return protobuf(mutatedBytes(random.pick(RECORDED_BYTES), random))
  if (kind === 2) return json(mutated(random.pick(RECORDED), random))
  if (kind === 3) return protobuf(random.bytes(random.below(200)))
  if (kind === 4) return json(exportOf(otlpSpan(idsOf(random), hostileAttributes(random))))
  return json(mutated(exportOf(otlpSpan(idsOf(random), { a: { b: [1, { c: 'd' }] } })), random))
}

const KEYS = [
  'ag.data.inputs',
  'ag.type.node',
  'ag.metrics.unit.tokens',
  'ag.refs.application.id',
  'gen_ai.prompt',
  'input.value',
  'llm',
]

const hostileAttributes = (random: Random): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: random.between(1, 6) }, () => [
      random.chance(0.5)
        ? `${random.pick(KEYS)}.${random.pick(['', '0', '999999999', '__proto__', 'x'])}`
        : hostileText(random),
      random.chance(0.5) ? hostileText(random) : 'v',
    ]),
  )

/** The few that are costly: deep, wide, long, many. */
export function costlyExport(random: Random): Export {
  const make = random.pick(COSTLY)
  return make(random)
}

const SIZES = [100, 5_000, 60_000]

const COSTLY: readonly ((random: Random) => Export)[] = [
  random => spanWith(random, attribute('deep', nested(random.pick([50, 1_000, 4_000]), 'list'))),
  random => spanWith(random, attribute('deep', nested(random.pick([50, 1_000, 4_000]), 'map'))),
  random =>
    spanWith(random, Buffer.concat(Array.from({ length: random.pick(SIZES) }, (_, at) => attribute(`k${at}`, ONE)))),
  random => spanWith(random, repeated(attribute('ag.data.a.b.c.0', ONE), random.pick(SIZES))),
  random => spanWith(random, attribute(Array(random.pick(SIZES)).fill('a').join('.'), ONE)),
  random => spanWith(random, attribute('digits', stringValue('7'.repeat(random.pick([400, 100_000, 8_000_000]))))),
  random =>
    spanWith(
      random,
      attribute('ag.data.inputs', stringValue(`[${'7'.repeat(random.pick([400, 100_000, 8_000_000]))}]`)),
    ),
  random => spanWith(random, attribute('ag.data.inputs', stringValue('['.repeat(random.pick(SIZES))))),
  random => spanWith(random, attribute('input.value', stringValue(`${'{"a":'.repeat(random.pick(SIZES))}`))),
  random => spanWith(random, repeated(field(11, field(2, Buffer.from('event'))), random.pick(SIZES))),
  random => spanWith(random, repeated(field(13, field(1, random.bytes(16))), random.pick(SIZES))),
  random => protobuf(field(1, field(2, repeated(field(2, Buffer.alloc(0)), random.pick([1_000, 100_000, 2_000_000]))))),
  random => protobuf(repeated(field(1, Buffer.alloc(0)), random.pick([1_000, 100_000, 2_000_000]))),
  random => protobuf(field(1, field(2, Buffer.concat(Array.from({ length: 2_000 }, () => spanBytes(random)))))),
  random => json({ resourceSpans: raw(random.pick(RAW_KINDS), random.pick(SIZES)) }),
  random => json({ resourceSpans: [{ scopeSpans: [{ spans: raw('empties', random.pick(SIZES) * 10) }] }] }),
  random =>
    json(
      exportOf({
        ...otlpSpan(idsOf(random)),
        attributes: [{ key: 'i', value: { intValue: raw('digits', random.pick(SIZES)) } }],
      }),
    ),
  random =>
    json(exportOf({ ...otlpSpan(idsOf(random)), startTimeUnixNano: raw('digits', random.pick(SIZES)) as never })),
  random =>
    json(
      exportOf({
        ...otlpSpan(idsOf(random)),
        attributes: hostileValue(random) as never,
        name: 'a'.repeat(lengthOf(random)),
      }),
    ),
]

/** So many spans of one trace that share a large resource: small to send, large to read. */
export function largeTrace(random: Random, spans: number, resourceBytes: number): Export & { traceId: string } {
  const { traceId } = idsOf(random)
  const members = Array.from({ length: spans }, () => spanBytes(random, traceId))
  const resource = field(1, field(1, attribute('text', stringValue('r'.repeat(resourceBytes)), 'bare')))
  return { ...protobuf(field(1, Buffer.concat([resource, field(2, Buffer.concat(members))]))), traceId }
}

function spanBytes(random: Random, traceId = idsOf(random).traceId, more: Buffer = Buffer.alloc(0)): Buffer {
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(1_790_000_000_000_000_000n)
  const times = Buffer.concat([Buffer.from([(7 << 3) | 1]), start, Buffer.from([(8 << 3) | 1]), start])
  const ids = [field(1, Buffer.from(traceId, 'hex')), field(2, Buffer.from(idsOf(random).spanId, 'hex'))]
  return field(2, Buffer.concat([...ids, field(5, Buffer.from('step')), times, more]))
}

const spanWith = (random: Random, more: Buffer): Export =>
  protobuf(field(1, field(2, spanBytes(random, undefined, more))))

/** A field of protobuf with a length. */
function field(number: number, bytes: Uint8Array): Buffer {
  const length: number[] = []
  for (let rest = bytes.length; ; rest = Math.floor(rest / 128)) {
    length.push(rest < 128 ? rest : (rest % 128) | 128)
    if (rest < 128) break
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes])
}

const repeated = (bytes: Buffer, times: number): Buffer => Buffer.alloc(bytes.length * times, bytes)

const stringValue = (text: string): Buffer => field(1, Buffer.from(text))
const ONE = stringValue('1')

/** Field 9 of a span holds attributes; a resource has them `bare` in a field of its own. */
function attribute(key: string, value: Buffer, where: 'span' | 'bare' = 'span'): Buffer {
  const pair = Buffer.concat([field(1, Buffer.from(key)), field(2, value)])
  return where === 'span' ? field(9, pair) : pair
}

/** An AnyValue in lists or maps of one, so many levels deep. */
function nested(levels: number, kind: 'list' | 'map'): Buffer {
  const wrap = kind === 'list' ? (inner: Buffer) => field(5, field(1, inner)) : mapOf
  let value = ONE
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

const mapOf = (inner: Buffer): Buffer =>
  field(6, field(1, Buffer.concat([field(1, Buffer.from('a')), field(2, inner)])))
