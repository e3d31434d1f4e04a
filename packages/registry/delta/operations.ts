import { isJsonObject, type Json, type JsonObject, nextTurn } from '@spanhouse/model'
import { list, z } from '@spanhouse/validation'
import type { Changed } from '../kind.ts'
import { changeAt, type Segment } from '../target.ts'
import { checkDelta, checkTarget } from './delta-limits.ts'
import { DeltaRefusal, refusing } from './delta-refusal.ts'
import { addItem, type ItemSegment, removeItem, replaceItem } from './keyed-items.ts'
import { mergeDeep } from './merge.ts'
import { editText } from './text-edits.ts'

const OPERATIONS_MAX = 64

const segment = z.union([z.string(), z.strictObject({ list: z.string(), key: z.string() })])
const target = list(segment, { min: 1, max: 12 })
const textEdits = list(z.strictObject({ old_text: z.string(), new_text: z.string() }), { min: 1, max: 32 })

/** An operation as sent, with its shape checked. */
interface Operation {
  value: Json | undefined
  edits: z.output<typeof textEdits> | undefined
  match_mode: 'auto' | 'exact'
}

interface OperationKind {
  /** What the last segment of the target names: a member of an object, or an entry of a list. */
  tail: 'field' | 'item'
  needs: 'value' | 'edits' | null
  /** Creates missing objects on the path to the target. */
  makesParents?: true
  /** Returns the changed parent object. */
  apply(parent: JsonObject, tail: never, operation: Operation): JsonObject
}

const field = (
  needs: OperationKind['needs'],
  apply: (parent: JsonObject, name: string, operation: Operation) => JsonObject,
  more: { makesParents?: true } = {},
): OperationKind => ({ tail: 'field', needs, apply, ...more })

const item = (
  needs: OperationKind['needs'],
  apply: (parent: JsonObject, tail: ItemSegment, operation: Operation) => JsonObject,
): OperationKind => ({ tail: 'item', needs, apply })

/** What each operation does to the parent of its target. */
const OPERATIONS: Record<string, OperationKind> = {
  set: field('value', (parent, name, { value }) => ({ ...parent, [name]: value as Json }), { makesParents: true }),
  merge: field('value', (parent, name, { value }) => {
    if (!isJsonObject(value)) throw new DeltaRefusal('invalid_operation_shape', 'The value of merge must be an object.')
    const before = existing(parent, name)
    if (!isJsonObject(before)) throw new DeltaRefusal('target_type_mismatch', `${name} is not an object.`)
    return { ...parent, [name]: mergeDeep(before, value) }
  }),
  remove: field(null, (parent, name) => {
    existing(parent, name)
    const { [name]: _removed, ...rest } = parent
    return rest
  }),
  edit_text: field('edits', (parent, name, { edits = [], match_mode }) => {
    const text = existing(parent, name)
    if (typeof text !== 'string') throw new DeltaRefusal('target_type_mismatch', `${name} is not a string.`)
    return { ...parent, [name]: editText(text, edits, match_mode) }
  }),
  add_item: field('value', (parent, list, { value }) => addItem(parent, list, value), { makesParents: true }),
  replace_item: item('value', (parent, tail, { value }) => replaceItem(parent, tail, value)),
  remove_item: item(null, (parent, tail) => removeItem(parent, tail)),
}

/** Applies `{operations: [...]}` in order, all or none. Throws a 422 with a code for the reason. */
export async function applyOperations(base: JsonObject, delta: JsonObject): Promise<Changed> {
  const operations = refusing(() => operationsOf(delta))
  let data = base
  for (const [index, sent] of operations.entries()) {
    await nextTurn()
    const before = data
    data = refusing(() => applyOne(before, sent), { index, target: isJsonObject(sent) ? sent.target : undefined })
  }
  return { data }
}

function operationsOf(delta: JsonObject): Json[] {
  checkDelta(delta)
  const { operations, ...rest } = delta
  const [extra] = Object.keys(rest)
  if (extra !== undefined) throw new DeltaRefusal('invalid_delta', `${extra} is not allowed together with operations.`)
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > OPERATIONS_MAX)
    throw new DeltaRefusal('invalid_delta', `operations must be a list of 1 to ${OPERATIONS_MAX} operations.`)
  return operations
}

function applyOne(data: JsonObject, sent: Json): JsonObject {
  const { kind, path, operation } = readOperation(sent)
  if (kind.makesParents) checkTarget(path, operation.value)
  return changeAt(data, path, {
    makesParents: kind.makesParents ?? false,
    change: (parent, tail) => {
      if ((typeof tail === 'string') !== (kind.tail === 'field'))
        throw new DeltaRefusal('invalid_target_shape', `The last segment of target must name a ${kind.tail}.`)
      return kind.apply(parent, tail as never, operation)
    },
  })
}

const NAMING = ['operation', 'op', 'target']
const MEMBERS = { value: ['value'], edits: ['edits', 'match_mode'] } as const
const KNOWN = [...NAMING, ...Object.values(MEMBERS).flat()]

/** The members that no operation has, of each operation that has some. */
export function unknownMembers(operations: Json): { index: number; names: string[] }[] {
  // Longer lists are rejected as a whole.
  const few = Array.isArray(operations) ? operations.slice(0, OPERATIONS_MAX) : []
  return few
    .map((sent, index) => ({ index, names: isJsonObject(sent) ? Object.keys(sent).filter(isUnknown) : [] }))
    .filter(({ names }) => names.length > 0)
}

const isUnknown = (name: string): boolean => !KNOWN.includes(name)

function readOperation(sent: Json): { kind: OperationKind; path: Segment[]; operation: Operation } {
  if (!isJsonObject(sent)) throw new DeltaRefusal('invalid_operation_shape', 'An operation must be an object.')
  const name = sent.operation ?? sent.op
  const kind = typeof name === 'string' && Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined
  if (!kind) throw new DeltaRefusal('unknown_operation', `There is no operation ${JSON.stringify(name ?? null)}.`)
  const known: string[] = [...NAMING, ...(kind.needs ? MEMBERS[kind.needs] : [])]
  const extra = Object.keys(sent).find(member => !known.includes(member))
  if (extra !== undefined) throw new DeltaRefusal('invalid_operation_shape', `${name} does not take ${extra}.`)
  const path = target.safeParse(sent.target)
  if (!path.success)
    throw new DeltaRefusal('invalid_target_shape', 'target must be a list of 1 to 12 names or {list, key} objects.')
  if (kind.needs === 'value' && sent.value === undefined)
    throw new DeltaRefusal('missing_operation_value', `${name} requires a value.`)
  return { kind, path: path.data, operation: { value: sent.value, ...readEdits(kind, sent) } }
}

function readEdits({ needs }: OperationKind, { edits, match_mode = 'auto' }: JsonObject): Omit<Operation, 'value'> {
  if (needs !== 'edits') return { edits: undefined, match_mode: 'exact' }
  const read = textEdits.safeParse(edits)
  if (!read.success)
    throw new DeltaRefusal('invalid_operation_shape', 'edits must be a list of 1 to 32 {old_text, new_text} objects.')
  if (match_mode !== 'auto' && match_mode !== 'exact')
    throw new DeltaRefusal('invalid_operation_shape', 'match_mode must be auto or exact.')
  return { edits: read.data, match_mode }
}

function existing(parent: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(parent, name)) return parent[name]
  throw new DeltaRefusal('target_not_found', `There is no ${name}.`)
}
