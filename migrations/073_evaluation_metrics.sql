-- What ClickHouse needs to keep a copy of cells and runs: their changes and deletions in the order of transactions. All
-- rows below `pg_snapshot_xmin(pg_current_snapshot())` are visible, so a reader continues from there and misses no
-- transaction that commits late.
CREATE INDEX evaluation_results_changed ON evaluation_results (changed_in, id);

ALTER TABLE evaluation_runs ADD COLUMN changed_in xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX evaluation_runs_changed ON evaluation_runs (changed_in, id);

CREATE FUNCTION note_changed_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_in := pg_current_xact_id();
    RETURN NEW;
END
$$;
CREATE TRIGGER note_changed_run BEFORE UPDATE ON evaluation_runs FOR EACH ROW EXECUTE FUNCTION note_changed_run();

-- Deleted cells: one row for each statement and run, however many cells it deleted. Two lists of the same length.
-- A row without lists is a deleted run. Removed a day after they were copied.
CREATE TABLE evaluation_deletions (
    project_id uuid NOT NULL,
    run_id uuid NOT NULL,
    scenario_ids uuid[],
    result_ids uuid[],
    changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    deleted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX evaluation_deletions_changed ON evaluation_deletions (changed_in);
CREATE INDEX evaluation_deletions_run ON evaluation_deletions (run_id, changed_in);

CREATE FUNCTION note_deleted_results() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO evaluation_deletions (project_id, run_id, scenario_ids, result_ids)
    SELECT project_id, run_id, array_agg(scenario_id ORDER BY id), array_agg(id ORDER BY id)
    FROM gone GROUP BY project_id, run_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_deleted_results AFTER DELETE ON evaluation_results REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_results();

CREATE FUNCTION note_deleted_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO evaluation_deletions (project_id, run_id) SELECT project_id, id FROM gone;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_deleted_runs AFTER DELETE ON evaluation_runs REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_runs();

-- The order of computations: of two computed rows for one place, the one that was begun later is kept. Null: written by
-- a client.
CREATE SEQUENCE evaluation_computations;
ALTER TABLE evaluation_metrics ADD COLUMN computation bigint;
