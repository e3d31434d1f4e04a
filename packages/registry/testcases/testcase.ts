import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { json, list, optional, storedObject, uuid, z } from '@spanhouse/validation'
import { requireWithinLimits } from './limits.ts'

/** A row of a testset: values by column, and metadata. */
export interface Testcase {
  data: JsonObject
  flags?: JsonObject
  tags?: JsonObject
  meta?: JsonObject
}

/** The members of a row that are not columns. */
export const METADATA = ['flags', 'tags', 'meta'] as const

const MEMBERS = {
  data: optional(storedObject),
  flags: optional(storedObject),
  tags: optional(storedObject),
  meta: optional(storedObject),
}

/** A row in a request. Other members are ignored; a row without data is empty. */
export const testcaseBody = z
  .object({ id: optional(json), ...MEMBERS })
  .transform(({ id, data = {}, ...metadata }) => ({ ...(typeof id === 'string' && { id }), data, ...said(metadata) }))

export type TestcaseBody = Testcase & { id?: string }

/** What a stored row is to be, as in {@link testcaseBody}. */
export const replacedTestcase = z
  .object({ id: uuid, ...MEMBERS })
  .transform(({ id, data = {}, ...metadata }) => ({ id, data, ...said(metadata) }))

/** The metadata that is not empty: empty objects count as absent. */
export function said(metadata: { [name in (typeof METADATA)[number]]?: Json | undefined }): Omit<Testcase, 'data'> {
  const given = METADATA.map(name => [name, metadata[name]] as const)
  return Object.fromEntries(given.filter(([, value]) => isJsonObject(value) && Object.keys(value).length > 0))
}

/** A list of rows, or of their ids. A list that is too long is rejected (400) before its elements are read. */
export const rowList = <S extends z.ZodType>(row: S) =>
  optional(boundedList(row, rows => requireWithinLimits({ rows: rows.length })))

/** A list that is first checked as a whole by a function that throws. */
export const boundedList = <S extends z.ZodType>(item: S, check: (items: readonly unknown[]) => void) =>
  z.preprocess(items => {
    if (Array.isArray(items)) check(items)
    return items
  }, list(item))
