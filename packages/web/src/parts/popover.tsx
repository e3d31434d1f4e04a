import { Popover } from '@base-ui/react/popover'
import type { ReactNode } from 'react'
import { controls } from './controls.tsx'
import styles from './popover.module.css'

/** A button that shows more controls below it until one clicks elsewhere or presses Escape. */
export const PopoverButton = ({ label, children }: { label: string; children: ReactNode }): ReactNode => (
  <Popover.Root>
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
