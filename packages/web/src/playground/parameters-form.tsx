import { type ReactNode, useId } from 'react'
import { isExactInteger, parseNumber } from '../api/exact-json.ts'
import { isObject, type Json, type JsonObject } from '../api/registry/registry.ts'
import { Editor } from '../editor/editor.tsx'
import { visible } from '../format/format.ts'
import { controls } from '../parts/controls.tsx'
import type { FormProps } from './form-props.ts'
import { JsonField } from './json-field.tsx'
import { MessagesForm } from './messages-form.tsx'
import styles from './playground.module.css'
import { PromptForm } from './prompt-form.tsx'

interface ParametersFormProps extends FormProps<JsonObject> {
  /** What the parameters were before they were changed. */
  committed: JsonObject
  schema: JsonObject | undefined
}

/**
 * The parameters of a revision: a field for each member that it has or that its schema describes. That of a number stays
 * while it is empty.
 */
export function ParametersForm({ name, value, committed, schema, onChange, onRun }: ParametersFormProps): ReactNode {
  const numbers = Object.keys(committed).filter(member => isNumber(committed[member]))
  const described: JsonObject = {
    ...Object.fromEntries(numbers.map(member => [member, { type: 'number' }])),
    ...(isObject(schema?.properties) && schema.properties),
  }
  const kept = Object.keys(committed).filter(member => member in value || numbers.includes(member))
  const members = [...new Set([...kept, ...Object.keys(value), ...Object.keys(described)])]
  if (members.length === 0) return <p className={styles.soft}>It has no parameters.</p>
  return members.map(member => (
    <Member
      key={member}
      name={name}
      member={member}
      value={value[member]}
      schema={isObject(described[member]) ? described[member] : {}}
      onChange={next => onChange(withMember(value, member, next))}
      onRun={onRun}
    />
  ))
}

function withMember(value: JsonObject, member: string, next: Json | undefined): JsonObject {
  const { [member]: _, ...others } = value
  return next === undefined ? others : { ...value, [member]: next }
}

interface MemberProps {
  name: string
  member: string
  value: Json | undefined
  schema: JsonObject
  onChange: (value: Json | undefined) => void
  onRun: () => void
}

/** One member, in the form that fits its value, or its schema while it has none. */
function Member({ name, member, value, schema, onChange, onRun }: MemberProps): ReactNode {
  const type = schema['x-ag-type-ref']
  const label = `${member} of ${name}`
  if (type === 'prompt-template' && (value === undefined || isObject(value)))
    return <PromptForm name={name} value={value ?? {}} onChange={onChange} onRun={onRun} />
  if (type === 'messages' && (value === undefined || Array.isArray(value)))
    return <MessagesForm name={name} messages={value ?? []} onChange={onChange} onRun={onRun} />
  if (typeof value === 'string' && (value.includes('\n') || schema['x-ag-type'] === 'code'))
    return (
      <Titled member={member} schema={schema}>
        <Editor label={label} value={value} onRun={onRun} onChange={onChange} />
      </Titled>
    )
  if (isPlain(value, schema))
    return <PlainField member={member} label={label} value={value} schema={schema} onChange={onChange} />
  return (
    <Titled member={member} schema={schema}>
      <JsonField label={label} value={value ?? EMPTY[String(schema.type)] ?? null} onRun={onRun} onChange={onChange} />
    </Titled>
  )
}

/** What is shown of a member that is not set. */
const EMPTY: Readonly<Record<string, Json>> = { array: [], object: {} }

const PLAIN_TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean']

type Plain = string | number | boolean | undefined

const isNumber = (value: Json | undefined): boolean => typeof value === 'number' || isExactInteger(value)

const isPlain = (value: Json | undefined, schema: JsonObject): value is Plain =>
  value === undefined || value === null
    ? PLAIN_TYPES.includes(schema.type)
    : typeof value !== 'object' || isExactInteger(value)

const Titled = ({
  member,
  schema,
  children,
}: {
  member: string
  schema: JsonObject
  children: ReactNode
}): ReactNode => (
  <div className={styles.field}>
    <span>{titleOf(member, schema)}</span>
    {children}
  </div>
)

const titleOf = (member: string, schema: JsonObject): string =>
  visible(typeof schema.title === 'string' ? schema.title : member)

interface PlainFieldProps {
  member: string
  label: string
  value: Plain
  schema: JsonObject
  onChange: (value: Json | undefined) => void
}

/** A text, a number, a choice or a switch. An empty field means that the member is not set. */
function PlainField({ member, value, schema, onChange }: PlainFieldProps): ReactNode {
  const id = useId()
  const hint = typeof schema.description === 'string' ? schema.description : undefined
  if (typeof value === 'boolean' || schema.type === 'boolean')
    return (
      <label className={styles.check} title={hint}>
        <input type="checkbox" checked={value === true} onChange={event => onChange(event.target.checked)} />
        {titleOf(member, schema)}
      </label>
    )
  const shown = value ?? ''
  const isNumeric = isNumber(value) || schema.type === 'number' || schema.type === 'integer'
  const read = (text: string): Json | undefined =>
    text === '' ? (isNumeric ? undefined : '') : isNumeric ? parseNumber(text) : text
  const choices = Array.isArray(schema.enum) ? schema.enum : undefined
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{titleOf(member, schema)}</label>
      {choices ? (
        <select
          id={id}
          className={controls.select}
          value={String(value ?? '')}
          onChange={({ target }) => onChange(choices.find(one => String(one) === target.value) ?? target.value)}
        >
          {[...new Set([...(value === undefined ? [''] : []), ...choices.map(String), String(value ?? '')])].map(
            one => (
              <option key={one}>{one}</option>
            ),
          )}
        </select>
      ) : (
        <input
          id={id}
          className={controls.input}
          type={isNumeric ? 'number' : 'text'}
          step="any"
          title={hint}
          value={typeof shown === 'string' ? shown : JSON.stringify(shown)}
          onChange={event => onChange(read(event.target.value))}
        />
      )}
    </div>
  )
}
