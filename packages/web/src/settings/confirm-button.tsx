import { type ComponentProps, type ReactNode, useState } from 'react'
import { Button } from '../parts/controls.tsx'

/** A button for what cannot be undone: it asks in its own place. */
export function ConfirmButton({
  question,
  onClick,
  children,
  ...rest
}: Omit<ComponentProps<typeof Button>, 'onClick'> & { question: string; onClick: () => void }): ReactNode {
  const [asks, setAsks] = useState(false)
  const { disabled = false } = rest
  if (!asks || disabled)
    return (
      <Button {...rest} onClick={() => setAsks(true)}>
        {children}
      </Button>
    )
  return (
    <span role="group" aria-label={question}>
      {question}{' '}
      <Button
        autoFocus
        onClick={() => {
          setAsks(false)
          onClick()
        }}
      >
        Yes
      </Button>{' '}
      <Button onClick={() => setAsks(false)}>No</Button>
    </span>
  )
}
