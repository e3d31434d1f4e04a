import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { eventually, newProject } from '../harness.ts'

const ROOT = join(import.meta.dirname, '../..')
const { receiverUrl, grpcUrl } = inject('target')

/** An application without any code for Spanhouse: its exporter is configured by the environment alone. */
const application = (exporter: string): string => `
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-${exporter}')
const { BatchSpanProcessor, NodeTracerProvider } = require('@opentelemetry/sdk-trace-node')
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] })
const span = provider.getTracer('app').startSpan('first')
span.end()
provider.shutdown().then(() => console.log(span.spanContext().traceId))
`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spanhouse-application-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The block of commands in the README that contains this text, for this installation. */
async function commandsWith(text: string, apiKey: string): Promise<string> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
  const blocks = readme.split(/\n{2,}/).filter(block => block.startsWith('    export ') && block.includes(text))
  expect(blocks).toHaveLength(1)
  return (blocks[0] as string)
    .replaceAll('http://127.0.0.1:4600', receiverUrl)
    .replaceAll('http://127.0.0.1:4317', grpcUrl)
    .replaceAll('KEY', apiKey)
}

test.each([
  ['proto', 'http://127.0.0.1:4600'],
  ['grpc', 'http://127.0.0.1:4317'],
])('an application with the exporter %s, set up as the README says, shows its first trace', async (exporter, text) => {
  const project = await newProject()
  const exports = (await commandsWith(text, project.apiKey)).split('\n').filter(line => line.includes('export '))
  await writeFile(join(folder, `${exporter}.cjs`), application(exporter))
  const { stdout, stderr } = await promisify(execFile)(
    'sh',
    ['-c', `${exports.join('\n')}\n"${process.execPath}" ${exporter}.cjs`],
    { cwd: folder, env: { PATH: process.env.PATH, NODE_PATH: join(ROOT, 'node_modules') } },
  )
  expect(stderr).toBe('')
  const traceId = stdout.trim()
  const trace = await eventually(async () => (await project.get(`/api/traces/${traceId}`)).body.trace)
  expect(Object.keys(trace.spans)).toEqual(['first'])
})
