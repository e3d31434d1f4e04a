import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { newDataDir, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { expect, test } from 'vitest'
import { parseAllDocuments, parseDocument } from 'yaml'
import { CONTENT_BODY_BYTES_MAX } from '../packages/server/budget/limits.ts'
import { ROOM_BYTES } from '../packages/server/budget/room.ts'
import { readConfig, unknownSettings } from '../packages/server/config.ts'
import { BYTES_MAX as ANSWER_BYTES_MAX } from '../packages/server/http/answer/answer-room.ts'
import { PROCESS_ROLES } from '../packages/server/roles/process-roles.ts'
import { START_OPTIONS, startEnvironment } from '../packages/server/start/options.ts'

const ROOT = join(import.meta.dirname, '..')
const KUBERNETES = join(ROOT, 'deploy/kubernetes')

interface Kustomization {
  resources: string[]
  patches?: { path: string }[]
}

interface Compose {
  services: Record<string, { volumes?: string[]; environment?: Record<string, unknown> }>
}

/** Prometheus's configuration. */
interface Scraping {
  scrape_configs: [{ dns_sd_configs: [{ names: string[] }] }]
}

/** An object of Kubernetes, as far as these tests look into it. */
interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  data?: Record<string, string>
  spec?: any
}

const documentsOf = <T>(text: string): T[] => parseAllDocuments(text).map(one => one.toJS() as T)

const yamlFiles = globSync('**/*.yaml', { cwd: KUBERNETES }).sort()

async function manifestsOf(files: readonly string[]): Promise<Manifest[]> {
  const texts = await Promise.all(files.map(file => readFile(join(KUBERNETES, file), 'utf8')))
  return texts.flatMap(text => documentsOf<Manifest>(text)).filter(({ kind }) => kind !== 'Kustomization')
}

/** `apps/v1` and `Deployment` → `kubernetes-models/apps/v1/Deployment`. */
const moduleOf = ({ apiVersion, kind }: Manifest): string => `kubernetes-models/${apiVersion}/${kind}`

/** The errors of the compiler for the manifests as literals of their types, which finds names that the schema lacks. */
async function typeErrorsOf(manifests: readonly Manifest[]): Promise<string> {
  const folder = await mkdtemp(join(ROOT, 'test/.manifests-'))
  try {
    const lines = manifests.map(
      (one, index) =>
        `const of${index}: import('${moduleOf(one)}').I${one.kind} = ${JSON.stringify(one)}\nvoid of${index}`,
    )
    await writeFile(join(folder, 'manifests.ts'), `${lines.join('\n')}\nexport {}\n`)
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--ignoreConfig',
    ]
    const { stdout } = await promisify(execFile)('npx', ['tsc', ...options, join(folder, 'manifests.ts')], {
      cwd: ROOT,
    })
    return stdout
  } catch (error) {
    return (error as { stdout: string }).stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The schema's objection, or undefined. */
async function objectionTo(manifest: Manifest): Promise<string | undefined> {
  const { [manifest.kind]: Model } = await import(moduleOf(manifest))
  try {
    new Model(manifest).validate()
  } catch (error) {
    return `${manifest.kind} ${manifest.metadata.name}: ${(error as Error).message}`
  }
}

test('the image starts the program with the options of `npm start`', async () => {
  const image = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
  const [, command = ''] = /^CMD (.+)$/m.exec(image) ?? []
  expect(JSON.parse(command)).toEqual(['node', ...START_OPTIONS, 'packages/server/main.ts'])
  // The image's folder belongs to another user than the program's, so nothing compiled can be kept there.
  const { NODE_COMPILE_CACHE, ...environment } = startEnvironment({})
  for (const [name, value] of Object.entries(environment)) expect(image).toContain(`${name}=${value?.trim()}`)
})

test('every manifest follows the schema of its kind', async () => {
  const manifests = await manifestsOf(yamlFiles)
  expect(manifests.length).toBeGreaterThan(20)
  expect((await Promise.all(manifests.map(objectionTo))).filter(Boolean)).toEqual([])
  expect(await typeErrorsOf(manifests)).toBe('')
})

test('a wrong name or type is found', async () => {
  const service = (spec: object): Manifest => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec })
  expect(await objectionTo(service({ ports: [{ port: 'http' }] }))).toMatch(/port/)
  expect(await typeErrorsOf([service({ ports: [{ port: 1, targetport: 2 }] })])).toMatch(/targetport/)
})

test('kustomizations name files that exist, and every file is named by one', async () => {
  const kustomizations = yamlFiles.filter(file => file.endsWith('kustomization.yaml'))
  const named = await Promise.all(
    kustomizations.map(async file => {
      const [content] = documentsOf<Kustomization>(await readFile(join(KUBERNETES, file), 'utf8')) as [Kustomization]
      const paths = [...content.resources, ...(content.patches ?? []).map(({ path }) => path)]
      return paths.map(path => relative(KUBERNETES, join(KUBERNETES, dirname(file), path)))
    }),
  )
  const files = named.flat().map(path => (path.endsWith('.yaml') ? path : `${path}/kustomization.yaml`))
  expect([...files, 'overlays/example/kustomization.yaml'].sort()).toEqual(yamlFiles)
})

test('each role runs apart, with probes, a disruption budget and an autoscaler', async () => {
  const manifests = await manifestsOf(yamlFiles)
  const [health, ready] = ['/api/health', '/api/ready']
  for (const role of PROCESS_ROLES) {
    const find = (kind: string) => manifests.find(one => one.kind === kind && one.metadata.name === role)
    const deployment = find('Deployment')
    const pod = deployment?.spec.template
    expect(deployment?.spec.selector.matchLabels).toEqual(pod.metadata.labels)
    expect(pod.spec).toMatchObject({ enableServiceLinks: false, securityContext: { runAsNonRoot: true } })
    expect(pod.spec.containers[0]).toMatchObject({
      env: [{ name: 'SPANHOUSE_ROLES', value: role }],
      startupProbe: { httpGet: { path: health } },
      livenessProbe: { httpGet: { path: health } },
      readinessProbe: { httpGet: { path: ready } },
    })
    expect(find('PodDisruptionBudget')?.spec.selector.matchLabels).toEqual(pod.metadata.labels)
    expect(find('HorizontalPodAutoscaler')?.spec.scaleTargetRef.name).toBe(role)
  }
})

test('the data folder of a pod is not its volume, which belongs to root, but one that the process creates there', async () => {
  const manifests = await manifestsOf(yamlFiles)
  const settings = manifests.find(({ kind, data }) => kind === 'ConfigMap' && data?.SPANHOUSE_LOG_LEVEL)?.data
  for (const { spec } of manifests.filter(({ kind }) => kind === 'Deployment')) {
    const mounts: { mountPath: string }[] = spec.template.spec.containers[0].volumeMounts
    const folder = settings?.SPANHOUSE_DATA_DIR as string
    expect(mounts.map(({ mountPath }) => mountPath)).toContain(dirname(folder))
  }
})

test('what a pod may take leaves a process room outside the heap', async () => {
  const image = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
  const heapBytes = Number(/--max-old-space-size=(\d+)/.exec(image)?.[1]) * 1024 ** 2
  const codeBytes = 250 * 1024 ** 2
  const manifests = await manifestsOf(yamlFiles)
  for (const role of PROCESS_ROLES) {
    const deployment = manifests.find(one => one.kind === 'Deployment' && one.metadata.name === role)
    const limit = deployment?.spec.template.spec.containers[0].resources.limits.memory
    expect(limit, role).toMatch(/^\d+Gi$/)
    const outside = Number.parseInt(limit, 10) * 1024 ** 3 - heapBytes
    expect(outside, role).toBeGreaterThan(ROOM_BYTES + ANSWER_BYTES_MAX.process + codeBytes)
  }
})

test('requests reach services that exist, which select pods of their role', async () => {
  const manifests = await manifestsOf(yamlFiles)
  const services = new Map(manifests.filter(({ kind }) => kind === 'Service').map(one => [one.metadata.name, one]))
  const ingress = manifests.find(({ kind, spec }) => kind === 'Ingress' && spec.rules)
  const backends = ingress?.spec.rules[0].http.paths.map(
    (path: { backend: { service: { name: string } } }) => path.backend.service.name,
  )
  expect(new Set(backends)).toEqual(new Set(services.keys()))
  for (const [name, service] of services) expect(service.spec.selector).toEqual({ 'app.kubernetes.io/component': name })
})

test.each([
  ['/otlp/v1/traces', 'receiver'],
  ['/api/otlp/v1/traces', 'receiver'],
  ['/v1/traces', 'receiver'],
  ['/api/v1/traces', 'receiver'],
  // With LANGFUSE_BASE_URL of docs/exporters.md.
  ['/api/public/otel/v1/traces', 'receiver'],
  ['/services/invoke', 'services'],
  ['/api/services/invoke', 'services'],
  ['/api/traces/query', 'api'],
  ['/w', 'api'],
])('a request of %s is for the %s', async (path, role) => {
  const ingress = (await manifestsOf(['base/ingress.yaml']))[0]
  const rules: { path: string; backend: { service: { name: string } } }[] = ingress?.spec.rules[0].http.paths
  const [longest] = rules
    .filter(rule => `${path}/`.startsWith(rule.path.replace(/\/?$/, '/')))
    .sort((one, other) => other.path.length - one.path.length)
  expect(longest?.backend.service.name).toBe(role)
  const proxy = await readFile(join(ROOT, 'docker/nginx.conf'), 'utf8')
  const locations = [...proxy.matchAll(/location (?:~ )?(\S+) \{\s+set \$role (\w+);\s+proxy_pass/g)]
  expect(locations.find(([, pattern]) => new RegExp(pattern as string).test(path))?.[2]).toBe(role)
})

test('the proxies let the largest bodies and the longest runs through', async () => {
  const proxy = await readFile(join(ROOT, 'docker/nginx.conf'), 'utf8')
  const [, size = ''] = /client_max_body_size (\w+);/.exec(proxy) ?? []
  const [, seconds = ''] = /proxy_read_timeout (\d+)s;/.exec(proxy) ?? []
  expect(Number.parseInt(size, 10) * 1024 ** 2).toBeGreaterThan(CONTENT_BODY_BYTES_MAX)
  const host = (await manifestsOf(['overlays/example/host.yaml']))[0]
  expect(host?.metadata.annotations).toEqual({
    'nginx.ingress.kubernetes.io/proxy-body-size': size,
    'nginx.ingress.kubernetes.io/proxy-read-timeout': seconds,
  })
})

test('the settings in manifests and their README exist', async () => {
  const manifests = await manifestsOf(yamlFiles)
  const readme = await readFile(join(KUBERNETES, 'README.md'), 'utf8')
  const lines = [...readme.matchAll(/^ {4}([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value === '…' ? 'a'.repeat(32) : value,
  ])
  const env = { ...Object.fromEntries(lines), ...Object.assign({}, ...manifests.map(({ data }) => data)) }
  expect(Object.keys(env)).toContain('SPANHOUSE_SECRET_KEY')
  expect(unknownSettings(env)).toEqual([])
  expect(readConfig({ ...env, SPANHOUSE_ROLES: 'writer' }).roles).toEqual(['writer'])
})

test('dashboards, alerts and autoscalers use metrics that exist', async () => {
  const dataDir = await newDataDir('deployment')
  const server = await startServerProcess({ dataDir })
  try {
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const existing = [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    )
    const folders = ['docker/grafana/dashboards', 'docker/prometheus', 'deploy/kubernetes/base']
    const texts = await Promise.all(folders.map(textsIn))
    const used = new Set(texts.join('\n').match(/\b(?:spanhouse|nodejs|process)_[a-z0-9_]+/g))
    expect(used.size).toBeGreaterThan(25)
    expect([...used].filter(name => !existing.includes(name))).toEqual([])
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true })
  }
})

async function textsIn(folder: string): Promise<string> {
  const files = await readdir(join(ROOT, folder))
  return (await Promise.all(files.map(file => readFile(join(ROOT, folder, file), 'utf8')))).join('\n')
}

test('docker compose mounts what Prometheus and Grafana are configured with', async () => {
  const [compose] = documentsOf<Compose>(await readFile(join(ROOT, 'docker-compose.yml'), 'utf8')) as [Compose]
  const mounts = ['prometheus', 'grafana'].flatMap(name => compose.services[name]?.volumes ?? [])
  const sources = mounts.filter(mount => mount.startsWith('./')).map(mount => (mount.split(':')[0] as string).slice(2))
  expect(sources.sort()).toEqual(['docker/grafana/dashboards', 'docker/grafana/provisioning', 'docker/prometheus'])
  const [prometheus] = documentsOf<Scraping>(
    await readFile(join(ROOT, 'docker/prometheus/prometheus.yml'), 'utf8'),
  ) as [Scraping]
  expect(prometheus.scrape_configs[0].dns_sd_configs[0].names).toEqual([...PROCESS_ROLES])
  expect(PROCESS_ROLES.every(role => role in compose.services)).toBe(true)
})

test('the cluster of docker compose lists the same servers, in the same order, everywhere', async () => {
  const text = (await readFile(join(ROOT, 'docker/cluster.yml'), 'utf8')).replaceAll('!reset null', 'null')
  const [{ services }] = [parseDocument(text, { merge: true }).toJS() as Compose]
  const server = await readFile(join(ROOT, 'docker/clickhouse/cluster.xml'), 'utf8')
  const configured = server.split('</shard>').map(shard => [...shard.matchAll(/<host>(clickhouse.*?)<\/host>/g)])
  const hosts = configured.map(shard => shard.map(([, host]) => host)).filter(shard => shard.length > 0)
  expect(hosts.map(shard => shard.length)).toEqual([3, 3])
  for (const role of PROCESS_ROLES) {
    const urls = String(services[role]?.environment?.CLICKHOUSE_URLS).replaceAll(/\$\{.*?\}/g, 'password')
    const { clickhouseUrls } = readConfig({ ...CLUSTER_SETTINGS, SPANHOUSE_ROLES: role, CLICKHOUSE_URLS: urls })
    expect(clickhouseUrls?.map(shard => shard.map(url => new URL(url).hostname))).toEqual(hosts)
  }
  for (const [index, shard] of hosts.entries())
    for (const host of shard)
      expect(services[host as string]?.environment).toMatchObject({ SHARD: index + 1, REPLICA: host })
})

const CLUSTER_SETTINGS = {
  DATABASE_URL: 'postgres://postgres/spanhouse',
  NATS_URL: 'nats://nats',
  SPANHOUSE_SECRET_KEY: 'a'.repeat(32),
}
