import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Shot } from './exchange.ts'

/** A play that had a request on its way when something went wrong. */
export interface Suspect {
  play: number
  generator: string
  shot: Shot
}

export interface Finding {
  /** `freeze`, `status 500`, `gone` …; findings of the same kind and subject are one. */
  kind: string
  /** An operation or a process. */
  subject: string
  detail: string
  times: number
  suspects: Suspect[]
  /** Plays that alone make it happen again. */
  confirmed?: number[]
  file?: string
}

/** Findings of which requests are kept and which are told as they come; of others only the number is. */
const DETAILED_MAX = 20
const SUSPECTS_MAX = 20

export interface FindingsOptions {
  seed: number
  tell(line: string): void
}

/** What was found, each kind of it once. */
export class Findings {
  readonly all: Finding[] = []
  readonly #options: FindingsOptions
  #folder: Promise<string> | undefined
  readonly #writing: Promise<unknown>[] = []

  constructor(options: FindingsOptions) {
    this.#options = options
  }

  add({ kind, subject, detail }: Pick<Finding, 'kind' | 'subject' | 'detail'>, suspects: Suspect[]): void {
    const known = this.all.find(one => one.kind === kind && one.subject === subject)
    if (known) {
      known.times++
      return
    }
    const finding: Finding = { kind, subject, detail, times: 1, suspects: suspects.slice(0, SUSPECTS_MAX) }
    this.all.push(finding)
    if (this.all.length > DETAILED_MAX) return
    this.#writing.push(this.#save(finding, this.all.length))
    this.#options.tell(`FINDING ${this.all.length}: ${describe(finding, this.#options.seed)}`)
  }

  /** Waits until all requests are written. */
  async saved(): Promise<void> {
    await Promise.all(this.#writing)
  }

  async #save(finding: Finding, number: number): Promise<void> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'spanhouse-fuzz-findings-'))
    finding.file = join(await this.#folder, `${number}.json`)
    const requests = finding.suspects.map(({ shot: { body, ...head }, ...play }) => ({
      ...play,
      ...head,
      bodyBytes: body === undefined ? 0 : Buffer.byteLength(body),
      body: body === undefined ? undefined : Buffer.from(body).toString('base64'),
    }))
    await writeFile(finding.file, JSON.stringify({ ...finding, suspects: requests }, null, 2))
  }
}

/** One or two lines: what, by whom, and how to see it again. */
export function describe({ kind, subject, detail, times, suspects, confirmed, file }: Finding, seed: number): string {
  const plays = confirmed?.length ? confirmed : [...new Set(suspects.map(({ play }) => play))]
  const names = [...new Set(suspects.filter(({ play }) => plays.includes(play)).map(one => one.generator))]
  const count = times > 1 ? ` (${times} times)` : ''
  const who = names.length > 0 ? ` [${names.slice(0, 4).join('; ')}]` : ''
  const again =
    plays.length > 0
      ? `\n    again${confirmed?.length ? ', confirmed' : ''}: --seed ${seed} --only ${plays.join()}`
      : ''
  return `${kind}: ${subject}: ${detail}${count}${who}${again}${file ? `  ${file}` : ''}`
}
