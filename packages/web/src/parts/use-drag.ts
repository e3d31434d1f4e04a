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
    onPointerUp: () => {
      began.current = undefined
      setDrag(undefined)
      if (drag && drag.to - drag.from > 0.01) onDrag(drag.from, drag.to)
    },
    onPointerCancel: () => {
      began.current = undefined
      setDrag(undefined)
    },
  }
  return { drag, handlers }
}
