-- Few cells fail, and a page about a run asks why they did: without it all cells of the run are read. Its writers wait
-- while it is built, some seconds for ten million cells; where that is too long, it is built before with CONCURRENTLY.
CREATE INDEX IF NOT EXISTS evaluation_results_failed ON evaluation_results (project_id, run_id)
    WHERE status IN ('failure', 'errors');
