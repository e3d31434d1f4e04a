import { startEmbedded, startNetworked, type Victims } from '../faults/chaos/victims.ts'
import type { Watched } from './watch/watcher.ts'
import type { Addresses } from './world.ts'

export interface Target extends Addresses {
  /** The Spanhouse processes, by name. */
  processes(): Watched[]
  /** Lines that the process has logged at level error or above, as far as they are kept. */
  errorLines(name: string): string[]
  /** How the process ended and the last lines that it wrote; empty while it runs and where that is not known. */
  lastWords(name: string): string
  /** Ends the process whatever it does and starts it again at the same address; false where that cannot be done. */
  restart(name: string): Promise<boolean>
  stop(): Promise<void>
}

export type TargetChoice = { set: 'embedded' | 'networked' } | { url: string; adminKey: string }

export async function startTarget(choice: TargetChoice): Promise<Target> {
  if ('url' in choice) return givenTarget(choice.url, choice.adminKey)
  return choice.set === 'embedded'
    ? ofVictims(await startEmbedded(), ['all'])
    : ofVictims(await startNetworked(1), ROLES)
}

const LAST_WORDS_LENGTH = 2_000

const ROLES = ['api', 'receiver', 'writer-1']

function ofVictims(victims: Victims, names: readonly string[]): Target {
  const { apiUrl, receiverUrl, grpcUrl } = victims.target
  return {
    apiUrl,
    receiverUrl,
    grpcUrl,
    adminKey: victims.server(names[0] as string).adminKey,
    processes: () => names.map(name => ({ name, url: victims.server(name).url, pid: victims.server(name).pid })),
    errorLines: name =>
      victims
        .server(name)
        .output()
        .split('\n')
        .filter(line => /^\{"level":[56]0,/.test(line)),
    lastWords: name => {
      const { ended, output } = victims.server(name)
      return ended() === undefined ? '' : `ended with ${ended()}: ${output().slice(-LAST_WORDS_LENGTH)}`
    },
    restart: async name => {
      const victim = victims.all.find(one => one.name === name)
      await victim?.kill()
      await victim?.restart()
      return victim !== undefined
    },
    stop: () => victims.stop(),
  }
}

/** A server that somebody else has started; on this machine only, since it may not survive. */
function givenTarget(given: string, adminKey: string): Target {
  const { hostname, origin } = new URL(given)
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) throw new Error(`${given} is not on this machine`)
  return {
    apiUrl: origin,
    receiverUrl: origin,
    grpcUrl: '',
    adminKey,
    processes: () => [{ name: 'given', url: origin }],
    errorLines: () => [],
    lastWords: () => '',
    restart: async () => false,
    stop: async () => undefined,
  }
}
