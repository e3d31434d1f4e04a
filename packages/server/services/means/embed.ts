import type { Uuid } from '@spanhouse/model'
import type { Models } from '@spanhouse/models'
import type { Means, RunContext, SpanStart } from '@spanhouse/runtime'
import { modelRunError } from './model-run-error.ts'
import type { ModelRoutes } from './model-secrets.ts'

/** Embeds texts; see `Means.embed`. The span records the number of vectors, not their contents. */
export async function callEmbedding(
  {
    models,
    secrets,
    project_id,
    context,
  }: { models: Models; secrets: ModelRoutes; project_id: Uuid; context: RunContext },
  { model, connection, texts }: Parameters<Means['embed']>[0],
): Promise<number[][]> {
  const start: SpanStart = {
    name: 'llm.embedding',
    type: 'embedding',
    kind: 'SPAN_KIND_CLIENT',
    inputs: { prompt: [...texts] },
    parameters: { model },
    asError: modelRunError,
  }
  try {
    return await context.trace.during(start, async notes => {
      const found = await secrets.routeTo(project_id, model, connection)
      notes.meta = { provider: { name: found.provider }, request: { model } }
      const {
        embeddings,
        usage,
        model: answered,
      } = await models.callEmbedding(found, { values: texts, signal: context.signal })
      notes.meta = { ...notes.meta, response: { model: answered } }
      notes.outputs = { count: embeddings.length, dimensions: embeddings[0]?.length ?? 0 }
      if (usage) notes.tokens = { prompt: usage.prompt, total: usage.total }
      return embeddings
    })
  } catch (error) {
    throw modelRunError(error)
  }
}
