import { removeText, storedText, storeText } from './browser-storage.ts'

const STORED = 'spanhouse.key'

/**
 * The API key of this browser. `npm start` prints a link with the key in the fragment (`#key=…`), which browsers send
 * to nobody: it is stored, and removed from the address bar and the history. Anybody can make such a link, with the key
 * of their own project, so one that the server knows is replaced only if the reader says so.
 */
export function takeKeyFromAddress(): void {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')?.trim()
  if (!key) return
  history.replaceState(history.state, '', location.pathname + location.search)
  const isFree = getKey() === null || getKey() === key || rejected
  if (isFree) setKey(key)
  else offer(key)
}

let rejected = false
/** That of a link, while the reader has not decided. */
let offered: string | null = null
const listeners = new Set<() => void>()

/** Null without one. */
export const getKey = (): string | null => storedText(STORED)

export function setKey(key: string): void {
  storeText(STORED, key.trim())
  rejected = false
  offered = null
  notify()
}

/** Asks which key to use. Before the question is shown, the server is asked whether it still knows the one in use. */
function offer(key: string): void {
  offered = key
  notify()
}

/** Uses the key of the link, or goes on with the one that this browser has. */
export function decideOnOffer(isTaken: boolean): void {
  const key = offered
  offered = null
  if (isTaken && key !== null) setKey(key)
  else notify()
}

export function forgetKey(): void {
  removeText(STORED)
  rejected = false
  notify()
}

/**
 * The server does not know a key, or no longer. It is kept until another one is entered; the responses to what was
 * asked with the one before may come later than that.
 */
export function rejectKey(key: string | null): void {
  if (rejected || key !== getKey()) return
  rejected = true
  if (offered !== null) decideOnOffer(true)
  else notify()
}

export type KeyState = 'missing' | 'rejected' | 'offered' | 'present'

export function keyState(): KeyState {
  if (offered !== null) return 'offered'
  return getKey() === null ? 'missing' : rejected ? 'rejected' : 'present'
}

export function onKeyChange(listener: () => void): () => void {
  const other = ({ key }: StorageEvent): void => {
    if (key !== STORED) return
    rejected = false
    listener()
  }
  listeners.add(listener)
  // Another tab may have entered one.
  addEventListener('storage', other)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', other)
  }
}

const notify = (): void => {
  for (const listener of listeners) listener()
}
