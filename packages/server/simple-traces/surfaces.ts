import type { Permission } from '@spanhouse/access'
import type { TraceType } from '@spanhouse/model'

/**
 * Feedback and calls that clients record explicitly, each a trace of a single root span. The same traces are available
 * on three surfaces, which differ in their names, in what they create, and in what they list.
 */
export interface Surface {
  path: '/simple/traces' | '/annotations' | '/invocations'
  /** The key of one trace in bodies, and the names for lists and links. */
  name: 'trace' | 'annotation' | 'invocation'
  plural: 'traces' | 'annotations' | 'invocations'
  linkName: 'link' | 'annotation_link' | 'invocation_link'
  /** The member of a query that contains links to the traces themselves. */
  linksName: 'links' | 'annotation_links' | 'invocation_links'
  createStatus: 200 | 202
  view: Permission
  edit: Permission
  /** The type of traces it creates. */
  traceType: TraceType
  /** The types that it lists. */
  shows: readonly TraceType[]
  /**
   * The producer that a trace must refer to in order to appear here; it is looked up, or created, when a trace is
   * created.
   */
  producer: 'evaluator' | 'application' | null
  /** Flags that all its traces have. */
  flags: Readonly<Record<string, boolean>>
  /** Whether false flags are stored too. */
  storesFalse: boolean
  /** Whether `links` may be null, which means none. It is required in any case. */
  mayLackLinks: boolean
}

export const SURFACES: readonly Surface[] = [
  {
    path: '/simple/traces',
    name: 'trace',
    plural: 'traces',
    linkName: 'link',
    linksName: 'links',
    createStatus: 202,
    view: 'view_spans',
    edit: 'edit_spans',
    traceType: 'annotation',
    shows: ['invocation', 'annotation'],
    producer: null,
    flags: {},
    storesFalse: false,
    mayLackLinks: false,
  },
  {
    path: '/annotations',
    name: 'annotation',
    plural: 'annotations',
    linkName: 'annotation_link',
    linksName: 'annotation_links',
    createStatus: 200,
    view: 'view_annotations',
    edit: 'edit_annotations',
    traceType: 'annotation',
    shows: ['annotation'],
    producer: 'evaluator',
    flags: { is_evaluator: true },
    storesFalse: true,
    mayLackLinks: false,
  },
  {
    path: '/invocations',
    name: 'invocation',
    plural: 'invocations',
    linkName: 'invocation_link',
    linksName: 'invocation_links',
    createStatus: 200,
    view: 'view_invocations',
    edit: 'edit_invocations',
    traceType: 'invocation',
    shows: ['invocation'],
    producer: 'application',
    flags: { is_application: true },
    storesFalse: true,
    mayLackLinks: true,
  },
]
