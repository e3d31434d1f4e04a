import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { SpanhouseError } from '@spanhouse/client'
import { cluster } from './cluster.ts'
import { evaluate } from './evaluate/evaluate.ts'
import { adminAuthorization, type Detail, noResponse, refusal, request } from './request.ts'
import { evaluateOne, run } from './services.ts'
import { EXIT, UsageError } from './usage-error.ts'

/** The command line: operators use the admin key, users the key of a project. */
const USAGE = `Usage: npm run spanhouse -- COMMAND

  dead-letters list [--limit N] [--after ID]   lists accepted data that could not be processed, oldest first
  dead-letters show ID [--body FILE]           shows one; --body writes the accepted data to FILE
  dead-letters replay ID|all                   processes it again; spans already stored are not duplicated
  dead-letters discard ID                      removes it permanently: its spans are lost

  cluster status                               shows the shards of ClickHouse and what they have
  cluster add-shard                            adds the next shard that CLICKHOUSE_URLS lists, and waits for it
  cluster partitions NUMBER                    gives the stream more partitions, and waits until all have a writer

  run REF [--input NAME=VALUE]... [--inputs FILE|-] [--environment SLUG] [--json]
                                               runs an application and prints its response as it arrives
  evaluate-one REF --outputs VALUE [--input NAME=VALUE]... [--inputs FILE|-] [--json]
                                               scores one output with an evaluator

  evaluate --testset REF [--application REF] --evaluator REF[=auto|human|custom]... [--name NAME] [--repeats N]
                                               creates an evaluation, starts it and waits until it is over
  evaluate --query REF --evaluator REF...      the same over the traces that a saved query finds
  evaluate RUN                                 waits for a run that exists
      --json                                   prints the result as JSON
      --junit FILE                             writes the scenarios to FILE as JUnit XML
      --fail-under KEY=VALUE                   fails if a score is lower: the mean of a number, the share of true
      --fail-on-regression RUN                 fails if a score is significantly worse than in another run
                                               A KEY is an output of an evaluator (success), or STEP:OUTPUT.

  REF is a slug, SLUG@VARIANT, SLUG:VERSION, SLUG@VARIANT:VERSION, or the id of a revision. A VALUE that is valid
  JSON is sent as JSON, any other as text. --json prints the whole response. The exit status is 0 on success, 1 if the
  run failed or a score is too low, and 2 if the command line is invalid.

  SPANHOUSE_API_KEY    the project's key, for all but dead-letters and cluster (default: the key in ./data)
  SPANHOUSE_URL        the address of Spanhouse (default: http://127.0.0.1:4600, or the port in SPANHOUSE_PORT)
  SPANHOUSE_ADMIN_KEY  the administrator's key of that installation
`

interface Letter {
  id: string
  reason: string
  rejected_at: string
  attempt: number
  project_id: string
  accepted_at: string
  span_count: number
  format: string
  bytes: number
  is_damaged: boolean
  body?: string | null
}

interface Options {
  limit?: string
  after?: string
  body?: string
}

/** The commands by name; each prints its result. */
const COMMANDS: Record<string, (id: string | undefined, options: Options) => Promise<void>> = {
  list: async (_id, { limit = '50', after }) => {
    if (!/^[1-9]\d*$/.test(limit)) throw new UsageError(`--limit ${limit}: not a number from 1.`)
    const { dead_letters: letters } = await ask('GET', `?${new URLSearchParams({ limit, ...(after && { after }) })}`)
    for (const letter of letters)
      print(`${letter.id}  ${letter.rejected_at}  ${spansOf(letter)}  ${markOf(letter)}${letter.reason}`)
    if (letters.length === 0) print('There are no dead letters.')
    if (letters.length === Number(limit)) print(`More: --after ${letters.at(-1)?.id}`)
  },
  show: async (id, { body: file }) => {
    const { body, ...letter } = (await ask('GET', `/${needed(id)}`)).dead_letter
    for (const [name, value] of Object.entries(letter)) print(`${name.padEnd(12)} ${value}`)
    if (file === undefined) return
    if (typeof body !== 'string') throw new Error(`${letter.id} is damaged: the accepted data cannot be read.`)
    await writeFile(file, Buffer.from(body, 'base64'))
    print(`Wrote ${letter.bytes} bytes to ${file}`)
  },
  replay: async id => {
    if (id === 'all') return replayAll()
    await ask('POST', `/${needed(id)}/replay`)
    print(`${id} was returned to the stream.`)
  },
  discard: async id => {
    await ask('DELETE', `/${needed(id)}`)
    print(`${id} was removed.`)
  },
}

/** Letters that somebody else has replayed or removed since they were listed are only counted. */
async function replayAll(): Promise<void> {
  let gone = 0
  for (const id of await allIds()) {
    const { response, body } = await send('POST', `/${id}/replay`)
    if (response.status === 404) gone++
    else print(`${accepted(response, body).dead_letter.id} was returned to the stream.`)
  }
  if (gone === 1) print('1 was gone: somebody else has replayed or discarded it.')
  if (gone > 1) print(`${gone} were gone: somebody else has replayed or discarded them.`)
}

/** The replayable letters that exist now: one that fails again gets a new id, and would be replayed forever. */
async function allIds(): Promise<string[]> {
  const ids: string[] = []
  for (let after = ''; ; ) {
    const { dead_letters: page } = await ask('GET', `?limit=500${after && `&after=${after}`}`)
    ids.push(...page.filter(({ is_damaged }) => !is_damaged).map(({ id }) => id))
    if (page.length < 500) return ids
    after = page.at(-1)?.id as string
  }
}

interface Answer {
  dead_letters: Letter[]
  dead_letter: Letter
  detail?: Detail
}

async function send(method: string, path: string): Promise<{ response: Response; body: Answer }> {
  const authorization = adminAuthorization()
  const response = await request(method, `/api/admin/dead-letters${path}`, { authorization })
  return { response, body: (await response.json()) as Answer }
}

async function ask(method: string, path: string): Promise<Answer> {
  const { response, body } = await send(method, path)
  return accepted(response, body)
}

/** The answer, unless it is a refusal. */
function accepted({ ok, status }: Response, body: Answer): Answer {
  if (!ok) throw refusal(status, body.detail, { authorization: adminAuthorization() })
  return body
}

const spansOf = ({ span_count }: Letter): string => `${span_count} ${span_count === 1 ? 'span' : 'spans'}`
const markOf = ({ is_damaged }: Letter): string => (is_damaged ? 'DAMAGED  ' : '')
const print = (line: string): boolean => process.stdout.write(`${line}\n`)

function needed(id: string | undefined): string {
  if (id === undefined) throw new UsageError('The id of the dead letter is missing.')
  return encodeURIComponent(id)
}

const option = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const OPTIONS = {
  limit: option,
  after: option,
  body: option,
  input: { type: 'string', multiple: true },
  inputs: option,
  outputs: option,
  environment: option,
  json: flag,
  testset: option,
  query: option,
  application: option,
  evaluator: { type: 'string', multiple: true },
  name: option,
  repeats: option,
  junit: option,
  'fail-under': { type: 'string', multiple: true },
  'fail-on-regression': option,
  help: { type: 'boolean', short: 'h' },
} as const

/** Returns the exit status. */
async function main(): Promise<number> {
  const { positionals, values } = readArguments()
  const [group, command = '', id, ...others] = positionals
  if (values.help || group === 'help') {
    process.stdout.write(USAGE)
    return EXIT.ok
  }
  const unused = group === 'dead-letters' || group === 'cluster' ? others : positionals.slice(2)
  if (unused.length > 0) throw new UsageError(`${unused.join(' ')}: ${group} takes no more arguments.`)
  if (group === 'cluster') return cluster(command, id)
  if (group === 'run') return run(positionals[1], values)
  if (group === 'evaluate') return evaluate(positionals[1], values)
  if (group === 'evaluate-one') return evaluateOne(positionals[1], values)
  const dead = group === 'dead-letters' ? COMMANDS[command] : undefined
  if (!dead) throw new UsageError(USAGE)
  await dead(id, values)
  return EXIT.ok
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`)
  }
}

/** In the words of the command line, also if it comes from the client's own requests. */
function shown(error: Error): Error {
  if (error instanceof SpanhouseError) return refusal(error.status, error.detail as Detail, { authorization: 'ApiKey' })
  return error instanceof TypeError && error.cause !== undefined ? noResponse(error) : error
}

// A reader such as `head` has closed the pipe: it wants no more, and no message.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(EXIT.failed)
})

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${shown(error as Error).message}\n`)
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed
}
