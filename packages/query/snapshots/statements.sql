-- spans, all
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: 10000
SELECT span_name, lower(hex(span_id)) AS span_id FROM spans PREWHERE project_id = {p1:UUID} AND (is_root = true OR is_root = false) AND start_time IN (SELECT DISTINCT * FROM (SELECT start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = true ORDER BY start_time DESC LIMIT {p2:UInt64} UNION ALL SELECT start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = false ORDER BY start_time DESC LIMIT {p2:UInt64}) ORDER BY start_time DESC LIMIT {p2:UInt64}) WHERE true ORDER BY start_time DESC, span_id DESC, (reinterpretAsUInt128(trace_id) % 18446744073709551557) DESC LIMIT {p2:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000

-- roots
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: 10000
SELECT span_name, lower(hex(span_id)) AS span_id FROM spans PREWHERE project_id = {p1:UUID} AND is_root = true AND start_time IN (SELECT start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = true AND NOT (NOT (is_root = true)) ORDER BY start_time DESC LIMIT {p2:UInt64}) WHERE NOT (NOT (is_root = true)) ORDER BY start_time DESC, span_id DESC, (reinterpretAsUInt128(trace_id) % 18446744073709551557) DESC LIMIT {p2:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000, max_threads = 1

-- spans by an id that few have
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: "x"
--   p3: 50
SELECT span_name, lower(hex(span_id)) AS span_id FROM spans PREWHERE project_id = {p1:UUID} AND (is_root = true OR is_root = false) AND start_time IN (SELECT start_time FROM spans PREWHERE project_id = {p1:UUID} AND session_id = {p2:String} WHERE session_id = {p2:String} ORDER BY start_time DESC LIMIT {p3:UInt64} SETTINGS max_rows_to_read = 131072) WHERE session_id = {p2:String} ORDER BY start_time DESC, span_id DESC, (reinterpretAsUInt128(trace_id) % 18446744073709551557) DESC LIMIT {p3:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000, read_in_order_use_buffering = 0, max_block_size = 16384, use_skip_indexes_on_data_read = 0

-- roots with a search term, in one pass
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: "x"
--   p3: 51
SELECT span_name, lower(hex(span_id)) AS span_id FROM spans PREWHERE project_id = {p1:UUID} AND is_root = true AND ((session_id != '' AND is_root = true) AND session_id = {p2:String}) AND (NOT (NOT (is_root = true)) AND ((session_id != '' AND is_root = true) AND session_id = {p2:String})) ORDER BY start_time DESC LIMIT {p3:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000, read_in_order_use_buffering = 0, max_block_size = 16384, use_skip_indexes_on_data_read = 0

-- rows of roots, in one pass
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: "x"
--   p3: 51
SELECT lower(hex(trace_id)) AS trace_id, lower(hex(span_id)) AS span_id, toUnixTimestamp64Micro(start_time) AS time, if(is_root, '', lower(hex(parent_id))) AS parent_id, span_name, span_type, trace_type,
  status_code, substringUTF8(status_message, 1, 300) AS status_message, toFloat64(duration_cumulative) AS duration,
  toFloat64(errors_cumulative) AS errors, toFloat64(tokens_cumulative_total) AS tokens,
  toFloat64(costs_cumulative_total) AS costs, session_id, user_id FROM (SELECT trace_id, span_id, start_time, is_root, parent_id, span_name, span_type, trace_type, status_code, status_message, duration_cumulative, errors_cumulative, tokens_cumulative_total, costs_cumulative_total, session_id, user_id FROM spans PREWHERE project_id = {p1:UUID} AND is_root = true AND ((session_id != '' AND is_root = true) AND session_id = {p2:String}) WHERE (NOT (NOT (is_root = true)) AND ((session_id != '' AND is_root = true) AND session_id = {p2:String})) ORDER BY start_time DESC LIMIT {p3:UInt64}) SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000, read_in_order_use_buffering = 0, max_block_size = 16384, use_skip_indexes_on_data_read = 0

-- rows of spans, in one pass
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: [0,709638]
--   p3: "a"
--   p4: "\"x\""
--   p5: 51
--   p6: [0,8894830]
SELECT lower(hex(trace_id)) AS trace_id, lower(hex(span_id)) AS span_id, toUnixTimestamp64Micro(start_time) AS time, if(is_root, '', lower(hex(parent_id))) AS parent_id, span_name, span_type, trace_type,
  status_code, substringUTF8(status_message, 1, 300) AS status_message, toFloat64(duration_cumulative) AS duration,
  toFloat64(errors_cumulative) AS errors, toFloat64(tokens_cumulative_total) AS tokens,
  toFloat64(costs_cumulative_total) AS costs, session_id, user_id FROM (SELECT DISTINCT * FROM (SELECT trace_id, span_id, start_time, is_root, parent_id, span_name, span_type, trace_type, status_code, status_message, duration_cumulative, errors_cumulative, tokens_cumulative_total, costs_cumulative_total, session_id, user_id FROM spans PREWHERE project_id = {p1:UUID} AND is_root = true AND hasAny(search_terms, {p2:Array(UInt32)}) WHERE JSONExtractRaw(attributes, {p3:String}) = JSONExtractRaw({p4:String}) ORDER BY start_time DESC LIMIT {p5:UInt64} UNION ALL SELECT trace_id, span_id, start_time, is_root, parent_id, span_name, span_type, trace_type, status_code, status_message, duration_cumulative, errors_cumulative, tokens_cumulative_total, costs_cumulative_total, session_id, user_id FROM spans PREWHERE project_id = {p1:UUID} AND is_root = false AND hasAny(search_terms, {p6:Array(UInt32)}) WHERE JSONExtractRaw(attributes, {p3:String}) = JSONExtractRaw({p4:String}) ORDER BY start_time DESC LIMIT {p5:UInt64}) ORDER BY start_time DESC LIMIT {p5:UInt64}) SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000, read_in_order_use_buffering = 0, max_block_size = 16384

-- previews of roots
--   p1: "inputs"
--   p2: 2000
--   p3: 1000
--   p4: ["\"\\:\"\\tnetnoc\"\\","\"\\ :\"\\tnetnoc\"\\","\"\\:\"\\txet\"\\","\"\\ :\"\\txet\"\\"]
--   p5: ["\":\"tnetnoc\"","\":\"txet\""]
--   p6: ["\"role\":","\\\"role\\\":"]
--   p7: "outputs"
--   p8: ["\"\\:\"\\tnetnoc\"\\","\"\\ :\"\\tnetnoc\"\\","\"\\:\"\\txet\"\\","\"\\ :\"\\txet\"\\"]
--   p9: ["\":\"tnetnoc\"","\":\"txet\""]
--   p10: ["\"role\":","\\\"role\\\":"]
--   p11: "a"
--   p12: "b"
--   p13: "11111111-1111-4111-8111-111111111111"
--   p14: [1]
--   p15: ["00000000000000000000000000000001"]
--   p16: ["0000000000000001"]
SELECT lower(hex(trace_id)) AS trace_id, lower(hex(span_id)) AS span_id, toUnixTimestamp64Micro(start_time) AS time, if(length(JSONExtractRaw(span_data, {p1:String})) <= {p2:Int64}, JSONExtractRaw(span_data, {p1:String}), concat(substringUTF8(JSONExtractRaw(span_data, {p1:String}), 1, {p3:Int64}), '
', substringUTF8(if(if(startsWith(JSONExtractRaw(span_data, {p1:String}), '"'), multiSearchFirstPosition(reverse(JSONExtractRaw(span_data, {p1:String})), {p4:Array(String)}), multiSearchFirstPosition(reverse(JSONExtractRaw(span_data, {p1:String})), {p5:Array(String)})) > 0 AND multiSearchAny(JSONExtractRaw(span_data, {p1:String}), {p6:Array(String)}), substring(JSONExtractRaw(span_data, {p1:String}), length(JSONExtractRaw(span_data, {p1:String})) - if(startsWith(JSONExtractRaw(span_data, {p1:String}), '"'), multiSearchFirstPosition(reverse(JSONExtractRaw(span_data, {p1:String})), {p4:Array(String)}), multiSearchFirstPosition(reverse(JSONExtractRaw(span_data, {p1:String})), {p5:Array(String)})) + 2), ''), 1, {p3:Int64}))) AS inputs, if(length(JSONExtractRaw(span_data, {p7:String})) <= {p2:Int64}, JSONExtractRaw(span_data, {p7:String}), concat(substringUTF8(JSONExtractRaw(span_data, {p7:String}), 1, {p3:Int64}), '
', substringUTF8(if(if(startsWith(JSONExtractRaw(span_data, {p7:String}), '"'), multiSearchFirstPosition(reverse(JSONExtractRaw(span_data, {p7:String})), {p8:Array(String)}), multiSearchFirstPosition(reverse(JSONExtractRaw(span_data, {p7:String})), {p9:Array(String)})) > 0 AND multiSearchAny(JSONExtractRaw(span_data, {p7:String}), {p10:Array(String)}), substring(JSONExtractRaw(span_data, {p7:String}), length(JSONExtractRaw(span_data, {p7:String})) - if(startsWith(JSONExtractRaw(span_data, {p7:String}), '"'), multiSearchFirstPosition(reverse(JSONExtractRaw(span_data, {p7:String})), {p8:Array(String)}), multiSearchFirstPosition(reverse(JSONExtractRaw(span_data, {p7:String})), {p9:Array(String)})) + 2), ''), 1, {p3:Int64}))) AS outputs, [substringUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p11:String}, {p12:String})])[1], 1, {p3:Int64})] AS own FROM spans PREWHERE project_id = {p13:UUID} AND (is_root = true AND start_time IN (arrayMap(micros -> fromUnixTimestamp64Micro(micros, 'UTC'), {p14:Array(Int64)})) AND trace_id IN (SELECT toFixedString(unhex(arrayJoin({p15:Array(String)})), 16)) AND span_id IN (SELECT toFixedString(unhex(arrayJoin({p16:Array(String)})), 8))) SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000

-- spans, filter, next page, sampled
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: 1770110100000000
--   p3: "0123456789abcdef"
--   p4: "5"
--   p5: 50
--   p6: "invocation"
--   p7: "x"
SELECT span_name, lower(hex(span_id)) AS span_id FROM spans PREWHERE project_id = {p1:UUID} AND (is_root = true OR is_root = false) AND start_time IN (SELECT DISTINCT * FROM (SELECT start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = true AND (start_time <= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND (start_time < fromUnixTimestamp64Micro({p2:Int64}, 'UTC') OR (span_id < toFixedString(unhex({p3:String}), 8) OR (span_id = toFixedString(unhex({p3:String}), 8) AND (reinterpretAsUInt128(trace_id) % 18446744073709551557) < {p4:UInt64})))) AND reinterpretAsUInt32(reverse(substring(trace_id, 1, 4))) % 100 < {p5:UInt64} AND (trace_type = {p6:String} AND position(lowerUTF8(span_name), lowerUTF8({p7:String})) > 0) ORDER BY start_time DESC LIMIT {p5:UInt64} UNION ALL SELECT start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = false AND (start_time <= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND (start_time < fromUnixTimestamp64Micro({p2:Int64}, 'UTC') OR (span_id < toFixedString(unhex({p3:String}), 8) OR (span_id = toFixedString(unhex({p3:String}), 8) AND (reinterpretAsUInt128(trace_id) % 18446744073709551557) < {p4:UInt64})))) AND reinterpretAsUInt32(reverse(substring(trace_id, 1, 4))) % 100 < {p5:UInt64} AND (trace_type = {p6:String} AND position(lowerUTF8(span_name), lowerUTF8({p7:String})) > 0) ORDER BY start_time DESC LIMIT {p5:UInt64}) ORDER BY start_time DESC LIMIT {p5:UInt64}) WHERE ((start_time <= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND (start_time < fromUnixTimestamp64Micro({p2:Int64}, 'UTC') OR (span_id < toFixedString(unhex({p3:String}), 8) OR (span_id = toFixedString(unhex({p3:String}), 8) AND (reinterpretAsUInt128(trace_id) % 18446744073709551557) < {p4:UInt64})))) AND reinterpretAsUInt32(reverse(substring(trace_id, 1, 4))) % 100 < {p5:UInt64} AND (trace_type = {p6:String} AND position(lowerUTF8(span_name), lowerUTF8({p7:String})) > 0)) ORDER BY start_time DESC, span_id DESC, (reinterpretAsUInt128(trace_id) % 18446744073709551557) DESC LIMIT {p5:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000

-- spans, oldest first
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: 0
--   p3: "0123456789abcdef"
--   p4: "5"
--   p5: 10000
SELECT span_name, lower(hex(span_id)) AS span_id FROM spans PREWHERE project_id = {p1:UUID} AND (is_root = true OR is_root = false) AND start_time IN (SELECT DISTINCT * FROM (SELECT start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = true AND (start_time >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND (start_time > fromUnixTimestamp64Micro({p2:Int64}, 'UTC') OR (span_id > toFixedString(unhex({p3:String}), 8) OR (span_id = toFixedString(unhex({p3:String}), 8) AND (reinterpretAsUInt128(trace_id) % 18446744073709551557) > {p4:UInt64})))) ORDER BY start_time ASC LIMIT {p5:UInt64} UNION ALL SELECT start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = false AND (start_time >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND (start_time > fromUnixTimestamp64Micro({p2:Int64}, 'UTC') OR (span_id > toFixedString(unhex({p3:String}), 8) OR (span_id = toFixedString(unhex({p3:String}), 8) AND (reinterpretAsUInt128(trace_id) % 18446744073709551557) > {p4:UInt64})))) ORDER BY start_time ASC LIMIT {p5:UInt64}) ORDER BY start_time ASC LIMIT {p5:UInt64}) WHERE (start_time >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND (start_time > fromUnixTimestamp64Micro({p2:Int64}, 'UTC') OR (span_id > toFixedString(unhex({p3:String}), 8) OR (span_id = toFixedString(unhex({p3:String}), 8) AND (reinterpretAsUInt128(trace_id) % 18446744073709551557) > {p4:UInt64})))) ORDER BY start_time ASC, span_id ASC, (reinterpretAsUInt128(trace_id) % 18446744073709551557) ASC LIMIT {p5:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000

-- traces, all
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: 1000
SELECT lower(hex(trace_id)) AS trace_id, toUnixTimestamp64Micro(start_time) AS sort_time FROM (SELECT DISTINCT * FROM (SELECT trace_id, start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = true AND is_trace_head ORDER BY start_time DESC, trace_id DESC LIMIT {p2:UInt64} UNION ALL SELECT trace_id, start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = false AND is_trace_head ORDER BY start_time DESC, trace_id DESC LIMIT {p2:UInt64}) ORDER BY start_time DESC, trace_id DESC LIMIT {p2:UInt64}) ORDER BY start_time DESC, trace_id DESC LIMIT {p2:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000

-- traces, filter
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: "invocation"
--   p3: "x"
--   p4: 1000
SELECT lower(hex(trace_id)) AS trace_id, toUnixTimestamp64Micro(start_time) AS sort_time FROM spans WHERE project_id = {p1:UUID} AND is_trace_head AND trace_type = {p2:String} AND trace_id IN (SELECT trace_id FROM spans WHERE project_id = {p1:UUID} AND trace_type = {p2:String} AND position(lowerUTF8(span_name), lowerUTF8({p3:String})) > 0) ORDER BY start_time DESC, trace_id DESC LIMIT {p4:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000, use_skip_indexes_on_data_read = 0, use_index_for_in_with_subqueries_max_values = 1000

-- traces, filter, among those that come first
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: "invocation"
--   p3: 500
--   p4: "x"
--   p5: 50
SELECT lower(hex(trace_id)) AS trace_id, toUnixTimestamp64Micro(start_time) AS sort_time FROM (SELECT DISTINCT * FROM (SELECT trace_id, start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = true AND is_trace_head AND trace_type = {p2:String} ORDER BY start_time DESC, trace_id DESC LIMIT {p3:UInt64} UNION ALL SELECT trace_id, start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = false AND is_trace_head AND trace_type = {p2:String} ORDER BY start_time DESC, trace_id DESC LIMIT {p3:UInt64}) ORDER BY start_time DESC, trace_id DESC LIMIT {p3:UInt64}) WHERE trace_id IN (SELECT trace_id FROM spans PREWHERE project_id = {p1:UUID} AND trace_id IN (SELECT trace_id FROM (SELECT DISTINCT * FROM (SELECT trace_id, start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = true AND is_trace_head AND trace_type = {p2:String} ORDER BY start_time DESC, trace_id DESC LIMIT {p3:UInt64} UNION ALL SELECT trace_id, start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = false AND is_trace_head AND trace_type = {p2:String} ORDER BY start_time DESC, trace_id DESC LIMIT {p3:UInt64}) ORDER BY start_time DESC, trace_id DESC LIMIT {p3:UInt64})) WHERE position(lowerUTF8(span_name), lowerUTF8({p4:String})) > 0) ORDER BY start_time DESC, trace_id DESC LIMIT {p5:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000, use_skip_indexes_on_data_read = 0, use_index_for_in_with_subqueries_max_values = 1000

-- traces, filter in a window
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: 1770110100000000
--   p3: 1770110160000000
--   p4: "00000000000000050123456789abcdef"
--   p5: "invocation"
--   p6: "x"
--   p7: 1000
SELECT lower(hex(trace_id)) AS trace_id, toUnixTimestamp64Micro(start_time) AS sort_time FROM spans WHERE project_id = {p1:UUID} AND is_trace_head AND start_time >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND (start_time <= fromUnixTimestamp64Micro({p3:Int64}, 'UTC') AND (start_time < fromUnixTimestamp64Micro({p3:Int64}, 'UTC') OR trace_id < toFixedString(unhex({p4:String}), 16))) AND trace_type = {p5:String} AND trace_id IN (SELECT trace_id FROM spans PREWHERE project_id = {p1:UUID} AND trace_id IN (SELECT trace_id FROM spans WHERE project_id = {p1:UUID} AND is_trace_head AND start_time >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND (start_time <= fromUnixTimestamp64Micro({p3:Int64}, 'UTC') AND (start_time < fromUnixTimestamp64Micro({p3:Int64}, 'UTC') OR trace_id < toFixedString(unhex({p4:String}), 16))) AND trace_type = {p5:String}) WHERE position(lowerUTF8(span_name), lowerUTF8({p6:String})) > 0) ORDER BY start_time DESC, trace_id DESC LIMIT {p7:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000, use_skip_indexes_on_data_read = 0, use_index_for_in_with_subqueries_max_values = 1000

-- traces, by id
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: "00000000000000000000000000000001"
--   p3: 1000
SELECT lower(hex(trace_id)) AS trace_id, toUnixTimestamp64Micro(start_time) AS sort_time FROM (SELECT DISTINCT * FROM (SELECT trace_id, start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = true AND is_trace_head AND trace_id = toFixedString(unhex({p2:String}), 16) ORDER BY start_time DESC, trace_id DESC LIMIT {p3:UInt64} UNION ALL SELECT trace_id, start_time FROM spans WHERE project_id = {p1:UUID} AND is_root = false AND is_trace_head AND trace_id = toFixedString(unhex({p2:String}), 16) ORDER BY start_time DESC, trace_id DESC LIMIT {p3:UInt64}) ORDER BY start_time DESC, trace_id DESC LIMIT {p3:UInt64}) ORDER BY start_time DESC, trace_id DESC LIMIT {p3:UInt64} SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000

-- spans of traces
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: "00000000000000000000000000000001"
SELECT span_name, lower(hex(span_id)) AS span_id FROM spans PREWHERE project_id = {p1:UUID} AND trace_id = toFixedString(unhex({p2:String}), 16) ORDER BY start_time, trace_id, span_id SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000, use_skip_indexes_on_data_read = 0

-- spans by ids
--   p1: "11111111-1111-4111-8111-111111111111"
--   p2: "00000000000000000000000000000001"
--   p3: ["0000000000000001"]
SELECT span_name, lower(hex(span_id)) AS span_id FROM spans PREWHERE project_id = {p1:UUID} AND trace_id = toFixedString(unhex({p2:String}), 16) AND span_id IN (SELECT toFixedString(unhex(arrayJoin({p3:Array(String)})), 8)) ORDER BY start_time, trace_id, span_id SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000, use_skip_indexes_on_data_read = 0
