-- The data of spans with much of it: see packages/query/long-data.ts. An agent's calls repeat its history, 50 to 200 KB each, so
-- a compressed block has many of them. Blocks of `data` stay small: one of 4 MiB would have the data of 20,000 small spans.
-- Rows of before have all of it in `data`.
ALTER TABLE spans ADD COLUMN IF NOT EXISTS long_data String CODEC(ZSTD(3)) AFTER data;

-- Apart, since ADD COLUMN ignores settings of columns.
ALTER TABLE spans MODIFY COLUMN long_data
    MODIFY SETTING min_compress_block_size = 4194304, max_compress_block_size = 4194304;

ALTER TABLE spans ADD COLUMN IF NOT EXISTS span_data String ALIAS concat(data, long_data) AFTER long_data;

-- As in 005, of the data wherever it is.
ALTER TABLE spans MODIFY COLUMN sent_attributes String ALIAS if(empty(copies), attributes, concat(
    splitByChar('\x7f', attributes)[1],
    arrayStringConcat(arrayMap(
        (piece, copy, after) -> concat(if(copy % 2 = 1, replaceAll(piece, '\\', '\\\\'), piece), after),
        arrayReduceInRanges('any', arrayMap(copy -> (intDiv(copy, 2) + 1, 1), copies),
            arrayMap(piece -> trimRight(piece, '\\'), splitByChar('"', concat(data, long_data)))),
        copies,
        arraySlice(splitByChar('\x7f', attributes), 2)))));

-- One index for both columns, in place of that for `data`. Built in the background for existing parts; until then searches read
-- their texts.
ALTER TABLE spans ADD INDEX IF NOT EXISTS by_words lowerUTF8(concat(data, long_data))
    TYPE text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking');

ALTER TABLE spans DROP INDEX IF EXISTS by_text;

ALTER TABLE spans MATERIALIZE INDEX by_words;

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
    sent_attributes AS attributes, JSONExtractRaw(span_data, 'inputs') AS inputs, JSONExtractRaw(span_data, 'outputs') AS outputs,
    created_at
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
    sent_attributes AS attributes, JSONExtractRaw(span_data, 'inputs') AS inputs, JSONExtractRaw(span_data, 'outputs') AS outputs,
    created_at
FROM spans AS s
WHERE is_trace_head;
