-- What this means stands in ../single/002_evaluation_cells.sql. Cells are small beside spans, so each server has all of
-- them: they are joined with the spans of its own shard.
CREATE TABLE IF NOT EXISTS evaluation_cells ON CLUSTER '{cluster}'
(
    project_id UUID CODEC(ZSTD(1)),
    run_id UUID CODEC(ZSTD(1)),
    scenario_id UUID CODEC(ZSTD(1)),
    id UUID CODEC(ZSTD(1)),
    step_key LowCardinality(String) CODEC(ZSTD(1)),
    repeat_idx UInt32 CODEC(ZSTD(1)),
    status LowCardinality(String) CODEC(ZSTD(1)),
    trace_id FixedString(16) CODEC(ZSTD(1)),
    testcase_id UUID CODEC(ZSTD(1)),
    timestamp DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    interval Int32 CODEC(ZSTD(1)),
    updated_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    is_deleted Bool CODEC(ZSTD(1)),
    version UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/{cluster}/evaluation_cells', '{shard}-{replica}', version)
ORDER BY (project_id, run_id, scenario_id, id);

CREATE TABLE IF NOT EXISTS evaluation_runs ON CLUSTER '{cluster}'
(
    project_id UUID CODEC(ZSTD(1)),
    id UUID CODEC(ZSTD(1)),
    name String CODEC(ZSTD(1)),
    status LowCardinality(String) CODEC(ZSTD(1)),
    created_at DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    step_keys Array(String) CODEC(ZSTD(1)),
    step_types Array(LowCardinality(String)) CODEC(ZSTD(1)),
    step_revisions Array(UUID) CODEC(ZSTD(1)),
    is_deleted Bool CODEC(ZSTD(1)),
    version UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/{cluster}/evaluation_runs', '{shard}-{replica}', version)
ORDER BY (project_id, id);

CREATE TABLE IF NOT EXISTS evaluation_feed ON CLUSTER '{cluster}' (copied_before SimpleAggregateFunction(max, UInt64))
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/{cluster}/evaluation_feed', '{shard}-{replica}') ORDER BY tuple();
