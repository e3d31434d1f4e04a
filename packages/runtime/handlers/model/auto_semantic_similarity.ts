import { expectedText, outputText } from '../../evaluation/judged.ts'
import { optionalText, thresholdOf } from '../../evaluation/parameters.ts'
import { EMBEDDING_MODEL, embeddingSimilarity } from '../../evaluation/similarity.ts'
import { graded } from '../../evaluation/verdict.ts'
import type { Handler } from '../../handler.ts'
import { CORRECT_ANSWER_KEY, closed, field, SCORE_AND_SUCCESS, THRESHOLD } from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    correct_answer_key: CORRECT_ANSWER_KEY,
    embedding_model: field('string', {
      title: 'Embedding model',
      description: 'The model that embeds both texts; text-embedding-3-small if not set.',
      widget: 'text',
      isAdvanced: true,
    }),
    threshold: THRESHOLD,
  },
  ['correct_answer_key'],
)

/** Compares the embeddings of both texts. */
export const autoSemanticSimilarity: Handler = {
  key: 'auto_semantic_similarity',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SCORE_AND_SUCCESS },
  template: {
    name: 'Semantic Similarity Match',
    description: 'The cosine of the embeddings of the output and the expected answer.',
    categories: ['similarity'],
  },
  legacy: { directUse: false, requiresModel: true },
  run: async run => {
    const model = optionalText(run.parameters, 'embedding_model', EMBEDDING_MODEL)
    const expected = await expectedText(run)
    const output = await outputText(run.outputs)
    const threshold = thresholdOf(run.parameters)
    return graded(await embeddingSimilarity(run.means, model, [output, expected]), threshold)
  },
}
