import { type ReactNode, useState } from 'react'
import { Button, controls } from './controls.tsx'
import styles from './popover.module.css'

/** A field for a name, which is passed on with `Enter` or the button. */
export function NameForm({ label, onAdd }: { label: string; onAdd: (name: string) => void }): ReactNode {
  const [name, setName] = useState('')
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        if (name.trim() === '') return
        onAdd(name.trim())
        setName('')
      }}
    >
      <input
        className={controls.input}
        aria-label={label}
        placeholder={label}
        value={name}
        onChange={event => setName(event.target.value)}
      />
      <Button type="submit" disabled={name.trim() === ''}>
        Add
      </Button>
    </form>
  )
}
