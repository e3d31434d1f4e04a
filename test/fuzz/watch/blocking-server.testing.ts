import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Answers health and the one metric that the watcher reads. `/block` holds up the loop, `/wait` delays one health
 * answer.
 */
const delays = monitorEventLoopDelay({ resolution: 10 })
delays.enable()
let waitMs = 0

const server = createServer(async (request, response) => {
  const [, what, ms] = (request.url ?? '').split('/')
  if (what === 'metrics') {
    response.end(`nodejs_eventloop_lag_max_seconds ${delays.max / 1e9}\nprocess_resident_memory_bytes 1000\n`)
    delays.reset()
    return
  }
  if (what === 'wait') waitMs = Number(ms)
  if (what === 'block') for (const end = Date.now() + Number(ms); Date.now() < end; );
  if (what === 'health') {
    const late = waitMs
    waitMs = 0
    await delay(late)
  }
  response.end('{}')
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
