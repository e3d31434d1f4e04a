import { request } from 'undici'
import { makeExport } from '../exports.ts'
import { sendAll } from '../load.ts'
import { median, rounded } from '../measured.ts'
import { MESSAGES, type ModelPlace, percentiles, withFakeModel } from './with-fake-model.ts'

const MODEL = 'fake-clock-20'
const STREAMS = 10
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

/** The same stream from the provider itself and through the services, in turn. */
async function forwarded({ providerUrl, runUrl, headers, runOf }: ModelPlace): Promise<object> {
  const direct: Source = {
    url: `${providerUrl}/chat/completions`,
    headers: { 'content-type': 'application/json' },
    body: { model: MODEL, messages: MESSAGES, stream: true },
    tokenIn: line => (line.startsWith('data: {') ? JSON.parse(line.slice(6)).choices[0]?.delta.content : undefined),
  }
  const run: Source = {
    url: runUrl,
    headers: { ...headers, accept: 'application/x-ndjson' },
    body: runOf(MODEL),
    tokenIn: line => {
      const { type, data } = JSON.parse(line)
      return type === 'message_delta' ? data.delta : undefined
    },
  }
  const times = {
    direct: { first: [] as number[], all: [] as number[] },
    run: { first: [] as number[], all: [] as number[] },
  }
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++)
    for (const [name, source] of [
      ['direct', direct],
      ['run', run],
    ] as const) {
      const streams = await Promise.all(Array.from({ length: STREAMS }, () => latenciesOf(source)))
      if (round < WARM_UP_ROUNDS) continue
      times[name].first.push(...streams.map(([first]) => first as number))
      times[name].all.push(...streams.flat())
    }
  const figures = { streams: STREAMS, tokens: times.run.all.length }
  return {
    ...figures,
    direct: { firstToken: percentiles(times.direct.first), everyToken: percentiles(times.direct.all) },
    run: { firstToken: percentiles(times.run.first), everyToken: percentiles(times.run.all) },
  }
}

/** A stream of tokens, each of which is the time at which the provider sent it. */
interface Source {
  url: string
  headers: Record<string, string>
  body: object
  tokenIn(line: string): string | undefined
}

/** The times from the sending of each token to its arrival here, in milliseconds. */
async function latenciesOf({ url, headers, body, tokenIn }: Source): Promise<number[]> {
  const answer = await request(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const latencies: number[] = []
  let rest = ''
  for await (const chunk of answer.body) {
    const now = performance.timeOrigin + performance.now()
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    const tokens = lines.filter(Boolean).flatMap(line => tokenIn(line) || [])
    latencies.push(...tokens.map(token => now - Number(token)))
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
    ratio: rounded(besides / alone),
    ratios: rates.besides.map((rate, round) => rounded(rate / (rates.alone[round] as number))),
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
