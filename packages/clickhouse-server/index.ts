export { type ClickHouseServer, type ClickHouseServerOptions, startClickHouse } from './clickhouse-server.ts'
