import type { OpenedModels } from './opened-models.ts'
import type { ProviderRoute } from './route.ts'
import { toModelError } from './to-model-error.ts'

export interface EmbeddingRequest {
  values: readonly string[]
  signal?: AbortSignal
}

export interface EmbeddingReply {
  /** One vector per value, in order, all of one length. */
  embeddings: number[][]
  /** Absent if the provider does not report it. */
  usage?: { prompt: number; total: number }
  model: string
}

/** Calls an embedding model, in as many calls as the provider's limit requires; see `Models.callEmbedding`. */
export async function embed(
  route: ProviderRoute,
  { values, signal }: EmbeddingRequest,
  models: OpenedModels,
): Promise<EmbeddingReply> {
  try {
    const model = await models.embedding(route)
    const batchMax = (await model.maxEmbeddingsPerCall) ?? values.length
    const embeddings: number[][] = []
    let tokens: number | undefined
    for (let from = 0; from < values.length; from += batchMax) {
      const batch = values.slice(from, from + batchMax)
      const answer = await model.doEmbed({ values: batch, abortSignal: signal })
      if (answer.embeddings.length !== batch.length) throw miscounted(answer.embeddings.length, batch.length)
      embeddings.push(...answer.embeddings)
      if (answer.usage) tokens = (tokens ?? 0) + answer.usage.tokens
    }
    checkLengths(embeddings)
    return {
      embeddings,
      usage: tokens === undefined ? undefined : { prompt: tokens, total: tokens },
      model: route.model,
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw toModelError(error, { key: route.key, isPartial: false })
  }
}

const miscounted = (count: number, expected: number): Error =>
  new Error(`The provider's response has ${count} ${count === 1 ? 'vector' : 'vectors'} for ${expected} texts.`)

/** Vectors of different lengths cannot be compared. */
function checkLengths(vectors: number[][]): void {
  const [length, other] = new Set(vectors.map(vector => vector.length))
  if (other !== undefined) throw new Error(`The provider's response has vectors of ${length} and ${other} numbers.`)
  if (length === 0) throw new Error("The provider's response has a vector without numbers.")
}
