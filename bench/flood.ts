import { workerData } from 'node:worker_threads'
import { makeExport } from './exports.ts'
import type { Flood } from './neighbour.ts'

/** Sends exports and queries from several connections each until the thread is terminated, and ignores refusals. */
const CONNECTIONS = 4
const SEED = 41

const { exportsUrl, queriesUrl, apiKey } = workerData as Flood
const authorization = `ApiKey ${apiKey}`
const json = { authorization, 'content-type': 'application/json' }
const protobuf = { authorization, 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' }
/** Random: several floods of one project must not send the same spans. */
let next = Math.floor(Math.random() * 2 ** 30)
const search = JSON.stringify({
  filtering: { conditions: [{ field: 'content', operator: 'contains', value: 'water' }] },
  windowing: { limit: 100 },
})

async function sendExports(): Promise<never> {
  for (;;) {
    const body = new Uint8Array(makeExport(SEED, next++, Date.now()).body)
    for (let status = 0; status !== 202; ) {
      const answer = await fetch(`${exportsUrl}/api/otlp/v1/traces`, { method: 'POST', headers: protobuf, body })
      await answer.arrayBuffer()
      status = answer.status
    }
  }
}

async function sendQueries(): Promise<never> {
  for (;;) {
    const answer = await fetch(`${queriesUrl}/api/spans/query`, { method: 'POST', headers: json, body: search })
    await answer.arrayBuffer()
  }
}

for (let connection = 0; connection < CONNECTIONS; connection++) {
  void sendExports()
  void sendQueries()
}
