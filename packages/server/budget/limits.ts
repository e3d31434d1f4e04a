import type { JsonBounds } from '@spanhouse/model'

const KiB = 1024
const MiB = 1024 * KiB

/** Bodies of public endpoints, as received and after decompression. */
export const PUBLIC_BODY_BYTES_MAX = 64 * KiB
/** The default limit of bodies. */
export const BODY_BYTES_MAX = MiB
/** Queries, which may list a hundred thousand ids. */
export const QUERY_BODY_BYTES_MAX = 8 * MiB
/** Bodies with content to store: spans, simple traces, revisions. */
export const CONTENT_BODY_BYTES_MAX = 32 * MiB

/** Nesting depth of objects and lists in a body; stored content may be limited to less. */
const DEPTH_MAX = 2_000
/** Of the largest bodies. */
const VALUES_MAX = 1_000_000
/**
 * A smaller body may have one value per this many bytes, since a value can be written in two bytes and takes 50 or more
 * in memory.
 */
const BYTES_PER_VALUE = 8
/** Of one object. */
const MEMBERS_MAX = 100_000
const DIGITS_MAX = 1_000

/**
 * How long a request may wait for its slot and use the stores, from when its body has been read, with all statements
 * together. A statement has a shorter limit of its own.
 */
export const REQUEST_MS_MAX = 25_000

/** The bounds of a JSON body with at most this many bytes. */
export const jsonBounds = (bodyBytesMax: number): JsonBounds => ({
  depthMax: DEPTH_MAX,
  valuesMax: Math.min(VALUES_MAX, bodyBytesMax / BYTES_PER_VALUE),
  membersMax: MEMBERS_MAX,
  digitsMax: DIGITS_MAX,
})

/** The memory of a value besides its text: an empty object takes 56 bytes, plus a slot in a list. */
const VALUE_BYTES = 64

/** An estimate of the memory that a parsed text takes. */
export const parsedBytes = (text: Uint8Array, values: number): number => text.length + values * VALUE_BYTES
