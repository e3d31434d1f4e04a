import { isJsonObject, type Json } from '@spanhouse/model'
import type { Segment } from '../target.ts'
import { DeltaRefusal } from './delta-refusal.ts'

const DEPTH_MAX = 64
const TEXT_LENGTH_MAX = 200_000
const EMBED = '@ag.embed'
const KNOWN_MARKERS = new Set([EMBED, '@ag.references', '@ag.selector'])
const FILE_MARKER = '@ag.file'

/** Rejects what no delta may contain at any depth: excessive nesting, long texts, unknown markers, broken embeds. */
export function checkDelta(value: Json, depth = 1): void {
  if (typeof value === 'string' && value.length > TEXT_LENGTH_MAX)
    throw new DeltaRefusal('text_too_large', `A text is longer than ${TEXT_LENGTH_MAX} characters.`)
  const members = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []
  if (depth > DEPTH_MAX && (Array.isArray(value) || isJsonObject(value)))
    throw new DeltaRefusal('value_too_deep', `The delta is nested more than ${DEPTH_MAX} levels deep.`)
  if (isJsonObject(value)) for (const [name, member] of Object.entries(value)) checkMarker(name, member)
  for (const member of members) checkDelta(member, depth + 1)
}

/** Rejects a target that would create a member which no delta may contain. */
export function checkTarget(target: readonly Segment[], value: Json | undefined): void {
  for (const [index, segment] of target.entries())
    if (typeof segment === 'string') checkMarker(segment, index === target.length - 1 ? value : undefined)
}

/** A member without a value is one on the path to another. */
function checkMarker(name: string, value: Json | undefined): void {
  if (!name.startsWith('@ag.')) return
  if (name.startsWith(FILE_MARKER))
    throw new DeltaRefusal('unresolved_file_marker', `${name} refers to a file that was not resolved.`)
  if (!KNOWN_MARKERS.has(name)) throw new DeltaRefusal('unknown_marker', `${name} is not a known marker.`)
  if (name === EMBED && value !== undefined && !isEmbed(value))
    throw new DeltaRefusal('invalid_embed', `${EMBED} must contain @ag.references with at least one reference.`)
}

function isEmbed(value: Json): boolean {
  const references = isJsonObject(value) ? value['@ag.references'] : undefined
  if (!isJsonObject(references)) return false
  const entries = Object.values(references)
  return entries.length > 0 && entries.every(isJsonObject)
}
