import { useEffect, useSyncExternalStore } from 'react'
import { visible } from '../format/format.ts'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Names the screen in the title of the page. */
    title?: string
    /** Whether it is shown without a key. */
    isPublic?: boolean
  }
}

const NAME_MAX = 80

/** What the screen shows in particular. */
let shown: string | undefined
const listeners = new Set<() => void>()

/** While the component is shown, the title of the page begins with the name of what it shows, if that is known. */
export function useNameInTitle(name: string | undefined): void {
  useEffect(() => {
    set(name)
    return () => set(undefined)
  }, [name])
}

/** Sets the title of the page: `plan_trip – Trace – Spanhouse`. */
export function useTitle(screen: string | undefined): void {
  const name = useSyncExternalStore(subscribe, () => shown)
  useEffect(() => {
    const parts = [name && visible(name.slice(0, NAME_MAX)), screen, 'Spanhouse']
    document.title = parts.filter(Boolean).join(' – ')
  }, [name, screen])
}

function set(name: string | undefined): void {
  shown = name
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
