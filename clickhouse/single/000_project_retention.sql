-- For how many days a project keeps its spans; one that is not here, or with 0, keeps them for ever. In memory and on
-- disk. The last row for a project counts.
CREATE TABLE IF NOT EXISTS project_retention (project_id UUID, days UInt16) ENGINE = Join(ANY, LEFT, project_id)
SETTINGS join_any_take_last_row = 1
