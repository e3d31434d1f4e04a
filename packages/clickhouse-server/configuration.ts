import { hash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Elements, toXml } from './xml.ts'

/** The parameters of a server. */
export interface ServerAddress {
  /** An absolute path: the data. */
  path: string
  httpPort: number
  /** The port of the native protocol; undefined: disabled. */
  tcpPort: number | undefined
  password: string
  /** Undefined: the server is alone. */
  cluster?: ClusterMember
}

/** A server's place in a cluster of servers on this machine, all with the same password. */
export interface ClusterMember {
  /** The port of the native protocol of each shard's server. */
  tcpPorts: readonly number[]
  /** Counted from 1. */
  shard: number
  /** Whether the server keeps a log of statements, `system.query_log`. */
  isLogged?: boolean
}

/** The only user who may run any statement over the network; readers may read what they were granted. */
export const USER = 'spanhouse'

/**
 * Writes the server's configuration into a folder beside the data, readable only by the owner, and returns its main
 * file.
 */
export async function writeConfiguration(address: ServerAddress): Promise<string> {
  const folder = folderOf(address.path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const usersFile = join(folder, 'users.xml')
  const configFile = join(folder, 'config.xml')
  await writeFile(usersFile, toXml(users(address.password)), { mode: 0o600 })
  await writeFile(configFile, toXml(config(address, { folder, usersFile })), { mode: 0o600 })
  return configFile
}

/** Where a server's configuration is, beside its data. Files of readers there are in `users.d`, see `readers.ts`. */
export const folderOf = (path: string): string => join(path, 'server')

const MIB = 1024 ** 2

/** Settings of all tables: writing parts takes less memory. */
const TABLES: Elements = {
  // The size of a file's buffer while a part is written: a megabyte by default, and most columns and indexes need less
  // than a tenth of it. Columns of long texts have a size of their own (`clickhouse/010_large_blocks.sql`).
  max_compress_block_size: 65_536,
  // A horizontal merge has buffers for each file that it writes, two for each column. From so many rows on, a part with
  // a file for each column is written column by column.
  vertical_merge_algorithm_min_rows_to_activate: 32_768,
  // The memory of a merge grows with the number of its parts, and a busy minute leaves up to a hundred small ones.
  max_parts_to_merge_at_once: 16,
  // Of the three places for merges below, the first makes parts of up to 20 GB, the second of 370 MB, and the third,
  // which is left to mutations, of 7 MB. So one large merge and one small one run at a time.
  number_of_free_entries_in_pool_to_lower_max_size_of_merge: 3,
  max_bytes_to_merge_at_max_space_in_pool: 20_000_000_000,
  max_bytes_to_merge_at_min_space_in_pool: 131_072,
  number_of_free_entries_in_pool_to_execute_mutation: 1,
  number_of_free_entries_in_pool_to_execute_optimize_entire_partition: 1,
}

/** The cluster's name. Servers tell it to Spanhouse by the macro `cluster`. */
const CLUSTER = 'spanhouse'

/** Servers forward statements with the name of the user who sent them, which they prove by the secret. */
const clusterOf = ({ tcpPorts, shard, isLogged }: ClusterMember, password: string): Elements => ({
  ...(isLogged ? { query_log: { database: 'system', table: 'query_log' } } : {}),
  macros: { cluster: CLUSTER, shard, replica: 1 },
  remote_servers: {
    [CLUSTER]: {
      secret: hash('sha256', `cluster ${password}`),
      shard: tcpPorts.map(port => ({ replica: { host: '127.0.0.1', port } })),
    },
  },
})

function config(
  { path, httpPort, tcpPort, password, cluster }: ServerAddress,
  files: { folder: string; usersFile: string },
): Elements {
  return {
    path: `${path}/`,
    tmp_path: `${path}/tmp/`,
    user_files_path: `${path}/user_files/`,
    users_config: files.usersFile,
    // Only protocols configured here listen, and only on this address.
    listen_host: '127.0.0.1',
    http_port: httpPort,
    ...(tcpPort === undefined ? {} : { tcp_port: tcpPort }),
    ...(cluster ? clusterOf(cluster, password) : {}),
    // Without query_log and similar tables, which exist only if configured.
    'log-level': 'error',
    logger: { console: 0, log: join(files.folder, 'server.log'), size: '10M', count: 1 },
    // The lower of the two limits applies.
    max_server_memory_usage: 4096 * MIB,
    max_server_memory_usage_to_ram_ratio: 0.5,
    // The share of the limit that may be free memory: while there is more, ClickHouse returns all of it every 50 ms. By
    // default it is a fifth, which one query can exceed where the limit is a gigabyte.
    memory_worker_purge_dirty_pages_threshold_ratio: 0.5,
    // What counts towards the limit is its own memory. In a container that would be everybody's: the program's, too.
    memory_worker_use_cgroup: 0,
    mark_cache_size: 256 * MIB,
    primary_index_cache_size: 256 * MIB,
    index_mark_cache_size: 64 * MIB,
    text_index_tokens_cache_size: 64 * MIB,
    text_index_header_cache_size: 64 * MIB,
    text_index_postings_cache_size: 128 * MIB,
    // Three places for merges and mutations instead of 32, and two threads.
    background_pool_size: 2,
    background_merges_mutations_concurrency_ratio: 1.5,
    // Idle threads beyond these end. Each holds three files and its memory, and a busy hour leaves a thousand.
    max_thread_pool_free_size: 64,
    merge_tree: TABLES,
  }
}

/** What one statement of a reader may take; it can ask for less. */
const READER_LIMITS = {
  max_execution_time: 30,
  max_memory_usage: 1024 * MIB,
  max_threads: 2,
  max_result_bytes: 256 * MIB,
  max_rows_to_read: 2_000_000_000,
}
/** Statements of one reader at a time. */
const READER_STATEMENTS_MAX = 4

/** Settings can be changed, since dashboards do, but limits only to smaller ones. */
const READER_PROFILE: Elements = {
  readonly: 2,
  allow_ddl: 0,
  allow_introspection_functions: 0,
  max_concurrent_queries_for_user: READER_STATEMENTS_MAX,
  // As the product's own statements have it, for totals that are being updated.
  merge_tree_min_read_task_size: 128,
  ...READER_LIMITS,
  constraints: {
    max_concurrent_queries_for_user: { const: '' },
    // A reader who could set them could make the server call any address and write a file anywhere.
    format_avro_schema_registry_url: { const: '' },
    input_format_record_errors_file_path: { const: '' },
    ...Object.fromEntries(Object.entries(READER_LIMITS).map(([name, max]) => [name, { min: 1, max }])),
  },
}

function users(password: string): Elements {
  const networks = { ip: '127.0.0.1' }
  return {
    profiles: {
      // The first is the default of clickhouse-local but not of a server.
      default: { implicit_select: 0, allow_introspection_functions: 0 },
      starter: { max_sessions_for_user: 1 },
      reader: READER_PROFILE,
    },
    quotas: { default: {} },
    users: {
      [USER]: { password_sha256_hex: hash('sha256', password), networks, profile: 'default', quota: 'default' },
      // The user of the program's own statements. Its only session is taken before anyone can connect.
      default: {
        password: '',
        networks,
        profile: 'starter',
        quota: 'default',
        grants: { query: 'GRANT SYSTEM LISTEN ON *.*, SELECT ON system.numbers' },
      },
    },
  }
}
