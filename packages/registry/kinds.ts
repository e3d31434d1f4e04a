import { evaluatorHydration } from '@spanhouse/runtime'
import { queryContent } from './content/query-content.ts'
import { simpleTestsetData, testsetContent } from './content/testset-content.ts'
import { workflowContent } from './content/workflow-content.ts'
import { environmentContent } from './environments/environment-content.ts'
import { type Kind, type KindName, type Layer, ROLES } from './kind.ts'

const ALL_LAYERS: readonly Layer[] = ['artifact', 'variant', 'revision']

/** What the three kinds stored as workflows have in common. */
const WORKFLOW = {
  storedAs: 'workflow',
  artifactFlags: ROLES,
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

/** What the kinds with rows of their own have in common. */
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
