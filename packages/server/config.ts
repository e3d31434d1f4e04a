import { withoutTrailing } from '@spanhouse/model'
import { INTERFACE_PREFIX } from '@spanhouse/runtime'
import type { ColdStorage } from '@spanhouse/span-store'
import { closest } from 'fastest-levenshtein'
import { PROCESS_ROLES, type ProcessRole } from './roles/process-roles.ts'

/** All settings, read from the environment once at start. */
export interface Config {
  host: string
  /** 0: any free port. */
  port: number
  /** Of OTLP over gRPC; 0: any free port. */
  grpcPort: number
  /** Whether the gRPC port was set; otherwise a start succeeds without it. */
  isGrpcPortSet: boolean
  /** The folder of the embedded stores and the generated API key. */
  dataDir: string
  roles: readonly ProcessRole[]
  databaseUrl: string | undefined
  natsUrl: string | undefined
  clickhouseUrl: string | undefined
  /** The shards of a cluster, each with the addresses of its replicas; instead of `clickhouseUrl`. */
  clickhouseUrls: readonly (readonly string[])[] | undefined
  /** How many writers can share the work, networked. Unset: the default of a new stream. */
  streamPartitions: number | undefined
  /**
   * Sent as `Authorization: Access KEY` for platform administration, at least 24 characters. Unset: administration is
   * disabled.
   */
  adminKey: string | undefined
  /** Presets the API key of the default project. */
  apiKey: string | undefined
  /**
   * Encrypts stored secrets and signs callers' tokens. Unset: one is generated and kept in the data folder, so
   * processes with other data folders need it set.
   */
  secretKey: string | undefined
  /** The first segment of the handler URIs that the server creates. */
  uriPrefix: string
  /** Where callers reach the hosted services, without a trailing slash. Unset: {@link servicesUrlAt}. */
  servicesUrl: string | undefined
  /** The address of the documentation of errors: `status.type` of a failed run is this, `/errors#` and a fragment. */
  docsUrl: string | undefined
  /** Whether providers' addresses may be private or plain http. */
  isOutboundOpen: boolean
  /** Bytes accepted but not yet stored; beyond it exports are rejected. Unset: the default of the kind of stream. */
  streamBytesMax: number | undefined
  /** Whether this program records its own traces, in a project of their own. */
  isSelfTraced: boolean
  /** Where ClickHouse keeps old spans. Unset: where it keeps all. */
  coldStorage: ColdStorage | undefined
  logLevel: string
}

const ADDRESSES = ['DATABASE_URL', 'NATS_URL', 'CLICKHOUSE_URL'] as const
/** What is in the data folder instead. */
const EMBEDDED: Readonly<Record<(typeof ADDRESSES)[number], string>> = {
  DATABASE_URL: 'the database',
  NATS_URL: 'the span stream',
  CLICKHOUSE_URL: 'the spans',
}
/** A cluster is shared by processes, so what they share with it is networked. */
const ADDRESSES_OF_CLUSTER = ['DATABASE_URL', 'NATS_URL'] as const

/** Throws an Error for the operator whose message has one line for every invalid setting. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const wrong: string[] = []
  const text = (name: string): string | undefined => env[name]?.trim() || undefined
  const servicesUrl = urlOf('SPANHOUSE_SERVICES_URL', text('SPANHOUSE_SERVICES_URL'), ['http:', 'https:'], wrong)
  const docsUrl = urlOf('SPANHOUSE_DOCS_URL', text('SPANHOUSE_DOCS_URL'), ['http:', 'https:'], wrong)
  const config: Config = {
    host: text('SPANHOUSE_HOST') ?? '127.0.0.1',
    port: portOf('SPANHOUSE_PORT', text('SPANHOUSE_PORT') ?? '4600', wrong),
    grpcPort: portOf('SPANHOUSE_GRPC_PORT', text('SPANHOUSE_GRPC_PORT') ?? '4317', wrong),
    isGrpcPortSet: text('SPANHOUSE_GRPC_PORT') !== undefined,
    dataDir: text('SPANHOUSE_DATA_DIR') ?? './data',
    roles: rolesOf(text('SPANHOUSE_ROLES') ?? 'all', wrong),
    databaseUrl: urlOf('DATABASE_URL', text('DATABASE_URL'), ['postgres:', 'postgresql:'], wrong),
    natsUrl: urlsOf('NATS_URL', text('NATS_URL'), ['nats:', 'tls:'], wrong),
    clickhouseUrl: urlOf('CLICKHOUSE_URL', text('CLICKHOUSE_URL'), ['http:', 'https:'], wrong),
    clickhouseUrls: shardsOf('CLICKHOUSE_URLS', text('CLICKHOUSE_URLS'), wrong),
    streamPartitions: partitionsOf('SPANHOUSE_STREAM_PARTITIONS', text('SPANHOUSE_STREAM_PARTITIONS'), wrong),
    adminKey: keyOf('SPANHOUSE_ADMIN_KEY', text('SPANHOUSE_ADMIN_KEY'), ADMIN_KEY_LENGTH_MIN, wrong),
    apiKey: keyOf('SPANHOUSE_API_KEY', text('SPANHOUSE_API_KEY'), API_KEY_LENGTH_MIN, wrong),
    secretKey: text('SPANHOUSE_SECRET_KEY'),
    uriPrefix: prefixOf(text('SPANHOUSE_URI_PREFIX') ?? INTERFACE_PREFIX, wrong),
    servicesUrl: servicesUrl && withoutTrailing(servicesUrl, '/'),
    docsUrl: docsUrl && withoutTrailing(docsUrl, '/'),
    isOutboundOpen: switchOf('SPANHOUSE_OUTBOUND_OPEN', text('SPANHOUSE_OUTBOUND_OPEN') ?? 'false', wrong),
    streamBytesMax: bytesOf('SPANHOUSE_STREAM_BYTES_MAX', text('SPANHOUSE_STREAM_BYTES_MAX'), wrong),
    isSelfTraced: selfTracingOf(text('SPANHOUSE_SELF_TRACING') ?? 'off', wrong),
    coldStorage: coldStorageOf(text, wrong),
    logLevel: logLevelOf(text('SPANHOUSE_LOG_LEVEL') ?? 'info', wrong),
  }
  if (config.grpcPort === config.port && config.port !== 0)
    wrong.push(`SPANHOUSE_PORT and SPANHOUSE_GRPC_PORT are both ${config.port}`)
  if (config.clickhouseUrls && config.clickhouseUrl)
    wrong.push(
      'CLICKHOUSE_URL and CLICKHOUSE_URLS are both set: the first is for a single server, the second for a cluster',
    )
  const absent = ADDRESSES_OF_CLUSTER.filter(name => !text(name))
  if (config.clickhouseUrls && absent.length > 0)
    wrong.push(`CLICKHOUSE_URLS: a cluster needs networked stores; set ${absent.join(', ')}`)
  const missing = (config.clickhouseUrls ? ADDRESSES_OF_CLUSTER : ADDRESSES).filter(name => !text(name))
  if (config.roles.length > 0 && config.roles.length < PROCESS_ROLES.length && missing.length > 0)
    wrong.push(
      `SPANHOUSE_ROLES=${config.roles.join(',')}: roles that run in separate processes need networked stores; set ${missing.join(', ')}`,
    )
  if (config.streamPartitions && !config.natsUrl) wrong.push('SPANHOUSE_STREAM_PARTITIONS needs NATS_URL')
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  return config
}

/** A warning for each combination that is possible, but more likely a forgotten setting. */
export function forgottenSettings(config: Config): string[] {
  const { databaseUrl, natsUrl, clickhouseUrl, clickhouseUrls, roles, servicesUrl } = config
  const addresses = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, CLICKHOUSE_URL: clickhouseUrl ?? clickhouseUrls }
  const missing = ADDRESSES.filter(name => !addresses[name])
  const warnings: string[] = []
  if (missing.length > 0 && missing.length < ADDRESSES.length) {
    const stores = missing.map(name => EMBEDDED[name]).join(' and ')
    warnings.push(`Without ${missing.join(' and ')}, this process keeps ${stores} in its own data folder`)
  }
  if (roles.includes('api') && !roles.includes('services') && !servicesUrl)
    warnings.push(
      'Without SPANHOUSE_SERVICES_URL, applications get an address at which this process serves no services',
    )
  return warnings
}

/** The variables that begin with `SPANHOUSE_`: those of this program, and those that only the command line reads. */
const VARIABLES = [
  'HOST',
  'PORT',
  'GRPC_PORT',
  'DATA_DIR',
  'ROLES',
  'API_KEY',
  'ADMIN_KEY',
  'SECRET_KEY',
  'URI_PREFIX',
  'SERVICES_URL',
  'DOCS_URL',
  'OUTBOUND_OPEN',
  'LOG_LEVEL',
  'STREAM_BYTES_MAX',
  'SELF_TRACING',
  'STREAM_PARTITIONS',
  'STORAGE_POLICY',
  'COLD_AFTER_DAYS',
  'URL',
].map(name => `SPANHOUSE_${name}`)

/** Those of the stores have no prefix, and are easily given one. */
const STORE_VARIABLES = [...ADDRESSES, 'CLICKHOUSE_URLS']

/** A warning for each variable that looks like a setting and is none, with the most similar name. */
export const unknownSettings = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env)
    .filter(name => /^SPANHOUSE_/i.test(name) && !VARIABLES.includes(name))
    .map(name => `There is no setting ${name}; did you mean ${meantBy(name.toUpperCase())}?`)

const meantBy = (name: string): string =>
  STORE_VARIABLES.find(known => name === `SPANHOUSE_${known}`) ?? closest(name, VARIABLES)

/**
 * The address of the services of a process that listens here; an address that means "all interfaces" cannot be called.
 */
export function servicesUrlAt(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/services`
}

function portOf(name: string, text: string, wrong: string[]): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65535) wrong.push(`${name}=${text} is not a port`)
  return port
}

function prefixOf(text: string, wrong: string[]): string {
  if (!/^[A-Za-z0-9_.-]+$/.test(text))
    wrong.push(`SPANHOUSE_URI_PREFIX=${text} may contain only letters, digits, dots, dashes and underscores`)
  return text
}

function switchOf(name: string, text: string, wrong: string[]): boolean {
  if (!['true', 'false'].includes(text)) wrong.push(`${name}=${text} is neither true nor false`)
  return text === 'true'
}

function selfTracingOf(text: string, wrong: string[]): boolean {
  if (!['off', 'project'].includes(text)) wrong.push(`SPANHOUSE_SELF_TRACING=${text} is neither off nor project`)
  return text === 'project'
}

/** Shorter keys could be guessed. */
const ADMIN_KEY_LENGTH_MIN = 24
const API_KEY_LENGTH_MIN = 8

/** A key that can be sent in a header. */
const KEY = /^[\x21-\x7e]{1,256}$/

function keyOf(name: string, key: string | undefined, lengthMin: number, wrong: string[]): string | undefined {
  if (key === undefined) return undefined
  if (key.length < lengthMin)
    wrong.push(`${name} is shorter than ${lengthMin} characters; make one with: openssl rand -hex 32`)
  if (!KEY.test(key)) wrong.push(`${name} must be at most 256 visible ASCII characters without spaces`)
  return key
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

function logLevelOf(text: string, wrong: string[]): string {
  if (!LOG_LEVELS.includes(text)) wrong.push(`SPANHOUSE_LOG_LEVEL=${text} is none of ${LOG_LEVELS.join(', ')}`)
  return text
}

const STREAM_BYTES_MIN = 16 * 1024 ** 2

function bytesOf(name: string, text: string | undefined, wrong: string[]): number | undefined {
  if (text === undefined) return undefined
  const bytes = Number(text)
  if (!Number.isSafeInteger(bytes) || bytes < STREAM_BYTES_MIN)
    wrong.push(`${name}=${text} is not a number of bytes of at least ${STREAM_BYTES_MIN}`)
  return bytes
}

/** Each takes a subject and a consumer on the NATS server, and a lease in Postgres. */
export const PARTITIONS_MAX = 1_024

function partitionsOf(name: string, text: string | undefined, wrong: string[]): number | undefined {
  if (text === undefined) return undefined
  const partitions = Number(text)
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > PARTITIONS_MAX)
    wrong.push(`${name}=${text} is not a number from 1 to ${PARTITIONS_MAX}`)
  return partitions
}

/** Shards are separated by blanks, the replicas of a shard by commas. */
function shardsOf(name: string, text: string | undefined, wrong: string[]): string[][] | undefined {
  if (text === undefined) return undefined
  const shards = text.split(/\s+/).map(shard => shard.split(','))
  const urls = shards.flat()
  const invalid = urls.findIndex(url => !isAddress(url, ['http:', 'https:']))
  const twice = urls.find((url, index) => urls.indexOf(url) !== index)
  // Neither is shown with its password.
  if (invalid >= 0)
    wrong.push(
      `${name}: number ${invalid + 1} of ${urls.length} is not an address that starts with http:// or https://`,
    )
  else if (twice !== undefined) wrong.push(`${name} lists ${new URL(twice).origin} twice`)
  return shards
}

const COLD_AFTER_DAYS = '30'

function coldStorageOf(text: (name: string) => string | undefined, wrong: string[]): ColdStorage | undefined {
  const [policy, days] = [text('SPANHOUSE_STORAGE_POLICY'), text('SPANHOUSE_COLD_AFTER_DAYS')]
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days))
    wrong.push(`SPANHOUSE_COLD_AFTER_DAYS=${days} is not a number of days between 1 and 99999`)
  if (policy === undefined) {
    if (days !== undefined) wrong.push('SPANHOUSE_COLD_AFTER_DAYS needs SPANHOUSE_STORAGE_POLICY')
    return undefined
  }
  if (!text('CLICKHOUSE_URL') && !text('CLICKHOUSE_URLS'))
    wrong.push('SPANHOUSE_STORAGE_POLICY is a policy of your own ClickHouse server: set CLICKHOUSE_URL')
  return { policy, afterDays: Number(days ?? COLD_AFTER_DAYS) }
}

function rolesOf(text: string, wrong: string[]): ProcessRole[] {
  if (text === 'all') return [...PROCESS_ROLES]
  const names = text.split(',').map(name => name.trim())
  for (const name of new Set(names))
    if (!(PROCESS_ROLES as readonly string[]).includes(name))
      wrong.push(`SPANHOUSE_ROLES=${text}: there is no role "${name}" (${PROCESS_ROLES.join(', ')}, all)`)
  return PROCESS_ROLES.filter(name => names.includes(name))
}

/** Where several addresses belong instead. */
const FOR_SEVERAL: Readonly<Record<string, string>> = {
  CLICKHOUSE_URL: '; the servers of a cluster are set in CLICKHOUSE_URLS',
}

function urlOf(name: string, text: string | undefined, protocols: string[], wrong: string[]): string | undefined {
  if (text === undefined) return undefined
  if (!isAddress(text, protocols)) wrong.push(noAddress(name, protocols))
  else if (/,\w+:\/\//.test(text)) wrong.push(`${name} takes a single address${FOR_SEVERAL[name] ?? ''}`)
  return text
}

/** One or more addresses, separated by commas. */
function urlsOf(name: string, text: string | undefined, protocols: string[], wrong: string[]): string | undefined {
  if (text?.split(',').some(address => !isAddress(address, protocols))) wrong.push(noAddress(name, protocols))
  return text
}

const isAddress = (text: string, protocols: string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol)

const noAddress = (name: string, protocols: string[]): string =>
  `${name} is not an address that starts with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`
