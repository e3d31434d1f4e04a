-- {"field":"events","operator":"in","value":[{"name":"exception"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "name"
--   p4: ["exception"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"in","value":[{"name":"it's 100%","timestamp":9,"attributes":{"a":1}}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "name"
--   p4: ["it's 100%"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"in","value":[{"name":"exception"},{"name":"token"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "name"
--   p4: ["exception","token"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"in","value":[{"name":"exception"},{"name":"token"}],"options":{"all":true}}
--   p1: ["exception","token"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "name"
--   p5: 2
length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p4:String}), JSONExtractArrayRaw(events))))) = {p5:UInt64}

-- {"field":"events","operator":"in","value":[{"attributes":{"a":1}}]}
false

-- {"field":"events","operator":"not_in","value":[{"name":"exception"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "name"
--   p4: ["exception"]
NOT (arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(events)))

-- {"field":"events","operator":"has","value":"ValueError","key":"attributes.exception.type"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "attributes"
--   p4: "exception.type"
--   p5: "\"ValueError\""
--   p6: "exception"
--   p7: "type"
arrayExists(x -> (JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}) = JSONExtractRaw({p5:String}) OR JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p6:String}, {p7:String}) = JSONExtractRaw({p5:String})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"has","value":"Nested","key":"attributes.exception.type"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "attributes"
--   p4: "exception.type"
--   p5: "\"Nested\""
--   p6: "exception"
--   p7: "type"
arrayExists(x -> (JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}) = JSONExtractRaw({p5:String}) OR JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p6:String}, {p7:String}) = JSONExtractRaw({p5:String})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"has","value":{"a":[1]},"key":"attributes.exception.nested"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "attributes"
--   p4: "exception.nested"
--   p5: "a"
--   p6: ["1"]
--   p7: "exception"
--   p8: "nested"
--   p9: ["1"]
arrayExists(x -> ((startsWith(JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}, {p5:String}), '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p2:String}))), raw)), [JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}, {p5:String})])[1], arrayMap(y -> JSONExtractRaw(y), {p6:Array(String)}))) OR (startsWith(JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p7:String}, {p8:String}, {p5:String}), '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p2:String}))), raw)), [JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p7:String}, {p8:String}, {p5:String})])[1], arrayMap(y -> JSONExtractRaw(y), {p9:Array(String)})))), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"has_not","value":"ValueError","key":"attributes.exception.type"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "attributes"
--   p4: "exception.type"
--   p5: "\"ValueError\""
--   p6: "exception"
--   p7: "type"
NOT arrayExists(x -> (JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}) = JSONExtractRaw({p5:String}) OR JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p6:String}, {p7:String}) = JSONExtractRaw({p5:String})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"exists"}
notEmpty(JSONExtractArrayRaw(events))

-- {"field":"events","operator":"not_exists"}
empty(JSONExtractArrayRaw(events))
