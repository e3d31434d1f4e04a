import { type Agent, request } from 'node:http'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import type { Asked } from './questions.ts'

/** What a client got. */
export interface Answer {
  /** Until its last byte: reading its JSON is the client's work. */
  ms: number
  count: number
  /** As sent: compressed. */
  bytes: number
  /** Of `Server-Timing`: milliseconds, and the numbers of the description of `read`. */
  timing: Record<string, number>
}

/** Asks a question over HTTP. */
export function ask({ url, apiKey }: ServerProcess, agent: Agent, { path, body }: Asked): Promise<Answer> {
  const text = body && JSON.stringify(body)
  const headers = {
    authorization: `ApiKey ${apiKey}`,
    ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  }
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const sending = request(url + path, { method: text ? 'POST' : 'GET', agent, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk)).once('error', reject)
      response.once('end', () => {
        const ms = performance.now() - started
        const answer = Buffer.concat(chunks)
        if (response.statusCode !== 200)
          return reject(new Error(`${path}: ${response.statusCode} ${answer.slice(0, 500)}`))
        const { count } = JSON.parse(answer.toString()) as { count: number }
        resolve({
          ms,
          count,
          bytes: answer.length,
          timing: parseTiming(String(response.headers['server-timing'] ?? '')),
        })
      })
    })
    sending.once('error', reject)
    sending.end(text)
  })
}

/**
 * `engine;dur=4.2, read;desc="2 statements, 1024 rows, 99 KB"` → `{ engine: 4.2, statements: 2, rows: 1024, KB: 99 }`.
 */
function parseTiming(header: string): Record<string, number> {
  const durations = [...header.matchAll(/([\w-]+);dur=([\d.]+)/g)].map(([, name, value]) => [name, Number(value)])
  const counts = [...header.matchAll(/(\d+) (statements|rows|KB)/g)].map(([, value, name]) => [name, Number(value)])
  return Object.fromEntries([...durations, ...counts])
}
