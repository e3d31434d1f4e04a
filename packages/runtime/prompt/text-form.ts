import { isRawJson, type Json } from '@spanhouse/model'

/**
 * How a value appears in a text: a text as it is, everything else as JSON with `", "` and `": "` between members and
 * characters beyond ASCII kept (contract of the runtime, section 4.4).
 */
export const textForm = (value: Json): string => (typeof value === 'string' ? value : jsonForm(value))

function jsonForm(value: Json): string {
  if (typeof value !== 'object' || value === null || isRawJson(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(jsonForm).join(', ')}]`
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${jsonForm(member)}`)
  return `{${members.join(', ')}}`
}
