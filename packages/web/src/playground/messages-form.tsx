import type { ReactNode } from 'react'
import { isObject, type Json, type JsonObject } from '../api/registry/registry.ts'
import { Editor } from '../editor/editor.tsx'
import { Button, controls } from '../parts/controls.tsx'
import { JsonField } from './json-field.tsx'
import styles from './playground.module.css'

const ROLES = ['system', 'user', 'assistant', 'tool']

interface MessagesFormProps {
  /** Of all forms on the page, whose these are. */
  name: string
  messages: readonly Json[]
  onChange: (messages: Json[]) => void
  onRun: () => void
}

/** The messages of a prompt, each in an editor. */
export function MessagesForm({ name, messages, onChange, onRun }: MessagesFormProps): ReactNode {
  const edit = (index: number, changes: JsonObject): void =>
    onChange(messages.map((one, at) => (at === index && isObject(one) ? { ...one, ...changes } : one)))
  const remove = (index: number): void => onChange(messages.filter((_, at) => at !== index))
  return (
    <div className={styles.messages}>
      {messages.map((message, index) => (
        <MessageForm
          // biome-ignore lint/suspicious/noArrayIndexKey: a message has no other identity than its place
          key={index}
          name={`${name}, message ${index + 1}`}
          message={isObject(message) ? message : {}}
          onChange={changes => edit(index, changes)}
          onRemove={() => remove(index)}
          onRun={onRun}
        />
      ))}
      <Button onClick={() => onChange([...messages, { role: 'user', content: '' }])}>Add a message</Button>
    </div>
  )
}

interface MessageFormProps {
  name: string
  message: JsonObject
  onChange: (changes: JsonObject) => void
  onRemove: () => void
  onRun: () => void
}

function MessageForm({ name, message, onChange, onRemove, onRun }: MessageFormProps): ReactNode {
  const role = typeof message.role === 'string' ? message.role : ''
  const roles = ROLES.includes(role) ? ROLES : [role, ...ROLES]
  const { content = '' } = message
  return (
    <div className={styles.message}>
      <header>
        <select
          className={controls.select}
          aria-label={`Role of ${name}`}
          value={role}
          onChange={event => onChange({ role: event.target.value })}
        >
          {roles.map(one => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <Button look="plain" aria-label={`Remove ${name}`} onClick={onRemove}>
          ✕
        </Button>
      </header>
      {typeof content === 'string' ? (
        <Editor
          label={`Content of ${name}`}
          value={content}
          hasVariables
          onRun={onRun}
          onChange={text => onChange({ content: text })}
        />
      ) : (
        <JsonField label={`Content of ${name}`} value={content} onChange={value => onChange({ content: value })} />
      )}
    </div>
  )
}
