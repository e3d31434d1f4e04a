import { isDeepStrictEqual } from 'node:util'
import type { Json, Kind } from './model.ts'

/** What is sent as `data` or `delta`: its shape, and a value in it. */
export interface Choice {
  shape: number
  value: number
}

/** `data` of a commit; one of four shapes for each family. */
export function dataOf({ family }: Kind, { shape, value }: Choice): Json {
  const shapes: Record<typeof family, Json[]> = {
    workflow: [
      { parameters: { v: value } },
      { url: `https://x.test/${value}`, parameters: { v: value } },
      { uri: 'acme:custom:t:v1', script: `s${value}` },
      { headers: { h: `${value}` } },
    ],
    testset: [0, 1, 2, 3].map(rows => ({
      testcases: Array.from({ length: rows }, (_, at) => ({ data: { c: value, n: at % 2 } })),
    })),
    query: [
      { filtering: { operator: 'and', conditions: [{ field: 'span_name', operator: 'is', value: `v${value}` }] } },
      { windowing: { limit: value + 1 } },
      { formatting: { focus: 'span', format: 'agenta' } },
      {},
    ],
    environment: [
      { references: {} },
      { references: { k: { application_revision: { version: `${value}` } } } },
      { references: { 'a.revision': {}, other: { workflow: { slug: `s${value}` } } } },
      { references: { k: { testset: { slug: `s${value}` } } } },
    ],
  }
  return shapes[family][shape]
}

/** What is stored for data that was sent; null if it says nothing. */
export const stored = (data: Json): Json => (data === undefined || Object.keys(data).length === 0 ? null : data)

/** `delta` of a commit; queries have none. */
export function deltaOf({ family }: Kind, { shape, value }: Choice): Json {
  if (family === 'workflow')
    return { set: { parameters: { [`p${shape}`]: value } }, remove: shape === 0 ? ['parameters.v', 'script'] : [] }
  if (family === 'testset')
    return {
      rows: { add: shape === 0 ? [] : [{ data: { c: value } }] },
      columns: {
        add: shape === 1 ? ['new'] : [],
        remove: shape === 2 ? ['n'] : [],
        replace: shape === 3 ? [['c', 'd']] : [],
      },
    }
  return { set: shape < 2 ? { [`k${value}`]: {} } : {}, remove: shape > 0 ? ['k', 'k1'] : [] }
}

/** The data that a delta of {@link deltaOf} makes of a base. */
export function applied({ family }: Kind, base: Json, delta: Json): Json {
  const data = structuredClone(base ?? {})
  if (family === 'environment') {
    const references = { ...data.references, ...delta.set }
    for (const key of delta.remove) delete references[key]
    return { references }
  }
  if (family === 'testset') {
    const rows = (data.testcases ?? []).map((row: Json) => ({ data: withColumns(row.data, delta.columns) }))
    return { testcases: [...rows, ...delta.rows.add] }
  }
  data.parameters = { ...data.parameters, ...delta.set.parameters }
  if (delta.remove.length > 0) {
    delete data.parameters.v
    delete data.script
  }
  return data
}

function withColumns(row: Json, { add, remove, replace }: Json): Json {
  let columns = Object.entries(row).filter(([name]) => !remove.includes(name))
  for (const [from, to] of replace) {
    if (!columns.some(([name]) => name === from)) continue
    columns = columns.filter(([name]) => name !== to).map(([name, value]) => [name === from ? to : name, value])
  }
  const added = add.filter((name: string) => !columns.some(([one]) => one === name))
  return Object.fromEntries([...columns, ...added.map((name: string) => [name, ''])])
}

/** Whether two revisions contain the same: nulls, blank texts and emptied objects count as unset. */
export const isSameContent = (one: Json, other: Json): boolean =>
  isDeepStrictEqual(withoutEmpty(one), withoutEmpty(other))

function withoutEmpty(value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value ?? undefined
  const members = Object.entries(value).map(([name, one]) => [name, withoutEmpty(one)])
  const kept = members.filter(([, one]) => one !== undefined && one !== '')
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
