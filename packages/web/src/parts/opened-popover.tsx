import { Popover } from '@base-ui/react/popover'
import type { ReactNode } from 'react'
import { controls } from './controls.tsx'
import styles from './popover.module.css'

export interface PopoverButtonProps {
  label: string
  children: ReactNode
}

/** A button of a popover that has been pressed once. */
export const OpenedPopover = ({ label, children }: PopoverButtonProps): ReactNode => (
  <Popover.Root defaultOpen>
    <Popover.Trigger className={controls.button}>{label}</Popover.Trigger>
    <Popover.Portal>
      <Popover.Positioner sideOffset={4} className={styles.place}>
        <Popover.Popup className={styles.popup} aria-label={label} data-modal="">
          {children}
        </Popover.Popup>
      </Popover.Positioner>
    </Popover.Portal>
  </Popover.Root>
)
