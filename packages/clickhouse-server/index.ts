export { type ClickHouseServer, type ClickHouseServerOptions, startClickHouse } from './clickhouse-server.ts'
export type { Reader } from './readers.ts'
