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
CREATE TABLE IF NOT EXISTS fenced_runs (run UInt64, is_fenced UInt8) ENGINE = Join(ANY, LEFT, run)
