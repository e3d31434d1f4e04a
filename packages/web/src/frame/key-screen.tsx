import { useQuery } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { decideOnOffer, type KeyState, setKey } from '../api/key.ts'
import { projectQuery } from '../api/queries.ts'
import { Button, controls } from '../parts/controls.tsx'
import styles from './frame.module.css'

/** Asks for an API key, or whether to take that of a link. */
export function KeyScreen({ state }: { state: KeyState }): ReactNode {
  if (state === 'offered') return <Offer />
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const key = String(new FormData(event.currentTarget).get('key') ?? '')
    if (key.trim() !== '') setKey(key)
  }
  return (
    <div className={styles.page}>
      <h1>Enter the API key of a project</h1>
      {state === 'rejected' && (
        <p role="alert" className={`${controls.notice} ${controls.error}`}>
          The server does not accept the key: it is wrong, or it was revoked. Enter another one.
        </p>
      )}
      <form className={styles.form} onSubmit={submit}>
        <input
          className={controls.input}
          name="key"
          type="password"
          aria-label="API key"
          autoComplete="off"
          placeholder="xxxxxxxx.…"
          // biome-ignore lint/a11y/noAutofocus: it is the only thing to do here
          autoFocus
        />
        <Button type="submit" look="primary">
          Continue
        </Button>
      </form>
      <p>
        <code>npm start</code> prints a link that contains the key of the default project and keeps the key in the file{' '}
        <code>api-key</code> of its data folder. The key is stored in this browser only.
      </p>
    </div>
  )
}

/** Nothing until the server has answered: if it does not know the browser's own key, the link's is taken. */
function Offer(): ReactNode {
  const { data: project, isPending } = useQuery(projectQuery)
  if (isPending) return null
  return (
    <div className={styles.page}>
      <h1>Use the API key in the link?</h1>
      <p>
        The link that you have opened contains an API key, and this browser uses another one
        {project?.project_name ? `, of the project ${project.project_name}` : ''}. With the key in the link you work in
        its project, where the person who sent you the link may read what you enter.
      </p>
      <p>
        <Button look="primary" onClick={() => decideOnOffer(false)}>
          Keep my key
        </Button>{' '}
        <Button onClick={() => decideOnOffer(true)}>Use the key in the link</Button>
      </p>
    </div>
  )
}
