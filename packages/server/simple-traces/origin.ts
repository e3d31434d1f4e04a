import type { JsonObject } from '@spanhouse/model'
import type { Surface } from './surfaces.ts'

/** Who created a simple trace, for what purpose, and through which channel. */
export const ORIGINS = ['custom', 'human', 'auto'] as const
export const TRACE_KINDS = ['adhoc', 'eval', 'play'] as const
export const CHANNELS = ['otlp', 'web', 'sdk', 'api'] as const

export interface Provenance {
  origin: (typeof ORIGINS)[number]
  kind: (typeof TRACE_KINDS)[number]
  channel: (typeof CHANNELS)[number]
}

export const USUAL: Provenance = { origin: 'custom', kind: 'adhoc', channel: 'api' }

/** The member and value that each flag sets. A member without a set flag has its remaining value. */
const FLAGS: readonly [flag: string, member: keyof Provenance, value: string][] = [
  ['is_custom', 'origin', 'custom'],
  ['is_feedback', 'origin', 'human'],
  ['is_auto', 'origin', 'auto'],
  ['is_evaluation', 'kind', 'eval'],
  ['is_play', 'kind', 'play'],
  ['is_sdk', 'channel', 'sdk'],
  ['is_web', 'channel', 'web'],
  ['is_otlp', 'channel', 'otlp'],
]

/** `ag.flags` of a new simple trace. */
export function flagsOf({ flags, storesFalse }: Surface, provenance: Provenance): JsonObject {
  const all = FLAGS.map(([flag, member, value]) => [flag, provenance[member] === value] as const)
  return { ...flags, ...Object.fromEntries(all.filter(([, isSet]) => isSet || storesFalse)) }
}

/**
 * The provenance in the flags of a stored simple trace, including those of other clients, which set only some flags.
 */
export function provenanceOf({ storesFalse }: Surface, flags: JsonObject): Provenance {
  const found = (member: keyof Provenance): string | undefined =>
    FLAGS.find(([flag, of]) => of === member && flags[flag] === true)?.[2]
  const silent = storesFalse ? 'auto' : 'custom'
  return {
    origin: found('origin') ?? silent,
    kind: found('kind') ?? 'adhoc',
    channel: found('channel') ?? 'api',
  } as Provenance
}

const set = (flag: string): object => ({ field: 'attributes', key: `ag.flags.${flag}`, operator: 'is', value: true })
/** A missing flag is not set. */
const unset = (flag: string): object => ({ ...set(flag), operator: 'is_not' })

/** The conditions on flags when querying for a value. Values that older traces do not distinguish have no condition. */
export const CONDITIONS: { [M in keyof Provenance]: Record<Provenance[M], readonly object[]> } = {
  origin: { human: [set('is_feedback')], custom: [set('is_custom')], auto: [unset('is_feedback'), unset('is_custom')] },
  kind: { eval: [set('is_evaluation')], adhoc: [unset('is_evaluation')], play: [] },
  channel: { sdk: [set('is_sdk')], web: [set('is_web')], api: [unset('is_sdk'), unset('is_web')], otlp: [] },
}
