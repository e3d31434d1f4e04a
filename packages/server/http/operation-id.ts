/** The name of an operation in the OpenAPI document and in errors: `POST /spans/query` is `post_spans_query`. */
export const operationIdOf = (method: string, path: string): string =>
  `${method}${path}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
