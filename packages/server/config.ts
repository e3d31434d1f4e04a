import { withoutTrailing } from '@spanhouse/model'
import { INTERFACE_PREFIX } from '@spanhouse/runtime'
import { ROLE_NAMES, type RoleName } from './roles/names.ts'

/** Everything that can be set, read once at start from the environment. */
export interface Config {
  host: string
  /** 0: any that is free. */
  port: number
  /** Where the embedded stores and the generated API key live. */
  dataDir: string
  roles: readonly RoleName[]
  databaseUrl: string | undefined
  natsUrl: string | undefined
  clickhouseUrl: string | undefined
  /** Sent as `Authorization: Access KEY` for platform administration, 24 characters or more. Unset: nobody can. */
  adminKey: string | undefined
  /** Presets the API key of the default project. */
  apiKey: string | undefined
  /**
   * Encrypts stored secrets and signs callers' tokens. Unset: one is made and kept in the data folder, so processes with
   * other folders need it.
   */
  secretKey: string | undefined
  /** The first segment of the handler URIs that the server makes itself. */
  uriPrefix: string
  /** Where callers reach the hosted services, without a slash at the end. Unset: {@link servicesUrlAt}. */
  servicesUrl: string | undefined
  /** Where the documentation of errors stands: `status.type` of a failed run is this, `/errors#` and its fragment. */
  docsUrl: string | undefined
  /** Whether providers' addresses may be private ones and plain http. */
  isOutboundOpen: boolean
  /** Accepted but not yet stored; beyond it exports are refused. Unset: what suits the kind of stream. */
  streamBytesMax: number | undefined
  logLevel: string
}

const ADDRESSES = ['DATABASE_URL', 'NATS_URL', 'CLICKHOUSE_URL'] as const

/** Throws an Error whose message lists every setting that is wrong, for the person who starts the program. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const wrong: string[] = []
  const text = (name: string): string | undefined => env[name]?.trim() || undefined
  const servicesUrl = urlOf('SPANHOUSE_SERVICES_URL', text('SPANHOUSE_SERVICES_URL'), ['http:', 'https:'], wrong)
  const docsUrl = urlOf('SPANHOUSE_DOCS_URL', text('SPANHOUSE_DOCS_URL'), ['http:', 'https:'], wrong)
  const config: Config = {
    host: text('SPANHOUSE_HOST') ?? '127.0.0.1',
    port: portOf(text('SPANHOUSE_PORT') ?? '4600', wrong),
    dataDir: text('SPANHOUSE_DATA_DIR') ?? './data',
    roles: rolesOf(text('SPANHOUSE_ROLES') ?? 'all', wrong),
    databaseUrl: urlOf('DATABASE_URL', text('DATABASE_URL'), ['postgres:', 'postgresql:'], wrong),
    natsUrl: urlOf('NATS_URL', text('NATS_URL'), ['nats:', 'tls:'], wrong),
    clickhouseUrl: urlOf('CLICKHOUSE_URL', text('CLICKHOUSE_URL'), ['http:', 'https:'], wrong),
    adminKey: adminKeyOf(text('SPANHOUSE_ADMIN_KEY'), wrong),
    apiKey: text('SPANHOUSE_API_KEY'),
    secretKey: text('SPANHOUSE_SECRET_KEY'),
    uriPrefix: prefixOf(text('SPANHOUSE_URI_PREFIX') ?? INTERFACE_PREFIX, wrong),
    servicesUrl: servicesUrl && withoutTrailing(servicesUrl, '/'),
    docsUrl: docsUrl && withoutTrailing(docsUrl, '/'),
    isOutboundOpen: switchOf('SPANHOUSE_OUTBOUND_OPEN', text('SPANHOUSE_OUTBOUND_OPEN') ?? 'false', wrong),
    streamBytesMax: bytesOf('SPANHOUSE_STREAM_BYTES_MAX', text('SPANHOUSE_STREAM_BYTES_MAX'), wrong),
    logLevel: text('SPANHOUSE_LOG_LEVEL') ?? 'info',
  }
  const missing = ADDRESSES.filter(name => !text(name))
  if (config.roles.length < ROLE_NAMES.length && missing.length > 0)
    wrong.push(
      `SPANHOUSE_ROLES=${config.roles.join(',')}: roles that run apart share their stores over the network; set ${missing.join(', ')}`,
    )
  if (wrong.length > 0) throw new Error(`Settings that cannot be used:\n  ${wrong.join('\n  ')}`)
  return config
}

/** Where the services of a process are that listens here; an address that means "all of them" is no place to call. */
export function servicesUrlAt(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/services`
}

function portOf(text: string, wrong: string[]): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65535) wrong.push(`SPANHOUSE_PORT=${text}: not a port`)
  return port
}

function prefixOf(text: string, wrong: string[]): string {
  if (!/^[A-Za-z0-9_.-]+$/.test(text))
    wrong.push(`SPANHOUSE_URI_PREFIX=${text}: only letters, digits, dot, dash and underscore`)
  return text
}

function switchOf(name: string, text: string, wrong: string[]): boolean {
  if (!['true', 'false'].includes(text)) wrong.push(`${name}=${text}: neither true nor false`)
  return text === 'true'
}

/** What is shorter can be guessed by trying. */
const ADMIN_KEY_LENGTH_MIN = 24

function adminKeyOf(key: string | undefined, wrong: string[]): string | undefined {
  if (key !== undefined && key.length < ADMIN_KEY_LENGTH_MIN)
    wrong.push(
      `SPANHOUSE_ADMIN_KEY: shorter than ${ADMIN_KEY_LENGTH_MIN} characters; make one with: openssl rand -hex 32`,
    )
  return key
}

const STREAM_BYTES_MIN = 16 * 1024 ** 2

function bytesOf(name: string, text: string | undefined, wrong: string[]): number | undefined {
  if (text === undefined) return undefined
  const bytes = Number(text)
  if (!Number.isSafeInteger(bytes) || bytes < STREAM_BYTES_MIN)
    wrong.push(`${name}=${text}: not a number of bytes of at least ${STREAM_BYTES_MIN}`)
  return bytes
}

function rolesOf(text: string, wrong: string[]): RoleName[] {
  if (text === 'all') return [...ROLE_NAMES]
  const names = text.split(',').map(name => name.trim())
  for (const name of names)
    if (!(ROLE_NAMES as readonly string[]).includes(name))
      wrong.push(`SPANHOUSE_ROLES=${text}: no role is called "${name}" (${ROLE_NAMES.join(', ')}, all)`)
  return ROLE_NAMES.filter(name => names.includes(name))
}

function urlOf(name: string, text: string | undefined, protocols: string[], wrong: string[]): string | undefined {
  if (text === undefined) return undefined
  const addresses = text.split(',')
  if (addresses.some(address => !URL.canParse(address) || !protocols.includes(new URL(address).protocol)))
    wrong.push(`${name}: not an address that starts with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`)
  return text
}
