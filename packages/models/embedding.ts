import type { OpenedModels } from './opened-models.ts'
import type { ProviderRoute } from './route.ts'
import { toModelError } from './to-model-error.ts'

export interface EmbeddingRequest {
  values: readonly string[]
  signal?: AbortSignal
}

export interface EmbeddingReply {
  /** One for each value, in their order. */
  embeddings: number[][]
  /** Absent when the provider tells nothing. */
  usage?: { prompt: number; total: number }
  model: string
}

/** Calls an embedding model, as often as the values need by the provider's bound; see `Models.callEmbedding`. */
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
      const answer = await model.doEmbed({ values: values.slice(from, from + batchMax), abortSignal: signal })
      embeddings.push(...answer.embeddings)
      if (answer.usage) tokens = (tokens ?? 0) + answer.usage.tokens
    }
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
