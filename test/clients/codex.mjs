import { runCommandLine, WEATHER_SERVER } from './command-line.mjs'
import { COLLECTOR, MODEL, MODELS, QUESTION, save } from './recording.mjs'

const configuration = `
model_provider = "house"
[model_providers.house]
name = "house"
base_url = "${MODELS}/v1"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.city]
command = "${WEATHER_SERVER.command}"
args = ${JSON.stringify(WEATHER_SERVER.args)}
[analytics]
enabled = false
[otel.trace_exporter.otlp-http]
endpoint = "${COLLECTOR}/v1/traces"
protocol = "json"
`
const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
await runCommandLine('@openai/codex/bin/codex.js', [...args, '-m', MODEL, QUESTION], {
  files: { '.codex/config.toml': configuration },
  variables: { OPENAI_API_KEY: 'none' },
})
// It records more than 500 spans: of every function that has to do with a turn.
await save('codex', { only: ['session_task.turn', 'handle_responses', 'mcp.tools.call'] })
