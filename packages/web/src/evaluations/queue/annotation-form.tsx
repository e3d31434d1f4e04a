import type { ReactNode } from 'react'
import type { Json } from '../../api/registry/registry.ts'
import { visible } from '../../format/format.ts'
import { controls, Kbd } from '../../parts/controls.tsx'
import type { Field, Form } from './fields.ts'
import styles from './queue.module.css'

interface FieldViewProps {
  /** Unique on the page. */
  id: string
  field: Field
  value: Json | undefined
  /** Whether digits choose its options. */
  isActive: boolean
  onChange: (value: Json | undefined) => void
  onActive: () => void
}

/** A field of the form, in the form that its schema asks for. */
export function FieldView({ id, field, value, isActive, onChange, onActive }: FieldViewProps): ReactNode {
  const { title, about, isRequired, form } = field
  return (
    <fieldset className={styles.field} data-active={isActive || undefined} data-field={id} onFocus={onActive}>
      <legend>
        {visible(title)} {isRequired && <span className={styles.soft}>(required)</span>}
      </legend>
      {about !== undefined && <p className={styles.soft}>{visible(about)}</p>}
      <Control id={id} title={title} form={form} value={value} isActive={isActive} onChange={onChange} />
    </fieldset>
  )
}

interface ControlProps {
  id: string
  title: string
  form: Form
  value: Json | undefined
  isActive: boolean
  onChange: (value: Json | undefined) => void
}

function Control({ id, title, form, value, isActive, onChange }: ControlProps): ReactNode {
  if (form.kind === 'choice' || form.kind === 'several') {
    const isSeveral = form.kind === 'several'
    return form.options.map((option, index) => (
      <label key={option.label} className={styles.option}>
        <input
          type={isSeveral ? 'checkbox' : 'radio'}
          name={id}
          checked={isChosen(value, option.value)}
          onChange={() => onChange(chosenAfter(form, value, index))}
        />
        {isActive && index < DIGITS && (
          <span aria-hidden="true">
            <Kbd>{digitOf(index)}</Kbd>
          </span>
        )}{' '}
        {visible(option.label)}
      </label>
    ))
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (form.kind === 'number')
    return (
      <input
        className={controls.input}
        aria-label={visible(title)}
        inputMode="decimal"
        value={text}
        placeholder={rangeOf(form)}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  return (
    <textarea
      className={`${controls.input} ${styles.textarea}`}
      aria-label={visible(title)}
      rows={form.kind === 'json' ? 5 : 3}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

/** Options that have a digit: 1 to 9 and 0. */
const DIGITS = 10
const digitOf = (index: number): string => String((index + 1) % 10)

const rangeOf = ({ min, max }: { min: number | undefined; max: number | undefined }): string =>
  min === undefined && max === undefined ? '' : `${min ?? '…'} to ${max ?? '…'}`

const isSame = (one: Json | undefined, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other)

const isChosen = (value: Json | undefined, option: Json): boolean =>
  Array.isArray(value) ? value.some(one => isSame(one, option)) : isSame(value, option)

/** The value of a field after one of its options was chosen; of several, it is added or removed. */
export function chosenAfter(
  { kind, options }: Extract<Form, { kind: 'choice' | 'several' }>,
  value: Json | undefined,
  index: number,
): Json | undefined {
  const option = options[index]
  if (option === undefined) return value
  if (kind === 'choice') return option.value
  const chosen = Array.isArray(value) ? value : []
  return isChosen(chosen, option.value) ? chosen.filter(one => !isSame(one, option.value)) : [...chosen, option.value]
}
