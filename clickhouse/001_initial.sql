-- For how many days a project keeps its spans; one that is not here, or with 0, keeps them for ever. In memory and on
-- disk. The last row for a project counts.
CREATE TABLE IF NOT EXISTS project_retention (project_id UUID, days UInt16) ENGINE = Join(ANY, LEFT, project_id)
SETTINGS join_any_take_last_row = 1;

-- Which run of a writer has had which of the stream's partitions. A row stays for a month; who begins a run fences all
-- others of its partitions.
CREATE TABLE IF NOT EXISTS writer_runs
(
    stream_partition UInt16,
    run UInt64,
    began_at DateTime DEFAULT now()
)
ENGINE = MergeTree
ORDER BY (stream_partition, run)
TTL began_at + INTERVAL 30 DAY;

-- Runs that may not write any more, in memory and on disk: 16 bytes each, one more with each start of a writer.
CREATE TABLE IF NOT EXISTS fenced_runs (run UInt64, is_fenced UInt8) ENGINE = Join(ANY, LEFT, run);

-- One row a span, exact without FINAL: the writer drops spans it has stored and changes rows by lightweight UPDATE.
-- The key starts with the project, which every statement names. Roots stand before all other spans: lists of traces,
-- analytics and sessions read them alone, which are a tenth of the rows. Within both rows are in the order of lists.
CREATE TABLE IF NOT EXISTS spans
(
    project_id UUID CODEC(ZSTD(1)),
    is_root Bool,
    start_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    trace_id FixedString(16) CODEC(ZSTD(1)),
    span_id FixedString(8) CODEC(ZSTD(1)),
    -- Eight zero bytes: a root.
    parent_id FixedString(8) CODEC(ZSTD(1)),
    -- Microseconds between the end and what the start and the duration say: zero but where the duration is a client's own word.
    end_shift Int64 CODEC(ZSTD(1)),
    end_time DateTime64(6, 'UTC') ALIAS fromUnixTimestamp64Micro(
        toUnixTimestamp64Micro(start_time) + reinterpret(duration_cumulative, 'Int64') + end_shift, 'UTC'),
    -- Derived from the whole trace by the writer: the same in all rows of a trace.
    trace_type Enum8('unknown' = 0, 'invocation' = 1, 'annotation' = 2),
    -- Derived: true for the one row that stands for its trace in lists of traces: the root that started last, or the
    -- earliest span of a trace that has had no root for a minute.
    is_trace_head Bool,
    -- What this span alone says of its trace's type, and whether it says so in words.
    declared_trace_type Enum8('none' = 0, 'invocation' = 1, 'annotation' = 2, 'unknown' = 3),
    is_trace_type_explicit Bool,
    -- Whether this span says of its own usage that it is that of the spans below it.
    repeats_usage Bool,
    span_type Enum8('unknown' = 0, 'agent' = 1, 'chain' = 2, 'workflow' = 3, 'task' = 4, 'tool' = 5, 'embedding' = 6,
                    'query' = 7, 'llm' = 8, 'completion' = 9, 'chat' = 10, 'rerank' = 11),
    -- Whether the attributes name that type, too. So `ag.type.span` can be told without reading them.
    is_span_type_declared Bool,
    span_kind Enum8('SPAN_KIND_UNSPECIFIED' = 0, 'SPAN_KIND_INTERNAL' = 1, 'SPAN_KIND_SERVER' = 2,
                    'SPAN_KIND_CLIENT' = 3, 'SPAN_KIND_PRODUCER' = 4, 'SPAN_KIND_CONSUMER' = 5),
    span_name LowCardinality(String) CODEC(ZSTD(1)),
    status_code Enum8('STATUS_CODE_UNSET' = 0, 'STATUS_CODE_OK' = 1, 'STATUS_CODE_ERROR' = 2),
    status_message String CODEC(ZSTD(1)),
    -- Empty: none. On every span that carries one, not only on roots.
    session_id String CODEC(ZSTD(1)),
    user_id String CODEC(ZSTD(1)),
    agent_id String CODEC(ZSTD(1)),
    -- Milliseconds; zero: none.
    duration_cumulative Decimal(18, 3) CODEC(T64, ZSTD(1)),
    errors_incremental Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_incremental_prompt Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_incremental_completion Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_incremental_total Decimal(18, 3) CODEC(ZSTD(1)),
    costs_incremental_prompt Decimal(38, 15) CODEC(ZSTD(1)),
    costs_incremental_completion Decimal(38, 15) CODEC(ZSTD(1)),
    costs_incremental_total Decimal(38, 15) CODEC(ZSTD(1)),
    -- Derived: the span's own amounts plus those of everything below it; zero: none.
    errors_cumulative Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_cumulative_prompt Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_cumulative_completion Decimal(18, 3) CODEC(ZSTD(1)),
    tokens_cumulative_total Decimal(18, 3) CODEC(ZSTD(1)),
    costs_cumulative_prompt Decimal(38, 15) CODEC(ZSTD(1)),
    costs_cumulative_completion Decimal(38, 15) CODEC(ZSTD(1)),
    costs_cumulative_total Decimal(38, 15) CODEC(ZSTD(1)),
    -- Derived: what of the span's own usage its children say already, so that it is left out of its totals.
    restated Enum8('none' = 0, 'tokens' = 1, 'costs' = 2, 'tokens and costs' = 3),
    -- JSON text: all attributes but ag.data, which is most of the bytes and stands by itself.
    attributes String CODEC(ZSTD(1)),
    data String CODEC(ZSTD(3)),
    -- JSON text of a list each; empty: none.
    events String CODEC(ZSTD(1)),
    links String CODEC(ZSTD(1)),
    references String CODEC(ZSTD(1)),
    hashes String CODEC(ZSTD(1)),
    -- Hashes of what lists are narrowed by, with the index that serves them: see packages/query/search-terms.ts.
    search_terms Array(UInt32) CODEC(ZSTD(1)),
    created_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    created_by_id UUID CODEC(ZSTD(1)),
    -- 1970: never.
    updated_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    updated_by_id UUID CODEC(ZSTD(1)),
    -- When the receiver accepted this version of the span, and a hash of its content: a later one wins, an equal one
    -- is the same delivered again.
    accepted_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    content_hash FixedString(6) CODEC(ZSTD(1)),
    -- Which run of a writer has stored the row. One that was stopped for a while may send its rows when another one has
    -- long stored them. Run 0 is the only writer of an embedded engine, which nobody fences.
    writer_run UInt64 CODEC(ZSTD(1)),
    -- When the row goes: by the days that its project keeps spans, 2106 where it keeps them for ever.
    expires_at DateTime('UTC') DEFAULT toDateTime(if(joinGet('project_retention', 'days', project_id) = 0, 4294967295,
        least(toUnixTimestamp(created_at) + 86400 * toUInt64(joinGet('project_retention', 'days', project_id)), 4294967295)),
        'UTC') CODEC(ZSTD(1)),
    CONSTRAINT by_a_run_that_may_write CHECK joinGet('fenced_runs', 'is_fenced', writer_run) = 0,
    INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1,
    -- Hardly any other span than a root stands for its trace.
    INDEX by_trace_head is_trace_head TYPE minmax GRANULARITY 8,
    -- What was written lately: the live tail asks for it twice a second.
    INDEX by_write greatest(created_at, updated_at) TYPE minmax GRANULARITY 8,
    INDEX by_search_term search_terms TYPE bloom_filter(0.01) GRANULARITY 1,
    -- What texts are searched by: see packages/query/text-hints.ts. Made when parts are merged, not when rows come in.
    INDEX by_text lowerUTF8(data) TYPE text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking')
)
ENGINE = MergeTree
-- Without the ids: one that is looked for would be compared with the bounds of every granule, and lie within nearly all.
PRIMARY KEY (project_id, is_root, start_time)
ORDER BY (project_id, is_root, start_time, trace_id, span_id)
TTL expires_at
-- The first two allow lightweight UPDATE and DELETE.
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1,
    -- A part of an insert is one file, not two for each of its columns: half the time of an insert went into making those.
    min_bytes_for_wide_part = 134217728,
    -- An index tells granules apart that are an eighth of the usual ones, at no cost in bytes.
    index_granularity = 1024,
    -- Of spans with long inputs and outputs fewer, so that one of them is read without hundreds of others.
    index_granularity_bytes = 1048576,
    -- Parts are merged ten at a time, not five: a third less is written again.
    merge_selector_base = 10,
    -- What each of fifty columns costs, statement by statement and merge by merge, is more than these save.
    auto_statistics_types = '', ratio_of_defaults_for_sparse_serialization = 1,
    -- A merge holds two blocks of each of its parts: of 10 MB each they were 24 MB more, and not faster.
    merge_max_block_size_bytes = 2097152;

-- Traces that were deleted. Spans of them that were accepted up to then are never stored again, however late they come:
-- from the stream again after a restart, or from the dead letters. So rows stay, 60 bytes each.
CREATE TABLE IF NOT EXISTS deleted_traces
(
    project_id UUID CODEC(ZSTD(1)),
    trace_id FixedString(16) CODEC(ZSTD(1)),
    deleted_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    -- By which whoever asked for it finds it.
    deletion_id UUID CODEC(ZSTD(1)),
    -- What is deleted by it.
    span_ids Array(FixedString(8)) CODEC(ZSTD(1)),
    -- A deletion has a row from before its spans are deleted, and another one from afterwards.
    is_done Bool
)
ENGINE = MergeTree
ORDER BY (trace_id, project_id);
