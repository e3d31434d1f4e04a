import type { JsonObject } from '@spanhouse/model'
import type { ChatAnswer, ChatConfig, Run } from '../run.ts'
import { checkInputKeys, type Prompt, readPrompt, templateContext } from './prompt.ts'
import { type PromptRenderer, renderMessages, renderStructure } from './render-prompt.ts'

/**
 * Renders the prompt of a completion or chat, and calls the model with it and the history. A chat's history is not one
 * of the variables; `messages` among the required keys refers to it.
 */
export async function askPrompt(run: Run, variables: JsonObject, history?: readonly JsonObject[]): Promise<ChatAnswer> {
  const prompt = readPrompt(run.parameters)
  checkInputKeys(history ? prompt.inputKeys?.filter(key => key !== 'messages') : prompt.inputKeys, variables)
  const renderer = { format: prompt.templateFormat, context: templateContext(variables), compute: run.means.compute }
  const messages = await renderMessages(prompt.messages, prompt.path, renderer)
  const configs = await renderConfigs(prompt, renderer)
  const plan = { messages: [...messages, ...(history ?? [])], configs, ...prompt.retry }
  return run.means.chat(plan, run.flags.stream ? run.emit : undefined)
}

/** The response format may contain placeholders too, in names and values. */
const renderConfigs = ({ configs }: Prompt, renderer: PromptRenderer): Promise<ChatConfig[]> =>
  Promise.all(
    configs.map(async (config, place) => {
      const path = place === 0 ? 'prompt.llm_config' : `prompt.fallback_configs[${place - 1}]`
      const { response_format } = config.options
      if (response_format === undefined) return config
      const rendered = await renderStructure(response_format as JsonObject, `${path}.response_format`, renderer)
      return { ...config, options: { ...config.options, response_format: rendered } }
    }),
  )
