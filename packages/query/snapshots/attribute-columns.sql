-- {"field":"attributes","key":"ag.type.trace","operator":"is","value":"annotation"}
--   p1: "annotation"
toString(trace_type) = {p1:String}

-- {"field":"attributes","key":"ag.type.trace","operator":"is","value":"no such type"}
--   p1: "no such type"
toString(trace_type) = {p1:String}

-- {"field":"attributes","key":"ag.type","operator":"is","value":{"trace":"annotation"}}
--   p1: "annotation"
toString(trace_type) = {p1:String}

-- {"field":"attributes","key":"ag.type.trace","operator":"in","value":["annotation","invocation"]}
--   p1: ["\"annotation\"","\"invocation\""]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [if(toString(trace_type) = '', '', JSONExtractRaw(toJSONString(toString(trace_type))))])[1], if(toString(trace_type) = '', '', JSONExtractRaw(toJSONString(toString(trace_type))))))

-- {"field":"attributes","key":"ag.type.trace","operator":"exists"}
toString(trace_type) != ''

-- {"field":"attributes","key":"ag.type.trace","operator":"startswith","value":"ANNO"}
--   p1: "ANNO"
(toString(trace_type) != '' AND startsWith(lowerUTF8(toString(trace_type)), lowerUTF8({p1:String})))

-- {"field":"attributes","key":"ag.session.id","operator":"is","value":"chat-1"}
--   p1: "chat-1"
session_id = {p1:String}

-- {"field":"attributes","key":"ag.session.id","operator":"is_not","value":"chat-1"}
--   p1: "chat-1"
NOT (session_id = {p1:String})

-- {"field":"attributes","key":"ag.session.id","operator":"in","value":["chat-1"]}
--   p1: ["\"chat-1\""]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [if(session_id = '', '', JSONExtractRaw(toJSONString(session_id)))])[1], if(session_id = '', '', JSONExtractRaw(toJSONString(session_id)))))

-- {"field":"attributes","key":"ag.session.id","operator":"not_in","value":["chat-2"]}
--   p1: ["\"chat-2\""]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
(session_id != '' AND NOT (arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [if(session_id = '', '', JSONExtractRaw(toJSONString(session_id)))])[1], if(session_id = '', '', JSONExtractRaw(toJSONString(session_id)))))))

-- {"field":"attributes","key":"ag.session.id","operator":"contains","value":"HAT"}
--   p1: "HAT"
(session_id != '' AND position(lowerUTF8(session_id), lowerUTF8({p1:String})) > 0)

-- {"field":"attributes","key":"ag.session.id","operator":"gt","value":"chat-0"}
--   p1: "chat-0"
(session_id != '' AND session_id > {p1:String})

-- {"field":"attributes","key":"ag.session.id","operator":"not_exists"}
NOT (session_id != '')

-- {"field":"attributes","key":"ag.session.id","operator":"is","value":""}
--   p1: "\"\""
if(session_id = '', '', JSONExtractRaw(toJSONString(session_id))) = JSONExtractRaw({p1:String})

-- {"field":"attributes","key":"ag.session.id","operator":"is","value":5}
--   p1: "5"
if(session_id = '', '', JSONExtractRaw(toJSONString(session_id))) = JSONExtractRaw({p1:String})

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"is","value":2500.5}
--   p1: "2500.5"
duration_cumulative = {p1:Decimal(18, 3)}

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"eq","value":2500.5}
--   p1: "2500.5"
duration_cumulative = {p1:Decimal(18, 3)}

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"eq","value":"2500.5"}
--   p1: "2500.5"
(if(duration_cumulative != 0, JSONExtractRaw(toString(duration_cumulative)), '') NOT IN ('', 'null') AND arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [if(duration_cumulative != 0, JSONExtractRaw(toString(duration_cumulative)), '')])[1] = {p1:String})

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"is","value":"2500.5"}
--   p1: "\"2500.5\""
if(duration_cumulative != 0, JSONExtractRaw(toString(duration_cumulative)), '') = JSONExtractRaw({p1:String})

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"gt","value":2500.4999999}
--   p1: "2500.4999999"
toFloat64(duration_cumulative) > {p1:Float64}

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"lt","value":1e+300}
--   p1: "1e+300"
(duration_cumulative != 0 AND toFloat64(duration_cumulative) < {p1:Float64})

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"gte","value":-5}
--   p1: "-5"
(duration_cumulative != 0 AND duration_cumulative >= {p1:Decimal(18, 3)})

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"neq","value":1}
--   p1: "1"
(duration_cumulative != 0 AND duration_cumulative != {p1:Decimal(18, 3)})

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"btwn","value":[0,5000]}
--   p1: "0"
--   p2: "5000"
(duration_cumulative != 0 AND (duration_cumulative >= {p1:Decimal(18, 3)} AND duration_cumulative <= {p2:Decimal(18, 3)}))

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"in","value":[2500.5]}
--   p1: ["2500.5"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [if(duration_cumulative != 0, JSONExtractRaw(toString(duration_cumulative)), '')])[1], if(duration_cumulative != 0, JSONExtractRaw(toString(duration_cumulative)), '')))

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"exists"}
duration_cumulative != 0

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"is_not","value":2500.5}
--   p1: "2500.5"
NOT (duration_cumulative = {p1:Decimal(18, 3)})

-- {"field":"attributes","key":"ag.metrics.duration.cumulative","operator":"startswith","value":"25"}
--   p1: "25"
(if(duration_cumulative != 0, JSONExtractRaw(toString(duration_cumulative)), '') NOT IN ('', 'null') AND startsWith(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [if(duration_cumulative != 0, JSONExtractRaw(toString(duration_cumulative)), '')])[1]), lowerUTF8({p1:String})))

-- {"field":"attributes","key":"ag.metrics.costs.cumulative.total","operator":"eq","value":12.345678901234567}
--   p1: "12.345678901234567"
costs_cumulative_total = {p1:Decimal(38, 15)}

-- {"field":"attributes","key":"ag.metrics.costs.cumulative.total","operator":"gt","value":1e-7}
--   p1: "1e-7"
costs_cumulative_total > {p1:Decimal(38, 15)}

-- {"field":"attributes","key":"ag.metrics.costs.cumulative.total","operator":"gt","value":1e-17}
--   p1: "1e-17"
toFloat64(costs_cumulative_total) > {p1:Float64}

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.total","operator":"eq","value":24}
--   p1: "24"
tokens_cumulative_total = {p1:Decimal(18, 3)}

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.total","operator":"is","value":24}
--   p1: "24"
tokens_cumulative_total = {p1:Decimal(18, 3)}

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative","operator":"is","value":{"prompt":3,"cached":7}}
--   p1: "3"
--   p2: "ag"
--   p3: "metrics"
--   p4: "tokens"
--   p5: "cumulative"
--   p6: "cached"
--   p7: "7"
(tokens_cumulative_prompt = {p1:Decimal(18, 3)} AND JSONExtractRaw(attributes, {p2:String}, {p3:String}, {p4:String}, {p5:String}, {p6:String}) = JSONExtractRaw({p7:String}))

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative","operator":"is","value":{}}
--   p1: "ag"
--   p2: "metrics"
--   p3: "tokens"
--   p4: "cumulative"
(startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String}), '{') OR tokens_cumulative_prompt != 0 OR tokens_cumulative_completion != 0 OR tokens_cumulative_total != 0)

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative","operator":"exists"}
--   p1: "ag"
--   p2: "metrics"
--   p3: "tokens"
--   p4: "cumulative"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String}) != '' OR tokens_cumulative_prompt != 0 OR tokens_cumulative_completion != 0 OR tokens_cumulative_total != 0)

-- {"field":"attributes","key":"ag.metrics.costs.cumulative","operator":"exists"}
--   p1: "ag"
--   p2: "metrics"
--   p3: "costs"
--   p4: "cumulative"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String}) != '' OR costs_cumulative_prompt != 0 OR costs_cumulative_completion != 0 OR costs_cumulative_total != 0)

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.cached","operator":"lt","value":8}
--   p1: "ag"
--   p2: "metrics"
--   p3: "tokens"
--   p4: "cumulative"
--   p5: "cached"
--   p6: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p7: "8"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String}, {p5:String}), '"'), {p6:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String}, {p5:String}), '"')) < {p7:Float64}, false))

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.completion","operator":"is","value":0}
--   p1: "0"
if((tokens_cumulative_completion != 0 OR tokens_cumulative_prompt != 0 OR tokens_cumulative_total != 0), JSONExtractRaw(toString(tokens_cumulative_completion)), '') = JSONExtractRaw({p1:String})

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.completion","operator":"lte","value":5}
--   p1: "5"
((tokens_cumulative_completion != 0 OR tokens_cumulative_prompt != 0 OR tokens_cumulative_total != 0) AND tokens_cumulative_completion <= {p1:Decimal(18, 3)})

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.completion","operator":"gt","value":0}
--   p1: "0"
tokens_cumulative_completion > {p1:Decimal(18, 3)}

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.completion","operator":"not_in","value":[0]}
--   p1: ["0"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
((tokens_cumulative_completion != 0 OR tokens_cumulative_prompt != 0 OR tokens_cumulative_total != 0) AND NOT (arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [if((tokens_cumulative_completion != 0 OR tokens_cumulative_prompt != 0 OR tokens_cumulative_total != 0), JSONExtractRaw(toString(tokens_cumulative_completion)), '')])[1], if((tokens_cumulative_completion != 0 OR tokens_cumulative_prompt != 0 OR tokens_cumulative_total != 0), JSONExtractRaw(toString(tokens_cumulative_completion)), '')))))

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.completion","operator":"contains","value":"0"}
--   p1: "0"
(if((tokens_cumulative_completion != 0 OR tokens_cumulative_prompt != 0 OR tokens_cumulative_total != 0), JSONExtractRaw(toString(tokens_cumulative_completion)), '') NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [if((tokens_cumulative_completion != 0 OR tokens_cumulative_prompt != 0 OR tokens_cumulative_total != 0), JSONExtractRaw(toString(tokens_cumulative_completion)), '')])[1]), lowerUTF8({p1:String})) > 0)

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.completion","operator":"exists"}
(tokens_cumulative_completion != 0 OR tokens_cumulative_prompt != 0 OR tokens_cumulative_total != 0)

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.prompt","operator":"btwn","value":[0,3]}
--   p1: "0"
--   p2: "3"
((tokens_cumulative_prompt != 0 OR tokens_cumulative_completion != 0 OR tokens_cumulative_total != 0) AND (tokens_cumulative_prompt >= {p1:Decimal(18, 3)} AND tokens_cumulative_prompt <= {p2:Decimal(18, 3)}))

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative.prompt","operator":"neq","value":3}
--   p1: "3"
((tokens_cumulative_prompt != 0 OR tokens_cumulative_completion != 0 OR tokens_cumulative_total != 0) AND tokens_cumulative_prompt != {p1:Decimal(18, 3)})

-- {"field":"attributes","key":"ag.metrics.tokens.cumulative","operator":"is","value":{"prompt":0,"completion":0}}
--   p1: "0"
(if((tokens_cumulative_prompt != 0 OR tokens_cumulative_completion != 0 OR tokens_cumulative_total != 0), JSONExtractRaw(toString(tokens_cumulative_prompt)), '') = JSONExtractRaw({p1:String}) AND if((tokens_cumulative_completion != 0 OR tokens_cumulative_prompt != 0 OR tokens_cumulative_total != 0), JSONExtractRaw(toString(tokens_cumulative_completion)), '') = JSONExtractRaw({p1:String}))

-- {"field":"attributes","key":"ag.metrics.costs.cumulative.prompt","operator":"is","value":0}
--   p1: "0"
if((costs_cumulative_prompt != 0 OR costs_cumulative_completion != 0 OR costs_cumulative_total != 0), JSONExtractRaw(toString(costs_cumulative_prompt)), '') = JSONExtractRaw({p1:String})

-- {"field":"attributes","key":"ag.metrics.errors.incremental","operator":"eq","value":0}
--   p1: "ag"
--   p2: "metrics"
--   p3: "errors"
--   p4: "incremental"
--   p5: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p6: "0"
--   p7: "0"
if(errors_incremental = 0, (match(trimBoth(if(errors_incremental != 0, JSONExtractRaw(toString(errors_incremental)), JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String})), '"'), {p5:String}) AND ifNull(toFloat64OrNull(trimBoth(if(errors_incremental != 0, JSONExtractRaw(toString(errors_incremental)), JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String})), '"')) = {p6:Float64}, false)), errors_incremental = {p7:Decimal(18, 3)})

-- {"field":"attributes","key":"ag.metrics.errors.incremental","operator":"is","value":0}
--   p1: "ag"
--   p2: "metrics"
--   p3: "errors"
--   p4: "incremental"
--   p5: "0"
if(errors_incremental != 0, JSONExtractRaw(toString(errors_incremental)), JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String})) = JSONExtractRaw({p5:String})

-- {"field":"attributes","key":"ag.metrics.errors.incremental","operator":"lt","value":5}
--   p1: "ag"
--   p2: "metrics"
--   p3: "errors"
--   p4: "incremental"
--   p5: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p6: "5"
--   p7: "5"
if(errors_incremental = 0, (match(trimBoth(if(errors_incremental != 0, JSONExtractRaw(toString(errors_incremental)), JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String})), '"'), {p5:String}) AND ifNull(toFloat64OrNull(trimBoth(if(errors_incremental != 0, JSONExtractRaw(toString(errors_incremental)), JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String})), '"')) < {p6:Float64}, false)), errors_incremental < {p7:Decimal(18, 3)})

-- {"field":"attributes","key":"ag.metrics.errors.incremental","operator":"gt","value":0}
--   p1: "0"
errors_incremental > {p1:Decimal(18, 3)}

-- {"field":"attributes","key":"ag.metrics.errors.incremental","operator":"is","value":2}
--   p1: "2"
errors_incremental = {p1:Decimal(18, 3)}

-- {"field":"attributes","key":"ag.metrics.errors.incremental","operator":"exists"}
--   p1: "ag"
--   p2: "metrics"
--   p3: "errors"
--   p4: "incremental"
if(errors_incremental != 0, JSONExtractRaw(toString(errors_incremental)), JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String})) != ''

-- {"field":"attributes","key":"ag.metrics.errors.incremental","operator":"in","value":[0,2]}
--   p1: ["0","2"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "ag"
--   p5: "metrics"
--   p6: "errors"
--   p7: "incremental"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [if(errors_incremental != 0, JSONExtractRaw(toString(errors_incremental)), JSONExtractRaw(attributes, {p4:String}, {p5:String}, {p6:String}, {p7:String}))])[1], if(errors_incremental != 0, JSONExtractRaw(toString(errors_incremental)), JSONExtractRaw(attributes, {p4:String}, {p5:String}, {p6:String}, {p7:String}))))

-- {"field":"attributes","key":"ag.metrics.errors.cumulative","operator":"eq","value":0}
--   p1: "0"
(errors_cumulative != 0 AND errors_cumulative = {p1:Decimal(18, 3)})

-- {"field":"attributes","key":"ag.metrics.errors.cumulative","operator":"not_exists"}
NOT (errors_cumulative != 0)
