import { type PointerEvent, useRef, useState } from 'react'

interface Drag {
  from: number
  to: number
}

/** A drag from one place to another, as shares of the element's width; short ones do not count. */
export function useDrag(onDrag: (from: number, to: number) => void) {
  const [drag, setDrag] = useState<Drag>()
  const began = useRef<number>(undefined)
  const shareOf = ({ currentTarget, clientX }: PointerEvent<HTMLElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.min(1, Math.max(0, (clientX - left) / width))
  }
  const handlers = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId)
      began.current = shareOf(event)
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (began.current === undefined) return
      const share = shareOf(event)
      setDrag({ from: Math.min(began.current, share), to: Math.max(began.current, share) })
    },
    // Not from the state: on a busy page the last move is not rendered yet.
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      const from = began.current
      began.current = undefined
      setDrag(undefined)
      if (from === undefined) return
      const to = shareOf(event)
      if (Math.abs(to - from) > 0.01) onDrag(Math.min(from, to), Math.max(from, to))
    },
    onPointerCancel: () => {
      began.current = undefined
      setDrag(undefined)
    },
  }
  return { drag, handlers }
}
