-- Rows expire when they say so now. Without a condition, ClickHouse drops a part as a whole when the time is over that its rows had
-- when they were written, although an UPDATE has made it longer since (packages/span-store/write/retention.ts). With one, it reads the
-- rows. What it knows of existing parts is computed from this column alone, not by writing them again; by replicas when they merge.
ALTER TABLE spans MODIFY SETTING materialize_ttl_recalculate_only = 1;

ALTER TABLE spans MODIFY TTL expires_at DELETE WHERE expires_at < toDateTime(4294967295, 'UTC');
