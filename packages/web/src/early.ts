/*
 * Runs as soon as it is here, while the application itself is still on its way: what the address needs is asked for
 * now instead of when React is ready.
 */
import { begin } from './api/begun.ts'
import { keyState, takeKeyFromAddress } from './api/key.ts'
import { skeletonPath } from './api/skeleton-path.ts'

takeKeyFromAddress()
const traceId = /^\/w\/traces\/(\w+)$/.exec(location.pathname)?.[1]
if (traceId !== undefined && keyState() === 'present') {
  begin(`/api${skeletonPath(traceId, 0)}`)
  void import('./trace/trace-screen.tsx')
}
