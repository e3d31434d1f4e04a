-- What this means stands in ../single/001_initial.sql.
CREATE TABLE IF NOT EXISTS project_retention ON CLUSTER '{cluster}' (project_id UUID, days UInt16) ENGINE = Join(ANY, LEFT, project_id)
SETTINGS join_any_take_last_row = 1;

-- What these mean stands in ../single/001_initial.sql. Fencing a run takes an INSERT on every server.
CREATE TABLE IF NOT EXISTS writer_runs ON CLUSTER '{cluster}'
(
    stream_partition UInt16,
    run UInt64,
    began_at DateTime DEFAULT now()
)
ENGINE = MergeTree
ORDER BY (stream_partition, run)
TTL began_at + INTERVAL 30 DAY;

CREATE TABLE IF NOT EXISTS fenced_runs ON CLUSTER '{cluster}' (run UInt64, is_fenced UInt8) ENGINE = Join(ANY, LEFT, run);

-- The span table on a cluster. What the columns mean stands in ../single/001_initial.sql; they are the same.
-- Each server needs the macros `cluster`, `shard` and `replica`. Inserts and reads go to `spans`, which keeps a trace on
-- one shard; UPDATE and DELETE have to name `spans_local` ON CLUSTER, since a Distributed table has neither. Inserts
-- need distributed_foreground_insert = 1: else they are answered before the shards have stored them.
CREATE TABLE IF NOT EXISTS spans_local ON CLUSTER '{cluster}'
(
    project_id UUID CODEC(ZSTD(1)),
    is_root Bool,
    start_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    trace_id FixedString(16) CODEC(ZSTD(1)),
    span_id FixedString(8) CODEC(ZSTD(1)),
    parent_id FixedString(8) CODEC(ZSTD(1)),
    end_shift Int64 CODEC(ZSTD(1)),
    end_time DateTime64(6, 'UTC') ALIAS fromUnixTimestamp64Micro(
        toUnixTimestamp64Micro(start_time) + reinterpret(duration_cumulative, 'Int64') + end_shift, 'UTC'),
    trace_type Enum8('unknown' = 0, 'invocation' = 1, 'annotation' = 2),
    is_trace_head Bool,
    declared_trace_type Enum8('none' = 0, 'invocation' = 1, 'annotation' = 2, 'unknown' = 3),
    is_trace_type_explicit Bool,
    repeats_usage Bool,
    span_type Enum8('unknown' = 0, 'agent' = 1, 'chain' = 2, 'workflow' = 3, 'task' = 4, 'tool' = 5, 'embedding' = 6,
                    'query' = 7, 'llm' = 8, 'completion' = 9, 'chat' = 10, 'rerank' = 11),
    is_span_type_declared Bool,
    span_kind Enum8('SPAN_KIND_UNSPECIFIED' = 0, 'SPAN_KIND_INTERNAL' = 1, 'SPAN_KIND_SERVER' = 2,
                    'SPAN_KIND_CLIENT' = 3, 'SPAN_KIND_PRODUCER' = 4, 'SPAN_KIND_CONSUMER' = 5),
    span_name LowCardinality(String) CODEC(ZSTD(1)),
    status_code Enum8('STATUS_CODE_UNSET' = 0, 'STATUS_CODE_OK' = 1, 'STATUS_CODE_ERROR' = 2),
    status_message String CODEC(ZSTD(1)),
    session_id String CODEC(ZSTD(1)),
    user_id String CODEC(ZSTD(1)),
    agent_id String CODEC(ZSTD(1)),
    duration_cumulative Decimal(18, 3) CODEC(T64, ZSTD(1)),
    errors_incremental Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_incremental_prompt Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_incremental_completion Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_incremental_total Decimal(18, 3) CODEC(ZSTD(1)),
    costs_incremental_prompt Decimal(38, 15) CODEC(ZSTD(1)),
    costs_incremental_completion Decimal(38, 15) CODEC(ZSTD(1)),
    costs_incremental_total Decimal(38, 15) CODEC(ZSTD(1)),
    errors_cumulative Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_cumulative_prompt Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_cumulative_completion Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_cumulative_total Decimal(18, 3) CODEC(ZSTD(1)),
    costs_cumulative_prompt Decimal(38, 15) CODEC(ZSTD(1)),
    costs_cumulative_completion Decimal(38, 15) CODEC(ZSTD(1)),
    costs_cumulative_total Decimal(38, 15) CODEC(ZSTD(1)),
    restated Enum8('none' = 0, 'tokens' = 1, 'costs' = 2, 'tokens and costs' = 3),
    attributes String CODEC(ZSTD(1)),
    data String CODEC(ZSTD(3)),
    events String CODEC(ZSTD(1)),
    links String CODEC(ZSTD(1)),
    references String CODEC(ZSTD(1)),
    hashes String CODEC(ZSTD(1)),
    search_terms Array(UInt32) CODEC(ZSTD(1)),
    created_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    created_by_id UUID CODEC(ZSTD(1)),
    updated_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    updated_by_id UUID CODEC(ZSTD(1)),
    accepted_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    content_hash FixedString(6) CODEC(ZSTD(1)),
    writer_run UInt64 CODEC(ZSTD(1)),
    expires_at DateTime('UTC') DEFAULT toDateTime(if(joinGet('project_retention', 'days', project_id) = 0, 4294967295,
        least(toUnixTimestamp(created_at) + 86400 * toUInt64(joinGet('project_retention', 'days', project_id)), 4294967295)),
        'UTC') CODEC(ZSTD(1)),
    CONSTRAINT by_a_run_that_may_write CHECK joinGet('fenced_runs', 'is_fenced', writer_run) = 0,
    INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX by_trace_head is_trace_head TYPE minmax GRANULARITY 8,
    INDEX by_write greatest(created_at, updated_at) TYPE minmax GRANULARITY 8,
    INDEX by_search_term search_terms TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_text lowerUTF8(data) TYPE text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking')
)
ENGINE = ReplicatedMergeTree
PRIMARY KEY (project_id, is_root, start_time)
ORDER BY (project_id, is_root, start_time, trace_id, span_id)
TTL expires_at
-- The first two allow lightweight UPDATE and DELETE. A block like an earlier one is stored again, as without a cluster:
-- the writer alone decides what is known.
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, replicated_deduplication_window = 0,
    min_bytes_for_wide_part = 134217728, index_granularity = 1024, index_granularity_bytes = 1048576,
    merge_selector_base = 10, auto_statistics_types = '', ratio_of_defaults_for_sparse_serialization = 1,
    merge_max_block_size_bytes = 2097152;

CREATE TABLE IF NOT EXISTS spans ON CLUSTER '{cluster}' AS spans_local
ENGINE = Distributed('{cluster}', currentDatabase(), 'spans_local', sipHash64(trace_id));

-- What the columns mean stands in ../single/001_initial.sql; they are the same.
CREATE TABLE IF NOT EXISTS deleted_traces_local ON CLUSTER '{cluster}'
(
    project_id UUID CODEC(ZSTD(1)),
    trace_id FixedString(16) CODEC(ZSTD(1)),
    deleted_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    deletion_id UUID CODEC(ZSTD(1)),
    span_ids Array(FixedString(8)) CODEC(ZSTD(1)),
    is_done Bool
)
ENGINE = ReplicatedMergeTree
ORDER BY (trace_id, project_id);

CREATE TABLE IF NOT EXISTS deleted_traces ON CLUSTER '{cluster}' AS deleted_traces_local
ENGINE = Distributed('{cluster}', currentDatabase(), 'deleted_traces_local', sipHash64(trace_id));
