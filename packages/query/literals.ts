const PLACEHOLDER = /\{(\w+):([^{}]+)\}/g

/**
 * A printed statement with its parameters inserted as literals. Sent separately, a server accepts neither long values
 * nor many (128 KiB each, about a hundred). Every value goes through {@link stringLiteral}; types come from the
 * statement's own text. Throws if a placeholder has no value.
 */
export function inlineParams({ text, params }: { text: string; params: Record<string, unknown> }): string {
  return text.replace(PLACEHOLDER, (_, name: string, type: string) => {
    const value = params[name]
    if (value === undefined || value === null) throw new TypeError(`the parameter ${name} has no value`)
    return type === 'String' ? stringLiteral(String(value)) : `CAST(${stringLiteral(written(value))} AS ${type})`
  })
}

/** A value as ClickHouse parses it in a cast from text: lists in brackets, with texts in them quoted. */
function written(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(writtenInList).join(',')}]` : String(value)
}

const writtenInList = (value: unknown): string => (typeof value === 'string' ? stringLiteral(value) : written(value))

const ESCAPES: Record<string, string> = { "'": "\\'", '\\': '\\\\', '\0': '\\0' }

/** A text as a string literal of ClickHouse. */
export const stringLiteral = (text: string): string =>
  `'${text.replace(/['\\\0]/g, character => ESCAPES[character] as string)}'`
