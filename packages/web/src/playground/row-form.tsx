import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import type { Json } from '../api/registry/registry.ts'
import { visible } from '../format/format.ts'
import { Button } from '../parts/controls.tsx'
import styles from './playground.module.css'
import type { Row } from './rows.ts'

interface RowFormProps {
  number: number
  row: Row
  /** The names of the fields that the columns need. */
  fields: readonly string[]
  /** What is said if there are none, neither needed nor given. */
  withoutFields: string
  /** Whether an output is judged. */
  hasOutputs: boolean
  /** Absent for rows that come from elsewhere. */
  onChange?: ((row: Row) => void) | undefined
  onRemove?: (() => void) | undefined
  onRun: () => void
}

/** What a row gives to the runs beside it. */
export function RowForm(props: RowFormProps): ReactNode {
  const { number, row, fields, withoutFields, hasOutputs, onChange, onRemove, onRun } = props
  const names = [...new Set([...fields, ...Object.keys(row.inputs)])].filter(name => name !== 'outputs')
  const set = (name: string, text: string): void => onChange?.({ ...row, inputs: { ...row.inputs, [name]: text } })
  return (
    <section className={styles.row} aria-label={`Testcase ${number}`}>
      <header>
        <h3>
          {row.trace ? (
            <Link to="/traces/$traceId" params={{ traceId: row.id }}>
              Trace {row.id.slice(0, 8)}
            </Link>
          ) : (
            `Testcase ${number}`
          )}
        </h3>
        <Button look="plain" onClick={onRun} aria-label={`Run testcase ${number}`}>
          Run
        </Button>
        {onRemove && (
          <Button look="plain" onClick={onRemove} aria-label={`Remove testcase ${number}`}>
            ✕
          </Button>
        )}
      </header>
      {names.map(name => (
        <Field key={name} name={name} value={row.inputs[name]} onChange={onChange && (text => set(name, text))} />
      ))}
      {hasOutputs && (
        <Field
          name="outputs"
          value={row.outputs}
          onChange={onChange && (text => onChange({ ...row, outputs: text }))}
        />
      )}
      {names.length === 0 && !hasOutputs && <p className={styles.soft}>{withoutFields}</p>}
    </section>
  )
}

interface FieldProps {
  name: string
  value: Json | undefined
  onChange: ((text: string) => void) | undefined
}

function Field({ name, value, onChange }: FieldProps): ReactNode {
  const id = useId()
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{visible(name)}</label>
      <textarea
        id={id}
        className={styles.text}
        rows={1}
        readOnly={onChange === undefined}
        value={text}
        onChange={event => onChange?.(event.target.value)}
      />
    </div>
  )
}
