import type { JsonObject } from '@spanhouse/model'

/** A score, and whether it reaches the threshold. */
export const graded = (score: number, threshold: number): JsonObject => ({ score, success: score >= threshold })
