import { ANSWER, USAGE } from './fake-answer.mjs'

const MESSAGE = /^\/(?:v1[^/]*)\/(?:projects\/.*)?models\/([^/:]+):(\w+)$/

const usageMetadata = {
  promptTokenCount: USAGE.prompt,
  cachedContentTokenCount: USAGE.cached,
  // Thoughts are counted beside the answer.
  candidatesTokenCount: USAGE.completion - USAGE.reasoning,
  thoughtsTokenCount: USAGE.reasoning,
  totalTokenCount: USAGE.prompt + USAGE.completion,
}

/** A call of the tool for the weather, which a client may have given a longer name. */
const callOf = declared => {
  const { name } = declared.find(one => one.name.endsWith('weather')) ?? { name: 'weather' }
  return { functionCall: { id: 'call_1', name, args: { city: 'Bari' } } }
}
const THOUGHT = { text: 'Bari is in the south.', thought: true }

function generated(model, { tools, contents = [], generationConfig = {} }) {
  const isResult = contents.at(-1)?.parts?.some(({ functionResponse }) => functionResponse)
  const declared = tools?.flatMap(({ functionDeclarations = [] }) => functionDeclarations) ?? []
  const isCall = declared.length > 0 && !isResult
  const answer = { text: generationConfig.responseMimeType ? '{"city":"Bari","sunny":true}' : ANSWER }
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [THOUGHT, isCall ? callOf(declared) : answer] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata,
    modelVersion: `${model}-001`,
    responseId: 'resp_1',
  }
}

function chunks(whole) {
  const [{ content, finishReason }] = whole.candidates
  return content.parts.map((part, index) => ({
    ...whole,
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [part] },
        ...(index === content.parts.length - 1 && { finishReason }),
      },
    ],
  }))
}

const METHODS = {
  generateContent: generated,
  streamGenerateContent: (model, body) => chunks(generated(model, body)),
  embedContent: () => ({ embedding: { values: [0.5, 0.25] } }),
  batchEmbedContents: (_, { requests }) => ({ embeddings: requests.map(() => ({ values: [0.5, 0.25] })) }),
}

/** What Gemini's API responds to this path: an object, or the chunks of a stream. Undefined for other APIs. */
export function gemini(path, body) {
  const [, model, method] = MESSAGE.exec(path) ?? []
  return METHODS[method]?.(model, body)
}

export const modelIn = path => MESSAGE.exec(path)?.[1]
