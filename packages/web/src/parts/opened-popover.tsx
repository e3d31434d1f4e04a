import { Popover } from '@base-ui/react/popover'
import { type ReactNode, useRef } from 'react'
import { controls } from './controls.tsx'
import styles from './popover.module.css'

export interface PopoverButtonProps {
  label: string
  /** A function gets what closes the popover. */
  children: ReactNode | ((close: () => void) => ReactNode)
}

/** A button of a popover that has been pressed once. */
export function OpenedPopover({ label, children }: PopoverButtonProps): ReactNode {
  const actions = useRef<Popover.Root.Actions>(null)
  return (
    <Popover.Root defaultOpen actionsRef={actions}>
      <Popover.Trigger className={controls.button}>{label}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} className={styles.place}>
          <Popover.Popup className={styles.popup} aria-label={label} data-modal="">
            {typeof children === 'function' ? children(() => actions.current?.close()) : children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
