import { type RefObject, useEffect, useRef } from 'react'

/** Where something is among the elements around it. */
interface Place {
  parent: Element
  index: number
}

/**
 * Keeps the focus in a part of the page: when what has it goes away, such as a row that is archived, what takes its
 * place gets it. The browser would leave it nowhere.
 */
export function useKeptFocus<Part extends HTMLElement>(): RefObject<Part | null> {
  const part = useRef<Part>(null)
  useEffect(() => {
    const { current } = part
    if (current === null) return
    let focused: Element | undefined
    let places: Place[] = []
    const note = (element: Element | undefined): void => {
      focused = element
      places = element ? placesOf(element, current) : []
    }
    const observer = new MutationObserver(() => {
      if (focused === undefined) return
      if (focused.isConnected) note(focused)
      else if (document.activeElement === document.body) controlNear(places)?.focus()
    })
    observer.observe(current, { childList: true, subtree: true })
    const leaving = new AbortController()
    const { signal } = leaving
    current.addEventListener('focusin', ({ target }) => note(target as Element), { signal })
    // A click outside of all controls leaves nothing focused.
    addEventListener('pointerdown', () => note(undefined), { signal, capture: true })
    return () => {
      observer.disconnect()
      leaving.abort()
    }
  }, [])
  return part
}

/** The places of an element and of all that contain it, up to those in the part. */
function placesOf(element: Element, part: Element): Place[] {
  const places: Place[] = []
  for (let one = element; one !== part && one.parentElement; one = one.parentElement)
    places.push({ parent: one.parentElement, index: [...one.parentElement.children].indexOf(one) })
  return places
}

const CONTROL = 'a[href], button:enabled, select:enabled, input:enabled'

/** What comes at a place or after it, otherwise what comes before it. */
function controlNear(places: readonly Place[]): HTMLElement | undefined {
  for (const { parent, index } of places) {
    if (!parent.isConnected) continue
    const children = [...parent.children]
    for (const child of [...children.slice(index), ...children.slice(0, index).reverse()]) {
      const control = child.matches(CONTROL) ? child : child.querySelector(CONTROL)
      if (control) return control as HTMLElement
    }
  }
  return undefined
}
