import type { JsonBounds } from '@spanhouse/model'

const KiB = 1024
const MiB = 1024 * KiB

/** Bodies of endpoints that anybody may call, as received and once decompressed. */
export const PUBLIC_BODY_BYTES_MAX = 64 * KiB
/** Bodies of endpoints that say nothing else. */
export const BODY_BYTES_MAX = MiB
/** Queries, which may list a hundred thousand ids. */
export const QUERY_BODY_BYTES_MAX = 8 * MiB
/** Bodies that carry what is stored: spans, records, revisions. */
export const CONTENT_BODY_BYTES_MAX = 32 * MiB

/** Objects and lists inside each other in a body; what is stored may be nested less deeply yet. */
const DEPTH_MAX = 2_000
/** Of the largest bodies. */
const VALUES_MAX = 1_000_000
/** A smaller body may have one value for so many bytes, since a value may be written in two and takes 50 or more. */
const BYTES_PER_VALUE = 8
/** Of one object. */
const MEMBERS_MAX = 100_000
const DIGITS_MAX = 1_000

/** What a JSON body of so many bytes at most may come to. */
export const jsonBounds = (bodyBytesMax: number): JsonBounds => ({
  depthMax: DEPTH_MAX,
  valuesMax: Math.min(VALUES_MAX, bodyBytesMax / BYTES_PER_VALUE),
  membersMax: MEMBERS_MAX,
  digitsMax: DIGITS_MAX,
})

/** What a value takes in memory beside its text: an empty object has 56 bytes, and a place in a list. */
const VALUE_BYTES = 64

/** An estimate of what parsing makes of a text. */
export const parsedBytes = (text: Uint8Array, values: number): number => text.length + values * VALUE_BYTES
