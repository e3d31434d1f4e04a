import type { JsonObject } from '@spanhouse/model'

/** The last message; when it answers a tool call, all the answers before it and the message that made the calls. */
export function trailingUnit(messages: readonly JsonObject[]): JsonObject[] {
  let from = messages.length - 1
  while (from > 0 && messages[from]?.role === 'tool') from--
  return messages.slice(Math.max(0, from))
}
