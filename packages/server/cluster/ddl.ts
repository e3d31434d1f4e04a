import { fileURLToPath } from 'node:url'

/** The folder of ClickHouse's migrations. */
export const CLICKHOUSE_DDL = fileURLToPath(new URL('../../../clickhouse', import.meta.url))
