/** Elements by name, several of one name as a list; text is escaped. */
export type Elements = { [name: string]: string | number | Elements | Elements[] }

/** A file of ClickHouse's configuration. */
export function toXml(elements: Elements): string {
  const print = (children: Elements): string =>
    Object.entries(children)
      .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map(one => element(name, one)))
      .join('\n')
  const element = (name: string, value: string | number | Elements): string =>
    `<${name}>${typeof value === 'object' ? print(value) : escapeXml(String(value))}</${name}>`
  return `<clickhouse>\n${print(elements)}\n</clickhouse>\n`
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
