import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { Button } from './controls.tsx'
import styles from './modal.module.css'
import { Scroller } from './scroller.tsx'

interface ModalProps {
  title: string
  /** Room for two texts side by side. */
  isWide?: boolean
  onClose: () => void
  /** What has the focus again afterwards, for a dialog whose field takes the focus by itself. */
  returnTo?: Element | null
  children: ReactNode
}

/** A dialog over the page, which keeps the focus until it is closed. Keys of the page do nothing in the meantime. */
export const Modal = (props: ModalProps): ReactNode => (
  <Popup {...props}>
    <Scroller className={styles.scroll} label={props.title}>
      {props.children}
    </Scroller>
  </Popup>
)

interface FormModalProps extends ModalProps {
  onSubmit: () => void
  /** What the button says that `Enter` presses, and whether it is off. */
  submit: string
  isOff: boolean
  /** Why the caller may not press it. */
  refusal?: string | undefined
  /** More buttons, before Cancel. */
  more?: ReactNode
  /** Whether it is done, so that the dialog can only be closed. */
  isDone?: boolean
}

/** A {@link Modal} with a title, fields and buttons. The first field has the focus. */
export const FormModal = ({
  onSubmit,
  submit,
  isOff,
  refusal,
  more,
  isDone = false,
  children,
  ...rest
}: FormModalProps): ReactNode => (
  <Popup {...rest}>
    <form
      className={`${styles.scroll} ${styles.form}`}
      onSubmit={event => {
        event.preventDefault()
        // A dialog may be open over a form.
        event.stopPropagation()
        if (isDone) rest.onClose()
        else onSubmit()
      }}
    >
      <h2>{rest.title}</h2>
      {children}
      <footer className={styles.actions}>
        <Button type="submit" look="primary" disabled={isOff && !isDone} title={refusal}>
          {isDone ? 'Close' : submit}
        </Button>
        {!isDone && more}
        {!isDone && <Button onClick={rest.onClose}>Cancel</Button>}
      </footer>
    </form>
  </Popup>
)

const Popup = ({ title, isWide = false, onClose, returnTo, children }: ModalProps): ReactNode => (
  <Dialog.Root open onOpenChange={open => open || onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className={styles.backdrop} />
      <Dialog.Popup
        className={`${styles.dialog} ${isWide ? styles.wide : ''}`}
        aria-label={title}
        data-modal=""
        finalFocus={() => (returnTo instanceof HTMLElement && returnTo.isConnected ? returnTo : true)}
      >
        {children}
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
)
