import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type Agent, Agent as HttpAgent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDataDir, type ServerProcess, startServerProcess } from './server-process.testing.ts'

let dataDir: string
let server: ServerProcess
const sockets: Socket[] = []
const agent: Agent = new HttpAgent({ keepAlive: true })
beforeAll(async () => {
  dataDir = await newDataDir('stop')
  server = await startServerProcess({ dataDir })
})
afterAll(async () => {
  agent.destroy()
  for (const socket of sockets) socket.destroy()
  await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})

async function write(text: string): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  sockets.push(socket.on('error', () => undefined))
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const head = (): string => `Host: x\r\nAuthorization: ApiKey ${server.apiKey}\r\n`
async function listen(): Promise<Socket> {
  const tail = await write(`GET /api/spans/tail HTTP/1.1\r\n${head()}\r\n`)
  await once(tail, 'data')
  return tail
}

const BODY = JSON.stringify({ resourceSpans: [] })

test('a listener who leaves is no failure', async () => {
  const sockets = await Promise.all([listen(), listen()])
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => server.metric('nodejs_active_resources{type="TCPSocketWrap"}')).toBeLessThan(2)
  expect(server.output()).not.toContain('request failed')
})

test('a stop answers requests that arrived in time, waits for no others, and a second signal changes nothing', async () => {
  const idle = request(`${server.url}/api/health`, { agent }).end()
  const [answer] = await once(idle, 'response')
  answer.resume()
  await once(answer, 'end')
  // Half a head, half a body, a listener who reads nothing: none of them ever goes on.
  await write('GET /api/health HTTP/1.1\r\nHost')
  await write(`POST /api/otlp/v1/traces HTTP/1.1\r\n${head()}Content-Length: 1000\r\n\r\n{`)
  const tail = await listen()
  tail.pause()
  const late = await write(
    `POST /api/otlp/v1/traces HTTP/1.1\r\n${head()}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\nExpect: 100-continue\r\n\r\n`,
  )
  // It has arrived: a connection on which the server has read nothing yet is closed.
  expect(String((await once(late, 'data'))[0])).toMatch(/^HTTP\/1.1 100/)
  late.write('{')
  const answered = once(late, 'data')
  const stopped = server.stop()
  await expect.poll(() => fetch(server.url).catch(() => 'closed')).toBe('closed')
  const again = server.stop()
  late.write(BODY.slice(1))
  expect(String((await answered)[0])).toMatch(/^HTTP\/1.1 202/)
  expect(await stopped).toBe(0)
  expect(await again).toBe(0)
})
