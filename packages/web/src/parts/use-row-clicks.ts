import { type RefObject, useEffect } from 'react'

/**
 * A click anywhere in a row of a table opens what the row is about: its first link, which is for the keyboard. With Ctrl,
 * Cmd or Shift it opens where a link does.
 */
export function useRowClicks(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = place.current
    const open = ({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): void => {
      if (!(target instanceof Element) || target.closest('a, button, input')) return
      // Whoever marks a text to copy it does not go elsewhere.
      if (getSelection()?.isCollapsed === false) return
      const click = { ctrlKey, metaKey, shiftKey, bubbles: true, cancelable: true }
      target.closest('tbody tr')?.querySelector('a')?.dispatchEvent(new MouseEvent('click', click))
    }
    element?.addEventListener('click', open)
    return () => element?.removeEventListener('click', open)
  }, [place])
}
