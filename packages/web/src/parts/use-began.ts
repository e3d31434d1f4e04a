import { useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { beganAt, keepBegan } from './left-lists.ts'

/** When a screen began, which stays while it is shown. Back shows one that began when it began first. */
export function useBegan(): number {
  const { pathname, state } = useLocation()
  const entry = state.__TSR_key ?? ''
  const [began] = useState(() => beganAt(entry) ?? Date.now())
  // A screen is shown a little longer than its address is.
  const [own] = useState(pathname)
  useEffect(() => {
    if (pathname === own) keepBegan(entry, began)
  }, [pathname, own, entry, began])
  return began
}
