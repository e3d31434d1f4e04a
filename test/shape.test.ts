import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Which packages each package may import, and which libraries stay inside it. One row a package. */
const SHAPE: Record<string, { imports: string[]; libraries: string[] }> = {
  model: { imports: [], libraries: ['@noble/hashes'] },
  otlp: { imports: ['model'], libraries: ['protobufjs'] },
  query: { imports: ['model'], libraries: [] },
  'span-stream': { imports: ['model'], libraries: ['@nats-io/jetstream', '@nats-io/transport-node', 'lmdb'] },
  'span-store': { imports: ['model', 'query', 'telemetry'], libraries: [] },
  'clickhouse-server': { imports: ['folder-lock', 'priority'], libraries: ['chdb', 'ffi-rs'] },
  'folder-lock': { imports: [], libraries: [] },
  priority: { imports: [], libraries: [] },
  telemetry: { imports: [], libraries: ['@opentelemetry/api'] },
  postgres: { imports: ['model', 'folder-lock', 'telemetry'], libraries: ['kysely', 'pg', '@electric-sql/pglite'] },
  validation: { imports: ['model'], libraries: ['zod'] },
  outbound: { imports: ['validation'], libraries: ['undici'] },
  client: { imports: [], libraries: ['openapi-fetch', 'eventsource-parser'] },
  cli: { imports: ['client'], libraries: ['junit-report-builder'] },
  prices: { imports: ['model'], libraries: ['@pydantic/genai-prices'] },
  access: { imports: ['model', 'postgres', 'validation', 'outbound'], libraries: ['jose'] },
  models: {
    imports: ['model', 'outbound'],
    libraries: [
      '@ai-sdk/amazon-bedrock',
      '@ai-sdk/anthropic',
      '@ai-sdk/azure',
      '@ai-sdk/cohere',
      '@ai-sdk/google',
      '@ai-sdk/google-vertex',
      '@ai-sdk/groq',
      '@ai-sdk/mistral',
      '@ai-sdk/openai',
      '@ai-sdk/openai-compatible',
      '@ai-sdk/provider',
      '@ai-sdk/togetherai',
    ],
  },
  'fake-provider': { imports: [], libraries: [] },
  runtime: {
    imports: ['model', 'models'],
    libraries: ['ajv', 'ajv-draft-04', 're2js', 'mustache', 'minijinja-js', 'fastest-levenshtein'],
  },
  sandbox: { imports: ['model', 'priority'], libraries: ['amaro', 'pyodide', 'quickjs-wasi'] },
  events: {
    imports: ['model', 'postgres', 'validation', 'outbound', 'access', 'runtime', 'telemetry'],
    libraries: [],
  },
  registry: {
    imports: ['model', 'postgres', 'validation', 'query', 'runtime', 'events'],
    libraries: ['csv-parse', 'csv-stringify'],
  },
  evaluation: {
    imports: ['model', 'postgres', 'validation', 'query', 'span-store', 'registry', 'runtime', 'telemetry'],
    libraries: [],
  },
  server: {
    imports: [
      'model',
      'validation',
      'otlp',
      'prices',
      'models',
      'query',
      'span-stream',
      'span-store',
      'clickhouse-server',
      'postgres',
      'priority',
      'access',
      'runtime',
      'registry',
      'evaluation',
      'events',
      'outbound',
      'sandbox',
      'telemetry',
    ],
    libraries: [
      'fastify',
      '@fastify/compress',
      '@fastify/cors',
      '@fastify/multipart',
      '@fastify/static',
      '@fastify/swagger',
      '@fastify/swagger-ui',
      '@modelcontextprotocol/server',
      'pino',
      'prom-client',
      'negotiator',
      'fastest-levenshtein',
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/otlp-transformer',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-node',
    ],
  },
  web: {
    // Of the server types only.
    imports: ['client', 'server'],
    libraries: [
      '@base-ui/react',
      '@codemirror/commands',
      '@codemirror/merge',
      '@codemirror/state',
      '@codemirror/view',
      '@rolldown/plugin-babel',
      '@tanstack/react-query',
      '@tanstack/react-router',
      '@tanstack/react-virtual',
      '@vitejs/plugin-react',
      'csv-parse',
      'eventsource-parser',
      'react',
      'react-dom',
      'uplot',
      'vite',
    ],
  },
  demo: {
    imports: ['client', 'fake-provider'],
    libraries: [
      '@opentelemetry/api',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-node',
    ],
  },
}

const packages = readdirSync(join(ROOT, 'packages'))

test('every package has its row', () => {
  expect(packages.toSorted()).toEqual(Object.keys(SHAPE).toSorted())
})

test.each(packages)('%s imports only what it may, and declares it', name => {
  const { imports, libraries } = SHAPE[name] as (typeof SHAPE)[string]
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'))
  // What runs in browsers is bundled by developers: production needs none of its libraries.
  const bundled = name === 'web' ? manifest.devDependencies : {}
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...bundled })
  const used = new Set(sources(name).flatMap(importsOf))
  // Examples import their package as its users do.
  used.delete(`@spanhouse/${name}`)
  expect(
    [...used].filter(one => !imports.includes(one.replace('@spanhouse/', '')) && !libraries.includes(one)),
  ).toEqual([])
  expect([...used].filter(one => !declared.includes(one))).toEqual([])
})

test('JSON is parsed by functions of model, which read every name correctly', () => {
  // Callers' code in the sandbox parses its own JSON, and pages in a browser show it; the others are programs of a
  // single user.
  const exempt = new Set(['model', 'sandbox', 'fake-provider', 'cli', 'client', 'demo', 'web'])
  const parsing = packages.filter(name => !exempt.has(name) && sources(name).some(text => text.includes('JSON.parse(')))
  expect(parsing).toEqual([])
})

test.each(['postgres', 'span-stream', 'span-store', 'query', 'otlp', 'access'])(
  '%s is entered by its front door',
  name => {
    const doors = packages.flatMap(other =>
      sources(other).flatMap(text =>
        [...text.matchAll(new RegExp(`@spanhouse/${name}/[^'"]+`, 'g'))].map(([path]) => path),
      ),
    )
    expect(doors).toEqual([])
  },
)

test.each(['packages', 'test', 'bench'])(
  '%s: members stand in their object, not in a literal that is spread into it',
  folder => {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter(
      file => file.endsWith('.ts') && !file.includes('node_modules'),
    )
    expect(files.length).toBeGreaterThan(0)
    const packed = files.flatMap(file =>
      [...readFileSync(join(ROOT, folder, file), 'utf8').matchAll(/\.{3}\{.*/g)].map(([found]) => `${file}: ${found}`),
    )
    expect(packed).toEqual([])
  },
)

/** The program's own source files, without tests and what only tests use. */
function sources(name: string): string[] {
  const folder = join(ROOT, 'packages', name)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file) && !/\.(test|testing)\.ts$/.test(file) && !/node_modules|dist/.test(file))
    .map(file => readFileSync(join(folder, file), 'utf8'))
}

/** The packages that a text imports, without paths inside them; neither Node's modules nor relative paths. */
function importsOf(text: string): string[] {
  const statements = /^(?:import|export|\}).* from '(.+)'$|\bimport\('([^']+)'\)/gm
  const specifiers = [...text.matchAll(statements)].map(([, from, called]) => (from ?? called) as string)
  return specifiers
    .filter(specifier => !specifier.startsWith('.') && !specifier.startsWith('node:'))
    .map(specifier => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] as string)
}

test.each(packages.filter(name => existsSync(join(ROOT, 'packages', name, 'DECISIONS.md'))))(
  '%s: each decision has a date, its context and its consequence in at most ten lines',
  name => {
    const [title, ...entries] = readFileSync(join(ROOT, 'packages', name, 'DECISIONS.md'), 'utf8').split(/^## /m)
    expect(title).toBe('# Decisions\n\n')
    expect(entries.filter(entry => !hasDecisionForm(entry)).map(entry => entry.split('\n')[0])).toEqual([])
  },
)

/** Whether an entry has a dated heading and then three short paragraphs. Tables of figures may stand between them. */
function hasDecisionForm(entry: string): boolean {
  const [heading, ...blocks] = entry.trim().split('\n\n')
  const paragraphs = blocks.filter(block => !block.startsWith('|'))
  const labels = paragraphs.map(text => /^(\w+): \S/.exec(text)?.[1])
  const lines = paragraphs.join('\n').split('\n')
  return (
    /^\d{4}-\d\d-\d\d: \S/.test(heading as string) &&
    labels.join() === 'Context,Decision,Consequence' &&
    lines.length <= 10 &&
    lines.every(line => line.length <= 140)
  )
}

test('paths of files are decoded from their URLs, so that the program may be in a folder of any name', () => {
  const files = globSync('{packages,test,bench}/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] })
  expect(files.length).toBeGreaterThan(0)
  const encoded = /import\.meta\.(url|resolve\([^)]*\))\)?\.pathname/
  expect(files.filter(path => encoded.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})

test('no test gives up after a second, as vi.waitFor does without a timeout', () => {
  const calls = globSync('{packages,test}/**/*.{test,testing}.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] })
    .filter(path => path !== 'test/shape.test.ts')
    .flatMap(path =>
      readFileSync(join(ROOT, path), 'utf8')
        .split(/vi\.wait(?:For|Until)\(/)
        .slice(1),
    )
    .map(call => call.slice(0, 200))
  expect(calls.length).toBeGreaterThan(0)
  expect(calls.filter(call => !/timeout|PATIENCE/.test(call))).toEqual([])
})

test('the path of a span in the README names places that have its functions', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [section = ''] = readme.split('## The path of a span\n')[1]?.split('\n## ') ?? []
  const rows = section.split('\n').filter(line => line.startsWith('| ') && line.includes('`'))
  expect(rows.length).toBeGreaterThan(10)
  const missing = rows.flatMap(row => {
    const [, where = '', functions = ''] = row.split('|')
    // `span-stream/jetstream, embedded` are two files of one folder.
    const places = where.split(',').map(place => place.trim().replace('/…', ''))
    const folder = places[0]?.split('/')[0]
    const patterns = places.flatMap(place => {
      const path = place.includes('/') || place === folder ? place : `${folder}/${place}`
      return [`packages/${path}.ts`, `packages/${path}/**/*.ts`]
    })
    const text = globSync(patterns, { cwd: ROOT })
      .map(file => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n')
    const names = [...functions.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    return names
      .filter(name => ![`${name}(`, `${name}<`, `class ${name} `].some(form => text.includes(form)))
      .map(name => `${where.trim()}: ${name}`)
  })
  expect(missing).toEqual([])
})
