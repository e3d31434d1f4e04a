import { useVirtualizer } from '@tanstack/react-virtual'
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'

type ScrollerProps = ComponentProps<'div'> & {
  label: string
  /** Whether arrow keys go from one thing in it to the next. */
  isList?: boolean
}

/** A part of the page that scrolls by itself. It has the focus in turn, so that keys scroll it too. */
export const Scroller = ({ label, isList = false, ...rest }: ScrollerProps): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it only a mouse could scroll
  <div role="region" tabIndex={0} aria-label={label} data-scrolls={isList ? undefined : ''} {...rest} />
)

interface VirtualListProps {
  label: string
  className: string | undefined
  /** Of each item, which is placed by its top. */
  itemClass: string | undefined
  count: number
  /** An item that arrives late moves those after it, which keep their heights and what is open in them. */
  keyOf: (at: number) => string | number
  /** The height of an item until it has been shown. */
  estimatedPx: number
  /** The item that is scrolled to, when another one is chosen; -1 is none. */
  chosen: number
  align: 'start' | 'auto'
  children: (at: number) => ReactNode
}

/** A list of items as high as what is in them, of which only the visible ones are in the document. */
export function VirtualList(props: VirtualListProps): ReactNode {
  'use no memo' // The virtualizer is one object, whose answers change.
  const { label, className, itemClass, count, keyOf, estimatedPx, chosen, align, children } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedPx,
    getItemKey: keyOf,
    overscan: 3,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another choice scrolls
  useEffect(() => {
    if (chosen >= 0) virtual.scrollToIndex(chosen, { align })
  }, [chosen])
  return (
    <Scroller ref={scroller} className={className} label={label} isList>
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <div key={key} ref={virtual.measureElement} data-index={index} className={itemClass} style={{ top: start }}>
            {children(index)}
          </div>
        ))}
      </div>
    </Scroller>
  )
}
