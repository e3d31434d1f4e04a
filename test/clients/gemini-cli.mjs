import { randomUUID } from 'node:crypto'
import { runCommandLine, WEATHER_SERVER } from './command-line.mjs'
import { COLLECTOR, MISSING_MODEL, MODELS, QUESTION, save } from './recording.mjs'

/** Tools of its own, whose descriptions are long. */
const BUILT_IN = [
  ...['update_topic', 'list_directory', 'read_file', 'grep_search', 'glob', 'google_web_search'],
  ...['enter_plan_mode', 'invoke_agent'],
]

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  telemetry: { enabled: true, traces: true, target: 'local', otlpEndpoint: COLLECTOR, otlpProtocol: 'http' },
  tools: { exclude: BUILT_IN },
  mcpServers: { city: { ...WEATHER_SERVER, trust: true } },
}
const args = ['--skip-trust', '--session-id', randomUUID(), '-p', QUESTION]
for (const model of ['gemini-2.5-flash', MISSING_MODEL])
  await runCommandLine('@google/gemini-cli/bundle/gemini.js', [...args, '-m', model], {
    files: { '.gemini/settings.json': JSON.stringify(settings), 'system.md': 'Be brief.' },
    variables: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: MODELS, GEMINI_SYSTEM_MD: 'system.md' },
  })
await save('gemini-cli')
