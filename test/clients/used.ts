/** What a recorded run used, counted by hand: from the model server that answered and the script that was recorded. */
export interface Used {
  /** What the calls of models used, each counted once. */
  tokens: [prompt: number, completion: number]
  microdollars: number
  errors: number
  session?: string
  user?: string
}

const KNOWN = { session: 'chat-42', user: 'ada' }

/** By fixture: 140 + 24 tokens per call, 8 per embedding. */
export const USED: Record<string, Used> = {
  'opentelemetry-openai': { tokens: [148, 24], microdollars: 35.56, errors: 1 },
  'anthropic-sdk': { tokens: [140, 24], microdollars: 136, errors: 1 },
  'vercel-ai-6-embeddings': { tokens: [5 * 140 + 16, 5 * 24], microdollars: 147.32, errors: 1, ...KNOWN },
  'vercel-ai-7': { tokens: [5 * 140 + 16, 5 * 24], microdollars: 139.82, errors: 1 },
  'openinference-openai-parts': { tokens: [280, 48], microdollars: 55.8, errors: 0, ...KNOWN },
  'openinference-anthropic': { tokens: [280, 48], microdollars: 272, errors: 1, ...KNOWN },
  'openinference-parts': { tokens: [280, 48], microdollars: 136 + 27.9, errors: 0 },
  'openinference-langchain-openai': { tokens: [280, 48], microdollars: 55.8, errors: 0 },
  'openai-agents': { tokens: [280, 48], microdollars: 55.8, errors: 1 },
  'openllmetry-sdk': { tokens: [280, 48], microdollars: 171.4, errors: 0, ...KNOWN },
  'langfuse-sdk': { tokens: [288, 48], microdollars: 30_028.06, errors: 1, ...KNOWN },
  'langfuse-langchain': { tokens: [140, 24], microdollars: 27.9, errors: 1, ...KNOWN },
  'langfuse-langchain-agent': { tokens: [3 * 140, 3 * 24], microdollars: 191.8, errors: 0, ...KNOWN },
  langsmith: { tokens: [140, 24], microdollars: 27.9, errors: 1, ...KNOWN },
  'langsmith-anthropic': { tokens: [280, 48], microdollars: 182.3, errors: 0, ...KNOWN },
  // One of the calls has a cost of its own, the others are at the price of 140 tokens that were not cached, and 24.
  langwatch: { tokens: [290, 50], microdollars: 2000 + 2 * 35.4, errors: 1, ...KNOWN },
  laminar: { tokens: [280, 48], microdollars: 5000 + 35.4, errors: 1, ...KNOWN },
  logfire: { tokens: [140, 24], microdollars: 27.9, errors: 1 },
  openlit: { tokens: [288, 48], microdollars: 70.96, errors: 1, ...KNOWN },
  mastra: { tokens: [280, 48], microdollars: 55.8, errors: 1, ...KNOWN },
  strands: { tokens: [280, 48], microdollars: 55.8, errors: 1, ...KNOWN },
  'opentelemetry-bedrock': { tokens: [2 * 140 + 40, 3 * 24], microdollars: 544, errors: 1 },
  'openinference-openai-responses': { tokens: [3 * 140, 3 * 24], microdollars: 83.7, errors: 0 },
  'openinference-anthropic-thinking': { tokens: [280, 48], microdollars: 272, errors: 0 },
  'openinference-bedrock': { tokens: [3 * 140, 3 * 24], microdollars: 552, errors: 1 },
  'openinference-langchain-agent': { tokens: [3 * 140, 3 * 24], microdollars: 191.8, errors: 0, ...KNOWN },
  // It sends no cached tokens, but what all tokens cost.
  'openinference-claude-agent-sdk': {
    tokens: [80, 48],
    microdollars: 272,
    errors: 0,
    session: '345ea8b1-d3a1-4e02-9491-b845200ae79c',
  },
  'openllmetry-anthropic': { tokens: [3 * 140, 3 * 24], microdollars: 408, errors: 1 },
  'vercel-ai-5-anthropic': { tokens: [4 * 140, 4 * 24], microdollars: 544, errors: 0, ...KNOWN },
  'vercel-ai-7-context': { tokens: [4 * 140 + 16, 4 * 24], microdollars: 111.92, errors: 0, ...KNOWN },
  'vercel-ai-7-agent': { tokens: [4 * 140, 4 * 24], microdollars: 435.9, errors: 1 },
  'google-adk': { tokens: [280, 48], microdollars: 150, errors: 0, session: 'chat-42' },
  'claude-code': {
    tokens: [280, 48],
    microdollars: 272,
    errors: 0,
    session: '85175937-d7ca-4810-adfa-2e301cfbfadf',
    user: '58efc438aa4b1669e2480e7d49cdac4ea22557b29b89474e80d43b50f4d54cf9',
  },
  // Its calls tell no model, so they have no costs.
  codex: { tokens: [280, 48], microdollars: 0, errors: 0, session: '01a22b3c-44fc-77e1-86c7-595421762951' },
  // It counts neither thoughts nor cached tokens: 140 at $0.3 and 16 at $2.5 per million for each call.
  'gemini-cli': { tokens: [280, 32], microdollars: 164, errors: 1, session: '4dec3593-c879-46f5-bc50-36e34a7123c6' },
  // Its span of an agent's calls tells the model, but only what the last one used.
  voltagent: { tokens: [3 * 140, 3 * 24], microdollars: 55.8, errors: 1, ...KNOWN },
  'tanstack-ai': { tokens: [280, 48], microdollars: 55.8, errors: 1 },
  // These two tell of no error but the status.
  'openllmetry-mcp': { tokens: [0, 0], microdollars: 0, errors: 0 },
  sentry: { tokens: [288, 48], microdollars: 55.96, errors: 0, session: 'chat-42' },
  // An older recording server: 42 + 9 tokens per call, 16 of the 42 cached where the client reports it, 8 per
  // embedding.
  'vercel-ai-5': { tokens: [5 * 42 + 8, 5 * 9], microdollars: 57.46, errors: 1, session: 'chat-42', user: 'u-7' },
  'vercel-ai-6': { tokens: [5 * 42 + 8, 5 * 9], microdollars: 53.86, errors: 1, session: 'chat-42', user: 'u-7' },
  'openinference-openai': { tokens: [3 * 42, 3 * 9], microdollars: 31.5, errors: 0 },
  'openinference-langchain': { tokens: [2 * 42, 2 * 9], microdollars: 21, errors: 0, session: 'chat-42' },
  'openinference-vercel-ai': { tokens: [2 * 42, 2 * 9], microdollars: 21, errors: 0, session: 'chat-42', user: 'u-7' },
  'openllmetry-openai': { tokens: [2 * 42 + 9, 2 * 9 + 6], microdollars: 28.35, errors: 0 },
  'openllmetry-langchain': { tokens: [4 * 42, 4 * 9], microdollars: 46.8, errors: 0, session: 'chat-42' },
  genkit: { tokens: [280, 48], microdollars: 0, errors: 1 },
}
