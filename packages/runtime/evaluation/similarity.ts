import { codePointLength } from '../code-points.ts'
import type { Means } from '../run.ts'

/** The default embedding model. */
export const EMBEDDING_MODEL = 'text-embedding-3-small'

/** One minus the edit distance relative to the longer text; 1 for two empty texts (5.5). */
export async function editSimilarity(means: Means, a: string, b: string): Promise<number> {
  // First, since it rejects texts that are too long before their characters are counted.
  const distance = await means.compute('editDistance', a, b)
  const longest = Math.max(codePointLength(a), codePointLength(b))
  return longest === 0 ? 1 : 1 - distance / longest
}

/** The cosine of the embeddings, from -1 to 1; 0 if the norm of one of them is 0 (5.7). */
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
