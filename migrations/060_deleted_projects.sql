-- Projects that are no more: what is stored by project elsewhere (spans, dead letters) is removed by whoever reads this.
-- Rows stay, since nothing says when the last span of one has come; `sweep_at` moves ever further away.
CREATE TABLE deleted_projects (
    project_id uuid PRIMARY KEY,
    deleted_at timestamptz NOT NULL DEFAULT now(),
    sweep_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deleted_projects_sweep_at ON deleted_projects (sweep_at);

-- In the transaction that deletes a project, whatever it was that took the project with it.
CREATE FUNCTION note_deleted_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO deleted_projects (project_id) VALUES (OLD.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_deleted AFTER DELETE ON projects FOR EACH ROW EXECUTE FUNCTION note_deleted_project();
