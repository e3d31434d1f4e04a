import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Button } from './controls.tsx'
import type { PopoverButtonProps } from './opened-popover.tsx'

/** What places a popover is loaded when the first one opens: it is a tenth of what a list needs. */
const OpenedPopover = lazy(() => import('./opened-popover.tsx').then(module => ({ default: module.OpenedPopover })))

/** A button that shows more controls below it until one clicks elsewhere or presses Escape. */
export function PopoverButton({ label, children }: PopoverButtonProps): ReactNode {
  const [wasPressed, setWasPressed] = useState(false)
  const button = (
    <Button aria-haspopup="dialog" aria-expanded={false} onClick={() => setWasPressed(true)}>
      {label}
    </Button>
  )
  if (!wasPressed) return button
  return (
    <Suspense fallback={button}>
      <OpenedPopover label={label}>{children}</OpenedPopover>
    </Suspense>
  )
}
