-- What this means stands in ../single/000_project_retention.sql.
CREATE TABLE IF NOT EXISTS project_retention ON CLUSTER '{cluster}' (project_id UUID, days UInt16) ENGINE = Join(ANY, LEFT, project_id)
SETTINGS join_any_take_last_row = 1
