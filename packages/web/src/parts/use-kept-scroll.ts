import { useLocation } from '@tanstack/react-router'
import { type RefObject, useLayoutEffect, useState } from 'react'
import { keepTop, topOf } from './left-lists.ts'

/** A list is where it was left when Back shows it again, once its rows are there. */
export function useKeptScroll(scroller: RefObject<HTMLElement | null>, isThere: boolean): void {
  const { pathname, state } = useLocation()
  // A screen is shown a little longer than its address is.
  const [own] = useState(pathname)
  const entry = pathname === own ? state.__TSR_key : undefined
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || !isThere || entry === undefined) return
    const keep = (): void => keepTop(entry, element.scrollTop)
    element.scrollTop = topOf(entry) ?? element.scrollTop
    keep()
    element.addEventListener('scroll', keep)
    return () => element.removeEventListener('scroll', keep)
  }, [scroller, isThere, entry])
}
