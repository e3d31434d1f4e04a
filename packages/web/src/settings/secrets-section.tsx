import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { useRefusal } from '../api/rights.ts'
import { type Secret, secretsQuery, useChange } from '../api/settings.ts'
import { formatTime, visible } from '../format/format.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Failure } from '../parts/controls.tsx'
import { ProviderForm } from './provider-form.tsx'
import { Refusal } from './refusal.tsx'
import styles from './settings.module.css'

const KINDS: Readonly<Record<Secret['kind'], string>> = {
  provider_key: 'key of a provider',
  custom_provider: 'provider with an address',
  sso_provider: 'single sign-on',
  webhook_provider: 'secret of a webhook',
  custom_secret: 'secret for code',
}

/** The keys of model providers, and other secrets. They are never shown here. */
export function SecretsSection(): ReactNode {
  const { data, error } = useQuery(secretsQuery)
  const refusal = useRefusal('edit_secret')
  const [removed, setRemoved] = useState<string>()
  const remove = useChange((id: string) => api(`/secrets/${id}`, { method: 'DELETE' }), 'secrets')
  return (
    <>
      <p>Keys of model providers let applications and judges call models. They are stored encrypted.</p>
      <Refusal>{refusal}</Refusal>
      {error && <Failure what="The secrets cannot be listed." error={error} />}
      {remove.error && <Failure what={`${removed} was not deleted.`} error={remove.error} />}
      {data?.length === 0 && <p className={styles.soft}>No secret is stored yet.</p>}
      <ul className={styles.list}>
        {data?.map(({ id, slug, kind, header, data: { kind: provider, provider: at, models = [] }, lifecycle }) => {
          const name = header.name ?? provider ?? slug ?? id
          return (
            <li key={id}>
              <span>
                <b>{visible(name)}</b> <span className={styles.soft}>{visible(at?.url ?? '')}</span>
              </span>
              <span className={styles.soft}>
                {KINDS[kind]}
                {models.length > 0 && `: ${visible(models.map(model => model.slug).join(', '))}`},{' '}
                {formatTime(lifecycle.updated_at ?? lifecycle.created_at)}
              </span>
              <ConfirmButton
                question={`Delete ${visible(name)}?`}
                disabled={refusal !== undefined}
                title={refusal}
                aria-label={`Delete ${name}`}
                onClick={() => {
                  setRemoved(name)
                  remove.mutate(id)
                }}
              >
                Delete
              </ConfirmButton>
            </li>
          )
        })}
      </ul>
      <ProviderForm refusal={refusal} />
    </>
  )
}
