import type { Permission } from '@spanhouse/access'
import type { TraceType } from '@spanhouse/model'

/**
 * Judgments and calls that clients record by themselves, each a trace of one root span. The same records are seen from
 * three sides, which differ in their names, in what they make, and in what they show.
 */
export interface Surface {
  path: '/simple/traces' | '/annotations' | '/invocations'
  /** The key of one record in bodies, and its names for lists and links. */
  name: 'trace' | 'annotation' | 'invocation'
  plural: 'traces' | 'annotations' | 'invocations'
  linkName: 'link' | 'annotation_link' | 'invocation_link'
  /** Under which a query names the records themselves. */
  linksName: 'links' | 'annotation_links' | 'invocation_links'
  createStatus: 200 | 202
  view: Permission
  edit: Permission
  /** What its records are. */
  traceType: TraceType
  /** What its lists show. */
  shows: readonly TraceType[]
  /** Whose reference a record must have to be shown here; it is found, or made, when a record is created. */
  producer: 'evaluator' | 'application' | null
  /** Flags that its records carry whatever they are. */
  flags: Readonly<Record<string, boolean>>
  /** Whether flags that are false are stored as well. */
  storesFalse: boolean
  /** `links` must be there; null says that there are none. */
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
