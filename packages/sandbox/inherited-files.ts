import { fstatSync, readdirSync, readFileSync } from 'node:fs'

/** How `fdinfo` of Linux shows what is closed in a child (O_CLOEXEC). */
const CLOSED_IN_CHILD = 0o2000000

/**
 * The descriptors of open files and pipes that a child process would have, too. Node opens its own so that no child has
 * them; libraries such as LMDB do not.
 */
export const inheritedFiles = (): number[] => readdirSync('/proc/self/fd').map(Number).filter(isInherited)

function isInherited(fd: number): boolean {
  try {
    if (fstatSync(fd).isSocket()) return false
    const [, flags = ''] = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1')) ?? []
    return (Number.parseInt(flags, 8) & CLOSED_IN_CHILD) === 0
  } catch {
    // Closed since, as that of the listing itself.
    return false
  }
}
