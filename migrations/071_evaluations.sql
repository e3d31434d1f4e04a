-- Evaluations: a run is a grid of scenarios × steps × repeats whose cells are results; metrics are aggregates of them, a
-- queue is what people work through. Ids are UUIDv7, so that their order is that of creation. Users' ids carry no foreign
-- key: history outlives the people who made it. `meta`, `data` and `error` are `json`, which keeps members in order.

CREATE TABLE evaluation_runs (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    id uuid NOT NULL,
    name text,
    description text,
    status text NOT NULL DEFAULT 'pending',
    -- All fourteen, always.
    flags jsonb NOT NULL,
    tags jsonb,
    meta json,
    data json,
    -- What the steps refer to, as a list of {key, id, slug, version}.
    "references" jsonb,
    -- What a worker is to do before there are scenarios; null when there is nothing.
    work jsonb,
    claimed_by uuid,
    claimed_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    created_by_id uuid,
    updated_by_id uuid,
    PRIMARY KEY (project_id, id)
);
CREATE INDEX evaluation_runs_references ON evaluation_runs USING gin ("references" jsonb_path_ops);
CREATE INDEX evaluation_runs_work ON evaluation_runs (id) WHERE work IS NOT NULL;

CREATE TABLE evaluation_scenarios (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    status text NOT NULL DEFAULT 'pending',
    "interval" integer,
    "timestamp" timestamptz,
    flags jsonb,
    tags jsonb,
    meta json,
    -- What a worker is to do, as a list of tasks; null when there is nothing. Workers claim the rows themselves.
    work jsonb,
    claimed_by uuid,
    claimed_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    created_by_id uuid,
    updated_by_id uuid,
    PRIMARY KEY (project_id, id),
    -- What cells and metrics refer to, and the order of a run's list.
    UNIQUE (project_id, run_id, id),
    CONSTRAINT evaluation_scenarios_run FOREIGN KEY (project_id, run_id) REFERENCES evaluation_runs ON DELETE CASCADE
);
CREATE INDEX evaluation_scenarios_status ON evaluation_scenarios (project_id, run_id, status);
CREATE INDEX evaluation_scenarios_work ON evaluation_scenarios (run_id, id) WHERE work IS NOT NULL;

-- Cells. A foreign key to the scenario would be checked row by row, which takes twice as long as the writing; instead
-- whoever writes cells locks their scenarios (one statement for all), and a trigger deletes those of deleted scenarios.
CREATE TABLE evaluation_results (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    scenario_id uuid NOT NULL,
    step_key text NOT NULL,
    repeat_idx integer NOT NULL DEFAULT 0,
    status text NOT NULL DEFAULT 'pending',
    trace_id uuid,
    testcase_id uuid,
    hash_id uuid,
    error json,
    "interval" integer,
    "timestamp" timestamptz,
    flags jsonb,
    tags jsonb,
    meta json,
    -- The transaction that wrote it last: rows before `pg_snapshot_xmin(pg_current_snapshot())` are complete, so that
    -- whoever copies the cells of a run elsewhere can go on where it stopped.
    changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    created_by_id uuid,
    updated_by_id uuid,
    PRIMARY KEY (project_id, id),
    CONSTRAINT evaluation_results_cell UNIQUE (project_id, run_id, scenario_id, step_key, repeat_idx)
);
CREATE INDEX evaluation_results_run ON evaluation_results (project_id, run_id, id);

-- Run by run with a list of ids: joined with the deleted scenarios, all cells of the run were read once for each of them.
CREATE FUNCTION delete_results_of_scenarios() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    run record;
BEGIN
    FOR run IN SELECT project_id, run_id, array_agg(id) AS scenario_ids FROM gone GROUP BY project_id, run_id LOOP
        DELETE FROM evaluation_results r
        WHERE r.project_id = run.project_id AND r.run_id = run.run_id AND r.scenario_id = ANY (run.scenario_ids);
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER delete_results AFTER DELETE ON evaluation_scenarios REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION delete_results_of_scenarios();

CREATE TABLE evaluation_metrics (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    scenario_id uuid,
    "timestamp" timestamptz,
    "interval" integer,
    status text NOT NULL DEFAULT 'pending',
    data json,
    flags jsonb,
    tags jsonb,
    meta json,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    created_by_id uuid,
    updated_by_id uuid,
    PRIMARY KEY (project_id, id),
    -- One row for the run, one for each scenario, one for each bucket.
    CONSTRAINT evaluation_metrics_place UNIQUE NULLS NOT DISTINCT (project_id, run_id, scenario_id, "timestamp"),
    CHECK (scenario_id IS NULL OR "timestamp" IS NULL),
    CONSTRAINT evaluation_metrics_run FOREIGN KEY (project_id, run_id) REFERENCES evaluation_runs ON DELETE CASCADE,
    CONSTRAINT evaluation_metrics_scenario FOREIGN KEY (project_id, run_id, scenario_id)
        REFERENCES evaluation_scenarios (project_id, run_id, id) ON DELETE CASCADE
);

CREATE TABLE evaluation_queues (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    name text,
    description text,
    status text NOT NULL DEFAULT 'pending',
    flags jsonb NOT NULL,
    tags jsonb,
    meta json,
    data jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    deleted_at timestamptz,
    created_by_id uuid,
    updated_by_id uuid,
    deleted_by_id uuid,
    PRIMARY KEY (project_id, id),
    CONSTRAINT evaluation_queues_run FOREIGN KEY (project_id, run_id) REFERENCES evaluation_runs ON DELETE CASCADE
);
CREATE INDEX evaluation_queues_of_run ON evaluation_queues (project_id, run_id);
-- At most one default queue a run; an archived one makes room.
CREATE UNIQUE INDEX evaluation_queues_default ON evaluation_queues (project_id, run_id)
    WHERE flags @> '{"is_default": true}' AND deleted_at IS NULL;
