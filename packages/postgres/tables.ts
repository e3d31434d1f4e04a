import type { Json, JsonObject, Uuid } from '@spanhouse/model'
import type { ColumnType, Generated, Kysely, Transaction } from 'kysely'

/** ISO 8601 text in UTC. If omitted on insert, it is the time of the insert. */
type CreatedAt = ColumnType<string, string | undefined, string>
type Time = ColumnType<string | null, string | null | undefined, string | null>
/** Read as a value, written as text (`toJsonb`): the drivers would encode arrays differently. */
type JsonObjectColumn = ColumnType<JsonObject | null, string | null | undefined, string | null>
type JsonColumn = ColumnType<Json | null, string | null | undefined, string | null>
type Text = ColumnType<string | null, string | null | undefined, string | null>
type Flag = Generated<boolean>
type OptionalId = ColumnType<Uuid | null, Uuid | null | undefined, Uuid | null>

interface Dated {
  created_at: CreatedAt
  updated_at: Time
}

interface Authored extends Dated {
  created_by_id: OptionalId
  updated_by_id: OptionalId
}

interface Annotated {
  flags: JsonObjectColumn
  tags: JsonObjectColumn
  meta: JsonObjectColumn
}

export interface UsersTable extends Dated {
  id: Uuid
  uid: string
  email: string
  username: string
}

export interface UserIdentitiesTable extends Dated {
  id: Uuid
  user_id: Uuid
  method: string
  subject: string
  email: Text
  domain: Text
  provider_user_id: Text
  verified: Flag
  claims: JsonObjectColumn
  password_hash: Text
}

export interface OrganizationsTable extends Authored, Annotated {
  id: Uuid
  slug: Text
  name: string
  description: Text
  owner_id: Uuid
}

export interface WorkspacesTable extends Authored, Annotated {
  id: Uuid
  organization_id: Uuid
  slug: Text
  name: string
  description: Text
  type: Generated<string>
}

export interface ProjectsTable extends Authored, Annotated {
  id: Uuid
  organization_id: Uuid
  workspace_id: Uuid
  slug: Text
  name: string
  description: Text
  is_default: Flag
  retention_days: ColumnType<number | null, number | null | undefined, number | null>
  /** For how many days events are kept; null: the default. */
  event_days: ColumnType<number | null, number | null | undefined, number | null>
  quota: JsonObjectColumn
}

interface MembershipTable extends Dated {
  id: Uuid
  user_id: Uuid
  role: string
}

export interface OrganizationMembershipsTable extends MembershipTable {
  organization_id: Uuid
}

export interface WorkspaceMembershipsTable extends MembershipTable {
  workspace_id: Uuid
}

export interface ProjectMembershipsTable extends MembershipTable {
  project_id: Uuid
  is_demo: Flag
}

export interface ApiKeysTable {
  id: Uuid
  prefix: string
  hash: string
  project_id: Uuid
  user_id: Uuid
  name: Text
  hidden: Flag
  quota: JsonObjectColumn
  expires_at: Time
  last_used_at: Time
  created_at: CreatedAt
}

export interface AccountRequestsTable {
  id: string
  request_hash: string
  answer: Text
  created_at: CreatedAt
}

/** Who created, changed and archived a row, and when. Archived: `deleted_at` is set. */
interface Versioned extends Authored, Annotated {
  project_id: Uuid
  /** `workflow`, `testset`, `query` or `environment`. */
  family: string
  id: Uuid
  slug: string
  name: Text
  description: Text
  deleted_at: Time
  deleted_by_id: OptionalId
}

export interface ArtifactsTable extends Versioned {
  folder_id: OptionalId
}

export interface VariantsTable extends Versioned {
  artifact_id: Uuid
}

export interface RevisionsTable extends Versioned {
  artifact_id: Uuid
  variant_id: Uuid
  version: number
  message: Text
  data: JsonObjectColumn
  deleted_with_variant: Flag
}

export interface FoldersTable extends Authored, Annotated {
  project_id: Uuid
  id: Uuid
  parent_id: OptionalId
  kind: string
  slug: string
  /** The slugs from the root down, joined by dots. */
  path: string
  name: string
  description: Text
}

export interface TestcasesTable extends Annotated {
  project_id: Uuid
  id: Uuid
  family: Generated<string>
  testset_id: Uuid
  data: ColumnType<JsonObject, string, never>
  bytes: number
  created_at: CreatedAt
  created_by_id: OptionalId
}

export interface InvitationsTable {
  id: Uuid
  workspace_id: Uuid
  email: string
  role: string
  token_hash: string
  expires_at: string
  accepted_at: Time
  created_at: CreatedAt
  created_by_id: OptionalId
}

export interface PasswordResetsTable {
  user_id: Uuid
  token_hash: string
  expires_at: string
}

export interface SecretsTable extends Authored {
  id: Uuid
  project_id: Uuid
  slug: Text
  kind: string
  name: Text
  description: Text
  sealed: string
  key_id: string
}

export interface ProjectPricesTable {
  project_id: Uuid
  prices: ColumnType<JsonObject, string, string>
  updated_at: CreatedAt
  updated_by_id: OptionalId
}

/** What workers claim: rows with work, each by one worker at a time. */
interface Claimable {
  work: JsonColumn
  claimed_by: OptionalId
}

export interface EvaluationRunsTable extends Authored, Claimable {
  project_id: Uuid
  id: Uuid
  name: Text
  description: Text
  status: Generated<string>
  flags: ColumnType<Record<string, boolean>, string, string>
  tags: JsonObjectColumn
  meta: JsonObjectColumn
  data: JsonObjectColumn
  references: JsonColumn
  changed_in: Generated<string>
}

export interface EvaluationWorkersTable {
  project_id: Uuid
  run_id: Uuid
  worker_id: Uuid
  calls: number
  alive_until: string
}

export interface EvaluationScenariosTable extends Authored, Annotated, Claimable {
  project_id: Uuid
  id: Uuid
  run_id: Uuid
  status: Generated<string>
  interval: ColumnType<number | null, number | null | undefined, number | null>
  timestamp: Time
}

export interface EvaluationResultsTable extends Authored, Annotated {
  project_id: Uuid
  id: Uuid
  run_id: Uuid
  scenario_id: Uuid
  step_key: string
  repeat_idx: Generated<number>
  status: Generated<string>
  trace_id: OptionalId
  testcase_id: OptionalId
  hash_id: OptionalId
  error: JsonObjectColumn
  interval: ColumnType<number | null, number | null | undefined, number | null>
  timestamp: Time
  changed_in: Generated<string>
}

export interface EvaluationMetricsTable extends Authored, Annotated {
  project_id: Uuid
  id: Uuid
  run_id: Uuid
  scenario_id: OptionalId
  timestamp: Time
  interval: ColumnType<number | null, number | null | undefined, number | null>
  status: Generated<string>
  data: JsonObjectColumn
  computation: ColumnType<number | null, number | null | undefined, number | null>
}

/** Written by the database itself whenever cells or runs go. */
export interface EvaluationDeletionsTable {
  project_id: Uuid
  run_id: Uuid
  scenario_ids: Uuid[] | null
  result_ids: Uuid[] | null
  changed_in: Generated<string>
  deleted_at: CreatedAt
}

export interface EvaluationQueuesTable extends Authored {
  project_id: Uuid
  id: Uuid
  run_id: Uuid
  name: Text
  description: Text
  status: Generated<string>
  flags: ColumnType<Record<string, boolean>, string, string>
  tags: JsonObjectColumn
  meta: JsonObjectColumn
  data: ColumnType<JsonObject, string, string>
  deleted_at: Time
  deleted_by_id: OptionalId
}

/** Written by the database itself whenever a project goes. */
export interface DeletedProjectsTable {
  project_id: Uuid
  deleted_at: CreatedAt
  sweep_at: CreatedAt
}

export interface EventsTable {
  id: Uuid
  project_id: OptionalId
  type: string
  timestamp: CreatedAt
  created_at: CreatedAt
  /** Filled by the database with the caller that the connection works for. */
  actor: JsonObjectColumn
  attributes: ColumnType<JsonObject, string, never>
}

export interface WebhookSubscriptionsTable extends Authored {
  project_id: Uuid
  id: Uuid
  name: Text
  description: Text
  tags: JsonObjectColumn
  meta: JsonObjectColumn
  is_active: Flag
  data: ColumnType<JsonObject, string, string>
  event_types: ColumnType<string[] | null, string[] | null | undefined, string[] | null>
  secret_id: OptionalId
  is_secret_given: boolean
}

export interface WebhookDeliveriesTable extends Authored {
  project_id: Uuid
  id: Uuid
  subscription_id: Uuid
  event_id: Uuid
  status: ColumnType<JsonObject, string, string>
  data: JsonObjectColumn
}

export interface WebhookQueueTable {
  subscription_id: Uuid
  event_id: Uuid
  attempts: Generated<number>
  due_at: CreatedAt
}

export interface ClusterShardsTable {
  shard: number
  store_id: Uuid
  mark: Generated<number>
  is_active: Flag
  added_at: CreatedAt
}

export interface ClusterRoutesTable {
  stream_partition: number
  position: number
  shard: number
}

export interface StreamDivisionsTable {
  partitions: number
  began_at: Generated<Date>
}

export interface StreamPartitionsTable {
  stream_partition: number
  partitions: number
}

export interface InstallationTable {
  id: Generated<Uuid>
}

export interface SqlReadersTable {
  project_id: Uuid
  user_id: Uuid
}

export interface CodeRuntimesTable {
  runtime: string
}

/** Every table of Postgres, as the migrations create it. */
export interface Tables {
  users: UsersTable
  user_identities: UserIdentitiesTable
  organizations: OrganizationsTable
  workspaces: WorkspacesTable
  projects: ProjectsTable
  organization_memberships: OrganizationMembershipsTable
  workspace_memberships: WorkspaceMembershipsTable
  project_memberships: ProjectMembershipsTable
  api_keys: ApiKeysTable
  account_requests: AccountRequestsTable
  artifacts: ArtifactsTable
  variants: VariantsTable
  revisions: RevisionsTable
  folders: FoldersTable
  testcases: TestcasesTable
  invitations: InvitationsTable
  password_resets: PasswordResetsTable
  secrets: SecretsTable
  project_prices: ProjectPricesTable
  deleted_projects: DeletedProjectsTable
  evaluation_runs: EvaluationRunsTable
  evaluation_workers: EvaluationWorkersTable
  evaluation_scenarios: EvaluationScenariosTable
  evaluation_results: EvaluationResultsTable
  evaluation_metrics: EvaluationMetricsTable
  evaluation_deletions: EvaluationDeletionsTable
  evaluation_queues: EvaluationQueuesTable
  events: EventsTable
  webhook_subscriptions: WebhookSubscriptionsTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_queue: WebhookQueueTable
  cluster_shards: ClusterShardsTable
  cluster_routes: ClusterRoutesTable
  stream_divisions: StreamDivisionsTable
  stream_partitions: StreamPartitionsTable
  installation: InstallationTable
  code_runtimes: CodeRuntimesTable
  sql_readers: SqlReadersTable
}

export type Database = Kysely<Tables>
/** Inside a transaction, use only this: PGlite has one connection, so using the database itself would wait forever. */
export type Trx = Transaction<Tables>
