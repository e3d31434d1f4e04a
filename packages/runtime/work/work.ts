import { renderTemplates } from '../prompt/render.ts'
import { containsTexts } from './contains-texts.ts'
import { editDistance } from './edit-distance.ts'
import { matchingRatio } from './matching-ratio.ts'

/** Pure functions whose cost grows faster than their input. */
export const WORK = { containsTexts, editDistance, matchingRatio, renderTemplates } as const

export type Work = typeof WORK
export type WorkName = keyof Work
