/** What the browser did not keep, by name. */
const unkept = new Map<string, string>()

/** A text that this browser keeps under a name; null without one. */
export function storedText(name: string): string | null {
  try {
    return unkept.get(name) ?? localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a text in this browser; if its storage is full or forbidden, until the page is closed. */
export function storeText(name: string, text: string): void {
  unkept.delete(name)
  try {
    localStorage.setItem(name, text)
  } catch {
    unkept.set(name, text)
  }
}

export function removeText(name: string): void {
  unkept.delete(name)
  try {
    localStorage.removeItem(name)
  } catch {
    // What is forbidden has kept nothing.
  }
}
