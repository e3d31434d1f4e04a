import type { Manner, Shot } from '../exchange.ts'
import { jsonBomb } from '../inputs/bombs.ts'
import { encodedSomehow } from '../inputs/encode.ts'
import { hostileText, hostileValue, lengthOf } from '../inputs/hostile.ts'
import { mutated, mutatedBytes } from '../inputs/mutate.ts'
import type { Operation } from '../inputs/operations.ts'
import { question } from '../inputs/questions.ts'
import type { Random } from '../inputs/random.ts'
import { toJsonText } from '../inputs/raw-json.ts'
import { type Context, valueFor } from '../inputs/values.ts'
import type { Role, World } from '../world.ts'
import { multipart } from './files.ts'
import type { Generator, Play } from './generator.ts'

/** Requests that their schema allows. */
export const soundOperation: Generator = {
  name: 'sound operation',
  weight: 40,
  play: play => {
    const operation = play.random.pick(play.operations)
    return play.send(shotOf(operation, play, contextOf(operation, play)))
  },
}

/** The same with something wrong in the body, the path, the query string, the headers or the way it is sent. */
export const spoiledOperation: Generator = {
  name: 'spoiled operation',
  weight: 50,
  play: play => {
    const { random } = play
    const operation = random.pick(play.operations)
    const shot = shotOf(operation, play, contextOf(operation, play), value =>
      random.chance(0.7) ? mutated(value, random) : value,
    )
    return play.send(sparing(spoiled(shot, random), play.world))
  },
}

/** A body that is small when it is sent and large when it is read, at any operation that takes one. */
export const bombedOperation: Generator = {
  name: 'bombed operation',
  weight: 1.5,
  play: play => {
    const { random } = play
    const operation = random.pick(play.operations.filter(({ body }) => body))
    const shot = shotOf(operation, play, contextOf(operation, play))
    const { body, headers } = jsonBomb(random)
    return play.send({ ...shot, body, headers: { ...shot.headers, ...headers } })
  },
}

/** Deletes, archives, hands over or takes rights away: with records that may go. */
const isDestructive = ({ method, path }: Operation): boolean =>
  (method === 'DELETE' || /(archive|transfer\/\{user_id\}|transfer-ownership|roles|unguard)$/.test(path)) &&
  !path.startsWith('/workspaces/roles')

function contextOf(operation: Operation, { random, world }: Play): Context {
  const destroys = isDestructive(operation)
  // What the administrator deletes is gone, whoever's it was: the neighbour's must stay.
  const isAllowed = destroys && operation.path.startsWith('/admin/')
  return { random, world: isAllowed ? { ...world, foreign: world.spare } : world, isDestructive: destroys }
}

/** The credential that the operation is for most of the time, any other now and then. */
function roleFor({ path, method }: Operation, isSpare: boolean, random: Random): Role {
  if (random.chance(0.2)) return random.pick(['viewer', 'annotator', 'editor', 'nobody'])
  if (path.startsWith('/admin/')) return 'admin'
  if (isSpare && /^\/(organizations|projects|workspaces|keys)/.test(path)) return 'spare'
  return method === 'GET' || path.endsWith('/query') ? random.pick(['viewer', 'owner']) : 'owner'
}

/** Their answers go on for as long as somebody listens: each would hold up a client for a minute. */
const ENDLESS = ['/spans/tail', '/evaluations/runs/{run_id}/events']

type Change = (body: unknown) => unknown

function shotOf(operation: Operation, play: Play, context: Context, change: Change = body => body): Shot {
  const { random } = context
  const shot = {
    name: operation.name,
    method: operation.method,
    path: pathOf(operation, context, change),
    as: roleFor(operation, context.isDestructive, random),
    ...(ENDLESS.includes(operation.path) && { listenMs: 300 }),
  }
  if (!operation.body || random.chance(0.01)) return shot
  if (operation.body.type.startsWith('multipart/')) return { ...shot, ...multipart(random) }
  const body = change(bodyOf(operation, context, play.world))
  return { ...shot, headers: { 'content-type': 'application/json' }, body: toJsonText(body) }
}

/** Operations whose schema says little about their body because several spellings are understood. */
const QUESTIONS =
  /^\/(spans|traces|tracing\/(spans|traces)|spans\/(analytics|sessions|users)|tracing\/(analytics|sessions|users|spans))\/(query|analytics)$/

function bodyOf(operation: Operation, context: Context, world: World): unknown {
  if (QUESTIONS.test(operation.path)) return question(context.random, world)
  return valueFor(operation.body?.schema ?? {}, context)
}

function pathOf({ path, parameters }: Operation, context: Context, change: Change): string {
  const { random } = context
  const encode = (value: unknown): string => encodeURIComponent(asText(value).slice(0, 20_000).toWellFormed())
  const wholePath = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const parameter = parameters.find(one => one.in === 'path' && one.name === name)
    const way = name === 'id' ? [kindIn(path), 'id'] : [name]
    return encode(random.chance(0.95) ? valueFor(parameter?.schema ?? {}, context, way) : change(hostileText(random)))
  })
  const search = parameters
    .filter(one => one.in === 'query' && (one.required || random.chance(0.35)))
    .map(({ name, schema }) => `${name}=${encode(change(valueFor(schema, context, [name])))}`)
  return `${prefixOf(path)}${wholePath}${search.length > 0 ? `?${search.join('&')}` : ''}`
}

/** The hosted services do not live under `/api`. */
const prefixOf = (path: string): string => (path.startsWith('/services/') ? '' : '/api')

/** `/admin/simple/accounts/projects/{id}` → `project`. */
const kindIn = (path: string): string => /([^/{}]+?)s?\/\{id\}/.exec(path)?.[1] ?? ''

/** As query strings have it: a list of words is separated by commas, anything else is JSON. */
function asText(value: unknown): string {
  if (Array.isArray(value) && value.every(one => typeof one === 'string')) return value.join()
  return typeof value === 'string' ? value : toJsonText(value)
}

/** One more thing that is wrong, in half of the cases. */
function spoiled(shot: Shot, random: Random): Shot {
  return random.chance(0.5) ? shot : (random.pick(SPOILERS) as Spoiler)(shot, random)
}

/** A request that has become a deletion deletes what may go. */
function sparing(shot: Shot, { kept, spare }: World): Shot {
  if (shot.method !== 'DELETE') return shot
  let { path } = shot
  for (const [kind, ids] of Object.entries(kept)) {
    const instead = spare[kind]?.[0]
    if (instead !== undefined) for (const id of ids) if (!spare[kind]?.includes(id)) path = path.replaceAll(id, instead)
  }
  return { ...shot, path }
}

type Spoiler = (shot: Shot, random: Random) => Shot

const MANNERS: Manner[] = ['slow', 'cut body', 'cut answer', 'pipelined', 'broken chunks']

const SPOILERS: readonly Spoiler[] = [
  (shot, random) => ({
    ...shot,
    method: random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PURGE']),
  }),
  (shot, random) => ({ ...shot, as: random.pick(['viewer', 'annotator', 'nobody', 'spare', 'admin']) }),
  (shot, random) => (random.chance(0.5) ? { ...shot, manner: random.pick(MANNERS) } : shot),
  (shot, random) => (random.chance(0.5) ? { ...shot, manner: random.pick(MANNERS) } : shot),
  (shot, random) => ({ ...shot, headers: { ...shot.headers, ...strangeHeaders(random) } }),
  (shot, random) => {
    if (shot.body === undefined) return shot
    const { body, headers } = encodedSomehow(shot.body, random)
    return { ...shot, body, headers: { ...shot.headers, ...headers } }
  },
  (shot, random) => (shot.body === undefined ? shot : { ...shot, body: mutatedBytes(Buffer.from(shot.body), random) }),
  (shot, random) => ({
    ...shot,
    path:
      shot.path +
      random.pick([
        '/',
        '//',
        '?',
        '?a=b&a=c',
        '/%00',
        '/..',
        '%',
        '#',
        `?x=${'y'.repeat(Math.min(lengthOf(random), 9_000))}`,
      ]),
  }),
  (shot, random) => ({
    ...shot,
    headers: { 'content-type': 'application/json' },
    body: toJsonText(hostileValue(random)),
  }),
]

function strangeHeaders(random: Random): Record<string, string> {
  const secret = random.hex(40)
  return random.pick([
    {
      authorization: random.pick([
        `Bearer ${secret}`,
        `ApiKey ${secret}`,
        'ApiKey',
        `apikey ${secret}.${secret}`,
        `Access ${secret}`,
      ]),
    },
    {
      authorization: `Secret ${['{"alg":"none"}', '{"user_id":"a"}', secret].map(one => Buffer.from(one).toString('base64url')).join('.')}`,
    },
    { authorization: 'ApiKey '.repeat(random.between(1, 500)) },
    {
      'content-type': random.pick([
        'text/plain',
        'application/x-protobuf',
        'multipart/form-data',
        'multipart/form-data; boundary=',
        ';',
        'a'.repeat(3000),
      ]),
    },
    { accept: random.pick(['application/x-protobuf', 'text/event-stream', 'q=0', '*/*;q=2', 'a/b,'.repeat(500)]) },
    { 'accept-encoding': random.pick(['gzip', 'br', 'identity;q=0', '*;q=0', 'gzip;q=x']) },
    { origin: random.pick(['null', 'https://a.test', 'a'.repeat(5000)]), 'access-control-request-method': 'POST' },
    { expect: random.pick(['100-continue', 'x']) },
    { 'if-none-match': '*', range: 'bytes=0-1,5-9' },
    { 'x-forwarded-for': '127.0.0.1', 'x-http-method-override': 'DELETE' },
    { cookie: 'a=b;'.repeat(random.between(1, 2000)) },
  ] as Record<string, string>[])
}
