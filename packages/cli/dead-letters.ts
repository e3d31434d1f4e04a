import { writeFile } from 'node:fs/promises'
import { adminAuthorization, type Detail, refusal, request } from './request.ts'
import { UsageError } from './usage-error.ts'

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

/** `dead-letters list`: prints a page, the oldest first. */
export async function listLetters({ limit = '50', after }: { limit?: string; after?: string }): Promise<void> {
  if (!/^[1-9]\d*$/.test(limit)) throw new UsageError(`--limit ${limit}: must be a whole number of at least 1.`)
  const { dead_letters: letters } = await ask('GET', `?${new URLSearchParams({ limit, ...(after && { after }) })}`)
  for (const letter of letters)
    print(`${letter.id}  ${letter.rejected_at}  ${spansOf(letter)}  ${markOf(letter)}${letter.reason}`)
  if (letters.length === 0) print('There are no dead letters.')
  if (letters.length === Number(limit)) print(`More: --after ${letters.at(-1)?.id}`)
}

/** `dead-letters show ID`: prints its members, and writes the accepted data to the file `body`. */
export async function showLetter(id: string | undefined, { body: file }: { body?: string }): Promise<void> {
  const { body, ...letter } = (await ask('GET', `/${needed(id)}`)).dead_letter
  for (const [name, value] of Object.entries(letter)) print(`${name.padEnd(12)} ${value}`)
  if (file === undefined) return
  if (typeof body !== 'string') throw new Error(`${letter.id} is damaged: the accepted data cannot be read.`)
  await writeFile(file, Buffer.from(body, 'base64'))
  print(`Wrote ${letter.bytes} bytes to ${file}`)
}

/** `dead-letters replay ID|all`: returns it to the stream. */
export async function replayLetter(id: string | undefined): Promise<void> {
  if (id === 'all') return replayAll()
  await ask('POST', `/${needed(id)}/replay`)
  print(`${id} was returned to the stream.`)
}

/** `dead-letters discard ID`: removes it permanently. */
export async function discardLetter(id: string | undefined): Promise<void> {
  await ask('DELETE', `/${needed(id)}`)
  print(`${id} was removed.`)
}

/** Letters that were replayed or removed by others since they were listed are only counted. */
async function replayAll(): Promise<void> {
  let gone = 0
  for (const id of await allIds()) {
    const { response, body } = await send('POST', `/${id}/replay`)
    if (response.status === 404) gone++
    else print(`${accepted(response, body).dead_letter.id} was returned to the stream.`)
  }
  if (gone === 1) print('1 was gone: someone else replayed or discarded it.')
  if (gone > 1) print(`${gone} were gone: someone else replayed or discarded them.`)
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
