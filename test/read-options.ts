import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The options and words of a command line. Prints the usage and exits for `--help` (0), and for an invalid one (2). */
export function readOptions<O extends NonNullable<ParseArgsConfig['options']>>(usage: string, options: O) {
  const wantsHelp = process.argv.includes('--help') || process.argv.includes('-h')
  if (wantsHelp) exit(process.stdout, usage, 0)
  try {
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    return exit(process.stderr, `${(error as Error).message}\n${usage}`, 2)
  }
}

function exit(stream: NodeJS.WriteStream, text: string, code: number): never {
  stream.write(`${text}\n`)
  process.exit(code)
}
