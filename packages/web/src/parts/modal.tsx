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
export const Modal = (props: ModalProps): ReactNode => (
  <Popup {...props}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
    <div className={styles.scroll} role="region" aria-label={props.title} tabIndex={0}>
      {props.children}
    </div>
  </Popup>
)

interface FormModalProps extends ModalProps {
  onSubmit: () => void
  /** The buttons at the end; the first is the one that `Enter` presses. */
  actions: ReactNode
}

/** A {@link Modal} with a title, fields and buttons. The first field has the focus. */
export const FormModal = ({ onSubmit, actions, children, ...rest }: FormModalProps): ReactNode => (
  <Popup {...rest}>
    <form
      className={`${styles.scroll} ${styles.form}`}
      onSubmit={event => {
        event.preventDefault()
        // A dialog may be open over a form.
        event.stopPropagation()
        onSubmit()
      }}
    >
      <h2>{rest.title}</h2>
      {children}
      <footer className={styles.actions}>{actions}</footer>
    </form>
  </Popup>
)

const Popup = ({ title, isWide = false, onClose, children }: ModalProps): ReactNode => (
  <Dialog.Root open onOpenChange={open => open || onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className={styles.backdrop} />
      <Dialog.Popup className={`${styles.dialog} ${isWide ? styles.wide : ''}`} aria-label={title} data-modal="">
        {children}
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
)
