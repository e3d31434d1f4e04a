import * as mcp from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpInstrumentation } from '@traceloop/instrumentation-mcp'
import { z } from 'zod'
import { failing, inRequest, save, startTracing } from './recording.mjs'

const provider = startTracing()
const instrumentation = new McpInstrumentation()
instrumentation.setTracerProvider(provider)
instrumentation.manuallyInstrument({ Client: mcp.Client })
const server = new McpServer({ name: 'city', version: '1.0.0' })
server.registerTool(
  'weather',
  { description: 'The weather of a city', inputSchema: { city: z.string() } },
  async ({ city }) => {
    if (city !== 'Bari') throw new Error('No such city')
    return { content: [{ type: 'text', text: 'sunny' }] }
  },
)
const [near, far] = InMemoryTransport.createLinkedPair()
await server.connect(far)
const client = new mcp.Client({ name: 'weather-assistant', version: '1.0.0' })
await inRequest('POST /ask', async () => {
  await client.connect(near)
  await client.listTools()
  await client.callTool({ name: 'weather', arguments: { city: 'Bari' } })
  await failing(() => client.callTool({ name: 'weather', arguments: { city: 'Atlantis' } }))
  await client.close()
})
await save('openllmetry-mcp')
