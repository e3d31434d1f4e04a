import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { requireProject } from '@spanhouse/access'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../budget/limits.ts'
import { whenClosed } from '../http/answer/when-closed.ts'
import { principalOf } from '../http/auth.ts'
import { readJson } from '../http/body/body.ts'
import { describedAs } from '../http/openapi.ts'

const path = '/mcp'

/**
 * The Model Context Protocol (https://modelcontextprotocol.io), with which assistants ask about a project: its
 * streamable HTTP transport, without sessions. The caller needs a key of the project, as everywhere.
 */
export function mcpRoutes(app: FastifyInstance): void {
  let opening: Promise<McpHttpHandler> | undefined
  // Most processes are never asked, and the protocol's library takes 19 MB.
  const open = async (): Promise<McpHttpHandler> => (await import('./mcp-handler.ts')).openMcpHandler(app)
  app.addHook('onClose', async () => (await opening)?.close())
  app.post(path, {
    config: describedAs({ method: 'POST', path, tag: 'mcp', summary: '', hidden: true }),
    handler: async (request, reply) => {
      const principal = principalOf(request)
      requireProject(principal)
      const held = app.room.enter(principal)
      try {
        const parsedBody = (await readJson(request, { bytesMax: QUERY_BODY_BYTES_MAX, held })) ?? null
        opening ??= open()
        return await reply.send(await (await opening).fetch(webRequest(request, reply), { parsedBody }))
      } finally {
        held.release()
      }
    },
  })
}

/** The request without its body, which has been read. Aborted if the client disconnects before it has the response. */
function webRequest({ headers }: FastifyRequest, reply: FastifyReply): Request {
  const leaving = new AbortController()
  whenClosed(reply, () => leaving.abort())
  const texts = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: texts as [string, string][],
    signal: leaving.signal,
  })
}
