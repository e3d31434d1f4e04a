import type { ComponentProps, ReactNode } from 'react'

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
