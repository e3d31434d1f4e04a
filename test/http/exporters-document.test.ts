import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { ask, eventually, newProject } from '../harness.ts'
import { newSpanId, newTraceId } from '../otlp.ts'

const { receiverUrl } = inject('target')
const ROOT = join(import.meta.dirname, '../..')

/** The variables that the section of the document sets, or the members of a table, for this installation. */
function settingsIn(section: string, apiKey: string): Record<string, string> {
  const document = readFileSync(join(ROOT, 'docs/exporters.md'), 'utf8')
  const [, text = ''] = document.split(new RegExp(`^## ${section}$`, 'm'))
  const [own = ''] = text.split(/^## /m)
  const settings = own
    .split('\n')
    .flatMap(line =>
      line.startsWith('    export ')
        ? [...line.matchAll(/([A-Z_]+)=("[^"]*"|\S+)/g)]
        : [...line.matchAll(/^(\w+) = (?:\{ \w+ = )?("[^"]*")/g)],
    )
  expect(settings.length).toBeGreaterThan(0)
  const placed = (value: string): string =>
    value.replaceAll('"', '').replace('http://127.0.0.1:4600', receiverUrl).replace('KEY', apiKey)
  return Object.fromEntries(settings.map(([, name = '', value = '']) => [name, placed(value)]))
}

interface Sending {
  url: string
  headers: Record<string, string>
}

/** As the OpenTelemetry specification says: base path and `/v1/traces`, headers percent-decoded. */
const byOpenTelemetry = (env: Record<string, string>): Sending => ({
  url: `${env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
  headers: Object.fromEntries(
    (env.OTEL_EXPORTER_OTLP_HEADERS ?? '').split(',').map(pair => {
      const [name = '', value = ''] = pair.split('=')
      return [name, decodeURIComponent(value)]
    }),
  ),
})

/** The request settings that each SDK derives, and a recording of its exports. */
const SDKS: [section: string, fixture: string, sending: (env: Record<string, string>) => Sending][] = [
  ['OpenTelemetry', 'opentelemetry-openai', byOpenTelemetry],
  // Its older versions send the values as they are written.
  [
    'Python',
    'openllmetry-openai',
    env => ({
      ...byOpenTelemetry(env),
      headers: { authorization: (env.OTEL_EXPORTER_OTLP_HEADERS ?? '').split('=')[1] ?? '' },
    }),
  ],
  ['AI SDK', 'vercel-ai-7', byOpenTelemetry],
  ['OpenInference', 'openinference-openai', byOpenTelemetry],
  [
    'Traceloop',
    'openllmetry-sdk',
    env => ({
      url: `${env.TRACELOOP_BASE_URL}/v1/traces`,
      headers: { authorization: `Bearer ${env.TRACELOOP_API_KEY}` },
    }),
  ],
  ['Claude Code', 'claude-code', byOpenTelemetry],
  ['Codex', 'codex', ({ endpoint = '', headers = '' }) => ({ url: endpoint, headers: { authorization: headers } })],
  [
    'Gemini CLI',
    'gemini-cli',
    env => byOpenTelemetry({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: env.GEMINI_TELEMETRY_OTLP_ENDPOINT ?? '' }),
  ],
  [
    'Langfuse',
    'langfuse-sdk',
    env => ({
      url: `${env.LANGFUSE_BASE_URL}/api/public/otel/v1/traces`,
      headers: {
        authorization: `Basic ${Buffer.from(`${env.LANGFUSE_PUBLIC_KEY}:${env.LANGFUSE_SECRET_KEY}`).toString('base64')}`,
      },
    }),
  ],
]

/** The recording with ids of its own: each project would take the same ids, but a test may run twice. */
function recorded(fixture: string): { body: string; traceIds: string[] } {
  const text = readFileSync(join(ROOT, `packages/otlp/fixtures/${fixture}.json`), 'utf8')
  const ids = new Map<string, string>()
  const body = text.replaceAll(/"([0-9a-f]{32}|[0-9a-f]{16})"/g, (_quoted, id: string) => {
    if (!ids.has(id)) ids.set(id, id.length === 32 ? newTraceId() : newSpanId())
    return `"${ids.get(id)}"`
  })
  return { body, traceIds: [...ids.values()].filter(id => id.length === 32) }
}

test.each(SDKS)('%s, set up as the document says, shows its traces', async (section, fixture, sending) => {
  const project = await newProject()
  const { url, headers } = sending(settingsIn(section, project.apiKey))
  const { body, traceIds } = recorded(fixture)
  const answer = await ask(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  expect(answer).toMatchObject({ status: 202 })
  const query = `trace_ids=${traceIds.join()}`
  await eventually(async () => (await project.get(`/api/spans/?${query}`)).body.count === answer.body.count)
  const { traces } = (await project.get(`/api/traces/?${query}`)).body
  const totals = traces.flatMap((trace: any) => Object.values<any>(trace.spans).flat())
  const tokens = totals.map((root: any) => root.attributes.ag.metrics.tokens.cumulative ?? {})
  expect(tokens).toContainEqual(expect.objectContaining({ total: expect.any(Number) }))
})
