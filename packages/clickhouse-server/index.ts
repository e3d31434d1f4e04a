export {
  type ClickHouseServer,
  startClickHouse,
  TooManyRestarts,
} from './clickhouse-server.ts'
export type { Reader } from './readers.ts'
