import { randomUUID } from 'node:crypto'
import type { ChatEvent, ChatReply } from '@spanhouse/models'
import type { RunEvent } from '@spanhouse/runtime'
import { toolArguments } from '../tool-arguments.ts'

/**
 * Converts a model's streamed reply to events of the run: text and reasoning in chunks, tool calls when they are
 * complete.
 */
export class ChatEvents {
  readonly #tell: (event: RunEvent) => void
  readonly #id = randomUUID()
  #open: 'message' | 'thought' | undefined

  constructor(tell: (event: RunEvent) => void) {
    this.#tell = tell
  }

  readonly onEvent = (event: ChatEvent): void => {
    if (event.type === 'text' || event.type === 'refusal') this.#piece('message', event.delta)
    else if (event.type === 'reasoning') this.#piece('thought', event.delta)
    else if (event.type === 'tool_call')
      this.#tell({ type: 'tool_call', data: { id: event.id, name: event.name, input: {} } })
  }

  /** Emits the remaining events once the reply is complete. */
  end({ message, usage }: ChatReply): void {
    this.#close()
    for (const { id, function: called } of message.tool_calls ?? []) {
      const rawInput = called.arguments
      this.#tell({ type: 'tool_call', data: { id, name: called.name, input: toolArguments(rawInput), rawInput } })
    }
    if (!usage) return
    const { prompt, completion, total } = usage
    this.#tell({ type: 'usage', data: { input: prompt, output: completion, total } })
  }

  #piece(kind: 'message' | 'thought', delta: string): void {
    if (this.#open !== kind) {
      this.#close()
      this.#open = kind
      this.#tell({ type: `${kind}_start`, data: { id: this.#idOf(kind) } })
    }
    this.#tell({ type: `${kind}_delta`, data: { id: this.#idOf(kind), delta } })
  }

  #close(): void {
    if (this.#open) this.#tell({ type: `${this.#open}_end`, data: { id: this.#idOf(this.#open) } })
    this.#open = undefined
  }

  #idOf(kind: 'message' | 'thought'): string {
    return `${kind}-${this.#id}`
  }
}
