import type { JsonObject, Uuid } from '@spanhouse/model'
import type { Database, Trx } from '@spanhouse/postgres'
import type { RuntimeSettings } from '@spanhouse/runtime'
import type { z } from '@spanhouse/validation'

export type KindName = 'workflow' | 'application' | 'evaluator' | 'testset' | 'query' | 'environment'
export type Family = 'workflow' | 'testset' | 'query' | 'environment'
/** The flags that say what a workflow is, and so in which lists it appears. */
export const ROLES = ['is_application', 'is_evaluator', 'is_snippet'] as const
export type Role = (typeof ROLES)[number]
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
  /** Where bytes are counted while what is large is in memory. */
  holder?: Holder
}

/** Counts bytes. */
export interface Holder {
  /** So many bytes are about to be kept. Throws a Problem when there is no room for them. */
  hold(bytes: number): void
  /** So many of them are kept no more. */
  release(bytes: number): void
}

/** Something the caller should know about a commit that succeeded. */
export interface CommitWarning {
  code: string
  message: string
}

/** A change to a variant's data, as parsed from a request. */
export interface Delta {
  /** Whether the commit must name the revision that the change applies to (`base_revision_id`). */
  needsBase: boolean
  /** Whether a revision must exist: 404 for a variant without one. */
  needsHead?: boolean
  /**
   * The data that follows from the base's (null: the base has none). Applied again when the head has changed meanwhile.
   */
  apply(base: JsonObject | null, place: ContentPlace): Changed | Promise<Changed>
}

export interface Changed {
  data: JsonObject
  /** The data is checked and prepared already: the base's was when it was stored, and what is new has been by now. */
  isPrepared?: true
  /** As in {@link Prepared}. */
  write?: Prepared['write']
  warnings?: CommitWarning[]
  /** The commit's message if the caller sends none. */
  message?: string
}

/** Where data is to be stored. */
export interface ContentPlace {
  scope: Scope
  artifact_id: Uuid
  /** The location of the data in the request, for a 422. */
  loc: (string | number)[]
}

/**
 * What a revision is to hold, checked. It is prepared before the transaction that stores it, so that the transaction,
 * which may hold the only connection there is, takes as little time as possible.
 */
export interface Prepared {
  data: JsonObject | null
  /** Stores what the data refers to. To be called in the transaction. */
  write?: (scope: Scope) => Promise<void>
}

/** What a family's revisions hold: how it is read, changed, stored and shown. */
export interface Content {
  /** `data` in a request. */
  data: z.ZodType<JsonObject>
  /** `delta` in a commit; absent if the family has none. */
  delta?: z.ZodType<Delta>
  /** What is stored for data that was read. Throws 422 for what no schema can see. Changes nothing. */
  prepare(data: JsonObject, place: ContentPlace): Prepared | Promise<Prepared>
  /** Flags that follow from the stored data; null where the caller's flags are kept instead. */
  flags: ((data: JsonObject | null, slug: string, scope: Scope) => JsonObject) | null
  /** The value shown for stored data. */
  show(data: JsonObject, scope: Scope): JsonObject
}
