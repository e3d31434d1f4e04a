import { type ReactNode, useState } from 'react'
import { Button, controls } from './controls.tsx'
import styles from './popover.module.css'

interface NameFormProps {
  label: string
  isTaken: (name: string) => boolean
  onAdd: (name: string) => void
}

/** A field for a new name, which is passed on with `Enter` or the button. */
export function NameForm({ label, isTaken, onAdd }: NameFormProps): ReactNode {
  const [text, setText] = useState('')
  const name = text.trim()
  const isOff = name === '' || isTaken(name)
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        if (isOff) return
        onAdd(name)
        setText('')
      }}
    >
      <input
        className={controls.input}
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <Button type="submit" disabled={isOff}>
        Add
      </Button>
      <output>{name !== '' && isTaken(name) && 'It already exists.'}</output>
    </form>
  )
}
