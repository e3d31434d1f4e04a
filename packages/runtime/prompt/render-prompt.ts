import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import type { Means } from '../run.ts'
import { misfit, RunError } from '../run-error.ts'
import type { TemplateFormat } from './template.ts'

/** Parts of a message whose content is not a template. */
const UNTOUCHED_PARTS = new Set(['image_url', 'image', 'input_audio', 'audio', 'file', 'refusal'])

/** Collects the templates of a structure, and puts the rendered texts in their places. */
export interface PromptRenderer {
  format: TemplateFormat
  context: JsonObject
  compute: Means['compute']
}

/** A text in a structure: where it is, and how it is replaced. */
interface Slot {
  path: string
  template: string
  put(text: string): void
}

/**
 * Messages with their texts rendered; parts that are not text are copied (section 4.2 of the contract). Throws a 400
 * `prompt-formatting-error` that names the first message that cannot be rendered and its missing variables.
 */
export async function renderMessages(
  messages: readonly JsonObject[],
  path: string,
  renderer: PromptRenderer,
): Promise<JsonObject[]> {
  const copies = messages.map(copyOf)
  await fill(
    copies.flatMap((message, place) => messageSlots(message, `${path}[${place}]`)),
    renderer,
  )
  return copies
}

/** As deep as texts are replaced. */
function copyOf(message: JsonObject): JsonObject {
  const { content } = message
  if (!Array.isArray(content)) return { ...message }
  return { ...message, content: content.map(part => (isJsonObject(part) ? { ...part } : part)) }
}

function messageSlots(message: JsonObject, path: string): Slot[] {
  const { content = null } = message
  if (content === null) return []
  if (typeof content === 'string') return [memberSlot(message, 'content', `${path}.content`)]
  if (!Array.isArray(content)) throw misfit('parameter', `${path}.content`, 'a string or a list of parts', content)
  return content.flatMap((part, place) => partSlots(part, `${path}.content[${place}]`))
}

function partSlots(part: Json, path: string): Slot[] {
  if (!isJsonObject(part)) throw misfit('parameter', path, 'an object with a type', part)
  if (typeof part.type === 'string' && UNTOUCHED_PARTS.has(part.type)) return []
  if (part.type !== 'text') throw misfit('parameter', `${path}.type`, "'text', 'image_url' or 'file'", part.type)
  if (typeof part.text !== 'string') throw misfit('parameter', `${path}.text`, 'a string', part.text)
  return [memberSlot(part, 'text', `${path}.text`)]
}

const memberSlot = (object: JsonObject, name: string, path: string): Slot => ({
  path,
  template: object[name] as string,
  put: text => {
    object[name] = text
  },
})

/** A structure with every text in it rendered, names of members included. Throws as {@link renderMessages} does. */
export async function renderStructure(value: JsonObject, path: string, renderer: PromptRenderer): Promise<JsonObject> {
  const texts = new Map<string, Slot>()
  collectTexts(value, path, texts)
  const rendered = new Map<string, string>()
  const slots = [...texts.values()].map(slot => ({
    ...slot,
    put: (text: string): void => void rendered.set(slot.template, text),
  }))
  await fill(slots, renderer)
  return replaceTexts(value, rendered) as JsonObject
}

function collectTexts(value: Json, path: string, texts: Map<string, Slot>): void {
  if (typeof value === 'string') {
    if (!texts.has(value)) texts.set(value, { path, template: value, put: () => undefined })
  } else if (Array.isArray(value)) value.forEach((item, place) => void collectTexts(item, `${path}[${place}]`, texts))
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      collectTexts(name, path, texts)
      collectTexts(member, `${path}.${name}`, texts)
    }
  }
}

function replaceTexts(value: Json, texts: Map<string, string>): Json {
  if (typeof value === 'string') return texts.get(value) ?? value
  if (Array.isArray(value)) return value.map(item => replaceTexts(item, texts))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [texts.get(name) ?? name, replaceTexts(member, texts)])
  return Object.fromEntries(members)
}

/** Signs without which no format has a placeholder; most texts of a structure have none. */
const MAYBE_TEMPLATE = /[{}\0]/

async function fill(all: readonly Slot[], { format, context, compute }: PromptRenderer): Promise<void> {
  const slots = all.filter(slot => MAYBE_TEMPLATE.test(slot.template))
  if (slots.length === 0) return
  const templates = slots.map(slot => slot.template)
  const rendered = await compute('renderTemplates', format, templates, context)
  rendered.forEach((one, place) => {
    const slot = slots[place] as Slot
    if ('text' in one) slot.put(one.text)
    else throw formattingError(slot.path, one.fault)
  })
}

const formattingError = (path: string, fault: string): RunError =>
  new RunError(400, 'v0:workflows:prompt-formatting-error', `Prompt formatting error at '${path}'\n${fault}`, {
    details: { path, got: fault },
  })
