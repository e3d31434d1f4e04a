import { randomFillSync } from 'node:crypto'

/** Drawn at once: a run needs four ids, and each draw has a fixed cost of microseconds. */
const DRAWN = Buffer.alloc(4096)
let used = DRAWN.length

/** Random bytes from the operating system's generator, in hexadecimal digits. None is returned twice. */
export function randomHex(bytes: 8 | 16): string {
  if (used + bytes > DRAWN.length) {
    randomFillSync(DRAWN)
    used = 0
  }
  used += bytes
  return DRAWN.toString('hex', used - bytes, used)
}
