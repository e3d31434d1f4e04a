import { api } from './client.ts'
import { parseExact } from './exact-json.ts'
import type { Parts } from './queries.ts'
import type { Json } from './registry/registry.ts'

/** The whole input and output of a span, with integers of any size. Throws if one has more than a million characters. */
export async function wholeParts(
  { trace_id, span_id }: { trace_id: string; span_id: string },
  signal?: AbortSignal,
): Promise<{ inputs: Json | undefined; outputs: Json | undefined }> {
  const { parts } = await api<Parts>(`/spans/${trace_id}/${span_id}/parts?length=1000000`, { signal })
  const partOf = (name: string): Json | undefined => {
    const found = parts.find(({ part }) => part === name)
    if (!found) return undefined
    if (found.next !== undefined)
      throw new Error(`The ${name} of trace ${trace_id} have more than a million characters.`)
    return parseExact<Json>(found.text)
  }
  return { inputs: partOf('inputs'), outputs: partOf('outputs') }
}
