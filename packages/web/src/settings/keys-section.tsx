import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, post } from '../api/client.ts'
import { getKey } from '../api/key.ts'
import { useRefusal } from '../api/rights.ts'
import { keysQuery, useChange } from '../api/settings.ts'
import { formatFullTime, formatTime, MISSING } from '../format/format.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button, Failure } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Refusal } from './refusal.tsx'
import styles from './settings.module.css'

/** The caller's own API keys of the project. */
export function KeysSection(): ReactNode {
  const mayNotView = useRefusal('view_api_keys')
  const { data, error } = useQuery({ ...keysQuery, enabled: mayNotView === undefined })
  const refusal = useRefusal('edit_api_keys')
  const [made, setMade] = useState<string>()
  const create = useChange(async () => setMade(await post<string>('/keys', {})), 'keys')
  const revoke = useChange(async (prefix: string) => {
    await api(`/keys/${prefix}`, { method: 'DELETE' })
    if (made?.startsWith(`${prefix}.`)) setMade(undefined)
  }, 'keys')
  // Asked for before the rights were known, they are refused as well.
  const failure = (mayNotView === undefined ? error : null) ?? create.error ?? revoke.error
  return (
    <>
      <p>Applications send traces and ask questions with a key. It acts for you, in this project.</p>
      <Refusal>{mayNotView ?? refusal}</Refusal>
      <Button
        look="primary"
        disabled={refusal !== undefined || create.isPending}
        title={refusal}
        onClick={() => create.mutate(undefined)}
      >
        New key
      </Button>
      {made !== undefined && (
        <div className={styles.made} role="status">
          <p>Copy the key now: it is not shown again.</p>
          <code>{made}</code>
          <CopyButton text={made} />
        </div>
      )}
      {failure && <Failure what="The keys cannot be shown or changed." error={failure} />}
      <ul className={styles.list}>
        {data?.map(({ prefix, created_at, last_used_at, expiration_date }) => {
          const isThis = getKey()?.startsWith(`${prefix}.`)
          return (
            <li key={prefix}>
              <span>
                <code>{prefix}.…</code> {isThis && <b>the key of this browser</b>}
              </span>
              <span className={styles.soft}>
                created <time title={formatFullTime(created_at)}>{formatTime(created_at)}</time>, last used{' '}
                {last_used_at ? formatTime(last_used_at) : MISSING}
                {expiration_date !== null && <Expiry date={expiration_date} />}
              </span>
              <ConfirmButton
                question={isThis ? 'Revoke the key that this page uses?' : 'Revoke it?'}
                disabled={refusal !== undefined}
                title={refusal}
                aria-label={`Revoke ${prefix}`}
                onClick={() => revoke.mutate(prefix)}
              >
                Revoke
              </ConfirmButton>
            </li>
          )
        })}
      </ul>
    </>
  )
}

/** Until when a key is accepted. */
function Expiry({ date }: { date: string }): ReactNode {
  const hasExpired = Date.parse(date) <= Date.now()
  return (
    <>
      , {hasExpired ? <b>expired</b> : 'expires'} <time title={formatFullTime(date)}>{formatTime(date)}</time>
    </>
  )
}
