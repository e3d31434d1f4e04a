-- Rows of metrics have no foreign keys, as cells have none: each was checked row by row, which took as long as the writing.
-- Whoever writes them locks their run and their scenarios, and triggers delete them with these, once for each statement.
ALTER TABLE evaluation_metrics DROP CONSTRAINT evaluation_metrics_scenario;
ALTER TABLE evaluation_metrics DROP CONSTRAINT evaluation_metrics_run;

CREATE OR REPLACE FUNCTION delete_results_of_scenarios() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    run record;
BEGIN
    FOR run IN SELECT project_id, run_id, array_agg(id) AS scenario_ids FROM gone GROUP BY project_id, run_id LOOP
        DELETE FROM evaluation_results r
        WHERE r.project_id = run.project_id AND r.run_id = run.run_id AND r.scenario_id = ANY (run.scenario_ids);
        DELETE FROM evaluation_metrics m
        WHERE m.project_id = run.project_id AND m.run_id = run.run_id AND m.scenario_id = ANY (run.scenario_ids);
    END LOOP;
    RETURN NULL;
END
$$;

CREATE FUNCTION delete_metrics_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM evaluation_metrics m USING gone WHERE m.project_id = gone.project_id AND m.run_id = gone.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER delete_metrics AFTER DELETE ON evaluation_runs REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION delete_metrics_of_runs();
