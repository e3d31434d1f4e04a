import { type ComponentProps, type MouseEvent, type ReactNode, useState } from 'react'
import styles from './controls.module.css'

type ButtonProps = ComponentProps<'button'> & { look?: 'plain' | 'primary' }

/**
 * A button; a primary one acts once. One that is disabled while it has the focus, as by its own press, keeps the focus
 * until it is left: the browser would put it nowhere.
 */
export function Button({ look, className = '', disabled = false, ...rest }: ButtonProps): ReactNode {
  const [hasFocus, setHasFocus] = useState(false)
  return (
    <button
      type="button"
      className={`${styles.button} ${look ? styles[look] : ''} ${className}`}
      disabled={disabled && !hasFocus}
      onFocus={() => setHasFocus(true)}
      onBlur={() => setHasFocus(false)}
      {...(look === 'primary' && ONCE)}
      {...rest}
      {...(disabled && OFF)}
    />
  )
}

/** Of a button that has the focus, and is to do nothing. */
const OFF = {
  'aria-disabled': true,
  onClick: (event: MouseEvent): void => event.preventDefault(),
}

/**
 * For buttons that act once: the second click of a double click does nothing. It would make another key, or judge the
 * next case, which nobody has seen.
 */
export const ONCE = {
  onClickCapture: (event: MouseEvent): void => {
    if (event.detail < 2) return
    event.preventDefault()
    event.stopPropagation()
  },
}

type TextFieldProps = Omit<ComponentProps<'input'>, 'onChange'> & { label: string; onChange: (text: string) => void }

/** An input in its label, to which the class belongs. */
export const TextField = ({ label, className, onChange, ...rest }: TextFieldProps): ReactNode => (
  <label className={className}>
    {label}
    <input className={styles.input} onChange={event => onChange(event.target.value)} {...rest} />
  </label>
)

/** Other computers have Ctrl instead. */
const HAS_COMMAND_KEY = navigator.userAgent.includes('Mac')

/** Keys as they are called on this computer. */
export const Kbd = ({ children }: { children: string }): ReactNode => (
  <kbd className={styles.kbd}>{HAS_COMMAND_KEY ? children : children.replace('⌘', 'Ctrl+')}</kbd>
)

interface ChoicesProps<T extends string> {
  label: string
  value: T
  choices: readonly (readonly [value: T, label: string])[]
  onChange: (value: T) => void
}

/** A few choices side by side, of which one is chosen. */
export const Choices = <T extends string>({ label, value, choices, onChange }: ChoicesProps<T>): ReactNode => (
  <fieldset className={styles.choices} style={{ margin: 0, padding: 0 }} aria-label={label}>
    {choices.map(([one, text]) => (
      <label key={one}>
        <input type="radio" name={label} checked={one === value} onChange={() => onChange(one)} />
        {text}
      </label>
    ))}
  </fieldset>
)

/** Says what failed, why, and what to do. */
export const Failure = ({ what, error }: { what: string; error: Error }): ReactNode => (
  <div role="alert" className={`${styles.notice} ${styles.error}`}>
    {what} {error.message}
  </div>
)

/** In place of what has never been read yet: lines where its rows will be. */
export const Waiting = (): ReactNode => <div aria-hidden="true" className={styles.waiting} />

/** For those who hear the page. */
export const Spoken = ({ children }: { children: ReactNode }): ReactNode => (
  <span className={styles.hidden}>{children}</span>
)

export { styles as controls }
