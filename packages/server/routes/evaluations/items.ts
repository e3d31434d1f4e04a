import { nextTurn, Problem, tooManyItems, violationOf } from '@spanhouse/model'
import { jsonList, validate, z } from '@spanhouse/validation'

/** Items of one bulk call. */
const ITEMS_MAX = 100_000

/** A list in a body, which {@link readItems} reads: many items take longer than others should wait. */
export function itemList(schema: z.ZodType) {
  const { $schema: _dialect, ...items } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return jsonList.meta({ type: 'array', items, maxItems: ITEMS_MAX })
}

/**
 * The items of a list that was sent as the member `name`, each as the schema has it; others have their turn in between.
 * Throws a 422 with the violations of the first item that has any, or for too many items.
 */
export async function readItems<S extends z.ZodType>(
  schema: S,
  name: string,
  items: readonly unknown[],
): Promise<z.output<S>[]> {
  if (items.length > ITEMS_MAX)
    throw new Problem('unprocessable', [violationOf(tooManyItems(ITEMS_MAX, items.length), ['body', name], null)])
  const read: z.output<S>[] = []
  for (const [at, item] of items.entries()) {
    read.push(validate(schema, item, 'body', { at: () => [name, at] }))
    const turn = nextTurn()
    if (turn) await turn
  }
  return read
}
