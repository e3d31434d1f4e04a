import type { Json, JsonObject, Uuid } from '@spanhouse/model'
import type { Database, Trx } from '@spanhouse/postgres'
import type { RuntimeSettings } from '@spanhouse/runtime'
import type { z } from '@spanhouse/validation'

export type KindName = 'workflow' | 'application' | 'evaluator' | 'testset' | 'query' | 'environment'
export type Family = 'workflow' | 'testset' | 'query' | 'environment'
export type Role = 'is_application' | 'is_evaluator' | 'is_snippet'
export type Layer = 'artifact' | 'variant' | 'revision'

/**
 * A kind of versioned entity: everything that distinguishes it from the others. To add a kind, add a row to `KINDS`.
 */
export interface Kind {
  /** As in the keys of bodies: `{name}`, `{name}_variant`, `{name}_revision`. */
  name: KindName
  /** As in paths and in the keys of lists. */
  plural: string
  /** Kinds of one family are different views of the same rows. */
  storedAs: Family
  /** The names under which the ids and slugs of parents are written and read, its own name first. */
  lineage: readonly KindName[]
  /**
   * The flag that marks a workflow as one of this kind: set on everything created here, and the condition of its lists.
   */
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
    /** Required to fetch and list variants. */
    viewVariants: Kind['permissions']['view'] | Kind['permissions']['edit']
  }
  /** The flags an artifact can have; others are dropped. */
  artifactFlags: readonly string[]
  /** Whether variants and revisions store any flags that the caller sends. */
  freeFlags: boolean
  content: Content
  commit: {
    /**
     * Which of `data` and `delta` a commit contains: at most one, exactly one, or `data` alone (any delta is ignored).
     */
    takes: 'one at most' | 'exactly one' | 'data only'
    /** A commit without either would lose the head's data; it is rejected once a revision has data. */
    keepsData: boolean
    /** When a commit with the head's content creates no revision. */
    skipsEqual: 'always' | 'with a base' | 'never'
    /** The commit must name its variant; otherwise it goes to the artifact's default variant. */
    needsVariant: boolean
    /** A delta applies to the revision that `{name}_revision_id` names, if present, instead of the head. */
    deltaNamesBase: boolean
  }
  /** Can be retrieved through an environment, and deployed to one. */
  deployable: boolean
  /** Contains references that deployments write, and a guard that limits who may deploy. */
  isEnvironment: boolean
  /** Retrieving without any reference is rejected; otherwise nothing is found. */
  needsReference: boolean
  /** Layers whose queries may have no body. */
  bodyOptional: readonly Layer[]
  /** Editing an artifact that does not exist is a 404; otherwise nothing is edited. */
  missingIsNotFound: Partial<Record<'artifact' | 'simple', true>>
  /** Archived artifacts can be edited. */
  editableArchived: boolean
  /** How a PUT may change an artifact's name. */
  nameRule: 'free' | 'not blank' | 'fixed'
  /** The data to store for data sent to the simple surface; undefined if none was sent. */
  simpleData?: (data: JsonObject | undefined, scope: Scope) => Promise<JsonObject | undefined>
  /** Archiving through the simple surface also archives the default variant. */
  simpleArchivesVariant: boolean
}

/** The context of an operation: every statement takes its project from here. */
export interface Scope {
  db: Database | Trx
  project_id: Uuid
  /** The acting user; null if unknown. */
  user_id: Uuid | null
  kind: Kind
  /** The settings for handler URIs and the addresses of hosted services. */
  runtime: RuntimeSettings
  /** Whether guarded environments may be changed. */
  mayDeploy: boolean
}

/** Something the caller should know about a commit that succeeded. */
export interface CommitWarning {
  code: string
  message: string
  target?: Json
  operation_index?: number
}

/** A change to a variant's data, as parsed from a request. */
export interface Delta {
  /** Whether the commit must name the revision that the change applies to (`base_revision_id`). */
  needsBase: boolean
  /** Whether a revision must exist: 404 for a variant without one. */
  needsHead?: boolean
  /** The changed data, given the base's data (null if it has none). Runs under the variant's lock. */
  apply(base: JsonObject | null, place: ContentPlace): Changed | Promise<Changed>
}

export interface Changed {
  data: JsonObject
  warnings?: CommitWarning[]
  /** The commit's message if the caller sends none. */
  message?: string
}

/** Where data is about to be stored. `scope.db` is the commit's transaction. */
export interface ContentPlace {
  scope: Scope
  artifact_id: Uuid
  /** The location of the data in the request, for a 422. */
  loc: (string | number)[]
}

/** The data of a family's revisions: how it is parsed, changed, stored and shown. */
export interface Content {
  /** `data` in a request. */
  data: z.ZodType<JsonObject>
  /** `delta` in a commit; absent if the family has none. */
  delta?: z.ZodType<Delta>
  /** The value to store for parsed data. Throws 422 for errors that a schema cannot detect. */
  store(data: JsonObject, place: ContentPlace): JsonObject | null | Promise<JsonObject | null>
  /** Flags derived from the stored data; null if the caller's flags are stored instead. */
  flags: ((data: JsonObject | null, slug: string, scope: Scope) => JsonObject) | null
  /** The value shown for stored data. */
  show(data: JsonObject, scope: Scope): JsonObject
}
