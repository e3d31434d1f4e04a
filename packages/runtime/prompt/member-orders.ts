import { isJsonObject, type Json } from '@spanhouse/model'

/**
 * The order in which the objects of a document have their members. An object is found by its content, so that it is
 * known again after something has sorted its members. Of two objects that differ only in the order, the first counts.
 */
export class MemberOrders {
  /** A number for each different value, by what it consists of. */
  readonly #contents = new Map<string, number>()
  /** By the number of the object. */
  readonly #names = new Map<number, string[]>()

  constructor(document: Json) {
    this.#learn(document)
  }

  /** The value with all members in the order of the document; objects that are not in it stay as they are. */
  ordered(value: Json): Json {
    return this.#recall(value).value
  }

  #learn(value: Json): number {
    if (Array.isArray(value)) return this.#numberOf(listContent(value.map(item => this.#learn(item))))
    if (!isJsonObject(value)) return this.#numberOf(JSON.stringify(value))
    const names = Object.keys(value)
    const number = this.#numberOf(objectContent(names.map(name => [name, this.#learn(value[name] as Json)])))
    if (!this.#names.has(number)) this.#names.set(number, names)
    return number
  }

  #numberOf(content: string): number {
    const number = this.#contents.get(content) ?? this.#contents.size
    this.#contents.set(content, number)
    return number
  }

  /** The number is undefined if the value is not in the document. */
  #recall(value: Json): { value: Json; number?: number } {
    if (Array.isArray(value)) {
      const items = value.map(item => this.#recall(item))
      return { value: items.map(item => item.value), number: this.#contents.get(listContent(items.map(numberIn))) }
    }
    if (!isJsonObject(value)) return { value, number: this.#contents.get(JSON.stringify(value)) }
    const members = new Map(Object.entries(value).map(([name, member]) => [name, this.#recall(member)]))
    const content = objectContent([...members].map(([name, member]) => [name, numberIn(member)]))
    const number = this.#contents.get(content)
    const names = (number === undefined ? undefined : this.#names.get(number)) ?? [...members.keys()]
    return { value: Object.fromEntries(names.map(name => [name, members.get(name)?.value as Json])), number }
  }
}

const numberIn = ({ number }: { number?: number }): number | undefined => number

const listContent = (items: (number | undefined)[]): string => `[${items}]`

const objectContent = (members: [string, number | undefined][]): string =>
  `{${members.map(([name, number]) => `${JSON.stringify(name)}:${number}`).sort()}}`
