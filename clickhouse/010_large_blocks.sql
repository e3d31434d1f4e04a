-- The embedded server's buffers, one for each file that a merge writes, are smaller than ClickHouse's (packages/clickhouse-server).
-- Columns of long texts keep compressed blocks of up to a megabyte, in which a text is stored once that several spans repeat.
ALTER TABLE spans
    (MODIFY COLUMN attributes MODIFY SETTING max_compress_block_size = 1048576),
    (MODIFY COLUMN data MODIFY SETTING max_compress_block_size = 1048576),
    (MODIFY COLUMN events MODIFY SETTING max_compress_block_size = 1048576);
