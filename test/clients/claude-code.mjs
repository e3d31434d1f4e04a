import { query } from '@anthropic-ai/claude-agent-sdk'
import { askClaude } from './claude-agents.mjs'
import { COLLECTOR, save, startTracing } from './recording.mjs'

startTracing()
await askClaude(query, {
  CLAUDE_CODE_ENABLE_TELEMETRY: '1',
  CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR,
  OTEL_LOG_USER_PROMPTS: '1',
  OTEL_LOG_TOOL_CONTENT: '1',
})
await save('claude-code')
