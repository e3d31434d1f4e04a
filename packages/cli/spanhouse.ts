import { type ParseArgsConfig, parseArgs } from 'node:util'
import { SpanhouseError } from '@spanhouse/client'
import { addShard, growPartitions, showStatus } from './cluster.ts'
import { discardLetter, listLetters, replayLetter, showLetter } from './dead-letters.ts'
import { evaluate } from './evaluate/evaluate.ts'
import { type Detail, noResponse, refusal } from './request.ts'
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

  SPANHOUSE_API_KEY    the project's key, for all but dead-letters and cluster
                       (default: the key in SPANHOUSE_DATA_DIR, or ./data)
  SPANHOUSE_URL        the address of Spanhouse (default: http://127.0.0.1:4600, or the port in SPANHOUSE_PORT)
  SPANHOUSE_ADMIN_KEY  the administrator's key of that installation
`

const TEXT = { type: 'string' } as const
const TEXTS = { type: 'string', multiple: true } as const
const FLAG = { type: 'boolean' } as const

type Options = Exclude<ParseArgsConfig['options'], undefined>
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>['values']

interface Command {
  options: Options
  /** How many words it takes after its name. */
  wordsMax: number
  /** Returns the exit status, if it may be another than 0. */
  start(word: string | undefined, values: object): Promise<number> | Promise<void>
}

const command = <O extends Options>(
  wordsMax: 0 | 1,
  options: O,
  start: (word: string | undefined, values: Values<O>) => Promise<number> | Promise<void>,
): Command => ({ wordsMax, options, start: start as Command['start'] })

const ONE_RUN = { input: TEXTS, inputs: TEXT, json: FLAG }
const EVALUATE = {
  testset: TEXT,
  query: TEXT,
  application: TEXT,
  evaluator: TEXTS,
  name: TEXT,
  repeats: TEXT,
  json: FLAG,
  junit: TEXT,
  'fail-under': TEXTS,
  'fail-on-regression': TEXT,
}

/** The commands by name, each with the options that it takes: any other is refused, so that none is without effect. */
const COMMANDS: Readonly<Record<string, Command>> = {
  'dead-letters list': command(0, { limit: TEXT, after: TEXT }, (_, values) => listLetters(values)),
  'dead-letters show': command(1, { body: TEXT }, showLetter),
  'dead-letters replay': command(1, {}, replayLetter),
  'dead-letters discard': command(1, {}, discardLetter),
  'cluster status': command(0, {}, showStatus),
  'cluster add-shard': command(0, {}, addShard),
  'cluster partitions': command(1, {}, growPartitions),
  run: command(1, { ...ONE_RUN, environment: TEXT }, run),
  'evaluate-one': command(1, { ...ONE_RUN, outputs: TEXT }, evaluateOne),
  evaluate: command(1, EVALUATE, evaluate),
}

/** Returns the exit status. */
async function main(args: string[]): Promise<number> {
  if (args[0] === 'help' || args.some(word => word === '--help' || word === '-h')) {
    process.stdout.write(USAGE)
    return EXIT.ok
  }
  const name = [args.slice(0, 1), args.slice(0, 2)]
    .map(words => words.join(' '))
    .find(words => Object.hasOwn(COMMANDS, words))
  const found = COMMANDS[name ?? '']
  if (!name || !found)
    throw new UsageError(args.length > 0 ? `${USAGE}\nThere is no command ${args.join(' ')}.` : USAGE)
  const { positionals, values } = parsed(args.slice(name.split(' ').length), found.options)
  const unused = positionals.slice(found.wordsMax)
  if (unused.length > 0) throw new UsageError(`${unused.join(' ')}: ${name} takes no more arguments.`)
  return (await found.start(positionals[0], values)) ?? EXIT.ok
}

function parsed(args: string[], options: Options) {
  try {
    return parseArgs({ args, allowPositionals: true, options })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n--help shows the options of each command.`)
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
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${shown(error as Error).message}\n`)
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed
}
