import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { readInvitation, readPasswordLink } from './account/search.ts'
import { parseSearch, stringifySearch } from './address.ts'
import { keyState } from './api/key.ts'
import { skeletonQuery } from './api/queries.ts'
import { queryClient } from './api/query-client.ts'
import { readDashboardSearch } from './dashboard/search.ts'
import {
  readCompareSearch,
  readEvaluationsSearch,
  readJudgeSearch,
  readRunSearch,
  readStartSearch,
} from './evaluations/search.ts'
import { ErrorScreen } from './frame/error-screen.tsx'
import { Frame } from './frame/frame.tsx'
import { NotFound } from './frame/not-found.tsx'
import { readPlaygroundSearch } from './playground/search.ts'
import { readFindSearch, readRegistrySearch } from './registry/search.ts'
import { readSessionPath, readSessionSearch, readSessionsSearch, sessionPath } from './session/search.ts'
import { readSettingsSearch } from './settings/search.ts'
import { readSearch, readTraceSearch } from './traces/search.ts'
import { TracesScreen } from './traces/traces-screen.tsx'

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFound,
  // A screen has its own: only an address without a screen has this one.
  staticData: { title: 'This page does not exist' },
})

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/traces', replace: true })
  },
})

const traces = createRoute({
  getParentRoute: () => root,
  path: '/traces',
  staticData: { title: 'Traces' },
  validateSearch: readSearch,
  component: TracesScreen,
})

const trace = createRoute({
  getParentRoute: () => root,
  path: '/traces/$traceId',
  staticData: { title: 'Trace' },
  validateSearch: readTraceSearch,
  component: lazyRouteComponent(() => import('./trace/trace-screen.tsx'), 'TraceScreen'),
  // The spans are asked for while the screen's code loads. What is here already, the screen renews by itself.
  loader: ({ params: { traceId } }) => {
    if (keyState() === 'present')
      void queryClient.prefetchInfiniteQuery({ ...skeletonQuery(traceId), staleTime: Number.POSITIVE_INFINITY })
  },
})

const dashboard = createRoute({
  getParentRoute: () => root,
  path: '/dashboard',
  staticData: { title: 'Dashboard' },
  validateSearch: readDashboardSearch,
  component: lazyRouteComponent(() => import('./dashboard/dashboard-screen.tsx'), 'DashboardScreen'),
})

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  staticData: { title: 'Sessions' },
  validateSearch: readSessionsSearch,
  component: lazyRouteComponent(() => import('./session/sessions-screen.tsx'), 'SessionsScreen'),
})

const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  params: { parse: readSessionPath, stringify: sessionPath },
  staticData: { title: 'Session' },
  validateSearch: readSessionSearch,
  component: lazyRouteComponent(() => import('./session/session-screen.tsx'), 'SessionScreen'),
})

/** Links that clients of the interface print. The key decides which project is shown. */
const observability = createRoute({
  getParentRoute: () => root,
  path: '/$workspace/p/$project/observability',
  validateSearch: (search: Record<string, unknown>) => ({
    trace: typeof search.trace === 'string' ? search.trace : undefined,
    span: typeof search.span === 'string' ? search.span : undefined,
  }),
  beforeLoad: ({ search: { trace, span } }) => {
    if (trace === undefined) throw redirect({ to: '/traces', replace: true })
    throw redirect({ to: '/traces/$traceId', params: { traceId: trace }, search: { span }, replace: true })
  },
})

const resultsLink = createRoute({
  getParentRoute: () => root,
  path: '/$workspace/p/$project/evaluations/results/$run',
  beforeLoad: ({ params: { run } }) => {
    throw redirect({ to: '/evaluations/$runId', params: { runId: run }, replace: true })
  },
})

const evaluations = createRoute({
  getParentRoute: () => root,
  path: '/evaluations',
  staticData: { title: 'Evaluations' },
  validateSearch: readEvaluationsSearch,
  component: lazyRouteComponent(() => import('./evaluations/list/evaluations-screen.tsx'), 'EvaluationsScreen'),
})

const newEvaluation = createRoute({
  getParentRoute: () => root,
  path: '/evaluations/new',
  staticData: { title: 'New evaluation' },
  validateSearch: readStartSearch,
  component: lazyRouteComponent(() => import('./evaluations/start/start-screen.tsx'), 'StartScreen'),
})

const comparison = createRoute({
  getParentRoute: () => root,
  path: '/evaluations/compare',
  staticData: { title: 'Compare runs' },
  validateSearch: readCompareSearch,
  component: lazyRouteComponent(() => import('./evaluations/compare/compare-screen.tsx'), 'CompareScreen'),
})

const judging = createRoute({
  getParentRoute: () => root,
  path: '/evaluations/judge',
  staticData: { title: 'Judge side by side' },
  validateSearch: readJudgeSearch,
  component: lazyRouteComponent(() => import('./evaluations/judge/judge-screen.tsx'), 'JudgeScreen'),
})

const run = createRoute({
  getParentRoute: () => root,
  path: '/evaluations/$runId',
  staticData: { title: 'Evaluation run' },
  validateSearch: readRunSearch,
  component: lazyRouteComponent(() => import('./evaluations/run/run-screen.tsx'), 'RunScreen'),
})

const queue = createRoute({
  getParentRoute: () => root,
  path: '/queues/$queueId',
  staticData: { title: 'Queue' },
  component: lazyRouteComponent(() => import('./evaluations/queue/queue-screen.tsx'), 'QueueScreen'),
})

const evaluationRoutes = [evaluations, newEvaluation, comparison, judging, run, queue]

const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  staticData: { title: 'Playground' },
  validateSearch: readRegistrySearch,
  component: lazyRouteComponent(() => import('./registry/registry-screen.tsx'), 'RegistryScreen'),
})

const workflow = createRoute({
  getParentRoute: () => root,
  path: '/playground/$kind/$id',
  staticData: { title: 'Playground' },
  validateSearch: readPlaygroundSearch,
  component: lazyRouteComponent(() => import('./playground/playground-screen.tsx'), 'PlaygroundScreen'),
})

const testsets = createRoute({
  getParentRoute: () => root,
  path: '/testsets',
  staticData: { title: 'Testsets' },
  validateSearch: readFindSearch,
  component: lazyRouteComponent(() => import('./testsets/testsets-screen.tsx'), 'TestsetsScreen'),
})

const testset = createRoute({
  getParentRoute: () => root,
  path: '/testsets/$id',
  staticData: { title: 'Testset' },
  validateSearch: (search: Record<string, unknown>): { revision?: string } => ({
    revision: typeof search.revision === 'string' ? search.revision : undefined,
  }),
  component: lazyRouteComponent(() => import('./testsets/testset-screen.tsx'), 'TestsetScreen'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/$section', params: { section: 'keys' }, replace: true })
  },
})

const settingsSection = createRoute({
  getParentRoute: () => root,
  path: '/settings/$section',
  validateSearch: readSettingsSearch,
  staticData: { title: 'Settings' },
  component: lazyRouteComponent(() => import('./settings/settings-screen.tsx'), 'SettingsScreen'),
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  staticData: { title: 'Invitation' },
  validateSearch: readInvitation,
  component: lazyRouteComponent(() => import('./account/invitation-screen.tsx'), 'InvitationScreen'),
})

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/new-password',
  staticData: { title: 'New password', isPublic: true },
  validateSearch: readPasswordLink,
  component: lazyRouteComponent(() => import('./account/password-screen.tsx'), 'PasswordScreen'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    traces,
    trace,
    dashboard,
    sessions,
    session,
    observability,
    resultsLink,
    ...evaluationRoutes,
    playground,
    workflow,
    testsets,
    testset,
    settings,
    settingsSection,
    invitation,
    newPassword,
  ]),
  basepath: '/w',
  parseSearch,
  stringifySearch,
  defaultPreload: false,
  defaultErrorComponent: ErrorScreen,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
