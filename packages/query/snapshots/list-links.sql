-- {"field":"links","operator":"in","value":[{"trace_id":"00000000000000000000000000000009","span_id":"0000000000000009"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "trace_id"
--   p4: "span_id"
--   p5: 1
--   p6: 2
--   p7: [["00000000000000000000000000000009","0000000000000009"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p5:UInt64}], z[{p6:UInt64}]), {p7:Array(Array(String))}))), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{"trace_id":"00000000000000000000000000000009","span_id":"0000000000000008"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "trace_id"
--   p4: "span_id"
--   p5: 1
--   p6: 2
--   p7: [["00000000000000000000000000000009","0000000000000008"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p5:UInt64}], z[{p6:UInt64}]), {p7:Array(Array(String))}))), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{"trace_id":"0x00000000000000000000000000000100"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "trace_id"
--   p4: ["00000000000000000000000000000100"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{"span_id":"0000000000000009"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "span_id"
--   p4: ["0000000000000009"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{"span_id":"0000000000000009","attributes":{"key":"other"}}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "span_id"
--   p4: ["0000000000000009"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{"span_id":"0000000000000009"},{"span_id":"0000000000000100"}],"options":{"all":true}}
--   p1: ["0000000000000009","0000000000000100"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "span_id"
--   p5: 2
length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p4:String}), JSONExtractArrayRaw(links))))) = {p5:UInt64}

-- {"field":"links","operator":"in","value":[{}]}
notEmpty(JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{},{"span_id":"0000000000000100"}],"options":{"all":true}}
--   p1: ["0000000000000100"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "span_id"
--   p5: 1
(notEmpty(JSONExtractArrayRaw(links)) AND length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p4:String}), JSONExtractArrayRaw(links))))) = {p5:UInt64})

-- {"field":"links","operator":"not_in","value":[{"span_id":"0000000000000009"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "span_id"
--   p4: ["0000000000000009"]
NOT (arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(links)))

-- {"field":"links","operator":"not_in","value":[{}]}
NOT (notEmpty(JSONExtractArrayRaw(links)))

-- {"field":"links","operator":"in","value":[]}
false

-- {"field":"links","operator":"has","value":"invocation","key":"attributes.key"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "attributes"
--   p4: "key"
--   p5: "\"invocation\""
arrayExists(x -> JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}) = JSONExtractRaw({p5:String}), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"has_not","value":"invocation","key":"attributes.key"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "attributes"
--   p4: "key"
--   p5: "\"invocation\""
NOT arrayExists(x -> JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}) = JSONExtractRaw({p5:String}), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"exists"}
notEmpty(JSONExtractArrayRaw(links))

-- {"field":"links","operator":"not_exists"}
empty(JSONExtractArrayRaw(links))
