import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { post } from '../api/client.ts'
import frame from '../frame/frame.module.css'
import { Button, controls, Failure } from '../parts/controls.tsx'

/** Sets a new password with the token of a link; needs no key. */
export function PasswordScreen(): ReactNode {
  const { token } = useSearch({ from: '/new-password' })
  const setting = useMutation({
    mutationFn: (password: string) => post('/auth/reset-password', { token, password }),
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setting.mutate(String(new FormData(event.currentTarget).get('password') ?? ''))
  }
  if (setting.isSuccess)
    return (
      <div className={frame.page}>
        <h1>The new password is set</h1>
        <p role="status">The link no longer works.</p>
      </div>
    )
  return (
    <div className={frame.page}>
      <h1>Choose a new password</h1>
      <form className={frame.form} onSubmit={submit}>
        <input
          className={controls.input}
          name="password"
          type="password"
          aria-label="New password"
          autoComplete="new-password"
          minLength={8}
          maxLength={1024}
          required
        />
        <Button type="submit" look="primary" disabled={setting.isPending}>
          Set the password
        </Button>
      </form>
      {setting.error && <Failure what="The password was not set." error={setting.error} />}
      <p>It has at least eight characters.</p>
    </div>
  )
}
