-- Rows expire when they say so now. Without a condition, ClickHouse drops a part as a whole when the time is over that its rows had
-- when they were written, although an UPDATE has made it longer since (packages/span-store/write/retention.ts). With one, it reads the
-- rows. Existing parts are not written again for it: a merge reads the rows of those that were made without.
ALTER TABLE spans MODIFY TTL expires_at DELETE WHERE expires_at < toDateTime(4294967295, 'UTC');
