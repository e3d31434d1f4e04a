/** Characters that are held as text. What is more becomes a part of the file, which browsers keep outside the page. */
const PART = 1_000_000

/** A file that is written bit by bit, and never held as one text. */
export class FileParts {
  readonly #parts: Blob[] = []
  #texts: string[] = []
  #length = 0

  add(text: string): void {
    this.#texts.push(text)
    this.#length += text.length
    if (this.#length >= PART) this.#cut()
  }

  whole(type: string): Blob {
    this.#cut()
    return new Blob(this.#parts, { type })
  }

  #cut(): void {
    this.#parts.push(new Blob(this.#texts))
    this.#texts = []
    this.#length = 0
  }
}
