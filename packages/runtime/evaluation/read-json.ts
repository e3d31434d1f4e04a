import { type Json, JsonBoundError, type JsonBounds, parseJsonInTurns, scanJson } from '@spanhouse/model'

/** As much as a request may hold. */
const BOUNDS: JsonBounds = { depthMax: 2_000, valuesMax: 1_000_000, membersMax: 100_000, digitsMax: 1_000 }

/**
 * The value of a JSON text, undefined when it is none or goes beyond what a request may hold. Integers keep their digits.
 * Others have their turn while a long text is read.
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
