-- What the engine has written as JSON it does not read if an integer in it exceeds 64 bits: see
-- packages/query/compile/written-json.ts, which `readable` is a copy of. Scores that are such numbers were 0 or missing, and so
-- were those of spans with long data (007).
CREATE OR REPLACE VIEW v1_spans SQL SECURITY INVOKER AS
WITH
    json -> if(match(json, '\\d{17}00'), arrayStringConcat(arrayMap(
        part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')),
        extractAll(json, '"(?:[^"\\\\]|\\\\.)*"|-?\\d+|[^"\\d-]+|-'))), json) AS readable
SELECT
    project_id, lower(hex(s.trace_id)) AS trace_id, lower(hex(s.span_id)) AS span_id,
    if(is_root, '', lower(hex(s.parent_id))) AS parent_id,
    is_root, start_time, end_time, toString(trace_type) AS trace_type, toString(span_type) AS span_type,
    toString(span_kind) AS span_kind, span_name, toString(status_code) AS status_code, status_message,
    session_id, user_id, agent_id,
    toFloat64(duration_cumulative) AS duration_ms,
    toFloat64(errors_incremental) AS errors, toFloat64(errors_cumulative) AS errors_cumulative,
    toFloat64(tokens_incremental_prompt) AS tokens_prompt, toFloat64(tokens_incremental_completion) AS tokens_completion,
    toFloat64(tokens_incremental_total) AS tokens_total, toFloat64(tokens_cumulative_total) AS tokens_cumulative,
    toFloat64(costs_incremental_total) AS cost, toFloat64(costs_cumulative_total) AS cost_cumulative,
    JSONExtractString(s.attributes, 'ag', 'meta', 'response', 'model') AS response_model,
    JSONExtractString(s.attributes, 'ag', 'meta', 'request', 'model') AS request_model,
    sent_attributes AS attributes, readable(JSONExtractRaw(span_data, 'inputs')) AS inputs,
    readable(JSONExtractRaw(span_data, 'outputs')) AS outputs, created_at
FROM spans AS s;

CREATE OR REPLACE VIEW v1_traces SQL SECURITY INVOKER AS
WITH
    json -> if(match(json, '\\d{17}00'), arrayStringConcat(arrayMap(
        part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')),
        extractAll(json, '"(?:[^"\\\\]|\\\\.)*"|-?\\d+|[^"\\d-]+|-'))), json) AS readable
SELECT
    project_id, lower(hex(s.trace_id)) AS trace_id, lower(hex(s.span_id)) AS head_span_id, start_time, end_time,
    toString(trace_type) AS trace_type, span_name AS name, toString(status_code) AS status_code, status_message,
    session_id, user_id, agent_id,
    toFloat64(duration_cumulative) AS duration_ms, toFloat64(errors_cumulative) AS errors,
    toFloat64(tokens_cumulative_prompt) AS tokens_prompt, toFloat64(tokens_cumulative_completion) AS tokens_completion,
    toFloat64(tokens_cumulative_total) AS tokens_total,
    toFloat64(costs_cumulative_prompt) AS cost_prompt, toFloat64(costs_cumulative_completion) AS cost_completion,
    toFloat64(costs_cumulative_total) AS cost_total,
    sent_attributes AS attributes, readable(JSONExtractRaw(span_data, 'inputs')) AS inputs,
    readable(JSONExtractRaw(span_data, 'outputs')) AS outputs, created_at
FROM spans AS s
WHERE is_trace_head;

-- One row for each score of an evaluator's cell, and one without a score for a cell that has none (yet). Scores are the
-- members of the outputs, and those of objects in them as `name.member`. What a cell evaluated is the application's trace
-- of the same repeat, otherwise the first one of its scenario.
CREATE OR REPLACE VIEW v1_evaluation_results SQL SECURITY INVOKER AS
WITH
    json -> if(match(json, '\\d{17}00'), arrayStringConcat(arrayMap(
        part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')),
        extractAll(json, '"(?:[^"\\\\]|\\\\.)*"|-?\\d+|[^"\\d-]+|-'))), json) AS readable,
    toUUID('00000000-0000-0000-0000-000000000000') AS no_id,
    toFixedString('', 16) AS no_trace,
    runs AS (
        SELECT project_id, id AS run_id, run.1 AS run_name, run.2 AS run_status, run.3 AS run_created_at,
            run.4 AS step_keys, run.5 AS step_types, run.6 AS step_revisions
        FROM (
            SELECT project_id, id,
                argMax(tuple(name, status, created_at, step_keys, step_types, step_revisions, is_deleted), version) AS run
            FROM evaluation_runs GROUP BY project_id, id)
        WHERE NOT run.7
    ),
    cells AS (
        SELECT project_id, run_id, scenario_id, cell.1 AS step_key, cell.2 AS repeat_idx, cell.3 AS status,
            cell.4 AS trace_id, cell.5 AS testcase_id, cell.6 AS bucket, cell.7 AS updated_at
        FROM (
            SELECT project_id, run_id, scenario_id, id,
                argMax(tuple(step_key, repeat_idx, status, trace_id, testcase_id, timestamp, updated_at, is_deleted), version) AS cell
            FROM evaluation_cells GROUP BY project_id, run_id, scenario_id, id)
        WHERE NOT cell.8
    ),
    typed AS (
        SELECT project_id, run_id, scenario_id, step_key, repeat_idx, status, trace_id, testcase_id, bucket, updated_at,
            run_name, run_status, run_created_at, step_keys, step_revisions,
            step_types[indexOf(step_keys, step_key)] AS step_type
        FROM cells INNER JOIN runs USING (project_id, run_id)
    ),
    scenarios AS (
        SELECT project_id, run_id, scenario_id, anyIf(testcase_id, testcase_id != no_id) AS scenario_testcase_id,
            arraySort(groupArrayIf((step_type != 'invocation', repeat_idx, step_key, trace_id),
                step_type != 'annotation' AND trace_id != no_trace)) AS subjects
        FROM typed GROUP BY project_id, run_id, scenario_id
    ),
    evaluated AS (
        SELECT project_id, run_id, scenario_id, step_key, repeat_idx, status, bucket, updated_at, run_name, run_status,
            run_created_at, step_keys, step_revisions, scenario_testcase_id, trace_id AS evaluator_trace,
            arrayConcat(arrayFilter(s -> s.1 = 0 AND s.2 = repeat_idx, subjects), subjects)[1] AS subject,
            subject.3 AS subject_step, subject.4 AS subject_trace
        FROM typed INNER JOIN scenarios USING (project_id, run_id, scenario_id)
        WHERE step_type = 'annotation'
    ),
    subject_roots AS (
        SELECT project_id, trace_id AS subject_trace, start_time AS subject_start,
            toFloat64(duration_cumulative) AS subject_duration_ms, toFloat64(errors_cumulative) AS subject_errors,
            toFloat64(tokens_cumulative_total) AS subject_tokens, toFloat64(costs_cumulative_total) AS subject_cost
        FROM spans
        WHERE is_root AND is_trace_head AND trace_id IN (SELECT trace_id FROM evaluation_cells)
    ),
    evaluator_roots AS (
        SELECT project_id, trace_id AS evaluator_trace, start_time AS evaluator_start,
            toFloat64(duration_cumulative) AS evaluator_duration_ms,
            toFloat64(tokens_cumulative_total) AS evaluator_tokens, toFloat64(costs_cumulative_total) AS evaluator_cost,
            JSONExtractRaw(span_data, 'outputs', 'success') AS success,
            arrayFlatten(arrayMap(one -> if(startsWith(one.2, '{'),
                arrayMap(inner -> (concat(one.1, '.', inner.1), inner.2), JSONExtractKeysAndValuesRaw(readable(one.2))), [one]),
                JSONExtractKeysAndValuesRaw(span_data, 'outputs'))) AS scores
        FROM spans
        WHERE is_root AND is_trace_head
            AND trace_id IN (SELECT trace_id FROM typed WHERE step_type = 'annotation')
    )
SELECT
    project_id, run_id, run_name, run_status, run_created_at, scenario_id,
    nullIf(scenario_testcase_id, no_id) AS testcase_id, repeat_idx, step_key AS evaluator_step,
    nullIf(step_revisions[indexOf(step_keys, step_key)], no_id) AS evaluator_revision_id,
    subject_step, nullIf(step_revisions[indexOf(step_keys, subject_step)], no_id) AS subject_revision_id,
    status, nullIf(bucket, toDateTime64(0, 6, 'UTC')) AS bucket, updated_at,
    score.1 AS score_key,
    multiIf(score.2 = 'true', 1., score.2 = 'false', 0., toFloat64OrNull(score.2)) AS score_value,
    if(startsWith(score.2, '"'), JSONExtractString(score.2), NULL) AS score_text,
    multiIf(success = 'true', true, success = 'false', false, NULL) AS verdict,
    if(subject_trace = no_trace, '', lower(hex(subject_trace))) AS subject_trace_id,
    if(evaluator_trace = no_trace, '', lower(hex(evaluator_trace))) AS evaluator_trace_id,
    nullIf(subject_start, toDateTime64(0, 6, 'UTC')) AS subject_started_at,
    nullIf(evaluator_start, toDateTime64(0, 6, 'UTC')) AS evaluator_started_at,
    subject_duration_ms, subject_errors, subject_tokens, subject_cost,
    evaluator_duration_ms, evaluator_tokens, evaluator_cost
FROM (
    SELECT * FROM evaluated
    LEFT JOIN subject_roots USING (project_id, subject_trace)
    LEFT JOIN evaluator_roots USING (project_id, evaluator_trace)
)
LEFT ARRAY JOIN scores AS score;
