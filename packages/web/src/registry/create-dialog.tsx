import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { modelsIn } from '../api/registry/models.ts'
import {
  createWorkflow,
  isObject,
  type JsonObject,
  type Kind,
  presetsQuery,
  slugOf,
  type Template,
  templatesQuery,
  type Workflow,
  type WorkflowData,
} from '../api/registry/registry.ts'
import { secretsQuery } from '../api/settings.ts'
import { visible } from '../format/format.ts'
import { controls, Failure, TextField } from '../parts/controls.tsx'
import { FormModal } from '../parts/modal.tsx'
import styles from './registry.module.css'

interface CreateDialogProps {
  kind: Kind
  onClose: () => void
  onCreated: (workflow: Workflow) => void
}

/** Which template is proposed. */
const FIRST = { application: 'completion', evaluator: 'auto_exact_match' } as const

/** Creates an application or an evaluator from a template of the catalogue, or one of its presets. */
export function CreateDialog({ kind, onClose, onCreated }: CreateDialogProps): ReactNode {
  const { data: templates, error } = useQuery(templatesQuery(kind))
  const [chosen, setChosen] = useState<string>(FIRST[kind])
  const [presetKey, setPresetKey] = useState('')
  const [name, setName] = useState('')
  const { data: presets = [] } = useQuery(presetsQuery(kind, chosen))
  const preset = presets.find(({ key }) => key === presetKey)
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: async () => {
      // `Enter` may be pressed before the templates have loaded, and another page may have added a provider.
      const [known, secrets] = await Promise.all([
        queryClient.ensureQueryData(templatesQuery(kind)),
        queryClient.fetchQuery(secretsQuery),
      ])
      const from = preset ?? known.find(({ key }) => key === chosen)
      if (!from) throw new Error(`There is no template ${chosen}.`)
      const data = withModel(from.data, modelsIn(secrets).names[0])
      return createWorkflow(kind, { slug: slugOf(name), name: name.trim(), data })
    },
    onSuccess: async workflow => {
      await queryClient.invalidateQueries({ queryKey: ['workflows', kind] })
      onCreated(workflow)
    },
  })
  return (
    <FormModal
      title={`New ${kind}`}
      onClose={onClose}
      onSubmit={() => create.mutate()}
      submit="Create"
      isOff={create.isPending || name.trim() === ''}
    >
      <TextField className={styles.field} label="Name" value={name} onChange={setName} />
      {name.trim() !== '' && (
        <p className={styles.soft}>
          Its slug will be <code>{slugOf(name)}</code>.
        </p>
      )}
      {error && <Failure what="The templates cannot be listed." error={error} />}
      <fieldset className={styles.templates}>
        <legend>Template</legend>
        {templates?.map(one => (
          <TemplateChoice
            key={one.key}
            template={one}
            isChosen={one.key === chosen}
            onChoose={() => {
              setChosen(one.key)
              setPresetKey('')
            }}
          />
        ))}
      </fieldset>
      {presets.length > 0 && (
        <label className={styles.field}>
          Preset
          <select className={controls.select} value={presetKey} onChange={event => setPresetKey(event.target.value)}>
            <option value="">None</option>
            {presets.map(preset => (
              <option key={preset.key} value={preset.key}>
                {preset.name}
              </option>
            ))}
          </select>
        </label>
      )}
      {create.error && <Failure what="It was not created." error={create.error} />}
    </FormModal>
  )
}

interface TemplateChoiceProps {
  template: Template
  isChosen: boolean
  onChoose: () => void
}

const TemplateChoice = ({ template, isChosen, onChoose }: TemplateChoiceProps): ReactNode => (
  <label className={styles.template}>
    <input type="radio" name="template" checked={isChosen} onChange={onChoose} />
    <span>
      <b>{visible(template.name)}</b>
      <br />
      {visible(template.description)}
    </span>
  </label>
)

/** The template with a model that the project can call, where it names one. */
function withModel(data: WorkflowData, model: string | undefined): WorkflowData {
  const { uri, parameters = {} } = data
  const { prompt } = parameters
  const put = (into: JsonObject): JsonObject => (model === undefined ? into : { ...into, model })
  const isPrompt = isObject(prompt) && isObject(prompt.llm_config)
  const own = isPrompt
    ? { ...parameters, prompt: { ...prompt, llm_config: put(prompt.llm_config as JsonObject) } }
    : typeof parameters.model === 'string'
      ? put(parameters)
      : parameters
  return { ...(uri && { uri }), ...(data.parameters && { parameters: own }) }
}
