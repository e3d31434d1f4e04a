-- Attributes without the texts that they repeat from the data: see packages/query/copies.ts. Rows of before have no copies.
ALTER TABLE spans ADD COLUMN IF NOT EXISTS copies Array(UInt32) CODEC(ZSTD(1)) AFTER data;

-- The attributes as they were sent. `arrayReduceInRanges` picks elements of an array; a lambda that refers to the array
-- would copy it for each element.
ALTER TABLE spans ADD COLUMN IF NOT EXISTS sent_attributes String ALIAS if(empty(copies), attributes, concat(
    splitByChar('\x7f', attributes)[1],
    arrayStringConcat(arrayMap(
        (piece, copy, after) -> concat(if(copy % 2 = 1, replaceAll(piece, '\\', '\\\\'), piece), after),
        arrayReduceInRanges('any', arrayMap(copy -> (intDiv(copy, 2) + 1, 1), copies),
            arrayMap(piece -> trimRight(piece, '\\'), splitByChar('"', data))),
        copies,
        arraySlice(splitByChar('\x7f', attributes), 2))))) AFTER copies;

CREATE OR REPLACE VIEW v1_spans SQL SECURITY INVOKER AS
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
    sent_attributes AS attributes, JSONExtractRaw(data, 'inputs') AS inputs, JSONExtractRaw(data, 'outputs') AS outputs, created_at
FROM spans AS s;

CREATE OR REPLACE VIEW v1_traces SQL SECURITY INVOKER AS
SELECT
    project_id, lower(hex(s.trace_id)) AS trace_id, lower(hex(s.span_id)) AS head_span_id, start_time, end_time,
    toString(trace_type) AS trace_type, span_name AS name, toString(status_code) AS status_code, status_message,
    session_id, user_id, agent_id,
    toFloat64(duration_cumulative) AS duration_ms, toFloat64(errors_cumulative) AS errors,
    toFloat64(tokens_cumulative_prompt) AS tokens_prompt, toFloat64(tokens_cumulative_completion) AS tokens_completion,
    toFloat64(tokens_cumulative_total) AS tokens_total,
    toFloat64(costs_cumulative_prompt) AS cost_prompt, toFloat64(costs_cumulative_completion) AS cost_completion,
    toFloat64(costs_cumulative_total) AS cost_total,
    sent_attributes AS attributes, JSONExtractRaw(data, 'inputs') AS inputs, JSONExtractRaw(data, 'outputs') AS outputs, created_at
FROM spans AS s
WHERE is_trace_head;
