import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'

/** The command line of an operator: it speaks to a running Spanhouse as its administrator. */
const USAGE = `Usage: npm run spanhouse -- COMMAND

  dead-letters list [--limit N] [--after ID]   what was accepted and could not be processed, oldest first
  dead-letters show ID [--body FILE]           one of them; with --body what was accepted goes into the file
  dead-letters replay ID|all                   process it again; what is stored already is not stored twice
  dead-letters discard ID                      remove it for good: its spans are lost

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
  const { SPANHOUSE_PORT: port = '4600', SPANHOUSE_ADMIN_KEY: key } = process.env
  const { SPANHOUSE_URL: url = `http://127.0.0.1:${port}` } = process.env
  if (!key) throw new Error('SPANHOUSE_ADMIN_KEY is not set.')
  const headers = { authorization: `Access ${key}` }
  const response = await fetch(`${url}/api/admin/dead-letters${path}`, { method, headers }).catch(({ cause }) => {
    throw new Error(`Nobody answers at ${url} (${cause?.code ?? cause}): start Spanhouse there, or set SPANHOUSE_URL.`)
  })
  const body = (await response.json().catch(() => {
    throw new Error(`It is not Spanhouse that answers at ${url} (HTTP ${response.status}): set SPANHOUSE_URL.`)
  })) as Answer
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

try {
  const option = { type: 'string' } as const
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { limit: option, after: option, body: option, help: { type: 'boolean' } },
  })
  const [group, command = '', id] = positionals
  const run = group === 'dead-letters' ? COMMANDS[command] : undefined
  if (values.help) process.stdout.write(USAGE)
  else if (run) await run(id, values)
  else throw new Error(USAGE)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
