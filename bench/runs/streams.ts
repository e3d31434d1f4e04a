import { request } from 'undici'
import { makeExport } from '../exports.ts'
import { sendAll } from '../load.ts'
import { hundredths, type ModelPlace, percentiles, withFakeModel } from './with-fake-model.ts'

const STREAMS = 20
const WARM_UP_ROUNDS = 3
const ROUNDS = 10

const OPEN_STREAMS = 100
const EXPORTS_PER_ROUND = 60
const INGEST_ROUNDS = 4
const SEED = 11

/**
 * How soon a token that a provider sends reaches the client, end to end over HTTP: the fake provider sends the time as
 * the token. And the rate of ingest while a hundred streams are open, relative to the rate without.
 */
export const benchStreams = (): Promise<object> =>
  withFakeModel(async place => ({ forwardedAfterMs: await forwarded(place), ingest: await ingestBesides(place) }))

async function forwarded(place: ModelPlace): Promise<object> {
  const [firsts, all]: [number[], number[]] = [[], []]
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const streams = await Promise.all(Array.from({ length: STREAMS }, () => latenciesOf(place)))
    if (round < WARM_UP_ROUNDS) continue
    firsts.push(...streams.map(([first]) => first as number))
    all.push(...streams.flat())
  }
  return { streams: STREAMS, firstToken: percentiles(firsts), everyToken: percentiles(all), tokens: all.length }
}

/** From the time that each token names until its arrival here. */
async function latenciesOf({ runUrl, headers, runOf }: ModelPlace): Promise<number[]> {
  const answer = await request(runUrl, {
    method: 'POST',
    headers: { ...headers, accept: 'application/x-ndjson' },
    body: JSON.stringify(runOf('fake-clock-20')),
  })
  const latencies: number[] = []
  let rest = ''
  for await (const chunk of answer.body) {
    const now = performance.timeOrigin + performance.now()
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const { type, data } = JSON.parse(line)
      if (type === 'message_delta') latencies.push(now - Number(data.delta))
    }
  }
  return latencies
}

/** Rounds with and without open streams take turns, so load on the machine affects both. */
async function ingestBesides(place: ModelPlace): Promise<object> {
  const rates: { alone: number[]; besides: number[] } = { alone: [], besides: [] }
  let index = 0
  const rateOf = async (): Promise<number> => {
    const exports = Array.from({ length: EXPORTS_PER_ROUND }, () => makeExport(SEED, index++, Date.now()))
    const { acceptedSpans, seconds } = await sendAll(place.server, exports, { concurrency: 4 })
    return acceptedSpans / seconds
  }
  await rateOf()
  for (let round = 0; round < INGEST_ROUNDS; round++) {
    rates.alone.push(await rateOf())
    const leaving = new AbortController()
    await openStreams(place, leaving.signal)
    rates.besides.push(await rateOf())
    leaving.abort()
  }
  const [alone, besides] = [median(rates.alone), median(rates.besides)]
  return {
    openStreams: OPEN_STREAMS,
    spansPerSecond: { alone: Math.round(alone), besides: Math.round(besides) },
    ratio: hundredths(besides / alone),
    ratios: rates.besides.map((rate, round) => hundredths(rate / (rates.alone[round] as number))),
  }
}

/** Opens streams that bring one token a second until the signal aborts; resolves when all have begun. */
async function openStreams({ runUrl, headers, runOf }: ModelPlace, signal: AbortSignal): Promise<void> {
  const open = async (): Promise<void> => {
    const answer = await request(runUrl, {
      method: 'POST',
      headers: { ...headers, accept: 'application/x-ndjson' },
      body: JSON.stringify(runOf('fake-slow-1000')),
      signal,
    })
    if (answer.statusCode !== 200) throw new Error(`a stream was answered ${answer.statusCode}`)
    answer.body.on('error', () => undefined).resume()
  }
  await Promise.all(Array.from({ length: OPEN_STREAMS }, open))
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
