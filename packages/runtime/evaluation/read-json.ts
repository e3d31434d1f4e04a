import { type Json, JsonBoundError, type JsonBounds, parseJsonInTurns, scanJson } from '@spanhouse/model'

/** The same limits as for a request. */
const BOUNDS: JsonBounds = { depthMax: 2_000, valuesMax: 1_000_000, membersMax: 100_000, digitsMax: 1_000 }

/**
 * The value of a JSON text; undefined if it is invalid or exceeds the limits of a request. Integers keep their digits.
 * Yields to other work while it reads long texts.
 */
export async function readJson(text: string): Promise<Json | undefined> {
  const bytes = Buffer.from(text)
  try {
    await scanJson(bytes, BOUNDS)
    return await parseJsonInTurns(bytes)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonBoundError || error instanceof RangeError) return undefined
    throw error
  }
}
