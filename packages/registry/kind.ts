import type { Json, JsonObject, Uuid } from '@spanhouse/model'
import type { Database, Trx } from '@spanhouse/postgres'
import type { RuntimeSettings } from '@spanhouse/runtime'
import type { z } from '@spanhouse/validation'

export type KindName = 'workflow' | 'application' | 'evaluator' | 'testset' | 'query' | 'environment'
export type Family = 'workflow' | 'testset' | 'query' | 'environment'
export type Role = 'is_application' | 'is_evaluator' | 'is_snippet'
export type Layer = 'artifact' | 'variant' | 'revision'

/** A kind of versioned record: all that tells it from the others. Adding a kind is adding a row to `KINDS`. */
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

/** Where and for whom something is done: every statement takes its project from here. */
export interface Scope {
  db: Database | Trx
  project_id: Uuid
  /** Who it is done for; null where nobody is known. */
  user_id: Uuid | null
  kind: Kind
  /** What handler URIs and the addresses of hosted services are made of. */
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

/** Something the caller should know about a commit that was carried out. */
export interface CommitWarning {
  code: string
  message: string
  target?: Json
  operation_index?: number
}

/** A change to what a variant holds, as read from a request. */
export interface Delta {
  /** Whether the commit must name the revision that the change was made for (`base_revision_id`). */
  needsBase: boolean
  /** Whether there must be a revision to change: 404 on a variant without one. */
  needsHead?: boolean
  /** The data that follows from the base's (null: the base has none). Applied again when the head has changed meanwhile. */
  apply(base: JsonObject | null, place: ContentPlace): Changed | Promise<Changed>
}

export interface Changed {
  data: JsonObject
  /** Given where the data is checked and prepared already: see {@link Prepared}. */
  write?: Prepared['write']
  warnings?: CommitWarning[]
  /** The commit's message where the caller sent none. */
  message?: string
}

/** Where data is to be stored. */
export interface ContentPlace {
  scope: Scope
  artifact_id: Uuid
  /** Where the data stands in the request: the start of the location in a 422. */
  loc: (string | number)[]
}

/**
 * What a revision is to hold, checked. It is prepared before the transaction that stores it, so that the transaction, which
 * may hold the only connection there is, takes as little time as possible.
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
  /** `delta` in a commit; absent where there is none. */
  delta?: z.ZodType<Delta>
  /** What is stored for data that was read. Throws 422 for what no schema can see. Changes nothing. */
  prepare(data: JsonObject, place: ContentPlace): Prepared | Promise<Prepared>
  /** Flags that follow from the stored data; null where the caller's flags are kept instead. */
  flags: ((data: JsonObject | null, slug: string, scope: Scope) => JsonObject) | null
  /** What is shown for data as stored. */
  show(data: JsonObject, scope: Scope): JsonObject
}
