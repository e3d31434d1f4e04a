import { expect, test } from 'vitest'
import { KnownPaths } from './paths.ts'

const ROUTES: [url: string, method: string][] = [
  ['/traces/:trace_id', 'GET'],
  ['/traces/query', 'POST'],
  ['/traces/:trace_id', 'DELETE'],
  ['/spans/:trace_id/:span_id', 'GET'],
  ['/spans/recent/:span_id', 'PUT'],
  ['/spans/recent/first', 'POST'],
  ['/plain', 'GET'],
]

test.each([
  ['/traces/:trace_id', 'GET', '/traces/abc', false],
  ['/traces/:trace_id', 'GET', '/traces/query', true],
  ['/traces/:trace_id', 'DELETE', '/traces/query/?x=1', true],
  ['/traces/query', 'POST', '/traces/query', false],
  ['/spans/:trace_id/:span_id', 'GET', '/spans/recent/2', true],
  ['/spans/:trace_id/:span_id', 'GET', '/spans/a/first', false],
  ['/spans/:trace_id/:span_id', 'GET', '/spans/recent/first?y', true],
  ['/spans/recent/:span_id', 'PUT', '/spans/recent/first', true],
  ['/spans/recent/:span_id', 'PUT', '/spans/recent/last', false],
  ['/plain', 'GET', '/plain', false],
])('routed to %s, %s %s is shadowed: %s', (route, method, url, isShadowed) => {
  for (const routes of [ROUTES, ROUTES.toReversed()]) {
    const paths = new KnownPaths()
    for (const [path, verb] of routes) paths.add(path, verb)
    expect(paths.isShadowed({ url, method, routeOptions: { url: route } })).toBe(isShadowed)
  }
})

test.each([
  ['/traces/query', ['POST']],
  ['/traces/abc?x', ['DELETE', 'GET']],
  ['/spans/recent/first', ['POST']],
  ['/spans/recent/2/', ['PUT']],
  ['/spans/recent', []],
  ['/nowhere', []],
])('%s answers to %j', (url, methods) => {
  const paths = new KnownPaths()
  for (const [path, verb] of ROUTES) paths.add(path, verb)
  expect(paths.methodsOf(url)).toEqual(methods)
})
