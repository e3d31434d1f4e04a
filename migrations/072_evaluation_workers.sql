-- Workers of a run. A claim of a run or of a scenario holds as long as the row of its worker here: one row to prolong,
-- however many scenarios a worker has. `calls` is how many calls it may have under way; those of all workers together
-- stay within the run's `batch_size`.
CREATE TABLE evaluation_workers (
    project_id uuid NOT NULL,
    run_id uuid NOT NULL,
    worker_id uuid NOT NULL,
    calls integer NOT NULL,
    alive_until timestamptz NOT NULL,
    PRIMARY KEY (project_id, run_id, worker_id),
    CONSTRAINT evaluation_workers_run FOREIGN KEY (project_id, run_id) REFERENCES evaluation_runs ON DELETE CASCADE
);
ALTER TABLE evaluation_runs DROP COLUMN claimed_until;
ALTER TABLE evaluation_scenarios DROP COLUMN claimed_until;
-- A scenario is written three times: made, claimed, finished. With room in its page a claim touches no index.
ALTER TABLE evaluation_scenarios SET (fillfactor = 70);
