import * as sdk from '@anthropic-ai/claude-agent-sdk'
import { ClaudeAgentSDKInstrumentation } from '@arizeai/openinference-instrumentation-claude-agent-sdk'
import { askClaude } from './claude-agents.mjs'
import { save, startTracing } from './recording.mjs'

startTracing()
const instrumented = { ...sdk }
new ClaudeAgentSDKInstrumentation().manuallyInstrument(instrumented)
await askClaude(instrumented.query)
await save('openinference-claude-agent-sdk')
