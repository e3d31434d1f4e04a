-- The numbers of partitions that the stream has had in NATS; the greatest is the present one. Each is a multiple of the one
-- before, so that a partition's traces come from one earlier partition. None: no process has opened the stream.
CREATE TABLE stream_divisions (
    partitions integer PRIMARY KEY CHECK (partitions > 0),
    began_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO stream_divisions (partitions)
SELECT count(DISTINCT stream_partition) FROM cluster_routes HAVING count(*) > 0;

-- The greatest number of partitions by which a writer of this one has divided: no writer of it stores a trace any more that
-- belongs to another one by that.
CREATE TABLE stream_partitions (
    stream_partition integer PRIMARY KEY,
    partitions integer NOT NULL
);
