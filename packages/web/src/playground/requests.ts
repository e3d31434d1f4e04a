import type { Json, JsonObject, Kind } from '../api/registry/registry.ts'
import type { Column } from './columns.ts'
import type { Row } from './rows.ts'
import type { RunBody, Scoring } from './runs.ts'
import { variablesIn } from './variables.ts'

const isChat = ({ revision }: Column): boolean => revision.flags?.is_chat === true

/**
 * The fields of a row that the columns need: what their placeholders name, the message of a chat, the expected answer.
 */
export function fieldsOf(kind: Kind, columns: readonly Column[]): string[] {
  const names = columns.flatMap(column => {
    const { parameters = {} } = column.configuration
    const expected = parameters.correct_answer_key
    return [
      ...(isChat(column) ? ['message'] : []),
      ...variablesIn(parameters),
      ...(kind === 'evaluator' && typeof expected === 'string' && expected !== '' ? [expected] : []),
    ]
  })
  return [...new Set(names)]
}

/** What a row without inputs means for the columns. */
export function withoutInputs(columns: readonly Column[]): string {
  const has = (flag: string): boolean => columns.some(({ revision }) => revision.flags?.[flag] === true)
  const receiver = has('is_code') ? 'code' : has('is_hook') ? 'service' : undefined
  return receiver === undefined
    ? 'No inputs: the prompts have no placeholders such as {{question}}.'
    : `No inputs: the ${receiver} gets an empty object. “Add an input” gives every testcase one.`
}

/**
 * The request that runs a column with a row. The whole configuration is sent, so drafts run too; the references only
 * tell the trace what ran, and a draft is not a revision.
 */
export function runBody(kind: Kind, column: Column, row: Row): RunBody {
  const { revision, configuration, isDraft } = column
  const references = {
    [kind]: { id: revision.artifact_id },
    [`${kind}_variant`]: { id: revision.variant_id },
    ...(!isDraft && { [`${kind}_revision`]: { id: revision.id } }),
  }
  return {
    references,
    data: {
      inputs: isChat(column) ? withMessages(row.inputs) : row.inputs,
      revision: { data: { uri: revision.data?.uri, ...configuration } as JsonObject },
      ...(kind === 'evaluator' && { outputs: row.outputs ?? '' }),
      ...(kind === 'evaluator' && row.trace && { trace: row.trace }),
    },
  }
}

/** The history of a chat: that of the row, or the message that was typed. */
function withMessages({ message, ...inputs }: JsonObject): JsonObject {
  if (Array.isArray(inputs.messages)) return inputs
  return { ...inputs, messages: [{ role: 'user', content: message ?? '' }] }
}

/** How an evaluator scores the output for a row; the score is linked to the trace of the run. */
export const scoringBy =
  (evaluator_id: string, { inputs }: Row): Scoring =>
  ({ trace_id, span_id }, outputs: Json) => ({
    references: { evaluator: { id: evaluator_id } },
    data: { inputs, outputs },
    ...(trace_id && span_id && { links: { invocation: { trace_id, span_id } } }),
  })
