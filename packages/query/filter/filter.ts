import { isRawJson, type Json, type RawJson } from '@spanhouse/model'

/**
 * A filter: a condition on one span, as a tree of frozen nodes. `parseFilter` returns it, `compileFilter` translates it
 * to SQL. This file alone defines the meaning of every operator of the interface:
 *
 * - Every node is true or false for a span, never unknown: `not` is the plain complement.
 * - A plain field without a value ("null" in the interface) satisfies no test but `not_exists`. An attribute without a
 *   value satisfies only `is_not` and `not_exists`.
 */
export type Filter = Group | Condition
export type Condition = ColumnCondition | AttributeCondition | ListCondition | ContentCondition

export const GROUP_OPERATORS = ['and', 'or', 'not', 'nand', 'nor'] as const
export type GroupOperator = (typeof GROUP_OPERATORS)[number]

/**
 * Never empty: a group without members does not restrict anything and is left out of the tree. `not` has exactly one
 * member.
 */
export interface Group {
  readonly kind: 'group'
  readonly operator: GroupOperator
  readonly members: readonly Filter[]
}

/** A test of a plain field; see `FIELDS`. */
export interface ColumnCondition {
  readonly kind: 'column'
  readonly field: string
  readonly test: ColumnTest
}

/** Normalised: ids as lower-case hex, UUIDs with dashes, times in microseconds, everything else as text. */
export type ColumnValue = string | number
export type ColumnTest =
  | PresenceTest
  | TextTest
  | { readonly test: Relation; readonly value: ColumnValue }
  | { readonly test: 'btwn'; readonly low: ColumnValue; readonly high: ColumnValue }
  | { readonly test: 'in' | 'not_in'; readonly values: readonly ColumnValue[] }

/** Texts are ordered by code point. */
export type Relation = 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte'
export interface PresenceTest {
  readonly test: 'exists' | 'not_exists'
}

/**
 * A test of the text form of a value. Unless `caseSensitive`, both sides are lower-cased first (Unicode). In a `like`
 * pattern `%` matches any run of characters, `_` matches one, and `\` makes the next character literal.
 */
export interface TextTest {
  readonly test: 'startswith' | 'endswith' | 'contains' | 'equals' | 'like'
  readonly text: string
  readonly caseSensitive: boolean
}

/**
 * A test of the JSON value at a path in the attributes. A segment of digits is an index (from 0) if the value there is
 * a list, otherwise a key. Absent differs from null: null is a value, but has no number and no text form.
 */
export interface AttributeCondition {
  readonly kind: 'attribute'
  readonly path: readonly string[]
  readonly test: AttributeTest
}

export type Numeric = number | RawJson
export const isNumeric = (value: Json): value is Numeric => typeof value === 'number' || isRawJson(value)

export type AttributeTest =
  | PresenceTest
  | TextTest
  | { readonly test: 'is' | 'is_not'; readonly value: Json }
  | NumberTest
  | { readonly test: Relation; readonly value: string }
  | { readonly test: 'btwn'; readonly low: string; readonly high: string }
  /** The stored scalar is one of `values`, or the stored list contains one of them (`all`: each of them). */
  | { readonly test: 'in' | 'not_in'; readonly values: readonly Json[]; readonly all: boolean }

/** A numeric comparison with numbers and numeric texts (see {@link NUMERIC_TEXT}); no other value satisfies it. */
export type NumberTest =
  | { readonly test: Relation; readonly value: Numeric }
  | { readonly test: 'btwn'; readonly low: Numeric; readonly high: Numeric }

/** A decimal number without surrounding text. */
export const NUMERIC_TEXT = '^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$'

/** A test of `references`, `links`, `hashes` or `events`: lists of objects. */
export interface ListCondition {
  readonly kind: 'list'
  readonly field: string
  readonly test: ListTest
}

export type ListTest =
  | PresenceTest
  /** Some item matches one of the patterns (`all`: for each pattern some item matches it); false without patterns. */
  | { readonly test: 'in' | 'not_in'; readonly patterns: readonly Pattern[]; readonly all: boolean }
  /** Some item has, at one of the paths, a value that contains `value` as JSON. */
  | { readonly test: 'has' | 'has_not'; readonly paths: readonly (readonly string[])[]; readonly value: Json }

/** Members that an item must have with exactly these values; the members of a field are in `FIELDS`. */
export type Pattern = Readonly<Record<string, string>>

/**
 * Full text over the string values (not the keys) of all attributes of a span taken as one document, or of all its
 * events taken as one: true if either satisfies the query.
 */
export interface ContentCondition {
  readonly kind: 'content'
  readonly query: ContentQuery
}

/** One of the alternatives holds: each phrase of `all` is in the document and none of `none`. */
export type ContentQuery = readonly ContentAlternative[]
export interface ContentAlternative {
  readonly all: readonly Phrase[]
  readonly none: readonly Phrase[]
}
/** Consecutive lower-case words in one string value. Words are runs of letters, marks and digits. */
export type Phrase = readonly string[]

/** Maximum nesting of groups. The engine's own limit allows about three times as much. */
export const FILTER_DEPTH_MAX = 250
/**
 * Maximum number of conditions. Each segment of an attribute's path and each value inside one that is compared as JSON
 * counts as one more, each phrase of `content` as ten. The cost of the resulting statement has a limit of its own:
 * `COST_MAX`.
 */
export const CONDITIONS_MAX = 1_000
/** Values of one `in` or `not_in`. */
export const LIST_VALUES_MAX = 100_000
/** Values of all `in` and `not_in` in a filter. */
export const FILTER_VALUES_MAX = 200_000
/** UTF-8 bytes of one text in a filter. */
export const TEXT_BYTES_MAX = 32_768
/**
 * Characters of a `like` pattern, and how many of them may be `%` or `_`. The engine matches longer ones in a time that
 * grows with the product of pattern and value, and does not stop before it has matched a block of values.
 */
export const PATTERN_LENGTH_MAX = 1_000
export const PATTERN_WILDCARDS_MAX = 100
/** Segments of an attribute path. */
export const PATH_SEGMENTS_MAX = 64
/** Nesting of a value that is compared as JSON. */
export const VALUE_DEPTH_MAX = 32
/** Words in one `content` condition. */
export const CONTENT_WORDS_MAX = 100
