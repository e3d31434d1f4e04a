import { invalid, isJsonObject, type Json, type JsonObject, nextTurn, type Uuid } from '@spanhouse/model'
import { optional, uuid, z } from '@spanhouse/validation'
import type { Changed, ContentPlace, Delta } from '../kind.ts'
import { ColumnChanger, type ColumnChanges } from './columns.ts'
import { COLUMN_CHANGES_MAX, requireWithinLimits } from './limits.ts'
import { prepareTestcases, readTestcases, sizesOf, sumOf, type TestcaseRow } from './table.ts'
import {
  boundedList,
  replacedTestcase,
  rowList,
  said,
  type Testcase,
  type TestcaseBody,
  testcaseBody,
} from './testcase.ts'

/** A list that is rejected (400) by its length before its elements are read. */
const changeList = <S extends z.ZodType>(change: S) => optional(boundedList(change, requireFewChanges))

function requireFewChanges(changes: readonly unknown[]): void {
  if (changes.length > COLUMN_CHANGES_MAX)
    throw invalid(`delta.columns: a list of ${changes.length} changes; at most ${COLUMN_CHANGES_MAX} are allowed`)
}

const names = changeList(z.string())

/** A change of a testset: of columns in all rows of the base, then of single rows. */
export const testsetDelta: z.ZodType<Delta> = z
  .object({
    columns: optional(z.object({ remove: names, replace: changeList(z.tuple([z.string(), z.string()])), add: names })),
    rows: optional(
      z.object({
        remove: rowList(uuid),
        replace: rowList(replacedTestcase),
        add: rowList(testcaseBody),
      }),
    ),
  })
  .transform(({ columns, rows }) => ({
    needsBase: false,
    needsHead: true,
    apply: (base, place) =>
      changeTestset(base, place, {
        columns: { remove: columns?.remove ?? [], replace: columns?.replace ?? [], add: columns?.add ?? [] },
        remove: new Set(rows?.remove),
        replace: new Map(rows?.replace?.map(row => [row.id, row])),
        add: rows?.add ?? [],
      }),
  }))

interface TestsetChanges {
  columns: ColumnChanges
  remove: ReadonlySet<Uuid>
  replace: ReadonlyMap<Uuid, TestcaseBody>
  add: readonly TestcaseBody[]
}

/** A name, a colon, a value and a comma: adding columns stops when the rows could no longer be stored. */
const CELL_BYTES_MIN = 5

/** Unchanged rows keep their ids and are not written again. */
async function changeTestset(
  base: JsonObject | null,
  { scope, artifact_id }: ContentPlace,
  { columns, remove, replace, add }: TestsetChanges,
): Promise<Changed> {
  const ids = testcaseIdsOf(base)
  const sizes = await sizesOf(scope, ids)
  const stored = await readTestcases(scope, ids, sizes)
  const changer = new ColumnChanger(columns)
  const slots: (Uuid | Testcase)[] = []
  let cells = 0
  for (const id of ids) {
    const row = stored.get(id)
    if (!row || remove.has(id)) continue
    const replacement = replace.get(id)
    if (replacement) slots.push({ ...said(row), ...withoutId(replacement) })
    else {
      const data = changer.change(row.data)
      cells += Object.keys(data).length
      requireWithinLimits({ rows: ids.length, bytes: cells * CELL_BYTES_MIN })
      slots.push(isSameRow(data, row) ? id : { data, ...said(row) })
    }
    await nextTurn()
  }
  for (const testcase of add) slots.push(withoutId(testcase))
  const kept = slots.filter(slot => typeof slot === 'string')
  const changed = await prepareTestcases(
    artifact_id,
    slots.filter(slot => typeof slot !== 'string'),
  )
  requireWithinLimits({ rows: slots.length, bytes: changed.bytes + sumOf(kept, sizes) })
  const newIds = changed.ids.values()
  const testcase_ids = slots.map(slot => (typeof slot === 'string' ? slot : (newIds.next().value as Uuid)))
  return { data: { testcase_ids }, isPrepared: true, write: changed.write, message: 'Patched testset revision' }
}

const withoutId = ({ id: _, ...testcase }: TestcaseBody): Testcase => testcase

/** Values are never modified, so comparing references is enough; the order of the columns counts. */
function isSameRow(data: JsonObject, row: TestcaseRow): boolean {
  const [after, before] = [Object.entries(data), Object.entries(row.data)]
  if (after.length !== before.length) return false
  return after.every(([name, value], index) => name === before[index]?.[0] && value === before[index]?.[1])
}

/** The ids of the rows in a testset's revision. */
export function testcaseIdsOf(data: Json | undefined): Uuid[] {
  const ids = isJsonObject(data) ? data.testcase_ids : undefined
  return Array.isArray(ids) ? (ids as Uuid[]) : []
}
