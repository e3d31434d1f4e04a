import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { inject } from 'vitest'
import { exportOf, type OtlpSpan } from './otlp.ts'

/** The running Spanhouse that a test project was given: one process, or roles with stores over the network. */
export interface Target {
  set: 'embedded' | 'networked' | 'cluster'
  /** Takes exports. */
  receiverUrl: string
  /** Takes exports over gRPC. */
  grpcUrl: string
  /** Answers queries and administers. */
  apiUrl: string
  /** Runs handlers; `data.url` of what is created leads there. */
  servicesUrl: string
  adminKey: string
  /** Signs the tokens of workers. */
  tokenKey: string
}

declare module 'vitest' {
  interface ProvidedContext {
    target: Target
  }
}

export interface Answer {
  status: number
  headers: Headers
  body: any
  text: string
}

/** One project with its key, made for one test so that no other test's spans are in it. */
export interface TestProject {
  apiKey: string
  projectId: string
  receiverUrl: string
  /** Calls the hosted services: the path below `/services`. */
  run(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  /** Posts below `/api` and returns the body of the response, which must be a success. */
  posted(path: string, body?: unknown): Promise<any>
  /** Any other verb. */
  send(method: 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer>
  /** Sends an export; `headers` replace the defaults (OTLP/JSON). */
  export(body: Uint8Array | string | object, headers?: Record<string, string>): Promise<Answer>
  /** Exports the spans and resolves when all of them can be read. Span ids must differ. */
  store(...spans: OtlpSpan[]): Promise<void>
}

export async function newProject(
  target: Pick<Target, 'apiUrl' | 'receiverUrl' | 'adminKey'> & Partial<Pick<Target, 'servicesUrl'>> = inject('target'),
): Promise<TestProject> {
  const email = `${randomUUID()}@example.test`
  const made = await call(target.apiUrl, 'POST', '/api/admin/simple/accounts/', `Access ${target.adminKey}`, {
    accounts: { one: { user: { email } } },
  })
  if (made.status !== 200) throw new Error(`no account: ${made.status} ${made.text}`)
  const account = made.body.accounts.one
  const apiKey: string = account.api_keys.key
  const authorization = `ApiKey ${apiKey}`
  const calls: Omit<TestProject, 'store'> = {
    apiKey,
    projectId: account.projects.prj.id,
    receiverUrl: target.receiverUrl,
    run: (path, body = {}, headers = {}) =>
      ask((target.servicesUrl ?? `${target.apiUrl}/services`) + path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: path => call(target.apiUrl, 'GET', path, authorization),
    post: (path, body) => call(target.apiUrl, 'POST', path, authorization, body),
    posted: async (path, body) => {
      const answer = await call(target.apiUrl, 'POST', `/api${path}`, authorization, body)
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return answer.body
    },
    send: (method, path, body) => call(target.apiUrl, method, path, authorization, body),
    export: (body, headers) => sendExport(target.receiverUrl, authorization, body, headers),
  }
  return { ...calls, store: (...spans) => store(calls, spans) }
}

async function store(project: Omit<TestProject, 'store'>, spans: OtlpSpan[]): Promise<void> {
  const sent = await project.export(exportOf(...spans))
  if (sent.body?.count !== spans.length) throw new Error(`not all accepted: ${sent.status} ${sent.text}`)
  const ids = spans.map(span => span.spanId).join()
  const traceIds = [...new Set(spans.map(span => span.traceId))].join()
  await eventually(async () => {
    const { body } = await project.get(`/api/spans/?span_ids=${ids}&trace_ids=${traceIds}`)
    return body.count === spans.length
  })
}

export async function call(
  url: string,
  method: string,
  path: string,
  authorization: string | undefined,
  body?: unknown,
): Promise<Answer> {
  const isBare = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  return ask(url + path, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isBare ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  })
}

/** Sends a request unchanged. */
export async function ask(url: string, request: RequestInit = {}): Promise<Answer> {
  return toAnswer(await fetch(url, { ...request, redirect: 'manual' }))
}

async function sendExport(
  url: string,
  authorization: string,
  body: Uint8Array | string | object,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Answer> {
  const raw = body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body)
  return ask(`${url}/api/otlp/v1/traces`, {
    method: 'POST',
    headers: { authorization, ...headers },
    body: raw as string | Uint8Array<ArrayBuffer>,
  })
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = text !== '' && /[/+]json\b/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

/** Calls `ask` until its result is not undefined, false or null; fails with the last error after `ms`. */
export async function eventually<T>(ask: () => Promise<T>, ms = 60_000): Promise<NonNullable<T>> {
  const end = performance.now() + ms
  for (;;) {
    const last = await ask().catch((error: Error) => error)
    if (last && !(last instanceof Error)) return last as NonNullable<T>
    if (performance.now() > end) throw last instanceof Error ? last : new Error(`it did not happen within ${ms} ms`)
    await delay(40)
  }
}
