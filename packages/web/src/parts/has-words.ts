/** Whether a name has all words of a text, each anywhere in it. */
export const hasWords = (name: string, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every(word => name.toLowerCase().includes(word))
