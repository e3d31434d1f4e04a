import { useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/** For a bar of links that scrolls sideways where it is narrow: the link of the shown screen stays in view. */
export function useCurrentInView(): RefObject<HTMLElement | null> {
  const bar = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    const current = pathname && bar.current?.querySelector('[aria-current="page"]')
    if (current) current.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname])
  return bar
}
