import { useEffect, useState } from 'react'
import { removeText, storedText, storeText } from '../api/browser-storage.ts'
import { parseExact } from '../api/exact-json.ts'

const PAUSE_MS = 300

/**
 * State that is kept in this browser under a name, so that a reload shows it again. Undefined removes it, also when the
 * component is no longer shown. A full or forbidden storage keeps the state only until the page is closed. Each change
 * is written once: of several tabs, the one that changed it last counts, and not the one that is closed last.
 */
export function useStored<T>(name: string): [T | undefined, (value: T | undefined) => void] {
  const key = `spanhouse.${name}`
  const [held, setHeld] = useState(() => ({ key, value: read<T>(key), isRead: true }))
  const value = held.key === key ? held.value : read<T>(key)
  useEffect(() => {
    if (held.key !== key || held.isRead) return
    let isWritten = false
    const now = (): void => {
      if (!isWritten) write(key, held.value)
      isWritten = true
    }
    const timer = setTimeout(now, PAUSE_MS)
    addEventListener('pagehide', now)
    return () => {
      clearTimeout(timer)
      removeEventListener('pagehide', now)
      now()
    }
  }, [key, held])
  const set = (value: T | undefined): void => {
    if (value === undefined) write(key, undefined)
    setHeld({ key, value, isRead: false })
  }
  return [value, set]
}

/** Whether something is kept under a name. */
export const isStored = (name: string): boolean => storedText(`spanhouse.${name}`) !== null

function read<T>(key: string): T | undefined {
  try {
    const text = storedText(key)
    return text === null ? undefined : parseExact<T>(text)
  } catch {
    return undefined
  }
}

function write(key: string, value: unknown): void {
  if (value === undefined) removeText(key)
  else storeText(key, JSON.stringify(value))
}
