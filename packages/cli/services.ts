import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { keptKey, request, type Settings } from './request.ts'

/** What a command ends with, for scripts. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const

/** A mistake in the command line itself. */
export class UsageError extends Error {}

export interface RunOptions {
  /** `name=value`; a value that is JSON counts as that. */
  input?: string[]
  /** A file with an object of inputs, or `-` for standard input. */
  inputs?: string
  /** What an evaluator judges: text, or JSON. */
  outputs?: string
  environment?: string
  json?: boolean
}

type Family = 'application' | 'evaluator'
type Reference = { id?: string; slug?: string; version?: string }

/** `run REF`: runs an application and writes its answer as it comes; with `--json` the whole answer at the end. */
export async function run(reference: string | undefined, options: RunOptions): Promise<number> {
  const body = await bodyOf('application', reference, options)
  return options.json ? printJson(body) : printStream(body)
}

/** `evaluate-one REF`: scores one output with an evaluator, and writes what it returns as JSON. */
export async function evaluateOne(reference: string | undefined, options: RunOptions): Promise<number> {
  if (options.outputs === undefined) throw new UsageError('What is to be scored? Give --outputs.')
  const body = await bodyOf('evaluator', reference, options)
  if (options.json) return printJson(body)
  const { status, data } = await invoke(body)
  if (status.code >= 400) return failed(status)
  process.stdout.write(`${JSON.stringify(data?.outputs, null, 2)}\n`)
  return EXIT.ok
}

interface Body {
  references: Record<string, Reference>
  data: { inputs: Record<string, unknown>; outputs?: unknown }
}

async function bodyOf(family: Family, reference: string | undefined, options: RunOptions): Promise<Body> {
  const { outputs, environment } = options
  const references = referencesTo(family, reference)
  if (environment !== undefined) references.environment = { slug: environment }
  const inputs = { ...(await fileInputs(options.inputs)), ...namedInputs(options.input ?? []) }
  return { references, data: { inputs, ...(outputs !== undefined && { outputs: readValue(outputs) }) } }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** `SLUG`, `SLUG@VARIANT`, `SLUG@VARIANT:VERSION`, `SLUG:VERSION`, or the id of a revision. */
function referencesTo(family: Family, text: string | undefined): Record<string, Reference> {
  const [, slug, variant, version] = /^([^@:]+)(?:@([^@:]+))?(?::(\d+))?$/.exec(text ?? '') ?? []
  if (slug === undefined) throw new UsageError(`Which ${family}? Give a slug, SLUG@VARIANT:VERSION or a revision's id.`)
  if (UUID.test(slug)) return { [`${family}_revision`]: { id: slug } }
  return {
    [family]: { slug },
    ...(variant !== undefined && { [`${family}_variant`]: { slug: variant } }),
    ...(version !== undefined && { [`${family}_revision`]: { version } }),
  }
}

async function fileInputs(file: string | undefined): Promise<Record<string, unknown>> {
  if (file === undefined) return {}
  const content = file === '-' ? await readText(process.stdin) : await readFile(file, 'utf8').catch(unreadable)
  const inputs = readValue(content.trim())
  if (typeof inputs === 'object' && inputs !== null && !Array.isArray(inputs)) return inputs as Record<string, unknown>
  throw new UsageError(`--inputs ${file}: not a JSON object.`)
}

function unreadable(error: NodeJS.ErrnoException): never {
  throw new UsageError(`--inputs: ${error.message}`)
}

const namedInputs = (pairs: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    pairs.map(pair => {
      const at = pair.indexOf('=')
      if (at < 1) throw new UsageError(`--input ${pair}: not NAME=VALUE.`)
      return [pair.slice(0, at), readValue(pair.slice(at + 1))]
    }),
  )

function readValue(written: string): unknown {
  try {
    return JSON.parse(written) as unknown
  } catch {
    return written
  }
}

interface Envelope {
  status: { code: number; message: string }
  trace_id?: string
  data?: { outputs?: unknown }
}

async function settings(): Promise<Settings> {
  const { SPANHOUSE_API_KEY: key = await keptKey() } = process.env
  if (key === undefined) throw new Error('SPANHOUSE_API_KEY is not set, and there is no key in ./data.')
  return { authorization: `ApiKey ${key}` }
}

async function invoke(body: Body): Promise<Envelope> {
  const response = await request('POST', '/services/invoke', await settings(), { body, accept: 'application/json' })
  return envelopeIn(await response.json())
}

/** A refusal that comes before a run has another form than its answer. */
function envelopeIn(answer: unknown): Envelope {
  const { detail, ...envelope } = answer as Envelope & { detail?: unknown }
  if (detail === undefined) return envelope
  throw new Error(typeof detail === 'string' ? detail : JSON.stringify(detail))
}

async function printJson(body: Body): Promise<number> {
  const envelope = await invoke(body)
  process.stdout.write(`${JSON.stringify(envelope)}\n`)
  return envelope.status.code >= 400 ? EXIT.failed : EXIT.ok
}

interface Event {
  type?: string
  data?: { delta?: string; text?: string; outputs?: unknown }
  status?: Envelope['status']
}

async function printStream(body: Body): Promise<number> {
  const accept = 'application/x-ndjson'
  const response = await request('POST', '/services/invoke', await settings(), { body, accept })
  if (!response.headers.get('content-type')?.startsWith(accept)) return failed(envelopeIn(await response.json()).status)
  let isTold = false
  for await (const event of linesOf(response)) {
    const piece = event.type === 'message_delta' ? event.data?.delta : event.type === 'message' ? event.data?.text : ''
    if (piece) process.stdout.write(piece)
    isTold ||= Boolean(piece)
    if (event.status === undefined) continue
    if (event.status.code >= 400) return failed(event.status)
    process.stdout.write(isTold ? '\n' : `${shown(event.data?.outputs)}\n`)
    return EXIT.ok
  }
  throw new Error('The answer broke off.')
}

async function* linesOf(response: Response): AsyncGenerator<Event> {
  let rest = ''
  for await (const piece of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Event
  }
}

const shown = (outputs: unknown): string => (typeof outputs === 'string' ? outputs : JSON.stringify(outputs, null, 2))

function failed({ code, message }: Envelope['status']): number {
  process.stderr.write(`${message} (${code})\n`)
  return EXIT.failed
}
