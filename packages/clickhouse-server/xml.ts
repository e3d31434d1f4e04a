/** Elements by name; text is escaped. */
export type Elements = { [name: string]: string | number | Elements }

/** A file of ClickHouse's configuration. */
export function toXml(elements: Elements): string {
  const print = (children: Elements): string =>
    Object.entries(children)
      .map(
        ([name, value]) => `<${name}>${typeof value === 'object' ? print(value) : escapeXml(String(value))}</${name}>`,
      )
      .join('\n')
  return `<clickhouse>\n${print(elements)}\n</clickhouse>\n`
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
