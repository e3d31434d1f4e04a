import { useEffect, useState } from 'react'

const PAUSE_MS = 300

/**
 * State that is kept in this browser under a name, so that a reload shows it again. Undefined removes it. A full or
 * forbidden storage keeps the state only until the page is closed.
 */
export function useStored<T>(name: string): [T | undefined, (value: T | undefined) => void] {
  const key = `spanhouse.${name}`
  const [held, setHeld] = useState(() => ({ key, value: read<T>(key) }))
  const value = held.key === key ? held.value : read<T>(key)
  useEffect(() => {
    if (held.key !== key) return
    const timer = setTimeout(() => write(key, held.value), PAUSE_MS)
    const now = (): void => write(key, held.value)
    addEventListener('pagehide', now)
    return () => {
      clearTimeout(timer)
      removeEventListener('pagehide', now)
      now()
    }
  }, [key, held])
  return [value, value => setHeld({ key, value })]
}

function read<T>(key: string): T | undefined {
  try {
    const text = localStorage.getItem(key)
    return text === null ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}

function write(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // See above.
  }
}
