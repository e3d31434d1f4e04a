import type { Means } from '../run.ts'
import { codePointLength } from '../work/code-points.ts'

/** What is embedded with when nothing else is said. */
export const EMBEDDING_MODEL = 'text-embedding-3-small'

/** One minus the edits that make one text of the other, relative to the longer one; two empty texts are alike (5.5). */
export async function editSimilarity(means: Means, a: string, b: string): Promise<number> {
  // First, since it refuses what is too long to be counted in no time.
  const distance = await means.compute('editDistance', a, b)
  const longest = Math.max(codePointLength(a), codePointLength(b))
  return longest === 0 ? 1 : 1 - distance / longest
}

/** The ratio of Ratcliff and Obershelp (5.6). */
export const blockSimilarity = (means: Means, a: string, b: string): Promise<number> =>
  means.compute('matchingRatio', a, b)

/** The cosine of the embeddings, -1 to 1; 0 when one of them has no length (5.7). */
export async function embeddingSimilarity(
  means: Means,
  model: string,
  texts: readonly [string, string],
): Promise<number> {
  const [a = [], b = []] = await means.embed({ model, texts })
  const norm = Math.sqrt(product(a, a) * product(b, b))
  return norm === 0 ? 0 : product(a, b) / norm
}

const product = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
