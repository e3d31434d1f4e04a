import { type RefObject, useEffect } from 'react'

/** A click anywhere in a row of a table opens what the row is about: its first link, which is for the keyboard. */
export function useRowClicks(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = place.current
    const open = ({ target }: MouseEvent): void => {
      if (!(target instanceof Element) || target.closest('a, button, input')) return
      // Whoever marks a text to copy it does not go elsewhere.
      if (getSelection()?.isCollapsed === false) return
      target.closest('tbody tr')?.querySelector('a')?.click()
    }
    element?.addEventListener('click', open)
    return () => element?.removeEventListener('click', open)
  }, [place])
}
