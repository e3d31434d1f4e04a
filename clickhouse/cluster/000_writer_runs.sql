-- What these mean stands in ../single/000_writer_runs.sql. Fencing a run takes an INSERT on every server.
CREATE TABLE IF NOT EXISTS writer_runs ON CLUSTER '{cluster}'
(
    stream_partition UInt16,
    run UInt64,
    began_at DateTime DEFAULT now()
)
ENGINE = MergeTree
ORDER BY (stream_partition, run)
TTL began_at + INTERVAL 30 DAY;

CREATE TABLE IF NOT EXISTS fenced_runs ON CLUSTER '{cluster}' (run UInt64, is_fenced UInt8) ENGINE = Join(ANY, LEFT, run)
