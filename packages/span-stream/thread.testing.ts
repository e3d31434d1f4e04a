import { parentPort, workerData } from 'node:worker_threads'
import { consume, openPlace } from './contract.testing.ts'

const { place, count } = workerData

// What waits for longer than lingering does waits for hours, so that a consumer that polls gets nothing: it must be
// woken.
const { setTimeout } = globalThis
globalThis.setTimeout = Object.assign(
  (callback: () => void, ms = 0) => setTimeout(callback, ms < 100 ? ms : 2 ** 31 - 1),
  setTimeout,
) as typeof setTimeout

const stream = await openPlace(place)
parentPort?.postMessage('ready')
await consume(stream, count, async ({ message, ack }) => {
  await ack()
  parentPort?.postMessage(message.id)
})
await stream.close()
