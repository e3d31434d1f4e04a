/** What every call of a model uses. */
export const USAGE = { prompt: 140, cached: 100, completion: 24, reasoning: 8 }
export const ANSWER = 'It is sunny in Bari.'
/** Requests for this model fail. */
export const MISSING_MODEL = 'no-such-model'
