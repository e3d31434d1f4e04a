import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { parseExact, parseNumber } from '../api/exact-json.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  randomHex,
  slugOf,
  type Workflow,
  workflowsQuery,
} from '../api/registry/registry.ts'
import { useRefusal } from '../api/rights.ts'
import { annotate } from '../api/scores.ts'
import { visible } from '../format/format.ts'
import { Button, controls, Failure } from '../parts/controls.tsx'
import { useStored } from '../parts/use-stored.ts'
import content from './content.module.css'

interface AnnotationFormProps {
  about: { trace_id: string; span_id: string }
  onClose: () => void
}

const NEW = ''

/** What is asked if the evaluator does not say what it asks. */
const DEFAULT_FIELDS: JsonObject = { score: { type: 'number', minimum: 0, maximum: 1 }, comment: { type: 'string' } }

/** What was filled in and not saved yet. */
interface Draft {
  /** Of the evaluator that was chosen. */
  slug?: string
  /** Of a new one. */
  name?: string
  texts?: Readonly<Record<string, string>>
}

/**
 * Says something of a span, under the name of an evaluator; a new name makes a new evaluator. What is filled in is kept
 * in this browser until it is saved or cancelled: looking at another span in the meantime does not lose it.
 */
export function AnnotationForm({ about, onClose }: AnnotationFormProps): ReactNode {
  const queryClient = useQueryClient()
  const { data: evaluators = [], error } = useQuery(workflowsQuery('evaluator'))
  const judged = evaluators.filter(({ data }) => data?.uri?.includes(':feedback:'))
  const [draft = {}, setDraft] = useStored<Draft>(`annotation.${about.trace_id}.${about.span_id}`)
  // Of several traces, people mostly judge the same.
  const [last, setLast] = useStored<string>('annotated as')
  const { name = '', texts = {} } = draft
  const fill = (changes: Draft): void => setDraft({ ...draft, ...changes })
  const end = (): void => {
    // What is forgotten only together with the form would stay.
    flushSync(() => setDraft(undefined))
    onClose()
  }
  const refusal = useRefusal('edit_spans')
  const slug = draft.slug ?? (judged.find(one => one.slug === last) ?? judged[0])?.slug ?? NEW
  const fields = fieldsOf(judged.find(one => one.slug === slug))
  const outputs = valuesOf(fields, texts)
  // Saving again because no response came does not annotate twice.
  const [form] = useState(() => randomHex(32))
  const key = [form, about.trace_id, about.span_id].join()
  const save = useMutation({
    mutationFn: () => annotate(about, slug === NEW ? slugOf(name) : slug, outputs as JsonObject, key),
    onSuccess: async () => {
      setLast(slug === NEW ? slugOf(name) : slug)
      await queryClient.invalidateQueries({ queryKey: ['annotations'] })
      end()
    },
  })
  const isReady =
    outputs !== undefined && Object.keys(outputs).length > 0 && (slug !== NEW || name.trim() !== '') && !refusal
  return (
    <form
      className={content.form}
      aria-label="Annotation"
      onSubmit={event => {
        event.preventDefault()
        if (isReady) save.mutate()
      }}
    >
      <label>
        What is judged
        <select
          // biome-ignore lint/a11y/noAutofocus: the user opened this form
          autoFocus
          className={controls.select}
          value={slug}
          onChange={({ target }) => fill({ slug: target.value })}
        >
          {judged.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {visible(name ?? slug)}
            </option>
          ))}
          <option value={NEW}>Something new …</option>
        </select>
      </label>
      {slug === NEW && (
        <label>
          Its name
          <input className={controls.input} value={name} onChange={({ target }) => fill({ name: target.value })} />
        </label>
      )}
      {Object.entries(fields).map(([member, schema]) => (
        <FieldView
          key={member}
          name={member}
          schema={schema}
          text={texts[member] ?? ''}
          onChange={text => fill({ texts: { ...texts, [member]: text } })}
        />
      ))}
      {outputs === undefined && <p className={content.fault}>A value is not of the type that its field has.</p>}
      {refusal !== undefined && <p>{refusal}</p>}
      {error && <Failure what="The evaluators cannot be listed." error={error} />}
      {save.error && <Failure what="The annotation was not saved." error={save.error} />}
      <footer>
        <Button type="submit" look="primary" disabled={!isReady || save.isPending} title={refusal}>
          Save
        </Button>
        <Button onClick={end}>Cancel</Button>
      </footer>
    </form>
  )
}

const fieldsOf = (evaluator: Workflow | undefined): JsonObject => {
  const { properties } = evaluator?.data?.schemas?.outputs ?? {}
  // The schema of an evaluator that was made by its first annotation describes the whole data.
  const inner = isObject(properties) && isObject(properties.outputs) ? properties.outputs.properties : properties
  return isObject(inner) && Object.keys(inner).length > 0 ? inner : DEFAULT_FIELDS
}

interface FieldProps {
  name: string
  schema: Json
  text: string
  onChange: (text: string) => void
}

function FieldView({ name, schema, text, onChange }: FieldProps): ReactNode {
  const type = typeOf(schema)
  const title = isObject(schema) && typeof schema.title === 'string' ? schema.title : name
  if (type === 'boolean')
    return (
      <label>
        {visible(title)}
        <select className={controls.select} value={text} onChange={({ target }) => onChange(target.value)}>
          <option value="">–</option>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      </label>
    )
  const { minimum, maximum } = isObject(schema) ? schema : {}
  const bounds = typeof minimum === 'number' && typeof maximum === 'number' ? ` (${minimum} to ${maximum})` : ''
  return (
    <label>
      {visible(title)}
      {bounds}
      <input
        className={controls.input}
        inputMode={type === 'number' ? 'decimal' : 'text'}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  )
}

function typeOf(schema: Json): 'boolean' | 'number' | 'string' | 'other' {
  const type = isObject(schema) ? schema.type : undefined
  if (type === 'boolean' || type === 'string') return type
  return type === 'number' || type === 'integer' ? 'number' : 'other'
}

/** What was filled in; undefined if a value does not have the type of its field. */
function valuesOf(fields: JsonObject, texts: Readonly<Record<string, string>>): JsonObject | undefined {
  const values: JsonObject = {}
  for (const [name, schema] of Object.entries(fields)) {
    const text = texts[name]?.trim() ?? ''
    if (text === '') continue
    const value = valueIn(text, schema)
    if (value === undefined) return undefined
    values[name] = value
  }
  return values
}

function valueIn(text: string, schema: Json): Json | undefined {
  const type = typeOf(schema)
  if (type === 'string') return text
  if (type === 'number') return inBounds(text, schema)
  try {
    return parseExact<Json>(text)
  } catch {
    return undefined
  }
}

function inBounds(text: string, schema: Json): Json | undefined {
  const { minimum, maximum } = isObject(schema) ? schema : {}
  const value = Number(text)
  if (!Number.isFinite(value)) return undefined
  if (typeof minimum === 'number' && value < minimum) return undefined
  return typeof maximum === 'number' && value > maximum ? undefined : parseNumber(text)
}
