/**
 * Posts the messages of one turn of the event loop together: waking a thread takes some 50 µs, and a busy thread has
 * several messages a turn.
 */
export class Outbox<Message> {
  readonly #post: (messages: readonly Message[]) => void
  #waiting: Message[] = []

  constructor(post: (messages: readonly Message[]) => void) {
    this.#post = post
  }

  add(message: Message): void {
    if (this.#waiting.push(message) === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const messages = this.#waiting
    this.#waiting = []
    this.#post(messages)
  }
}
