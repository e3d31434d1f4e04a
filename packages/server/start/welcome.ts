import { join, resolve } from 'node:path'
import { readKeyFile } from '../data-folder/key-file.ts'
import type { RunningServer } from '../server.ts'

const TRACE = JSON.stringify({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: "$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')",
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
 * The output of a start: the address, the key, and a first trace to paste. A key is shown when it is generated, and as
 * part of a link to the web application also to somebody at a terminal: not in logs. The commands read it from where it
 * is stored. Browsers send the fragment of a link to nobody.
 */
export async function welcome(
  { config, url, grpcUrl, newApiKey }: RunningServer,
  isTerminal: boolean,
): Promise<string> {
  // Absolute: the commands also work in another folder.
  const keyFile = join(resolve(config.dataDir), 'api-key')
  if (!config.roles.includes('receiver') || !config.roles.includes('api'))
    return [
      `Spanhouse (${config.roles.join(', ')}) listens at ${url}/api`,
      ...(grpcUrl ? [`OTLP over gRPC        ${grpcUrl}`] : []),
      ...(newApiKey ? [`API key               ${newApiKey} (created by this start, and stored in ${keyFile})`] : []),
      '',
    ].join('\n')
  const key = config.apiKey ? '$SPANHOUSE_API_KEY' : `$(cat ${quoted(keyFile)})`
  const storedKey = await readKeyFile(config.dataDir)
  const shownKey = newApiKey ?? (isTerminal ? (config.apiKey ?? storedKey) : undefined)
  const whereKeyIs = storedKey
    ? `stored in ${keyFile}`
    : `not in ${keyFile}, which is gone: set SPANHOUSE_API_KEY to a new one`
  const headers = `-H "Authorization: ApiKey ${key}" -H "Content-Type: application/json"`
  return `
  Spanhouse listens at  ${url}/api
  Open in a browser     ${url}/w${shownKey ? `#key=${encodeURIComponent(shownKey)}` : ''}
  OTLP over gRPC        ${grpcUrl ?? 'not available: the port is in use'}
  API key               ${newApiKey ?? (config.apiKey ? 'as set in SPANHOUSE_API_KEY' : whereKeyIs)}
  Data                  ${config.dataDir}${config.isSelfTraced ? `\n  Its own traces        in a project whose key is stored in ${join(resolve(config.dataDir), 'self-tracing-key')}` : ''}

  Send a first trace and see it (paste both lines):
    curl -s ${url}/api/otlp/v1/traces ${headers} -d "${TRACE}"; echo; sleep 2
    curl -s ${url}/api/traces/query ${headers} -d '{"windowing":{"limit":1}}'; echo
  Send the traces of an application (paste both lines where it starts):
    export OTEL_EXPORTER_OTLP_ENDPOINT=${url}/api/otlp
    export OTEL_EXPORTER_OTLP_HEADERS="authorization=ApiKey%20${key}"
  More, from a real SDK:
    npm run demo

`
}

/** For a shell, inside double quotes or not. */
const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`
