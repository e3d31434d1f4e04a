import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { useRefusal } from '../api/rights.ts'
import { type Price, pricesQuery, useChange } from '../api/settings.ts'
import { Button, controls, Failure, Waiting } from '../parts/controls.tsx'
import { Scroller } from '../parts/scroller.tsx'
import { Refusal } from './refusal.tsx'
import styles from './settings.module.css'

const MEMBERS = [
  ['input', 'Input'],
  ['output', 'Output'],
  ['cached_input', 'Cached input'],
  ['cache_write', 'Cache write'],
] as const

/** A price while it is typed. */
interface Line {
  key: number
  model: string
  prices: Partial<Record<keyof Price, string>>
}

/** The project's own prices, which come before those of the price list. */
export function PricesSection(): ReactNode {
  const { data, error } = useQuery(pricesQuery)
  if (error) return <Failure what="The prices cannot be shown." error={error} />
  return data === undefined ? <Waiting /> : <PricesForm prices={data.prices} />
}

function PricesForm({ prices }: { prices: Readonly<Record<string, Price>> }): ReactNode {
  /** Undefined: nothing was changed yet. What is saved stays as it was typed, with the focus. */
  const [edited, setLines] = useState<readonly Line[]>()
  const lines = edited ?? Object.entries(prices).map(toLine)
  const save = useChange(
    (lines: readonly Line[]) => api('/projects/current/prices', { method: 'PUT', body: { prices: pricesIn(lines) } }),
    'prices',
  )
  const refusal = useRefusal('edit_workspace')
  const edit = (key: number, changes: Partial<Line>): void =>
    setLines(lines.map(line => (line.key === key ? { ...line, ...changes } : line)))
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        if (!save.isPending) save.mutate(lines)
      }}
    >
      <p>
        Costs come from a list of the providers' prices. Here you set your own, in USD per million tokens, for models by
        name, with or without their provider; a name may end with <code>*</code>. They apply to spans that are stored
        from now on.
      </p>
      <Refusal>{refusal}</Refusal>
      {lines.length === 0 && <p className={styles.soft}>No model has a price of its own.</p>}
      <Scroller className={styles.table} hidden={lines.length === 0} label="Prices by model">
        <table>
          <thead>
            <tr>
              <th scope="col">Model</th>
              {MEMBERS.map(([member, name]) => (
                <th key={member} scope="col">
                  {name}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {lines.map(({ key, model, prices: own }, index) => (
              <tr key={key}>
                <td>
                  <input
                    className={controls.input}
                    aria-label={`Model ${index + 1}`}
                    disabled={refusal !== undefined}
                    required
                    value={model}
                    onChange={event => edit(key, { model: event.target.value })}
                  />
                </td>
                {MEMBERS.map(([member, name]) => (
                  <td key={member}>
                    <input
                      className={controls.input}
                      type="number"
                      min={0}
                      step="any"
                      aria-label={`${name} of model ${index + 1}`}
                      disabled={refusal !== undefined}
                      required={member === 'input' || member === 'output'}
                      value={own[member] ?? ''}
                      onChange={event => edit(key, { prices: { ...own, [member]: event.target.value } })}
                    />
                  </td>
                ))}
                <td>
                  <Button
                    look="plain"
                    aria-label={`Remove model ${index + 1}`}
                    disabled={refusal !== undefined}
                    onClick={() => setLines(lines.filter(line => line.key !== key))}
                  >
                    ✕
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      <div className={styles.fields}>
        <Button
          disabled={refusal !== undefined}
          onClick={() =>
            setLines([...lines, { key: Math.max(-1, ...lines.map(({ key }) => key)) + 1, model: '', prices: {} }])
          }
        >
          Add a model
        </Button>
        <Button type="submit" look="primary" disabled={refusal !== undefined} title={refusal}>
          Save
        </Button>
        <span role="status">{save.isSuccess && save.variables === lines && 'Saved.'}</span>
      </div>
      {save.error && <Failure what="The prices were not saved." error={save.error} />}
    </form>
  )
}

const toLine = ([model, price]: [string, Price], key: number): Line => ({
  key,
  model,
  prices: Object.fromEntries(Object.entries(price).map(([member, usd]) => [member, String(usd)])),
})

const pricesIn = (lines: readonly Line[]): Record<string, Record<string, number>> =>
  Object.fromEntries(
    lines.map(({ model, prices }) => [
      model,
      Object.fromEntries(
        Object.entries(prices)
          .filter(([, text]) => text !== '')
          .map(([member, text]) => [member, Number(text)]),
      ),
    ]),
  )
