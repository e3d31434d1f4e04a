/** The folder of ClickHouse's migrations. */
export const CLICKHOUSE_DDL = new URL('../../../clickhouse', import.meta.url).pathname
