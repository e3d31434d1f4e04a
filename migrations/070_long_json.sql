-- Long JSON is stored as it is. To compress 28 MB takes longer than all else that a commit does, in the one statement
-- that holds the embedded database's connection; texts of a few kilobytes gain little by it.
ALTER TABLE revisions ALTER COLUMN data SET STORAGE EXTERNAL;
