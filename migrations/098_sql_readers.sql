-- Who was shown the password of a project's user of ClickHouse, which is removed once they are no owner any more. The
-- user may be deleted: then nobody is an owner.
CREATE TABLE sql_readers (
    project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    user_id uuid NOT NULL
);
