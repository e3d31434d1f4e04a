-- What a small span takes besides its values: see packages/span-store/DECISIONS.md. Writers of before give `content_hash` alone.
ALTER TABLE spans ADD COLUMN IF NOT EXISTS version_hash FixedString(5) DEFAULT toFixedString(substring(content_hash, 1, 5), 5)
    CODEC(ZSTD(1)) AFTER content_hash;

ALTER TABLE spans MODIFY COLUMN version_hash MODIFY SETTING min_compress_block_size = 8192;

-- Parts that exist keep their level until they are merged.
ALTER TABLE spans MODIFY COLUMN search_terms Array(UInt32) CODEC(ZSTD(4));

-- In stores that had 006 when its filters of 32 granules let one in a thousand through for nothing, not one in twenty; the filters
-- of granules exclude nearly all of these anyway. Built in the background for existing parts; until then those are tested alone.
ALTER TABLE spans ADD INDEX IF NOT EXISTS by_search_term_block search_terms TYPE bloom_filter(0.05) GRANULARITY 32;

ALTER TABLE spans DROP INDEX IF EXISTS by_search_term_range;

ALTER TABLE spans MATERIALIZE INDEX by_search_term_block;
