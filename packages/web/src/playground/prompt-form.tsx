import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { modelsQuery } from '../api/registry/models.ts'
import { isObject, type Json, type JsonObject } from '../api/registry/registry.ts'
import { controls } from '../parts/controls.tsx'
import type { FormProps } from './form-props.ts'
import { MessagesForm } from './messages-form.tsx'
import styles from './playground.module.css'

const FORMATS = ['mustache', 'curly', 'fstring', 'jinja2']

/** A prompt: its messages, and the model that answers them. Everything else is in the view as JSON. */
export function PromptForm({ name, value, onChange, onRun }: FormProps<JsonObject>): ReactNode {
  const id = useId()
  const config = isObject(value.llm_config) ? value.llm_config : {}
  const configure = (changes: Record<string, Json | undefined>): void => {
    const next = Object.entries({ ...config, ...changes }).filter(
      (entry): entry is [string, Json] => entry[1] !== undefined,
    )
    onChange({ ...value, llm_config: Object.fromEntries(next) })
  }
  return (
    <>
      <MessagesForm
        name={name}
        messages={Array.isArray(value.messages) ? value.messages : []}
        onChange={messages => onChange({ ...value, messages })}
        onRun={onRun}
      />
      <div className={styles.fields}>
        <ModelField
          name={name}
          model={typeof config.model === 'string' ? config.model : ''}
          onChange={model => configure({ model })}
        />
        <div className={styles.field}>
          <label htmlFor={`${id}-temperature`}>Temperature</label>
          <input
            id={`${id}-temperature`}
            className={controls.input}
            type="number"
            min={0}
            max={2}
            step={0.1}
            placeholder="the model's"
            value={typeof config.temperature === 'number' ? config.temperature : ''}
            onChange={({ target }) =>
              configure({ temperature: target.value === '' ? undefined : Number(target.value) })
            }
          />
        </div>
        <div className={styles.field}>
          <label htmlFor={`${id}-format`}>Placeholders</label>
          <select
            id={`${id}-format`}
            className={controls.select}
            value={typeof value.template_format === 'string' ? value.template_format : 'curly'}
            onChange={event => onChange({ ...value, template_format: event.target.value })}
          >
            {FORMATS.map(format => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </div>
      </div>
    </>
  )
}

interface ModelFieldProps {
  name: string
  model: string
  onChange: (model: string) => void
}

/** A model by name; those of the stored providers are proposed. */
function ModelField({ model, onChange }: ModelFieldProps): ReactNode {
  const id = useId()
  const { data: models } = useQuery(modelsQuery)
  return (
    <div className={styles.field}>
      <label htmlFor={id}>Model</label>
      <input
        id={id}
        className={controls.input}
        list={`${id}-models`}
        spellCheck={false}
        value={model}
        onChange={event => onChange(event.target.value)}
      />
      <datalist id={`${id}-models`}>
        {models?.names.map(one => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {models?.hasProvider === false && (
        <p className={styles.soft}>
          No key of a model provider is stored yet: add one in{' '}
          <Link to="/settings/$section" params={{ section: 'secrets' }}>
            Settings
          </Link>
          .
        </p>
      )}
    </div>
  )
}
