import { parentPort, workerData } from 'node:worker_threads'
import { type PGlite, parse, protocol, type Results, types } from '@electric-sql/pglite'
import { isJsonType, VALUE_PARSERS } from '../values.ts'
import { openCluster } from './cluster.ts'
import type { Statement } from './loan.ts'
import { type Answer, type Part, type Request, type ThreadData, toFailure } from './messages.ts'

/**
 * The thread of the embedded database: PGlite runs statements synchronously, which must not block the event loop that
 * serves requests. A crash of Postgres ends the thread with an error.
 */
const { path, template, parts } = workerData as ThreadData
const port = parentPort as NonNullable<typeof parentPort>
const post = (answer: Answer): void => port.postMessage(answer)

/** Size of a message with rows in characters: a few milliseconds of work for the receiving thread. */
const PART_LENGTH = 256 * 1024
/** The size counted for a value that is not text. */
const VALUE_LENGTH = 16

/** Values of types with our own parsers leave the thread unparsed: big integers in JSON cannot be cloned. */
async function open(): Promise<PGlite | undefined> {
  const asText = Object.keys(VALUE_PARSERS).map(type => [type, isJsonType(Number(type)) ? unreadJson : unread])
  try {
    return await openCluster({ path, template, parsers: Object.fromEntries(asText) })
  } catch (error) {
    post({ kind: 'failed', failure: toFailure(error) })
    return undefined
  }
}

const unread = (text: string): string => text
const unreadJson = (text: string): string | Uint8Array => (text.length < PART_LENGTH ? text : Buffer.from(text))

async function answer(pglite: PGlite, statement: Statement): Promise<void> {
  try {
    const { rows, fields, command, rowCount } = await run(pglite, statement)
    const columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }))
    let [last, count]: [Part, number] = [[], 0]
    for (const part of partsOf(rows)) {
      if (last.length > 0) {
        parts.postMessage(last, transferable(last))
        count++
      }
      last = part
    }
    const head = { kind: 'rows', command: command as 'SELECT', rowCount: rowCount ?? 0, columns } as const
    port.postMessage({ ...head, parts: count, last } satisfies Answer, transferable(last))
  } catch (error) {
    if (isCrash(error)) throw error
    post({ kind: 'failed', failure: toFailure(error) })
  }
}

const { serialize } = protocol

/**
 * Runs a statement with what begins its transaction. PGlite's own `query` passes each message of the protocol to
 * Postgres by a call of its own, six for a statement, which takes as long as a short statement. Here a statement is one
 * call; what begins its transaction is another one, since a statement must not be run without it.
 */
async function run(pglite: PGlite, { text, parameters, begin }: Statement): Promise<Results<unknown[]>> {
  if (begin) await pglite.execProtocolStream(serialize.query(begin))
  const messages = await pglite.execProtocolStream(
    Buffer.concat([
      serialize.parse({ text }),
      serialize.bind({ values: parameters.map(toValue) }),
      serialize.describe({ type: 'P' }),
      serialize.execute(),
      serialize.sync(),
    ]),
  )
  const [result] = parse.parseResults(messages, pglite.parsers, { rowMode: 'array' })
  return result as Results<unknown[]>
}

/**
 * A parameter as the driver of servers writes it: bytes as they are, all else as text, from which Postgres infers its
 * type.
 */
function toValue(value: unknown): string | Uint8Array | null {
  if (value == null) return null
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return types.arraySerializer(value, toValue as types.Serializer, 0)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function* partsOf(rows: unknown[][]): Generator<Part> {
  let [start, length] = [0, 0]
  for (const [index, row] of rows.entries()) {
    for (const value of row) length += lengthOf(value)
    if (length < PART_LENGTH) continue
    yield rows.slice(start, index + 1)
    start = index + 1
    length = 0
  }
  if (start < rows.length) yield rows.slice(start)
}

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : VALUE_LENGTH

/** The buffer of long JSON, which is not shared with other values. */
const transferable = (part: Part): ArrayBuffer[] =>
  part
    .flat()
    .flatMap(value =>
      value instanceof Uint8Array && value.length >= PART_LENGTH ? [value.buffer] : [],
    ) as ArrayBuffer[]

/** What WebAssembly and Emscripten throw if Postgres crashes during a statement. */
const CRASHES = new Set(['RuntimeError', 'ExitStatus'])
const isCrash = (error: unknown): boolean => CRASHES.has((error as Error).name)

/** Without its ports the thread has nothing to wait for and exits. */
async function close(pglite: PGlite): Promise<void> {
  await pglite.close()
  parts.close()
  port.close()
}

const pglite = await open()
if (pglite) {
  let last: Promise<void> = Promise.resolve()
  port.on('message', (request: Request) => {
    last = last.then(() => (request === 'close' ? close(pglite) : answer(pglite, request)))
  })
  post({ kind: 'ready' })
}
