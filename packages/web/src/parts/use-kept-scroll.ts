import { type RefObject, useLayoutEffect, useRef } from 'react'
import { keepTop, topOf } from './left-lists.ts'

/**
 * A list begins at its top, and Back shows it where it was left. `shown` names it, also when it began; undefined while
 * its rows are on their way.
 */
export function useKeptScroll(scroller: RefObject<HTMLElement | null>, shown: string | undefined): void {
  const last = useRef<string>(undefined)
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || shown === undefined) return
    // The same list may only have been read again, while somebody scrolls.
    if (last.current !== shown) element.scrollTop = topOf(shown) ?? 0
    last.current = shown
    const keep = (): void => keepTop(shown, element.scrollTop)
    element.addEventListener('scroll', keep)
    return () => element.removeEventListener('scroll', keep)
  }, [scroller, shown])
}
