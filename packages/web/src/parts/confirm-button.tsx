import { type ComponentProps, type ReactNode, useState } from 'react'
import { Button, ONCE } from './controls.tsx'

/**
 * A button for what cannot be undone: it asks in its own place, where the second click of a double click is ignored.
 * Answering no, or pressing Escape, returns the focus to where it was.
 */
export function ConfirmButton({
  question,
  onClick,
  children,
  ...rest
}: Omit<ComponentProps<typeof Button>, 'onClick'> & { question: string; onClick: () => void }): ReactNode {
  const [asks, setAsks] = useState(false)
  const [isAnswered, setIsAnswered] = useState(false)
  const { disabled = false } = rest
  const answer = (): void => {
    setAsks(false)
    setIsAnswered(true)
  }
  if (!asks || disabled)
    return (
      <Button {...rest} autoFocus={isAnswered} onClick={() => setAsks(true)}>
        {children}
      </Button>
    )
  return (
    <span
      role="group"
      aria-label={question}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        // What is around the question stays open.
        event.stopPropagation()
        answer()
      }}
    >
      {question}{' '}
      <Button
        {...ONCE}
        autoFocus
        // The key that asked is still held down.
        onKeyDown={event => event.repeat && event.preventDefault()}
        onClick={() => {
          answer()
          onClick()
        }}
      >
        Yes
      </Button>{' '}
      <Button {...ONCE} onClick={answer}>
        No
      </Button>
    </span>
  )
}
