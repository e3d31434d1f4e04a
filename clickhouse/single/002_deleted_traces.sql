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
ORDER BY (trace_id, project_id)
