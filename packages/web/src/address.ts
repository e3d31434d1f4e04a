/**
 * The part of an address after the `?`, as the router reads and writes it. A value is JSON if it begins as an object, a
 * list or a quoted text, or is `true` or `false`; anything else is text. So a number is its digits: an id, of which
 * many have only digits, stands in an address as it is.
 */
export const parseSearch = (search: string): Record<string, unknown> =>
  Object.fromEntries([...new URLSearchParams(search)].map(([name, text]) => [name, valueIn(text)]))

/** With the `?`; empty without members. Members that are undefined are left out. */
export function stringifySearch(search: object): string {
  const members = Object.entries(search).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(members.map(([name, value]) => [name, textOf(value)])).toString()
  return text && `?${text}`
}

const JSON_VALUE = /^(?:["[{]|true$|false$)/

function valueIn(text: string): unknown {
  if (!JSON_VALUE.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A text that would be read as something else is quoted. */
const textOf = (value: unknown): string =>
  typeof value === 'string' && valueIn(value) === value ? value : JSON.stringify(value)
