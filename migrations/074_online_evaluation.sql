-- How far each live run has got, and the traces that it has taken up.
CREATE TABLE evaluation_online_runs (
    project_id uuid NOT NULL,
    run_id uuid NOT NULL,
    -- What was stored before it is not evaluated.
    started_at timestamptz NOT NULL,
    -- Every span that was stored before it has been looked at.
    looked_until timestamptz NOT NULL,
    PRIMARY KEY (project_id, run_id),
    CONSTRAINT evaluation_online_runs_run FOREIGN KEY (project_id, run_id) REFERENCES evaluation_runs ON DELETE CASCADE
);

-- A trace is evaluated once by a run, however often its spans are stored or looked at.
CREATE TABLE evaluation_online_traces (
    project_id uuid NOT NULL,
    run_id uuid NOT NULL,
    trace_id uuid NOT NULL,
    scenario_id uuid NOT NULL,
    found_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, run_id, trace_id),
    CONSTRAINT evaluation_online_traces_run FOREIGN KEY (project_id, run_id) REFERENCES evaluation_runs ON DELETE CASCADE
);
