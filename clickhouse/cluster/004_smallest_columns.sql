-- What these are for stands in ../single/004_smallest_columns.sql.
ALTER TABLE spans_local ON CLUSTER '{cluster}' ADD COLUMN IF NOT EXISTS smallest_of_many UInt8 DEFAULT 0 CODEC(T64) FIRST;

ALTER TABLE spans_local ON CLUSTER '{cluster}' ADD COLUMN IF NOT EXISTS smallest_of_few UInt8 DEFAULT 0 CODEC(LZ4) FIRST;
