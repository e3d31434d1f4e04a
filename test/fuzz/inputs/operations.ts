/** A JSON Schema, limited to the keywords that the document uses. */
export type Schema = Record<string, any>

/** One verb of one path of the OpenAPI document. */
export interface Operation {
  /** `POST /spans/query`. */
  name: string
  method: string
  /** With `{names}` in it. */
  path: string
  parameters: { in: 'path' | 'query'; name: string; schema: Schema; required: boolean }[]
  body: { type: string; schema: Schema } | undefined
}

/** All operations that `/openapi.json` describes, in its order. */
export async function readOperations(apiUrl: string): Promise<Operation[]> {
  const document = (await (await fetch(`${apiUrl}/api/openapi.json`)).json()) as { paths: Record<string, any> }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([verb, { parameters = [], requestBody }]) => {
      const method = verb.toUpperCase()
      const [content] = Object.entries<any>(requestBody?.content ?? {})
      const body = content && { type: content[0], schema: content[1].schema ?? {} }
      return {
        name: `${method} ${path}`,
        method,
        path,
        parameters: [...parameters, ...unnamed(path, parameters)],
        body,
      }
    }),
  )
}

/** Parts of the path that the document does not describe as parameters. */
function unnamed(path: string, parameters: Operation['parameters']): Operation['parameters'] {
  const names = Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name]) => name as string)
  return names
    .filter(name => !parameters.some(one => one.in === 'path' && one.name === name))
    .map(name => ({ in: 'path', name, schema: { type: 'string' }, required: true }))
}
