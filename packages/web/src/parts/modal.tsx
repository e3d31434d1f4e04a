import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import styles from './modal.module.css'

interface ModalProps {
  title: string
  /** Room for two texts side by side. */
  isWide?: boolean
  onClose: () => void
  children: ReactNode
}

/** A dialog over the page, which keeps the focus until it is closed. Keys of the page do nothing in the meantime. */
export const Modal = ({ title, isWide = false, onClose, children }: ModalProps): ReactNode => (
  <Dialog.Root open onOpenChange={open => open || onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className={styles.backdrop} />
      <Dialog.Popup className={`${styles.dialog} ${isWide ? styles.wide : ''}`} aria-label={title} data-modal="">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <div className={styles.scroll} role="region" aria-label={title} tabIndex={0}>
          {children}
        </div>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
)

interface FormModalProps extends ModalProps {
  onSubmit: () => void
  /** The buttons at the end; the first is the one that `Enter` presses. */
  actions: ReactNode
}

/** A {@link Modal} with a title, fields and buttons. */
export const FormModal = ({
  title,
  isWide = false,
  onClose,
  onSubmit,
  actions,
  children,
}: FormModalProps): ReactNode => (
  <Modal title={title} isWide={isWide} onClose={onClose}>
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <h2>{title}</h2>
      {children}
      <footer className={styles.actions}>{actions}</footer>
    </form>
  </Modal>
)
