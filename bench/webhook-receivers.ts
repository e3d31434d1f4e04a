import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer as createSocket, type Server } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** Receivers that count what they get, and receivers that accept connections and never answer. */
const counts = new Int32Array(new SharedArrayBuffer(4))

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const counting = (): Server =>
  createHttp((incoming, response) => {
    incoming.resume()
    incoming.on('end', () => {
      Atomics.add(counts, 0, 1)
      response.end('ok')
    })
  })

const silent = (): Server => createSocket(socket => void socket.on('error', () => undefined).resume())
const answering = (): Server =>
  createHttp((incoming, response) => void incoming.resume().on('end', () => response.end()))

const alive = Array.from({ length: workerData.alive }, counting)
const dead = Array.from({ length: workerData.dead }, silent)
const urls = await Promise.all([...alive, ...dead].map(listening))
parentPort?.postMessage({ urls, fast: await listening(answering()), counts })
