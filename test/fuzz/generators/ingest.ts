import { gzipSync } from 'node:zlib'
import { framed } from '../../grpc.ts'
import type { Shot } from '../exchange.ts'
import { jsonBomb, zeroBomb, zeros } from '../inputs/bombs.ts'
import { type Encoded, encodedSomehow } from '../inputs/encode.ts'
import { costlyExport, type Export, soundExport, spoiledExport } from '../inputs/exports.ts'
import type { Random } from '../inputs/random.ts'
import type { Generator, Play } from './generator.ts'

const name = 'POST /otlp/v1/traces'

const shotOf = (random: Random, type: string, { body, headers }: Encoded): Shot => ({
  name,
  method: 'POST',
  path: '/api/otlp/v1/traces',
  as: random.chance(0.95) ? random.pick(['owner', 'annotator']) : random.pick(['viewer', 'nobody']),
  headers: {
    'content-type': random.chance(0.97) ? type : random.pick(['text/plain', 'application/json', '']),
    ...headers,
  },
  body,
  ...(random.chance(0.02) && { manner: random.pick(['slow', 'cut body', 'cut answer', 'pipelined', 'broken chunks']) }),
})

const exporting =
  (make: (random: Random) => Export) =>
  ({ random, send }: Play): Promise<unknown> => {
    const { type, bytes } = make(random)
    return send(shotOf(random, type, encodedSomehow(bytes, random)))
  }

/** A valid, corrupted or expensive export over gRPC, sometimes with a wrong prefix or encoding. */
function overGrpc({ random, send }: Play): Promise<unknown> {
  const bytes = Buffer.from(
    random.pick([soundExport, spoiledExport, spoiledExport, costlyExport])(random).bytes as Uint8Array,
  )
  const isBomb = random.chance(0.02)
  const isGzip = isBomb || random.chance(0.4)
  const message = isBomb ? zeros(100, ['gzip']).body : isGzip ? gzipSync(bytes) : bytes
  const flag = random.chance(0.95) ? Number(isGzip) : random.below(256)
  const length = random.chance(0.95) ? message.length : random.below(2 ** 32)
  return send({
    name: 'gRPC TraceService/Export',
    method: 'POST',
    path: '',
    door: 'grpc',
    as: random.chance(0.95) ? random.pick(['owner', 'annotator']) : random.pick(['viewer', 'nobody']),
    headers: isGzip ? { 'grpc-encoding': random.chance(0.95) ? 'gzip' : random.pick(['snappy', 'deflate', '']) } : {},
    body: random.chance(0.03) ? Buffer.concat([framed(message), framed(message)]) : framed(message, { flag, length }),
    ...(random.chance(0.02) && { manner: 'cut body' }),
  })
}

export const EXPORTS: readonly Generator[] = [
  { name: 'sound export', weight: 8, play: exporting(soundExport) },
  { name: 'spoiled export', weight: 16, play: exporting(spoiledExport) },
  { name: 'export over gRPC', weight: 5, play: overGrpc },
  { name: 'costly export', weight: 1.5, play: exporting(costlyExport) },
  {
    name: 'bombed export',
    weight: 0.5,
    play: ({ random, send }) =>
      send(shotOf(random, 'application/json', random.chance(0.5) ? jsonBomb(random) : zeroBomb(random))),
  },
]
