import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'

/**
 * The blocks of code of docs/exporters.md and of the README, executed as they stand with the packages that they import,
 * each followed by an application that calls a model. `npm ci --prefix test/clients` installs the packages.
 */
const HERE = import.meta.dirname
const PACKAGES = join(HERE, 'node_modules')
const isInstalled = existsSync(PACKAGES)
if (!isInstalled) console.warn('SKIPPED: code of docs/exporters.md; run npm ci --prefix test/clients')

let dataDir: string
let server: ServerProcess
let models: string
beforeAll(async () => {
  dataDir = await newDataDir('snippets')
  server = await startServerProcess({ dataDir })
  // Plain JavaScript, without types.
  models = await (await import('./fake-models.mjs' as string)).startModels()
})
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const WAIT = 'await new Promise(resolve => setTimeout(resolve, 1500))'
const ASK = `await new OpenAI().chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Rain?' }] })`
const SET_UP_OPENAI = `import OpenAI from 'openai'\n${ASK}`

/** The section with the block, and the application code that follows it. */
const SECTIONS: [section: string, application: string][] = [
  [
    'AI SDK',
    `import { generateText } from 'ai'
    import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
    const models = createOpenAICompatible({ name: 'openai', baseURL: process.env.OPENAI_BASE_URL, apiKey: 'none' })
    await generateText({ model: models('gpt-4o-mini'), prompt: 'Rain?' })`,
  ],
  ['OpenInference', ASK],
  ['Traceloop', ASK],
  [
    'Langfuse',
    `import { startActiveObservation } from '@langfuse/tracing'
    await startActiveObservation('ask', async span => {
      span.update({ model: 'gpt-4o-mini', usageDetails: { input: 140, output: 24, total: 164 } })
    }, { asType: 'generation' })`,
  ],
]

/** What stands below a heading of a document. */
async function textBelow(file: string, heading: string): Promise<string> {
  const [, text = ''] = (await readFile(join(HERE, '../..', file), 'utf8')).split(new RegExp(`^## ${heading}$`, 'm'))
  return text.split(/^## /m)[0] as string
}

/** The variables that indented lines `export NAME=VALUE …` set, for this server. */
function environmentIn(text: string): Record<string, string> {
  const settings = [...text.matchAll(/^ {4}export (.*)$/gm)].flatMap(([, line = '']) => [
    ...line.matchAll(/([A-Z_]+)=("[^"]*"|\S+)/g),
  ])
  const placed = (value: string): string =>
    value
      .replaceAll('"', '')
      .replace('http://127.0.0.1:4600', server.url)
      .replace('http://127.0.0.1:4317', server.grpcUrl)
      .replace('KEY', server.apiKey)
  expect(settings.length).toBeGreaterThan(0)
  return Object.fromEntries(settings.map(([, name = '', value = '']) => [name, placed(value)]))
}

/** Runs a module among the installed packages until it ends. */
async function run(code: string, env: Record<string, string>, options: readonly string[] = []): Promise<void> {
  const folder = join(PACKAGES, '.snippets')
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${crypto.randomUUID()}.mjs`)
  await writeFile(file, `${code}\n${WAIT}\nprocess.exit(0)\n`)
  const own = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${models}/v1`, OTEL_BSP_SCHEDULE_DELAY: '100' }
  try {
    await promisify(execFile)(process.execPath, [...options, file], {
      cwd: folder,
      env: { ...process.env, ...own, ...env },
    })
  } finally {
    await rm(file)
  }
}

/** The spans that arrived since, once there is one that satisfies the condition. */
async function arrived(since: string, isExpected: (span: any) => boolean): Promise<void> {
  const ask = () =>
    call(server.url, 'POST', '/api/spans/query', `ApiKey ${server.apiKey}`, {
      windowing: { oldest: since, limit: 100 },
    })
  await eventually(async () => (await ask()).body.spans.some(isExpected))
}

const totalOf = (span: any): number | undefined => span.attributes.ag.metrics.tokens?.cumulative?.total

test.skipIf(!isInstalled && !process.env.CI).each(SECTIONS)('docs/exporters.md, %s', async (section, application) => {
  const text = await textBelow('docs/exporters.md', section)
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(text) ?? []
  expect(code).not.toBe('')
  const since = new Date().toISOString()
  await run(`${code}\n${application}`, environmentIn(text))
  await arrived(since, span => totalOf(span) === 164)
})

test.skipIf(!isInstalled && !process.env.CI).each([
  ['HTTP', 0],
  ['gRPC', 1],
])('the README, a first trace over %s', async (_door, index) => {
  const blocks = (await textBelow('README.md', 'A first trace')).match(/(^ {4}.*\n)+/gm) ?? []
  const since = new Date().toISOString()
  const register = join(PACKAGES, '@opentelemetry/auto-instrumentations-node/build/src/register.js')
  await run(SET_UP_OPENAI, environmentIn(blocks[index] as string), ['--import', register])
  await arrived(since, () => true)
})
