-- What the columns mean stands in ../single/002_deleted_traces.sql; they are the same.
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
ENGINE = Distributed('{cluster}', currentDatabase(), 'deleted_traces_local', sipHash64(trace_id))
