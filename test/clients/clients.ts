/** A recorded run of a client: what it sends when an application answers a question. */
export interface Client {
  /** Of its fixture in `packages/otlp/fixtures`. */
  fixture: string
  /** The npm packages that create its spans. */
  packages: string
}

const LANGCHAIN = '`@langchain/openai` 1.5.8'

/** In the order of the documentation. */
export const CLIENTS: readonly Client[] = [
  { fixture: 'opentelemetry-openai', packages: '`@opentelemetry/instrumentation-openai` 0.21.0' },
  { fixture: 'opentelemetry-bedrock', packages: '`@opentelemetry/instrumentation-aws-sdk` 0.78.0, Bedrock' },
  { fixture: 'anthropic-sdk', packages: '`@anthropic-ai/sdk` 1.12.0, which records spans of its own' },
  { fixture: 'vercel-ai-5', packages: '`ai` 5.0.277' },
  { fixture: 'vercel-ai-5-anthropic', packages: '`ai` 5.0.277, `@ai-sdk/anthropic` 2.0.112, thinking and images' },
  { fixture: 'vercel-ai-6', packages: '`ai` 6.0.326' },
  { fixture: 'vercel-ai-6-embeddings', packages: '`ai` 6.0.326, in a request to a server' },
  { fixture: 'vercel-ai-7', packages: '`ai` 7.0.173 with `@ai-sdk/otel` 1.0.173' },
  {
    fixture: 'vercel-ai-7-agent',
    packages: '`ai` 7.0.173 with `@ai-sdk/otel` 1.0.173, agents, thinking, images and a stream that is aborted',
  },
  {
    fixture: 'vercel-ai-7-context',
    packages: '`ai` 7.0.173 with `@ai-sdk/otel` 1.0.173, with a context and documents that are ranked',
  },
  { fixture: 'openinference-openai', packages: '`@arizeai/openinference-instrumentation-openai` 4.2.7' },
  { fixture: 'openinference-openai-parts', packages: '`@arizeai/openinference-instrumentation-openai` 4.2.7, images' },
  { fixture: 'openinference-anthropic', packages: '`@arizeai/openinference-instrumentation-anthropic` 0.2.8' },
  {
    fixture: 'openinference-openai-responses',
    packages: '`@arizeai/openinference-instrumentation-openai` 4.2.7, responses',
  },
  {
    fixture: 'openinference-anthropic-thinking',
    packages: '`@arizeai/openinference-instrumentation-anthropic` 0.2.8, thinking and images',
  },
  {
    fixture: 'openinference-parts',
    packages:
      '`@arizeai/openinference-instrumentation-anthropic` 0.2.8 and `-openai` 4.2.7, documents, audio and results of tools',
  },
  { fixture: 'openinference-langchain', packages: '`@arizeai/openinference-instrumentation-langchain` 4.1.1' },
  {
    fixture: 'openinference-langchain-openai',
    packages: '`@arizeai/openinference-instrumentation-langchain` 4.1.1 and `-openai` 4.2.7 together',
  },
  {
    fixture: 'openinference-langchain-agent',
    packages: '`langchain` 1.5.14 with `@arizeai/openinference-instrumentation-langchain` 4.1.1',
  },
  { fixture: 'openinference-bedrock', packages: '`@arizeai/openinference-instrumentation-bedrock` 0.5.1' },
  {
    fixture: 'openinference-claude-agent-sdk',
    packages: '`@arizeai/openinference-instrumentation-claude-agent-sdk` 0.3.1',
  },
  { fixture: 'openinference-vercel-ai', packages: '`@arizeai/openinference-vercel` 3.2.1' },
  {
    fixture: 'openai-agents',
    packages: '`@openai/agents` 0.20.0 with `@arizeai/openinference-instrumentation-openai-agents` 0.2.15',
  },
  { fixture: 'openllmetry-openai', packages: '`@traceloop/instrumentation-openai` 0.27.0' },
  { fixture: 'openllmetry-langchain', packages: '`@traceloop/instrumentation-langchain` 0.27.0' },
  {
    fixture: 'openllmetry-anthropic',
    packages: '`@traceloop/instrumentation-anthropic` 0.27.0, `@anthropic-ai/sdk` 0.137.0',
  },
  {
    fixture: 'openllmetry-mcp',
    packages: '`@traceloop/instrumentation-mcp` 0.27.0, `@modelcontextprotocol/sdk` 1.32.2',
  },
  { fixture: 'openllmetry-sdk', packages: '`@traceloop/node-server-sdk` 0.27.0' },
  { fixture: 'langfuse-sdk', packages: '`@langfuse/tracing` and `@langfuse/openai` 5.11.1' },
  { fixture: 'langfuse-langchain', packages: `\`@langfuse/langchain\` 5.11.1, ${LANGCHAIN}` },
  {
    fixture: 'langfuse-langchain-agent',
    packages: '`@langfuse/langchain` 5.11.1, `langchain` 1.5.14, agents and thinking',
  },
  { fixture: 'langsmith', packages: `\`langsmith\` 0.12.0, ${LANGCHAIN}` },
  {
    fixture: 'langsmith-anthropic',
    packages: '`langsmith` 0.12.0, `@anthropic-ai/sdk` 1.14.0, cached tokens and all kinds of spans',
  },
  { fixture: 'langwatch', packages: `\`langwatch\` 0.16.1, ${LANGCHAIN}` },
  { fixture: 'laminar', packages: '`@lmnr-ai/lmnr` 0.8.44' },
  { fixture: 'logfire', packages: '`@pydantic/logfire-node` 0.18.25, `ai` 6.0.326' },
  { fixture: 'openlit', packages: '`openlit` 1.15.0, `openai` 4.104.0' },
  { fixture: 'mastra', packages: '`@mastra/core` 1.71.0, `@mastra/otel-exporter` 1.4.0' },
  { fixture: 'strands', packages: '`@strands-agents/sdk` 1.16.0' },
  { fixture: 'genkit', packages: '`genkit` 1.42.0' },
  { fixture: 'google-adk', packages: '`@google/adk` 2.0.0' },
  { fixture: 'claude-code', packages: 'Claude Code of `@anthropic-ai/claude-agent-sdk` 0.3.332' },
  { fixture: 'codex', packages: 'Codex of `@openai/codex` 0.169.0' },
  { fixture: 'gemini-cli', packages: 'Gemini CLI of `@google/gemini-cli` 0.61.0' },
  { fixture: 'voltagent', packages: '`@voltagent/core` 2.10.0' },
  { fixture: 'tanstack-ai', packages: '`@tanstack/ai` 0.58.0 with `@tanstack/ai/middlewares/otel`' },
  { fixture: 'sentry', packages: '`@sentry/node` 10.78.0, `openai` 6.49.0' },
]
