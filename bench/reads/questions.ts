import { CUSTOMERS, ENVIRONMENTS, MONTH, RARE_WORD, ROUTES, SPANS_PER_TRACE, sessionOf, traceIdOf } from './traces.ts'

/** A question over HTTP, with other values in each run. */
export interface Question {
  name: string
  /** Milliseconds at ten million spans, of which 95 % of the runs take less. */
  goalMs: number
  ask(run: number, traces: number): Asked
}

export interface Asked {
  path: string
  /** A GET if there is none. */
  body?: object
}

const spans = (conditions: object[]): Asked => ({
  path: '/api/spans/query',
  body: { filtering: { conditions }, windowing: { limit: 50 } },
})
const analytics = (more: object): Asked => ({
  path: '/api/spans/analytics/query',
  body: { windowing: { ...MONTH, ...more } },
})
const attribute = (key: string, value: unknown, operator = 'is') => ({ field: 'attributes', key, operator, value })
const IS_ROOT = { field: 'parent_id', operator: 'is', value: null }
const roots = (...conditions: object[]): Asked => spans([IS_ROOT, ...conditions])
const inOutputs = (value: string): Asked => spans([attribute('ag.data.outputs', value, 'contains')])

/** Traces spread over the month, another one for each run. */
const traceIn = (run: number, traces: number): number => Math.floor((traces * ((run * 37) % 101)) / 101)

export const QUESTIONS: readonly Question[] = [
  { name: 'newest 50 roots', goalMs: 15, ask: () => roots() },
  {
    name: 'roots by cumulative tokens',
    goalMs: 20,
    ask: run => roots(attribute('ag.metrics.tokens.cumulative.total', 7_900 + run, 'gt')),
  },
  {
    name: `roots by an attribute of ${CUSTOMERS} values`,
    goalMs: 80,
    ask: run => roots(attribute('customer', `customer-${(run * 131) % CUSTOMERS}`)),
  },
  {
    name: `roots by an attribute of ${ROUTES} values`,
    goalMs: 50,
    ask: run => roots(attribute('http.route', `/v1/items/${(run * 17) % ROUTES}`)),
  },
  {
    name: `roots by an attribute of ${ENVIRONMENTS.length} values`,
    goalMs: 20,
    ask: run => roots(attribute('deployment.environment', ENVIRONMENTS[run % 3])),
  },
  {
    name: 'roots by an attribute value that nobody has',
    goalMs: 15,
    ask: run => roots(attribute('customer', `nobody-${run}`)),
  },
  {
    name: 'newest 50 error spans',
    goalMs: 40,
    ask: () => spans([{ field: 'status_code', operator: 'is', value: 'STATUS_CODE_ERROR' }]),
  },
  {
    name: "one session's spans",
    goalMs: 30,
    ask: (run, traces) => spans([attribute('ag.session.id', sessionOf(traceIn(run, traces)))]),
  },
  {
    name: `trace of ${SPANS_PER_TRACE} spans`,
    goalMs: 15,
    ask: (run, traces) => ({ path: `/api/traces/${traceIdOf(traceIn(run, traces))}` }),
  },
  { name: 'substring in outputs, frequent', goalMs: 100, ask: () => inOutputs('garden') },
  { name: 'substring in outputs, rare', goalMs: 150, ask: () => inOutputs(RARE_WORD) },
  { name: 'substring in outputs that nobody has', goalMs: 25, ask: run => inOutputs(`nobody${run}`) },
  { name: 'analytics, all defaults, 30 days', goalMs: 200, ask: () => analytics({}) },
  { name: 'analytics, all defaults, 30 days by hour', goalMs: 150, ask: () => analytics({ interval: 60 }) },
]
