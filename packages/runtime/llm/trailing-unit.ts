import type { JsonObject } from '@spanhouse/model'

/** The last message; if it is a tool result, also the results before it and the message with their calls. */
export function trailingUnit(messages: readonly JsonObject[]): JsonObject[] {
  let from = messages.length - 1
  while (from > 0 && messages[from]?.role === 'tool') from--
  return messages.slice(Math.max(0, from))
}
