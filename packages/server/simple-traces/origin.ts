import type { JsonObject } from '@spanhouse/model'
import type { Surface } from './surfaces.ts'

/** Who made a record, what for, and by which way it came. */
export const ORIGINS = ['custom', 'human', 'auto'] as const
export const TRACE_KINDS = ['adhoc', 'eval', 'play'] as const
export const CHANNELS = ['otlp', 'web', 'sdk', 'api'] as const

export interface Provenance {
  origin: (typeof ORIGINS)[number]
  kind: (typeof TRACE_KINDS)[number]
  channel: (typeof CHANNELS)[number]
}

export const USUAL: Provenance = { origin: 'custom', kind: 'adhoc', channel: 'api' }

/** Which member has which value when a flag is set. A member without a set flag has the value that is left. */
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

/** `ag.flags` of a new record. */
export function flagsOf({ flags, storesFalse }: Surface, provenance: Provenance): JsonObject {
  const all = FLAGS.map(([flag, member, value]) => [flag, provenance[member] === value] as const)
  return { ...flags, ...Object.fromEntries(all.filter(([, isSet]) => isSet || storesFalse)) }
}

/** What the flags of a stored record say, those of other clients included, who set only some. */
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
/** A flag that is missing is not set. */
const unset = (flag: string): object => ({ ...set(flag), operator: 'is_not' })

/** What a query for a value asks of the flags. The values that older records do not tell apart ask for nothing. */
export const CONDITIONS: { [M in keyof Provenance]: Record<Provenance[M], readonly object[]> } = {
  origin: { human: [set('is_feedback')], custom: [set('is_custom')], auto: [unset('is_feedback'), unset('is_custom')] },
  kind: { eval: [set('is_evaluation')], adhoc: [unset('is_evaluation')], play: [] },
  channel: { sdk: [set('is_sdk')], web: [set('is_web')], api: [unset('is_sdk'), unset('is_web')], otlp: [] },
}
