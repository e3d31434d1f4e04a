import { ATTRIBUTE_COLUMNS } from '../compile/attribute-columns.ts'
import { compileFilter } from '../compile/compile-filter.ts'
import { isScalar } from '../compile/engine-json.ts'
import type { AttributeCondition, AttributeTest, ColumnTest, Filter, ListCondition, Pattern } from '../filter/filter.ts'
import { conjunctsOf } from '../filter/trace-level.ts'
import { type Sql, sql, uint32s } from '../sql.ts'
import { MANY_TERMS, type SpanTerms, type TermList, termsOfAttribute, termsOfListed } from './search-terms.ts'
import { compileTextHint } from './text-hints.ts'

/** A condition with more alternatives is not narrowed, because the index lookup would cost too much. */
const ALTERNATIVES_MAX = 500

/** The spans that a statement searches: roots and other spans have different terms. */
export type Searched = 'root' | 'other' | 'any'

/**
 * Index conditions for the parts of a filter that test for an equality or a text. The result is a list of alternatives:
 * a span among those searched that satisfies the filter satisfies all conditions of at least one of them. There is one
 * alternative, which may have no conditions, unless a text may be in several columns.
 */
export function compileSearchHints(filter: Filter | undefined, searched: Searched = 'any'): Sql[][] {
  const parts = filter === undefined ? [] : conjunctsOf(filter)
  const of = isOfRoots(filter) ? 'root' : searched
  const terms = parts.map(part => compileTermHint(part, of)).filter(hint => hint !== undefined)
  const texts = parts.map(compileTextHint).filter(hint => hint !== undefined)
  const inData = texts.filter(hint => hint.elsewhere === undefined).map(hint => hint.inData)
  const conditions = [...terms, ...inData]
  // Only the first of these is split into two alternatives; splitting several would multiply them.
  const divided = texts.find(hint => hint.elsewhere !== undefined)
  if (divided?.elsewhere === undefined) return [conditions]
  return [
    [...conditions, divided.inData],
    [...conditions, divided.elsewhere],
  ]
}

function compileTermHint(part: Filter, searched: Searched): Sql | undefined {
  const actors = actorsOf(part)
  if (actors !== undefined) return actors.length > ALTERNATIVES_MAX ? undefined : compileFilter(part)
  const alternatives = alternativesOf(part)
  if (!alternatives || alternatives.length > ALTERNATIVES_MAX) return undefined
  const terms = alternatives.flatMap(term => (searched === 'any' ? [term.root, term.other] : [term[searched]]))
  return sql`hasAny(search_terms, ${uint32s([MANY_TERMS, ...terms])})`
}

/**
 * The ids of sessions or users of which a matching span has one; undefined if the condition is about anything else.
 * Their columns have indexes of their own, so the condition itself is the hint. (The hint of an index without a test,
 * `indexHint`, would miss rows that were updated since their part was merged.)
 */
function actorsOf(part: Filter): readonly unknown[] | undefined {
  if (part.kind === 'column') return ACTOR_COLUMNS.has(part.field) ? equalOperands(part.test) : undefined
  if (part.kind !== 'attribute' || !ACTOR_ATTRIBUTES.has(part.path.join('.'))) return undefined
  // An empty text is stored as no value; other values than texts are never equal to the column.
  const ids = equalOperands(part.test)
  return ids?.every(id => typeof id === 'string' && id !== '') ? ids : undefined
}

const ACTOR_COLUMNS: ReadonlySet<string> = new Set(['session_id', 'user_id'])
const ACTOR_ATTRIBUTES: ReadonlySet<string> = new Set(['ag.session.id', 'ag.user.id'])

/** The values to one of which a test requires equality; undefined if it is another test. */
function equalOperands(test: ColumnTest | AttributeTest): readonly unknown[] | undefined {
  if (test.test === 'eq' || test.test === 'is') return [test.value]
  return test.test === 'in' ? test.values : undefined
}

/** Whether the filter selects by an id that few spans have: of a reference, a link, a hash, a session or a user. */
export const isOfFew = (filter: Filter | undefined): boolean =>
  filter !== undefined &&
  conjunctsOf(filter).some(
    part => actorsOf(part) !== undefined || (part.kind === 'list' && alternativesOf(part) !== undefined),
  )

/** Whether the filter has a condition whose terms are known. */
export const hasTerms = (filter: Filter | undefined): boolean =>
  filter !== undefined && conjunctsOf(filter).some(part => compileTermHint(part, 'any') !== undefined)

/** Whether an index on texts narrows the filter. */
export const isOfText = (filter: Filter | undefined): boolean =>
  filter !== undefined && conjunctsOf(filter).some(part => compileTextHint(part) !== undefined)

/** Whether only spans without a parent can satisfy the filter; only these have the fields of session and user. */
export const isOfRoots = (filter: Filter | undefined): boolean =>
  filter !== undefined &&
  conjunctsOf(filter).some(part => isRootCondition(part) || (part.kind === 'column' && actorsOf(part) !== undefined))

/** Whether the filter has no other condition. */
export const isOfAllRoots = (filter: Filter | undefined): boolean =>
  filter !== undefined && conjunctsOf(filter).every(isRootCondition)

const isRootCondition = (filter: Filter): boolean =>
  filter.kind === 'column' && filter.field === 'parent_id' && filter.test.test === 'not_exists'

/** The terms of which a matching span has at least one; undefined if they cannot be determined. */
function alternativesOf(part: Filter): SpanTerms[] | undefined {
  if (part.kind === 'attribute') return ofAttribute(part)
  return part.kind === 'list' ? ofList(part) : undefined
}

const INDEX = /^[0-9]+$/

function ofAttribute({ path, test }: AttributeCondition): SpanTerms[] | undefined {
  // A number in a path may be an index, and a list item has no term of its own.
  if (path.some(key => INDEX.test(key)) || ATTRIBUTE_COLUMNS.has(path.join('.'))) return undefined
  if (test.test === 'is') return isScalar(test.value) ? allKnown([termsOfAttribute(path, test.value)]) : undefined
  return test.test === 'in' ? allKnown(test.values.map(value => termsOfAttribute(path, value))) : undefined
}

/** The member by which an item of a field is looked up: the first one given. */
const MEMBERS: Record<string, Record<string, TermList>> = {
  references: { id: 'references.id', slug: 'references.slug' },
  links: { trace_id: 'links.trace_id' },
  hashes: { id: 'hashes.id' },
}

function ofList({ field, test }: ListCondition): SpanTerms[] | undefined {
  if (test.test !== 'in' || test.patterns.length === 0) return undefined
  return allKnown(test.patterns.map(pattern => ofPattern(MEMBERS[field] ?? {}, pattern)))
}

function ofPattern(members: Record<string, TermList>, pattern: Pattern): SpanTerms | undefined {
  const known = Object.entries(members).find(([name]) => Object.hasOwn(pattern, name))
  return known && termsOfListed(known[1], pattern[known[0]] as string)
}

const allKnown = (terms: (SpanTerms | undefined)[]): SpanTerms[] | undefined =>
  terms.every(one => one !== undefined) ? terms : undefined
