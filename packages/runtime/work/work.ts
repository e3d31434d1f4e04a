import { editDistance } from './edit-distance.ts'
import { matchingRatio } from './matching-ratio.ts'

/** Pure functions of two texts whose time grows faster than their lengths. */
export const WORK = { editDistance, matchingRatio } as const

export type WorkName = keyof typeof WORK
