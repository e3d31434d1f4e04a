import { createInterface } from 'node:readline'

/** An MCP server with a tool that tells the weather, over standard input and output; command lines start it. */
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'city', version: '1' },
  }),
  'tools/list': () => ({
    tools: [
      {
        name: 'weather',
        description: 'The weather of a city',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ],
  }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'sunny' }] }),
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  // A notification.
  if (id === undefined) return
  const result = ANSWERS[method]?.(params)
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
})
