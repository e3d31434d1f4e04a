import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { request } from './request.ts'
import { EXIT, evaluateOne, run, UsageError } from './services.ts'

/** The command line: an operator's as the administrator, a user's with the key of a project. */
const USAGE = `Usage: npm run spanhouse -- COMMAND

  dead-letters list [--limit N] [--after ID]   what was accepted and could not be processed, oldest first
  dead-letters show ID [--body FILE]           one of them; with --body what was accepted goes into the file
  dead-letters replay ID|all                   process it again; what is stored already is not stored twice
  dead-letters discard ID                      remove it for good: its spans are lost

  run REF [--input NAME=VALUE]... [--inputs FILE|-] [--environment SLUG] [--json]
                                               run an application, and write its answer as it comes
  evaluate-one REF --outputs VALUE [--input NAME=VALUE]... [--inputs FILE|-] [--json]
                                               score one output with an evaluator

  REF is a slug, SLUG@VARIANT, SLUG:VERSION, SLUG@VARIANT:VERSION, or the id of a revision. A VALUE that is JSON counts
  as that, anything else as text. --json writes the whole answer. They end with 0, with 1 for a run that failed, with 2
  for a mistake in the command line.

  SPANHOUSE_API_KEY    the key of the project for run and evaluate-one (the one in ./data)
  SPANHOUSE_URL        where Spanhouse listens (http://127.0.0.1:4600, or the SPANHOUSE_PORT that is set)
  SPANHOUSE_ADMIN_KEY  the administrator's key of that Spanhouse
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

/** The commands by name; each prints what it did. */
const COMMANDS: Record<string, (id: string | undefined, options: Options) => Promise<void>> = {
  list: async (_id, { limit = '50', after }) => {
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
    if (typeof body !== 'string') throw new Error(`${letter.id} is damaged: what was accepted cannot be read.`)
    await writeFile(file, Buffer.from(body, 'base64'))
    print(`${letter.bytes} bytes are in ${file}`)
  },
  replay: async id => {
    for (const each of id === 'all' ? await allIds() : [needed(id)]) {
      await ask('POST', `/${each}/replay`)
      print(`${each} is in the stream again.`)
    }
  },
  discard: async id => {
    await ask('DELETE', `/${needed(id)}`)
    print(`${id} is gone.`)
  },
}

/**
 * Those that are there now and can be replayed: one that fails again comes back under a new id, and would be replayed for
 * ever.
 */
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
  detail?: string | { message?: string }
}

async function ask(method: string, path: string): Promise<Answer> {
  const { SPANHOUSE_ADMIN_KEY: key } = process.env
  if (!key) throw new Error('SPANHOUSE_ADMIN_KEY is not set.')
  const response = await request(method, `/api/admin/dead-letters${path}`, { authorization: `Access ${key}` })
  const body = (await response.json()) as Answer
  if (response.ok) return body
  const { detail } = body
  throw new Error(
    typeof detail === 'object' && detail.message ? detail.message : `${response.status}: ${JSON.stringify(detail)}`,
  )
}

const spansOf = ({ span_count }: Letter): string => `${span_count} ${span_count === 1 ? 'span' : 'spans'}`
const markOf = ({ is_damaged }: Letter): string => (is_damaged ? 'DAMAGED  ' : '')
const print = (line: string): boolean => process.stdout.write(`${line}\n`)

function needed(id: string | undefined): string {
  if (id === undefined) throw new Error('Which dead letter? Give its id.')
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
  help: flag,
} as const

/** The exit code. */
async function main(): Promise<number> {
  const { positionals, values } = readArguments()
  const [group, command = '', id] = positionals
  if (values.help) {
    process.stdout.write(USAGE)
    return EXIT.ok
  }
  if (group === 'run') return run(positionals[1], values)
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

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed
}
