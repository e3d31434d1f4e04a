-- Copies of what Postgres holds of evaluations, so that results can be joined with the spans that they refer to. A row is
-- stored again with each change: of the rows with one id that with the greatest version counts, which is the number of the
-- Postgres transaction. A deleted row has the greatest of all. Statements choose it themselves, so they are exact before
-- and after merges, without FINAL.
CREATE TABLE IF NOT EXISTS evaluation_cells
(
    project_id UUID CODEC(ZSTD(1)),
    run_id UUID CODEC(ZSTD(1)),
    scenario_id UUID CODEC(ZSTD(1)),
    id UUID CODEC(ZSTD(1)),
    step_key LowCardinality(String) CODEC(ZSTD(1)),
    repeat_idx UInt32 CODEC(ZSTD(1)),
    status LowCardinality(String) CODEC(ZSTD(1)),
    -- Zeros: none.
    trace_id FixedString(16) CODEC(ZSTD(1)),
    testcase_id UUID CODEC(ZSTD(1)),
    -- The bucket of a live run; 1970: none.
    timestamp DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    interval Int32 CODEC(ZSTD(1)),
    updated_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    is_deleted Bool CODEC(ZSTD(1)),
    version UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, run_id, scenario_id, id);

CREATE TABLE IF NOT EXISTS evaluation_runs
(
    project_id UUID CODEC(ZSTD(1)),
    id UUID CODEC(ZSTD(1)),
    name String CODEC(ZSTD(1)),
    status LowCardinality(String) CODEC(ZSTD(1)),
    created_at DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    -- Of each step: its key, its type, and the revision that it runs (zeros: none).
    step_keys Array(String) CODEC(ZSTD(1)),
    step_types Array(LowCardinality(String)) CODEC(ZSTD(1)),
    step_revisions Array(UUID) CODEC(ZSTD(1)),
    is_deleted Bool CODEC(ZSTD(1)),
    version UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, id);

-- Everything that Postgres' transactions below this number changed has been copied.
CREATE TABLE IF NOT EXISTS evaluation_feed (copied_before SimpleAggregateFunction(max, UInt64))
ENGINE = AggregatingMergeTree ORDER BY tuple();
