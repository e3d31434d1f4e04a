import type { JsonObject } from '@spanhouse/model'
import { evaluatorHydration } from '@spanhouse/runtime'
import type { Content } from './content.ts'
import { environmentContent } from './environment-content.ts'
import { queryContent } from './query-content.ts'
import type { Scope } from './scope.ts'
import { simpleTestsetData, testsetContent } from './testset-content.ts'
import { workflowContent } from './workflow-content.ts'

export type KindName = 'workflow' | 'application' | 'evaluator' | 'testset' | 'query' | 'environment'
export type Family = 'workflow' | 'testset' | 'query' | 'environment'
export type Role = 'is_application' | 'is_evaluator' | 'is_snippet'
export type Layer = 'artifact' | 'variant' | 'revision'

/** A kind of versioned record: all that tells it from the others. Adding a kind is adding a row to {@link KINDS}. */
export interface Kind {
  /** As in the keys of bodies: `{name}`, `{name}_variant`, `{name}_revision`. */
  name: KindName
  /** As in paths and in the keys of lists. */
  plural: string
  /** Kinds of one family are the same records seen from several sides. */
  storedAs: Family
  /** Under which names the ids and slugs of a record's parents are written, and read; its own comes first. */
  lineage: readonly KindName[]
  /** The flag that makes a workflow one of these: set on everything created here, and what lists are limited to. */
  role: Role | null
  permissions: {
    view:
      | 'view_workflows'
      | 'view_applications'
      | 'view_evaluators'
      | 'view_testsets'
      | 'view_queries'
      | 'view_environments'
    edit:
      | 'edit_workflows'
      | 'edit_application'
      | 'edit_evaluators'
      | 'edit_testsets'
      | 'edit_queries'
      | 'edit_environments'
    /** To fetch and list variants. */
    viewVariants: Kind['permissions']['view'] | Kind['permissions']['edit']
  }
  /** The flags an artifact can carry; anything else that is sent is dropped. */
  artifactFlags: readonly string[]
  /** Whether variants and revisions carry whatever flags the caller sends. */
  freeFlags: boolean
  content: Content
  commit: {
    /** How many of `data` and `delta` a commit carries: one at most, exactly one, or `data` alone (any delta is ignored). */
    takes: 'one at most' | 'exactly one' | 'data only'
    /** Without either, data of the head is lost: refused from the first revision with data on. */
    keepsData: boolean
    /** When a commit of what the head holds already makes no revision. */
    skipsEqual: 'always' | 'with a base' | 'never'
    /** The commit must name its variant; otherwise it goes to the artifact's default variant. */
    needsVariant: boolean
    /** A delta is for the revision that `{name}_revision_id` names, when it names one, and not for the head. */
    deltaNamesBase: boolean
  }
  /** Can be retrieved through an environment, and deployed to one. */
  deployable: boolean
  /** Carries references that deployments write, and a guard that limits who may. */
  isEnvironment: boolean
  /** Retrieving by no reference at all is refused; otherwise it finds nothing. */
  needsReference: boolean
  /** Layers whose queries may come without a body. */
  bodyOptional: readonly Layer[]
  /** Editing an artifact that is not there is a 404; otherwise nothing is edited. */
  missingIsNotFound: Partial<Record<'artifact' | 'simple', true>>
  /** Archived artifacts can be edited. */
  editableArchived: boolean
  /** What a PUT may make of an artifact's name. */
  nameRule: 'free' | 'not blank' | 'fixed'
  /** What the simple surface makes of the data it is sent; undefined: none was. */
  simpleData?: (data: JsonObject | undefined, scope: Scope) => Promise<JsonObject | undefined>
  /** Archiving the simple record archives its default variant too. */
  simpleArchivesVariant: boolean
}

const ALL_LAYERS: readonly Layer[] = ['artifact', 'variant', 'revision']

/** What the three kinds that are stored as workflows have in common. */
const WORKFLOW = {
  storedAs: 'workflow',
  artifactFlags: ['is_application', 'is_evaluator', 'is_snippet'],
  freeFlags: false,
  content: workflowContent,
  commit: {
    takes: 'one at most',
    keepsData: true,
    skipsEqual: 'with a base',
    needsVariant: true,
    deltaNamesBase: false,
  },
  deployable: true,
  isEnvironment: false,
  needsReference: true,
  missingIsNotFound: {},
  editableArchived: false,
  simpleArchivesVariant: false,
} as const

/** What the kinds with records of their own have in common. */
const STANDALONE = {
  role: null,
  freeFlags: true,
  deployable: false,
  isEnvironment: false,
  needsReference: false,
  missingIsNotFound: {},
  editableArchived: true,
  nameRule: 'free',
  simpleArchivesVariant: true,
} as const

export const KINDS: Readonly<Record<KindName, Kind>> = {
  workflow: {
    ...WORKFLOW,
    name: 'workflow',
    plural: 'workflows',
    lineage: ['workflow'],
    role: null,
    permissions: { view: 'view_workflows', edit: 'edit_workflows', viewVariants: 'view_workflows' },
    commit: { ...WORKFLOW.commit, skipsEqual: 'always' },
    bodyOptional: ALL_LAYERS,
    missingIsNotFound: { artifact: true },
    nameRule: 'not blank',
  },
  application: {
    ...WORKFLOW,
    name: 'application',
    plural: 'applications',
    lineage: ['application', 'workflow'],
    role: 'is_application',
    permissions: { view: 'view_applications', edit: 'edit_application', viewVariants: 'view_applications' },
    bodyOptional: ['variant'],
    nameRule: 'free',
  },
  evaluator: {
    ...WORKFLOW,
    name: 'evaluator',
    plural: 'evaluators',
    lineage: ['evaluator', 'workflow'],
    role: 'is_evaluator',
    permissions: { view: 'view_evaluators', edit: 'edit_evaluators', viewVariants: 'edit_evaluators' },
    bodyOptional: ['variant'],
    nameRule: 'fixed',
    simpleData: async (data, { runtime, project_id }) => data && evaluatorHydration(data, runtime, project_id),
    simpleArchivesVariant: true,
  },
  testset: {
    ...STANDALONE,
    name: 'testset',
    plural: 'testsets',
    storedAs: 'testset',
    lineage: ['testset'],
    permissions: { view: 'view_testsets', edit: 'edit_testsets', viewVariants: 'view_testsets' },
    artifactFlags: [],
    freeFlags: false,
    content: testsetContent,
    commit: { takes: 'exactly one', keepsData: false, skipsEqual: 'never', needsVariant: false, deltaNamesBase: true },
    bodyOptional: [],
    missingIsNotFound: { simple: true },
    simpleData: simpleTestsetData,
    simpleArchivesVariant: false,
  },
  query: {
    ...STANDALONE,
    name: 'query',
    plural: 'queries',
    storedAs: 'query',
    lineage: ['query'],
    permissions: { view: 'view_queries', edit: 'edit_queries', viewVariants: 'view_queries' },
    artifactFlags: [],
    content: queryContent,
    commit: { takes: 'data only', keepsData: false, skipsEqual: 'never', needsVariant: false, deltaNamesBase: false },
    bodyOptional: ['artifact'],
  },
  environment: {
    ...STANDALONE,
    name: 'environment',
    plural: 'environments',
    storedAs: 'environment',
    lineage: ['environment'],
    permissions: { view: 'view_environments', edit: 'edit_environments', viewVariants: 'view_environments' },
    artifactFlags: ['is_guarded'],
    content: environmentContent,
    commit: { takes: 'exactly one', keepsData: false, skipsEqual: 'never', needsVariant: false, deltaNamesBase: false },
    isEnvironment: true,
    bodyOptional: ALL_LAYERS,
  },
}

export const KIND_LIST: readonly Kind[] = Object.values(KINDS)
