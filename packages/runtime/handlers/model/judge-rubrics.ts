import type { JsonObject } from '@spanhouse/model'
import type { Preset } from '../../handler.ts'

type Properties = Record<string, JsonObject>

/** The schema of the judge's response; every member is required. */
export function judgeSchema(properties: Properties): JsonObject {
  const schema = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
  return { name: 'schema', schema, strict: true }
}

const messages = (system: string, user: string): JsonObject[] => [
  { role: 'system', content: system },
  { role: 'user', content: user },
]

const BOTH = 'Inputs:\n{{inputs}}\n\nOutput to judge:\n{{outputs}}'
const OUTPUT_ONLY = 'Output to judge:\n{{outputs}}'

/** The default configuration of a new judge. */
export const DEFAULT_RUBRIC = messages(
  `You grade the output of another program.

Read the inputs it was given and the output it produced. Set score to true when the output does what the inputs ask for
and says nothing that is wrong; otherwise set it to false. When in doubt, set it to false.`,
  BOTH,
)

const HALLUCINATION = `You look for invented content.

Compare every claim in the output with the inputs. A claim is invented when the inputs neither state it nor imply it and
it is not general knowledge, or when it contradicts them. Omissions, poor style and unhelpful answers are not inventions.

Set score to true when at least one claim is invented. Set it to false when every claim is supported.`

const CONCISENESS = `You grade how concise an output is.

1.0: every sentence is needed to answer the inputs. 0.5: the answer is there, among repetition, preamble or digression.
0.0: most of the text could go without loss. Leaving out something the inputs ask for is not conciseness: grade only
the text that is there. Values in between are welcome.

Set score to the grade, and comment to one sentence that names what could be cut.`

const ANSWER_RELEVANCY = `You find out which question an output answers.

Read only the output. Write the one question that it answers best, as a user would have asked it, and set question to it.
Set score to 0 when the output avoids an answer: it is vague, declines, or says that it does not know. Otherwise set
score to 1.`

const HELPFULNESS = `You grade how much an output helps the person who asked.

1.0: the request is understood, answered correctly and completely, and can be acted on as it is. 0.5: parts are missing,
unclear, or need work before they are of use. 0.0: the request is missed, or the answer would do harm. Values in between
are welcome. Length and politeness count for nothing by themselves.

Set score to the grade, and reasoning to the decisive reasons in two sentences at most.`

const GRADE: JsonObject = { type: 'number', minimum: 0, maximum: 1, description: 'The grade, from 0 to 1.' }

interface Rubric {
  key: string
  name: string
  description: string
  system: string
  user: string
  answer: Properties
}

const preset = ({ key, name, description, system, user, answer }: Rubric): Preset => ({
  key,
  name,
  description,
  parameters: {
    prompt_template: messages(system, user),
    template_format: 'mustache',
    model: 'gpt-4o-mini',
    response_type: 'json_schema',
    json_schema: judgeSchema(answer),
    version: '5',
  },
})

/** Presets of the judge. */
export const RUBRICS: readonly Preset[] = [
  preset({
    key: 'hallucination',
    name: 'Hallucination Detection',
    description:
      'Whether the output claims what the inputs do not support. A true score is bad: something is invented.',
    system: HALLUCINATION,
    user: BOTH,
    answer: { score: { type: 'boolean', description: 'True when something is invented.' } },
  }),
  preset({
    key: 'conciseness',
    name: 'Conciseness',
    description: 'How much of the output is needed, from 0 to 1, and what could be cut.',
    system: CONCISENESS,
    user: BOTH,
    answer: { score: GRADE, comment: { type: 'string', description: 'What could be cut.' } },
  }),
  preset({
    key: 'answer_relevancy',
    name: 'Answer Relevancy',
    description: 'The question that the output answers, and whether it commits to an answer (1) or avoids one (0).',
    system: ANSWER_RELEVANCY,
    user: OUTPUT_ONLY,
    answer: {
      question: { type: 'string', description: 'The question that the output answers.' },
      score: { type: 'number', enum: [0, 1], description: '1 when the output commits to an answer.' },
    },
  }),
  preset({
    key: 'helpfulness',
    name: 'Helpfulness',
    description: 'How much the output helps, from 0 to 1, and why.',
    system: HELPFULNESS,
    user: BOTH,
    answer: { score: GRADE, reasoning: { type: 'string', description: 'The decisive reasons.' } },
  }),
]
