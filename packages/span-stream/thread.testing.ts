import { parentPort, workerData } from 'node:worker_threads'
import { microsNow } from '@spanhouse/model'
import { consume, openPlace } from './contract.testing.ts'

const { place, count } = workerData
const stream = await openPlace(place)
parentPort?.postMessage('ready')
await consume(stream, count, async ({ message, ack }) => {
  const ageMs = (microsNow() - message.accepted_at) / 1000
  await ack()
  parentPort?.postMessage({ id: message.id, ageMs })
})
await stream.close()
