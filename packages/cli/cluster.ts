import { setTimeout as delay } from 'node:timers/promises'
import { adminAuthorization, type Detail, refusal, request } from './request.ts'
import { UsageError } from './usage-error.ts'

/** A shard as the server describes it. */
interface Shard {
  shard: number
  url: string
  state: 'active' | 'adding' | 'listed'
  is_away: boolean
  spans?: number
  bytes?: number
  partitions: number[]
  earlier_partitions: number[]
}

interface Answer {
  shards: Shard[]
  shard: { shard: number }
  stream?: { partitions: number; started: number }
  detail?: Detail
}

/** How often the progress of an addition is shown. */
const LOOK_EVERY_MS = 1_000

/** `cluster status`: prints the shards of ClickHouse and the partitions of the stream. */
export async function showStatus(): Promise<void> {
  const { shards, stream } = await ask('GET', '')
  for (const shard of shards) print(lineOf(shard))
  if (shards.length === 0) print('The store is a single ClickHouse server.')
  if (stream) print(progressOf(stream))
}

/** `cluster partitions NUMBER`: gives the stream more partitions, and waits until all have a writer. */
export async function growPartitions(wanted = ''): Promise<void> {
  if (!/^\d+$/.test(wanted)) throw new UsageError(`cluster partitions ${wanted}: not a number of partitions.`)
  let shown = ''
  let { stream } = await ask('POST', '/partitions', { partitions: Number(wanted) })
  for (;;) {
    if (!stream) throw new Error('The process that responds cannot tell the number of partitions.')
    const line = progressOf(stream)
    if (line !== shown) print(line)
    if (stream.started >= stream.partitions) return
    shown = line
    await delay(LOOK_EVERY_MS)
    ;({ stream } = await ask('GET', ''))
  }
}

const progressOf = ({ partitions, started }: NonNullable<Answer['stream']>): string =>
  `The stream has ${partitions} partitions, of which ${started} have a writer.`

/** `cluster add-shard`: adds a shard, and waits until it gets new traces. */
export async function addShard(): Promise<void> {
  const { shard: added } = await ask('POST', '/shards')
  print(`Shard ${added.shard} is being added.`)
  for (let state = ''; state !== 'active'; await delay(LOOK_EVERY_MS)) {
    const { shards } = await ask('GET', '')
    const shard = shards.find(one => one.shard === added.shard)
    if (!shard)
      throw new Error(`The process that responds does not list shard ${added.shard}: restart it with the others.`)
    if (shard.state !== state) print(lineOf(shard))
    state = shard.state
  }
}

const lineOf = ({ shard, url, state, is_away, spans, bytes, partitions, earlier_partitions }: Shard): string =>
  [
    `shard ${shard}`,
    url,
    is_away ? `${state}, does not respond` : state,
    ...(spans === undefined ? [] : [`${spans} spans`, `${((bytes ?? 0) / 1e6).toFixed(1)} MB`]),
    ...(state === 'listed' ? [] : [`new traces of partitions: ${partitions.join(', ') || 'none'}`]),
    ...(earlier_partitions.length > 0 ? [`earlier ones of: ${earlier_partitions.join(', ')}`] : []),
  ].join('  ')

async function ask(method: string, path: string, body?: object): Promise<Answer> {
  const settings = { authorization: adminAuthorization() }
  const response = await request(method, `/api/admin/cluster${path}`, settings, { body })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw refusal(response.status, answer.detail, settings)
  return answer
}

const print = (line: string): boolean => process.stdout.write(`${line}\n`)
