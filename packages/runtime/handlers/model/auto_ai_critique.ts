import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import type { Handler } from '../../handler.ts'
import { judge } from '../../prompt/judge.ts'
import { TEMPLATE_FORMATS } from '../../prompt/template.ts'
import {
  closed,
  field,
  OPTIONAL_CORRECT_ANSWER_KEY,
  open,
  SCORE_AND_SUCCESS,
  THRESHOLD,
  typed,
} from '../../schema/schema-parts.ts'
import { DEFAULT_RUBRIC, judgeSchema, RUBRICS } from './judge-rubrics.ts'

const PARAMETERS = closed(
  {
    prompt_template: { ...typed('messages', 'The messages sent to the judge.'), type: 'array', title: 'Prompt' },
    model: {
      ...field('string', {
        title: 'Model',
        description: 'The model that judges.',
        widget: 'grouped_choice',
        default: 'gpt-4o',
      }),
      'x-ag-type-ref': 'model',
    },
    connection: field(['string', 'null'], {
      title: 'Connection',
      description: 'The slug of the saved provider key to use.',
      widget: 'hidden',
    }),
    temperature: field(
      'number',
      {
        title: 'Temperature',
        description: 'Sampling temperature; 0 if not set.',
        widget: 'float',
        isAdvanced: true,
      },
      { minimum: 0, maximum: 2 },
    ),
    response_type: field(
      'string',
      { title: 'Response type', description: 'The form of the answer.', widget: 'hidden', default: 'json_schema' },
      { enum: ['text', 'json_object', 'json_schema'] },
    ),
    json_schema: field('object', {
      title: 'Feedback',
      description: 'Name and JSON Schema of the answer.',
      widget: 'llm_response_schema',
    }),
    version: field(
      'string',
      {
        title: 'Version',
        description: 'Determines the defaults of the other settings.',
        widget: 'hidden',
        default: '5',
      },
      { enum: ['1', '2', '3', '4', '5'] },
    ),
    template_format: field(
      'string',
      {
        title: 'Template format',
        description: 'How placeholders are written in the prompt.',
        widget: 'choice',
        isAdvanced: true,
      },
      { enum: [...TEMPLATE_FORMATS] },
    ),
    correct_answer_key: OPTIONAL_CORRECT_ANSWER_KEY,
    threshold: THRESHOLD,
  },
  ['prompt_template'],
)

/** Evaluates with a model as the judge. */
export const autoAiCritique: Handler = {
  key: 'auto_ai_critique',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: {
    parameters: PARAMETERS,
    inputs: open(),
    outputs: closed({ score: { type: 'boolean' } }, ['score']),
  },
  template: {
    name: 'LLM-as-a-judge',
    description: 'Asks a model to judge the output and returns its structured answer.',
    categories: ['ai_llm'],
    parameters: {
      prompt_template: DEFAULT_RUBRIC,
      json_schema: judgeSchema({ score: { type: 'boolean', description: 'Whether the output is good.' } }),
    },
    presets: RUBRICS,
  },
  legacy: { directUse: false, requiresModel: true },
  run: judge,
  inferOutputs: answerSchemaOf,
  surfaceOutputs: parameters => answerSchemaOf(parameters) ?? SCORE_AND_SUCCESS,
}

function answerSchemaOf({ json_schema }: JsonObject): Json | undefined {
  return isJsonObject(json_schema) ? json_schema.schema : undefined
}
