import type { StandardProvider } from '@spanhouse/server/routes/web/answers.ts'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/settings.ts'
import { Button, Choices, controls, Failure, TextField } from '../parts/controls.tsx'
import styles from './settings.module.css'

/** The providers that need only a key, by the names that the interface knows; those that most people have first. */
const PROVIDERS = Object.keys({
  openai: true,
  anthropic: true,
  gemini: true,
  mistral: true,
  groq: true,
  cohere: true,
  deepinfra: true,
  together_ai: true,
  openrouter: true,
  perplexityai: true,
  minimax: true,
  anyscale: true,
  alephalpha: true,
} satisfies Record<StandardProvider, true>)

const EMPTY = { name: '', provider: 'openai', url: '', key: '', models: '' }

/** Of a provider with an address of its own. */
const ADDRESS_FIELDS = [
  ['name', 'Name'],
  ['url', 'Address of its OpenAI-compatible interface, such as https://models.example.com/v1'],
  ['models', 'Models, separated by commas'],
] as const

/** Adds the key of a provider, or a provider with an address of its own that speaks OpenAI's interface. */
export function ProviderForm({ refusal }: { refusal: string | undefined }): ReactNode {
  const [how, setHow] = useState<'key' | 'address'>('key')
  const [fields, setFields] = useState(EMPTY)
  const set = (changes: Partial<typeof EMPTY>): void => setFields({ ...fields, ...changes })
  const save = useChange(async () => {
    await api('/secrets/', { method: 'POST', body: how === 'key' ? keyBody(fields) : addressBody(fields) })
    setFields(EMPTY)
  }, 'secrets')
  const test = useMutation({ mutationFn: () => probe(how, fields) })
  const isOff = refusal !== undefined
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        save.mutate(undefined)
      }}
    >
      <h2>Add a model provider</h2>
      <Choices
        label="Kind of provider"
        value={how}
        choices={[
          ['key', 'Known provider'],
          ['address', 'Custom address'],
        ]}
        onChange={setHow}
      />
      {how === 'key' ? (
        <label className={styles.field}>
          Provider
          <select
            className={controls.select}
            disabled={isOff}
            value={fields.provider}
            onChange={event => set({ provider: event.target.value })}
          >
            {PROVIDERS.map(provider => (
              <option key={provider}>{provider}</option>
            ))}
          </select>
        </label>
      ) : (
        ADDRESS_FIELDS.map(([name, label]) => (
          <TextField
            key={name}
            className={styles.field}
            required
            label={label}
            disabled={isOff}
            value={fields[name]}
            onChange={text => set({ [name]: text })}
          />
        ))
      )}
      <TextField
        className={styles.field}
        label="Key"
        type="password"
        autoComplete="off"
        required
        disabled={isOff}
        value={fields.key}
        onChange={key => set({ key })}
      />
      <div className={styles.fields}>
        <Button type="submit" look="primary" disabled={isOff || save.isPending} title={refusal}>
          Add
        </Button>
        <Button disabled={isOff || fields.key === '' || test.isPending} title={refusal} onClick={() => test.mutate()}>
          Test
        </Button>
        <span role="status">{test.data && `${test.data.status}: ${test.data.message}`}</span>
      </div>
      {(save.error ?? test.error) && (
        <Failure what="The provider was not added." error={(save.error ?? test.error) as Error} />
      )}
    </form>
  )
}

const keyBody = ({ provider, key }: typeof EMPTY) => ({
  header: { name: provider },
  secret: { kind: 'provider_key', data: { kind: provider, provider: { key } } },
})

const addressBody = ({ name, url, key, models }: typeof EMPTY) => ({
  header: { name },
  secret: {
    kind: 'custom_provider',
    data: {
      kind: 'custom',
      provider: { url, key },
      models: models
        .split(',')
        .map(slug => ({ slug: slug.trim() }))
        .filter(({ slug }) => slug !== ''),
    },
  },
})

const probe = (how: 'key' | 'address', { provider, url, key }: typeof EMPTY) =>
  api<{ status: string; message: string }>('/providers/probe', {
    method: 'POST',
    body: how === 'key' ? { kind: provider, provider: { key } } : { kind: 'custom', provider: { url, key } },
  })
