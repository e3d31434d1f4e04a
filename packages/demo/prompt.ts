import { setTimeout as delay } from 'node:timers/promises'
import { jsonLines } from '@spanhouse/client'
import { startFakeProvider } from '@spanhouse/fake-provider'

/** Where the demo runs. */
export interface Place {
  url: string
  headers: Record<string, string>
}

const MODEL = 'gpt-4o-mini'
const EXPECTED = 'Portugal'

/**
 * Creates an application, runs its prompt, writes the response as it arrives, and scores it with an evaluator. Returns
 * the ids of both traces.
 */
export async function runPrompt(place: Place): Promise<string[]> {
  const provider = await startFakeProvider()
  const connection = await connect(place, `${provider.url}/v1`)
  try {
    return await runWith(place, connection)
  } finally {
    await fetch(`${place.url}/api/secrets/${connection.id}`, { method: 'DELETE', headers: place.headers })
    await provider.close()
  }
}

async function runWith(place: Place, { slug: connection, query }: Connection): Promise<string[]> {
  const slug = `capitals-${Date.now().toString(36)}`
  const data = application(connection)
  await ok(place, '/api/simple/applications/', { application: { slug, name: 'Capitals', data } })
  process.stdout.write(`\nThe application ${slug} is asked for the capital of Portugal:\n  `)
  const answer = await streamed(place, `/services/invoke${query}`, {
    references: { application: { slug } },
    data: { inputs: { country: 'Portugal' } },
  })
  const links = { invocation: { trace_id: answer.trace_id, span_id: answer.span_id } }
  const judged = await ok(place, '/services/auto_contains/v0/invoke', {
    links,
    data: { parameters: { substring: EXPECTED }, inputs: {}, outputs: answer.data.outputs },
  })
  const verdict = judged.data.outputs.success ? 'contains' : 'does not contain'
  process.stdout.write(`\nThe evaluator says that the response ${verdict} ${EXPECTED}.\n`)
  return [answer.trace_id, judged.trace_id]
}

const application = (connection: string): object => ({
  uri: 'agenta:builtin:completion:v0',
  parameters: {
    prompt: {
      messages: [{ role: 'user', content: 'What is the capital of {{country}}?' }],
      template_format: 'mustache',
      llm_config: { model: MODEL, connection },
    },
  },
})

interface Connection {
  id: string
  slug: string
  /** Selects a canned reply where the provider cannot be called. */
  query: string
}

/**
 * Stores a connection to the provider. A server that may not call local addresses refuses it and gives a canned reply
 * instead, for which a connection has to exist too.
 */
async function connect(place: Place, providerUrl: string): Promise<Connection> {
  const local = await storeConnection(place, providerUrl)
  if (local.ok) return { ...((await local.json()) as Connection), query: '' }
  const canned = await storeConnection(place, 'https://models.example.com/v1')
  if (!canned.ok) throw new Error(`The connection was not created: ${await canned.text()}`)
  process.stdout.write(
    '\nThis server does not call local addresses, so the next response is a canned one.\n' +
      'To see a model being called, start it with SPANHOUSE_OUTBOUND_OPEN=true npm start\n',
  )
  return { ...((await canned.json()) as Connection), query: '?mock=capital' }
}

function storeConnection(place: Place, url: string): Promise<Response> {
  const data = { kind: 'custom', provider: { url, key: 'not-a-key' }, models: [{ slug: MODEL }] }
  return post(place, '/api/secrets/', { header: { name: 'Demo provider' }, secret: { kind: 'custom_provider', data } })
}

interface Answer {
  trace_id: string
  span_id: string
  data: { outputs: { success?: boolean } }
}

/** A line of a streamed response: the answer is the last one, and has a status. */
type Line = (Answer & { status: object }) | { type: string; data: { delta: string } }

/** Sends a body as JSON and returns the response; throws unless it is one of success. */
export const ok = async (place: Place, path: string, body: object): Promise<Answer> =>
  bodyOf(path, await post(place, path, body))

/** Reads something; throws unless the response is one of success. */
export const read = async <T>(place: Place, path: string): Promise<T> => bodyOf(path, await patientFetch(place, path))

async function bodyOf<T>(path: string, response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

/** Writes chunks of the response to the terminal as they arrive, and returns the whole response, which comes last. */
async function streamed(place: Place, path: string, body: object): Promise<Answer> {
  const response = await post(place, path, body, 'application/x-ndjson')
  if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`)
  let last: Answer | undefined
  for await (const line of jsonLines<Line>(response.body as ReadableStream<Uint8Array>)) {
    if ('status' in line) last = line
    else if (line.type === 'message_delta') process.stdout.write(line.data.delta)
  }
  if (last === undefined) throw new Error('The response ended early.')
  return last
}

const post = (place: Place, path: string, body: object, accept = 'application/json'): Promise<Response> =>
  patientFetch(place, path, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const ASKED_MAX = 20

/** Sends a request, and again while the server is too busy: then it did nothing with it. */
async function patientFetch({ url, headers }: Place, path: string, init: RequestInit = {}): Promise<Response> {
  for (let asked = 1; ; asked++) {
    const response = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers } })
    if (!BUSY.includes(response.status) || asked === ASKED_MAX) return response
    await response.text()
    await delay(Number(response.headers.get('retry-after') ?? 1) * 1000)
  }
}

const BUSY = [429, 503]
