/** Where the demo runs. */
export interface Place {
  url: string
  headers: Record<string, string>
}

/** A connection to a provider that does not exist: canned replies need one to stand in for. */
const CONNECTION = 'demo-provider'
const MODEL = 'demo-model'
const EXPECTED = 'Portugal'

/**
 * Creates an application, runs its prompt with a canned model, writes the answer as it comes, and scores it with an evaluator.
 * Returns the ids of both traces.
 */
export async function runPrompt(place: Place): Promise<string[]> {
  await ensureConnection(place)
  const slug = `capitals-${Date.now().toString(36)}`
  await ok(place, '/api/simple/applications/', { application: { slug, name: 'Capitals', data: application() } })
  process.stdout.write(`\nThe application ${slug} is asked for the capital of Portugal:\n  `)
  const answer = await streamed(place, '/services/invoke?mock=capital', {
    references: { application: { slug } },
    data: { inputs: { country: 'Portugal' } },
  })
  const links = { invocation: { trace_id: answer.trace_id, span_id: answer.span_id } }
  const judged = await ok(place, '/services/auto_contains/v0/invoke', {
    links,
    data: { parameters: { substring: EXPECTED }, inputs: {}, outputs: answer.data.outputs },
  })
  const verdict = judged.data.outputs.success ? 'does' : 'does not'
  process.stdout.write(`\nThe evaluator says that the answer ${verdict} contain ${EXPECTED}.\n`)
  return [answer.trace_id, judged.trace_id]
}

const application = (): object => ({
  uri: 'agenta:builtin:completion:v0',
  parameters: {
    prompt: {
      messages: [{ role: 'user', content: 'capital of {{country}}?' }],
      template_format: 'mustache',
      llm_config: { model: MODEL, connection: CONNECTION },
    },
  },
})

async function ensureConnection(place: Place): Promise<void> {
  const provider = { url: 'https://models.example.com/v1', key: 'not-a-key' }
  const response = await post(place, '/api/secrets/', {
    slug: CONNECTION,
    header: { name: 'Demo provider' },
    secret: { kind: 'custom_provider', data: { kind: 'custom', provider, models: [{ slug: MODEL }] } },
  })
  const isThere = response.ok || response.status === 409
  if (!isThere) throw new Error(`The connection was not created: ${await response.text()}`)
}

interface Answer {
  trace_id: string
  span_id: string
  data: { outputs: { success?: boolean } }
}

async function ok(place: Place, path: string, body: object): Promise<Answer> {
  const response = await post(place, path, body)
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

/** Writes pieces of the answer to the terminal as they come, and returns the whole answer, which comes last. */
async function streamed(place: Place, path: string, body: object): Promise<Answer> {
  const response = await post(place, path, body, 'application/x-ndjson')
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  let rest = ''
  let last: Answer | undefined
  for await (const piece of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const event = JSON.parse(line)
      if (event.type === 'message_delta') process.stdout.write(event.data.delta)
      else if (event.status) last = event
    }
  }
  if (last === undefined) throw new Error('The answer broke off.')
  return last
}

const post = ({ url, headers }: Place, path: string, body: object, accept = 'application/json'): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { ...headers, accept, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
