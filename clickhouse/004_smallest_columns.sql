-- Columns that no statement names. While spans are deleted by patches, ClickHouse reads, of each part, its smallest
-- column first. An update of that column is applied with the columns of another part, which fails if the smallest
-- column differs there: NOT_FOUND_COLUMN_IN_BLOCK. These two are never updated, and one of them is the smallest of any
-- part: of equal columns the first counts, LZ4 takes the least for up to 1,500 rows, T64 beyond. Merges only store columns
-- of older parts that have a DEFAULT. See packages/span-store/DECISIONS.md.
ALTER TABLE spans ADD COLUMN IF NOT EXISTS smallest_of_many UInt8 DEFAULT 0 CODEC(T64) FIRST;

ALTER TABLE spans ADD COLUMN IF NOT EXISTS smallest_of_few UInt8 DEFAULT 0 CODEC(LZ4) FIRST;
