import { type ReactNode, useId } from 'react'
import type { Configuration, JsonObject, Revision } from '../api/registry/registry.ts'
import { Editor } from '../editor/editor.tsx'
import { controls } from '../parts/controls.tsx'
import type { FormProps } from './form-props.ts'
import { ParametersForm } from './parameters-form.tsx'
import styles from './playground.module.css'

interface ConfigurationFormProps extends FormProps<Configuration> {
  /** What the configuration began with. */
  revision: Revision
}

/** What a revision consists of: its code or its address, if its handler has one, and its parameters. */
export function ConfigurationForm({ revision, ...form }: ConfigurationFormProps): ReactNode {
  const { value, onChange } = form
  const { flags = {}, data } = revision
  const parameters = value.parameters ?? {}
  // Code may also be a parameter, which counts while there is no script.
  const isCode = flags.is_code && (value.script !== undefined || parameters.code === undefined)
  return (
    <>
      {isCode && <CodeForm {...form} />}
      {flags.is_hook && <HookForm {...form} />}
      <ParametersForm
        {...form}
        value={parameters}
        committed={data?.parameters ?? {}}
        schema={data?.schemas?.parameters ?? (flags.is_code ? CODE_PARAMETERS : undefined)}
        onChange={next => onChange({ ...value, parameters: next })}
      />
    </>
  )
}

/** An empty field means that the member is not set. */
const withText = (value: Configuration, member: 'script' | 'url', text: string): Configuration => {
  const { [member]: _, ...others } = value
  return text === '' ? others : { ...value, [member]: text }
}

/** What the handler `code` reads of its parameters, for which it has no schema. */
const CODE_PARAMETERS: JsonObject = {
  properties: {
    version: { type: 'string', title: 'Version', enum: ['2', '3'] },
    threshold: {
      type: 'number',
      title: 'Threshold',
      description: 'The minimum number for success; 0.5 if not set.',
    },
  },
}

const RUNTIMES = ['python', 'javascript', 'typescript']

function CodeForm({ name, value, onChange, onRun }: FormProps<Configuration>): ReactNode {
  const id = useId()
  const { script = '', runtime = 'python' } = value
  return (
    <>
      <div className={styles.field}>
        <label htmlFor={id}>Runtime</label>
        <select
          id={id}
          className={controls.select}
          value={runtime}
          onChange={event => onChange({ ...value, runtime: event.target.value })}
        >
          {RUNTIMES.map(one => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </div>
      <div className={styles.field}>
        <span>Script</span>
        <Editor
          label={`Script of ${name}`}
          value={script}
          onRun={onRun}
          onChange={text => onChange(withText(value, 'script', text))}
        />
        <p className={styles.soft}>
          A function <code>evaluate(inputs, outputs, trace)</code>. <code>inputs</code> is an object with the inputs of
          the testcase; those that are typed here are strings. <code>outputs</code> and <code>trace</code> are what an
          evaluator judges; an application gets null. Version 3 returns any JSON value, version 2 a number.
        </p>
      </div>
    </>
  )
}

function HookForm({ value, onChange }: FormProps<Configuration>): ReactNode {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>Address</label>
      <input
        id={id}
        className={controls.input}
        type="url"
        spellCheck={false}
        placeholder="https://example.com/my-service"
        value={value.url ?? ''}
        onChange={({ target }) => onChange(withText(value, 'url', target.value))}
      />
      <p className={styles.soft}>
        The address of your service: each run is a POST to it, followed by <code>/invoke</code>, with{' '}
        <code>inputs</code> and <code>parameters</code> in a JSON object, and <code>outputs</code> and{' '}
        <code>trace</code> if something is judged. The response is the output. The initial address is on this server,
        where no service responds.
      </p>
    </div>
  )
}
