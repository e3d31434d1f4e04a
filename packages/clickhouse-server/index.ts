export {
  type ClickHouseServer,
  type ClickHouseServerOptions,
  startClickHouse,
  TooManyRestarts,
} from './clickhouse-server.ts'
export type { Reader } from './readers.ts'
