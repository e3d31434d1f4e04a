import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { runConversations } from './conversations.ts'
import { printTree, type TreeNode } from './print-tree.ts'
import { runPrompt } from './prompt.ts'
import { runShop } from './shop/shop.ts'

/**
 * Sends a few traces of an LLM application through an OpenTelemetry SDK, each span when it ends (so children arrive
 * before their parents, in separate exports), and prints the resulting traces.
 * Then creates an application, runs it with a fake model and scores the response. With `--large` it sends a week of a
 * shop instead, for which it prints only where to look.
 */
const { large } = readArguments()
const url = process.env.SPANHOUSE_URL ?? `http://127.0.0.1:${process.env.SPANHOUSE_PORT ?? 4600}`
const keyFile = join(process.env.SPANHOUSE_DATA_DIR ?? './data', 'api-key')
const apiKey = process.env.SPANHOUSE_API_KEY ?? (await keptKey())
const headers = { Authorization: `ApiKey ${apiKey}` }

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'travel-assistant', 'deployment.environment': 'demo' }),
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter({ url: `${url}/api/otlp/v1/traces`, headers }))],
})

const { status } = await fetch(`${url}/api/projects/current`, { headers }).catch(() =>
  giveUp(`No server is listening at ${url}. Start Spanhouse first: npm start`),
)
if (status === 401) giveUp(`The server at ${url} rejects the API key: set SPANHOUSE_API_KEY to one of its keys.`)
process.stdout.write(`Sending to ${url} …\n`)
if (large) {
  await runShop({ url, headers }).catch(error => giveUp(error.message))
  process.exit()
}
const traceIds = await runConversations(provider.getTracer('travel-assistant', '1.0.0'))
await provider.shutdown()
traceIds.push(...(await runPrompt({ url, headers }).catch(error => giveUp(error.message))))

for (const traceId of traceIds) {
  const spans = await waitForTrace(traceId)
  process.stdout.write(`\nTrace ${traceId}\n${printTree(spans)}`)
}
process.stdout.write(`
To find those of the travel assistant yourself:
  curl -s ${url}/api/traces/query -H "Authorization: ApiKey ${apiKeyToPaste()}" -H "Content-Type: application/json" \\
    -d '{"filtering":{"conditions":[{"field":"attributes","key":"ag.tags.app","operator":"is","value":"travel-assistant"}]},"windowing":{"limit":10}}'
`)

/** Polls until the root is stored, which happens shortly after it is accepted. */
async function waitForTrace(traceId: string): Promise<Record<string, TreeNode | TreeNode[]>> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`${url}/api/traces/${traceId}`, { headers })
    if (!answer.ok) giveUp(`The server responded with status ${answer.status}: ${await answer.text()}`)
    const { trace } = (await answer.json()) as { trace?: { spans: Record<string, TreeNode> } }
    if (trace?.spans && Object.keys(trace.spans).length > 0) return trace.spans
    await delay(50)
  }
  return giveUp(`Trace ${traceId} did not become visible within 10 s.`)
}

function readArguments(): { large?: boolean } {
  try {
    return parseArgs({ options: { large: { type: 'boolean' } } }).values
  } catch (error) {
    return giveUp(`${(error as Error).message}\nUsage: npm run demo [-- --large]`)
  }
}

async function keptKey(): Promise<string> {
  return (
    await readFile(keyFile, 'utf8').catch(() =>
      giveUp(`No API key found: set SPANHOUSE_API_KEY (${keyFile} does not exist).`),
    )
  ).trim()
}

function apiKeyToPaste(): string {
  return process.env.SPANHOUSE_API_KEY ? '$SPANHOUSE_API_KEY' : `$(cat '${keyFile.replaceAll("'", `'\\''`)}')`
}

function giveUp(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
