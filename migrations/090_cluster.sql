-- The shards of the ClickHouse cluster, numbered as in CLICKHOUSE_URLS. None: there is a single server.
CREATE TABLE cluster_shards (
    shard integer PRIMARY KEY CHECK (shard > 0),
    -- The identity of its data, which the shard has, too.
    store_id uuid NOT NULL UNIQUE,
    -- The last mark that was left there; 0: none yet. A shard without it has older data.
    mark bigint NOT NULL DEFAULT 0,
    -- Whether it has what every shard has, so that it can be given partitions.
    is_active boolean NOT NULL DEFAULT false,
    added_at timestamptz NOT NULL DEFAULT now()
);
CREATE SEQUENCE cluster_marks;

-- Which shards may have traces of a partition of the stream. New traces go to the one with the greatest position.
CREATE TABLE cluster_routes (
    stream_partition integer NOT NULL,
    position integer NOT NULL,
    shard integer NOT NULL REFERENCES cluster_shards,
    PRIMARY KEY (stream_partition, position),
    UNIQUE (stream_partition, shard)
);
