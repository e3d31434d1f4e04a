import { ENVELOPE, SENT_ATTRIBUTES } from '../copies.ts'
import { SPAN_DATA } from '../long-data.ts'
import { anyOf, ints, join, type Sql, sql, text, texts } from '../sql.ts'
import { ATTRIBUTE_COLUMNS, type AttributeColumn, derivedMembers } from './attribute-columns.ts'
import { readable, textIn } from './written-json.ts'

/** The place of a JSON value: in a span's attributes, or below an item of a list. */
export interface Place {
  /** The value as the engine writes JSON (see `canonical`); empty if absent. */
  readonly json: Sql
  /** Whether there is a value; null counts as one. */
  readonly present: Sql
  readonly isObject: Sql
  /** The columns of JSON text, as stored, one of which contains each text of the value; absent inside a list. */
  readonly documents?: readonly Sql[]
  /** The typed column that holds the value. */
  readonly column?: AttributeColumn
  /** The place of a member of this value. */
  readonly member: (key: string) => Place
}

/** A step is a key, or an index if the value is a list (`mayIndex`). */
interface Step {
  readonly key: string
  readonly mayIndex: boolean
}

export const INDEX = /^(0|[1-9][0-9]{0,8})$/

/**
 * The place at a path of the interface, in which segments of digits may be indexes. `texts` is false if it does not
 * matter which long texts are there: instrumentation's attributes are then read as they are stored (see copies.ts).
 */
export const attributePlace = (path: readonly string[], { texts = true }: { texts?: boolean } = {}): Place =>
  placeAt(
    path.map(key => ({ key, mayIndex: INDEX.test(key) })),
    texts ? SENT_ATTRIBUTES : STORED_ATTRIBUTES,
  )

/** The value at a dotted path as text; see {@link textIn}. */
export const attributeText = (path: string): Sql => textIn(attributePlace(path.split('.')).json)

/** The value of the lambda variable `x` (JSON from the engine), or a place below it at a path of keys. */
export const itemPlace = (path: readonly string[] = []): Place =>
  path.length === 0
    ? { ...valuePlace(sql`x`), member: key => itemPlace([key]) }
    : jsonPlace(readable(sql`x`), path.map(toKey))

const toKey = (key: string): Step => ({ key, mayIndex: false })

/** The text at a place; any other value as its JSON. */
export const textOf = ({ column, json }: Place): Sql => (column?.type === 'text' ? column.column : textIn(json))

/** Typed columns first, then `ag.data`, which has its own JSON text, then all other attributes. */
function placeAt(steps: readonly Step[], sent: Sql): Place {
  const key = steps.some(step => step.key.includes('.')) ? '' : steps.map(step => step.key).join('.')
  const member = (name: string): Place => placeAt([...steps, toKey(name)], sent)
  const column = ATTRIBUTE_COLUMNS.get(key)
  if (column !== undefined) return { ...columnPlace(column, extract(STORED_ATTRIBUTES, steps)), member }
  if (key === 'ag.data') return { ...dataPlace(), member }
  const [first, second] = steps
  if (first?.key === 'ag' && second?.key === 'data') return { ...documentPlace(SPAN_DATA, steps.slice(2)), member }
  const isSent = first === undefined || !ENVELOPE.has(first.key)
  return { ...(isSent ? sentPlace(sent, steps) : objectPlace(documentPlace(STORED_ATTRIBUTES, steps), key)), member }
}

const STORED_ATTRIBUTES = sql`attributes`

const documentPlace = (document: Sql, steps: readonly Step[]): Place => ({
  ...jsonPlace(document, steps),
  documents: [document],
})

/** A text that is not in the attributes was copied from the data. */
const sentPlace = (sent: Sql, steps: readonly Step[]): Place => ({
  ...jsonPlace(sent, steps),
  documents: [STORED_ATTRIBUTES, SPAN_DATA],
})

function jsonPlace(document: Sql, steps: readonly Step[]): Place {
  const member = (name: string): Place => jsonPlace(document, [...steps, toKey(name)])
  return { ...valuePlace(extract(document, steps)), member }
}

const valuePlace = (json: Sql): Omit<Place, 'member'> => ({
  json,
  present: sql`${json} != ''`,
  isObject: sql`startsWith(${json}, '{')`,
})

/** An object with members in typed columns also exists if only these have values. */
function objectPlace(place: Place, key: string): Omit<Place, 'member'> {
  const derived = derivedMembers(key).map(({ column }) => sql`${column} != 0`)
  if (derived.length === 0) return place
  return { ...place, present: anyOf([place.present, ...derived]), isObject: anyOf([place.isObject, ...derived]) }
}

/** Every span has `ag.data`. */
const dataPlace = (): Omit<Place, 'member'> => ({
  json: sql`if(${SPAN_DATA} = '', '{}', JSONExtractRaw(${SPAN_DATA}))`,
  present: sql`true`,
  isObject: sql`true`,
})

function columnPlace(column: AttributeColumn, inJson: Sql): Omit<Place, 'member'> {
  const value = column.column
  if (column.type === 'text') {
    const json = sql`if(${value} = '', '', JSONExtractRaw(toJSONString(${value})))`
    return { json, present: sql`${value} != ''`, isObject: sql`false`, column }
  }
  const { isSet, alsoInJson } = column
  const json = sql`if(${isSet}, JSONExtractRaw(toString(${value})), ${alsoInJson ? inJson : sql`''`})`
  return { json, present: alsoInJson ? sql`${json} != ''` : isSet, isObject: sql`false`, column }
}

/**
 * The JSON text at the end of the steps. The leading plain keys go into one call. From the first step that may be an
 * index, each step is tried as a key and as an index: a list has no keys, only a list has items, and item 0 (they count
 * from 1) is empty. One call folds over all of these, so the size of the text does not depend on the path.
 */
function extract(document: Sql, steps: readonly Step[]): Sql {
  const at = steps.findIndex(step => step.mayIndex)
  if (at < 0) return extractKeys(document, steps)
  const before = at === 0 ? document : extractKeys(document, steps.slice(0, at))
  const rest = steps.slice(at)
  const keys = texts(rest.map(step => step.key))
  const items = ints(rest.map(step => (step.mayIndex ? Number(step.key) + 1 : 0)))
  const either = sql`arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [${readable(sql`v`)}])[1]`
  return sql`arrayFold((v, k, i) -> ${either}, ${keys}, ${items}, ${before})`
}

const extractKeys = (document: Sql, steps: readonly Step[]): Sql =>
  sql`JSONExtractRaw(${join([document, ...steps.map(({ key }) => sql`${text(key)}`)])})`
