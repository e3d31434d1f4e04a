import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The command that starts an MCP server with the tool `weather`. */
export const WEATHER_SERVER = { command: process.execPath, args: [join(import.meta.dirname, 'weather-server.mjs')] }

/** Runs the script of a package, in a home of its own that contains these files, and waits until it ends. */
export async function runCommandLine(script, args, { files, variables }) {
  const home = mkdtempSync(join(tmpdir(), 'home-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  const env = { PATH: process.env.PATH, HOME: home, ...variables }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'node_modules', script), ...args], {
    cwd: home,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await new Promise(resolve => child.on('close', resolve))
  rmSync(home, { recursive: true, force: true })
}
