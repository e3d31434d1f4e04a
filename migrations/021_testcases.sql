-- The rows of testsets. A row's id is that of its content in its testset, so it is stored once, however many revisions
-- name it, and never changes. `data` is `json` and no `jsonb`: the order of columns and every digit stay as they were sent.
CREATE TABLE testcases (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    family text NOT NULL DEFAULT 'testset' CHECK (family = 'testset'),
    testset_id uuid NOT NULL,
    data json NOT NULL,
    flags jsonb,
    tags jsonb,
    meta jsonb,
    -- Of the row as JSON, so that pages and testsets can be measured without reading them.
    bytes integer NOT NULL,
    created_at timestamptz NOT NULL,
    created_by_id uuid,
    PRIMARY KEY (project_id, id),
    CONSTRAINT testcases_testset FOREIGN KEY (project_id, family, testset_id) REFERENCES artifacts ON DELETE CASCADE
);
CREATE INDEX testcases_of_testset ON testcases (project_id, testset_id, created_at, id);
