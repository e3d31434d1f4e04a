-- Less overhead for small spans: see packages/span-store/DECISIONS.md. Writers of earlier versions store only `content_hash`.
ALTER TABLE spans ADD COLUMN IF NOT EXISTS version_hash FixedString(5) DEFAULT toFixedString(substring(content_hash, 1, 5), 5)
    CODEC(ZSTD(1)) AFTER content_hash;

ALTER TABLE spans MODIFY COLUMN version_hash MODIFY SETTING min_compress_block_size = 8192;

-- Existing parts keep their compression until they are merged.
ALTER TABLE spans MODIFY COLUMN search_terms Array(UInt32) CODEC(ZSTD(4));

-- 006 used to make larger filters of 32 granules: they let one in a thousand through for nothing, these let one in twenty, and the
-- filters of single granules exclude nearly all of it. Built in the background for existing parts, which are read as before.
ALTER TABLE spans ADD INDEX IF NOT EXISTS by_search_term_block search_terms TYPE bloom_filter(0.05) GRANULARITY 32;

ALTER TABLE spans DROP INDEX IF EXISTS by_search_term_range;

ALTER TABLE spans MATERIALIZE INDEX by_search_term_block;
