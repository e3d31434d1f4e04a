/** What a request wants to happen, by name, with a number where the behaviour takes one. */
export interface Behaviour {
  name: string
  amount?: number
}

/** In a model's name, as in `fake-error-429`, or in the last message, as in `#fake-delay-500`. */
const IN_MODEL = /(?:^|\/)fake-([a-z]+(?:-[a-z]+)*)(?:-(\d+))?$/
const IN_MESSAGE = /#fake-([a-z]+(?:-[a-z]+)*)(?:-(\d+))?/

/** `answer` unless the request says otherwise. */
export function behaviourOf(model: string, last: string): Behaviour {
  const [, name, amount] = IN_MODEL.exec(model) ?? IN_MESSAGE.exec(last) ?? []
  return { name: name ?? 'answer', amount: amount === undefined ? undefined : Number(amount) }
}
