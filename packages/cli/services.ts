import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { jsonLines } from '@spanhouse/client'
import { isJsonObject, parseExactJson } from './exact-json.ts'
import { type Reference, referencesTo } from './references.ts'
import { address, type Detail, projectKey, refusal, request, type Settings } from './request.ts'
import { EXIT, UsageError } from './usage-error.ts'

export interface RunOptions {
  /** `name=value`; a value that is valid JSON is parsed. */
  input?: string[]
  /** A file with an object of inputs, or `-` for standard input. */
  inputs?: string
  /** The output to evaluate: text or JSON. */
  outputs?: string
  environment?: string
  json?: boolean
}

type Family = 'application' | 'evaluator'

/**
 * `run REF`: runs an application and prints its response as it arrives; with `--json` the whole response at the end.
 */
export async function run(reference: string | undefined, options: RunOptions): Promise<number> {
  const body = await bodyOf('application', reference, options)
  return options.json ? printJson(body) : printStream(body)
}

/** `evaluate-one REF`: scores one output with an evaluator and prints the result as JSON. */
export async function evaluateOne(reference: string | undefined, options: RunOptions): Promise<number> {
  if (options.outputs === undefined) throw new UsageError('--outputs is missing: give the output to score.')
  const body = await bodyOf('evaluator', reference, options)
  if (options.json) return printJson(body)
  const envelope = await invoke(body)
  if (envelope.status.code >= 400) return failed(envelope)
  process.stdout.write(`${JSON.stringify(envelope.data?.outputs, null, 2)}\n`)
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

async function fileInputs(file: string | undefined): Promise<Record<string, unknown>> {
  if (file === undefined) return {}
  const content = file === '-' ? await readText(process.stdin) : await readFile(file, 'utf8').catch(unreadable)
  const inputs = readValue(content.trim())
  if (isJsonObject(inputs)) return inputs
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
    return parseExactJson(written)
  } catch {
    return written
  }
}

interface Envelope {
  status: { code: number; message: string }
  trace_id?: string
  data?: { outputs?: unknown }
}

async function invoke(body: Body): Promise<Envelope> {
  const settings = { authorization: `ApiKey ${await projectKey()}` }
  return envelopeIn(await request('POST', '/services/invoke', settings, { body, accept: 'application/json' }), settings)
}

/** An error before the run starts has another shape than the response of a run. */
async function envelopeIn(response: Response, settings: Settings): Promise<Envelope> {
  const { detail, ...envelope } = parseExactJson(await response.text()) as Envelope & { detail?: Detail }
  if (detail !== undefined) throw refusal(response.status, detail, settings)
  return envelope
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
  const settings = { authorization: `ApiKey ${await projectKey()}` }
  const response = await request('POST', '/services/invoke', settings, { body, accept })
  if (!response.headers.get('content-type')?.startsWith(accept)) return failed(await envelopeIn(response, settings))
  let isTold = false
  for await (const event of jsonLines<Event>(response.body as ReadableStream<Uint8Array>, parseExactJson)) {
    const piece = event.type === 'message_delta' ? event.data?.delta : event.type === 'message' ? event.data?.text : ''
    if (piece) process.stdout.write(piece)
    isTold ||= Boolean(piece)
    if (event.status === undefined) continue
    if (isTold) process.stdout.write('\n')
    if (event.status.code >= 400) return failed(event as Envelope)
    if (!isTold) process.stdout.write(`${shown(event.data?.outputs)}\n`)
    return EXIT.ok
  }
  throw new Error('The response ended early.')
}

const shown = (outputs: unknown): string => (typeof outputs === 'string' ? outputs : JSON.stringify(outputs, null, 2))

/** Says why a run failed, and where its trace is shown if it left one. */
function failed({ status: { code, message }, trace_id }: Envelope): number {
  process.stderr.write(`${message} (${code})\n`)
  if (trace_id) process.stderr.write(`Trace: ${address()}/t/${trace_id}\n`)
  return EXIT.failed
}
