import { join } from 'node:path'
import type { RunningServer } from './server.ts'

const TRACE = JSON.stringify({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')",
              spanId: '00f067aa0ba902b7',
              name: 'hello',
              startTimeUnixNano: '$(date +%s)000000000',
              endTimeUnixNano: '$(date +%s)250000000',
            },
          ],
        },
      ],
    },
  ],
}).replaceAll('"', '\\"')

/**
 * The output of a first start: the address, the key, and a first trace to paste. A key is shown only when it is
 * generated; the commands read it from where it is stored.
 */
export function welcome({ config, url, grpcUrl, newApiKey }: RunningServer): string {
  if (!config.roles.includes('receiver') || !config.roles.includes('api'))
    return `Spanhouse (${config.roles.join(', ')}) listens at ${url}/api\n${grpcUrl ? `OTLP over gRPC        ${grpcUrl}\n` : ''}`
  const key = config.apiKey ? '$SPANHOUSE_API_KEY' : `$(cat ${join(config.dataDir, 'api-key')})`
  const headers = `-H "Authorization: ApiKey ${key}" -H "Content-Type: application/json"`
  return `
  Spanhouse listens at  ${url}/api
  OTLP over gRPC        ${grpcUrl ?? 'not available: the port is in use'}
  API key               ${newApiKey ?? (config.apiKey ? 'as set in SPANHOUSE_API_KEY' : `stored in ${join(config.dataDir, 'api-key')}`)}
  Data                  ${config.dataDir}

  Send a first trace:
    curl -s ${url}/api/otlp/v1/traces ${headers} -d "${TRACE}"
  See it:
    curl -s ${url}/api/traces/query ${headers} -d '{"windowing":{"limit":1}}'
  More, from a real SDK:
    npm run demo

`
}
