-- {"field":"references","operator":"in","value":[{"id":"a0000000-0000-4000-8000-000000000001"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: ["a0000000-0000-4000-8000-000000000001"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"id":"0xA0000000000040008000000000000001"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: ["a0000000-0000-4000-8000-000000000001"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "slug"
--   p4: ["geo-bot"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot","version":"3"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "slug"
--   p4: "version"
--   p5: 1
--   p6: 2
--   p7: [["geo-bot","3"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p5:UInt64}], z[{p6:UInt64}]), {p7:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot-r","version":3}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "slug"
--   p4: "version"
--   p5: 1
--   p6: 2
--   p7: [["geo-bot-r","3"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p5:UInt64}], z[{p6:UInt64}]), {p7:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"id":"a0000000-0000-4000-8000-000000000001","slug":"judge"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: "slug"
--   p5: 1
--   p6: 2
--   p7: [["a0000000-0000-4000-8000-000000000001","judge"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p5:UInt64}], z[{p6:UInt64}]), {p7:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"id":"b0000000-0000-4000-8000-000000000002"},{"slug":"geo-bot-r","version":"3"},{"version":"9"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: ["b0000000-0000-4000-8000-000000000002"]
--   p5: "slug"
--   p6: "version"
--   p7: 1
--   p8: 2
--   p9: [["geo-bot-r","3"]]
--   p10: ["9"]
(arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(references)) OR arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p5:String}), JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p6:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p7:UInt64}], z[{p8:UInt64}]), {p9:Array(Array(String))}))), JSONExtractArrayRaw(references)) OR arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p6:String}) IN (SELECT arrayJoin({p10:Array(String)})), JSONExtractArrayRaw(references)))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot"},{"version":"3"}],"options":{"all":true}}
--   p1: ["geo-bot"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "slug"
--   p5: 1
--   p6: ["3"]
--   p7: "version"
(length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p4:String}), JSONExtractArrayRaw(references))))) = {p5:UInt64} AND length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p6:Array(String)})), arrayMap(x -> JSONExtractString(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p7:String}), JSONExtractArrayRaw(references))))) = {p5:UInt64})

-- {"field":"references","operator":"in","value":[{"id":"a0000000-0000-4000-8000-000000000001"},{"id":"c0000000-0000-4000-8000-000000000003"}],"options":{"all":true}}
--   p1: ["a0000000-0000-4000-8000-000000000001","c0000000-0000-4000-8000-000000000003"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "id"
--   p5: 2
length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p4:String}), JSONExtractArrayRaw(references))))) = {p5:UInt64}

-- {"field":"references","operator":"in","value":[{"id":"a0000000-0000-4000-8000-000000000001"},{"id":"b0000000-0000-4000-8000-000000000002"}],"options":{"all":true}}
--   p1: ["a0000000-0000-4000-8000-000000000001","b0000000-0000-4000-8000-000000000002"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "id"
--   p5: 2
length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p4:String}), JSONExtractArrayRaw(references))))) = {p5:UInt64}

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot","attributes":{"key":"application"}}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "slug"
--   p4: "attributes"
--   p5: "key"
--   p6: 1
--   p7: 2
--   p8: [["geo-bot","workflow"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), replaceRegexpOne(JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String}, {p5:String}), '^(application|evaluator)(_variant|_revision)?$', 'workflow\\2')) IN (SELECT arrayJoin(arrayMap(z -> (z[{p6:UInt64}], z[{p7:UInt64}]), {p8:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot","attributes.key":"workflow"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "slug"
--   p4: "attributes"
--   p5: "key"
--   p6: 1
--   p7: 2
--   p8: [["geo-bot","workflow"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), replaceRegexpOne(JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String}, {p5:String}), '^(application|evaluator)(_variant|_revision)?$', 'workflow\\2')) IN (SELECT arrayJoin(arrayMap(z -> (z[{p6:UInt64}], z[{p7:UInt64}]), {p8:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot","attributes.key":"workflow_revision"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "slug"
--   p4: "attributes"
--   p5: "key"
--   p6: 1
--   p7: 2
--   p8: [["geo-bot","workflow_revision"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), replaceRegexpOne(JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String}, {p5:String}), '^(application|evaluator)(_variant|_revision)?$', 'workflow\\2')) IN (SELECT arrayJoin(arrayMap(z -> (z[{p6:UInt64}], z[{p7:UInt64}]), {p8:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot","attributes":{"key":"testset"}}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "slug"
--   p4: "attributes"
--   p5: "key"
--   p6: 1
--   p7: 2
--   p8: [["geo-bot","testset"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), replaceRegexpOne(JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String}, {p5:String}), '^(application|evaluator)(_variant|_revision)?$', 'workflow\\2')) IN (SELECT arrayJoin(arrayMap(z -> (z[{p6:UInt64}], z[{p7:UInt64}]), {p8:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"id":"a0000000-0000-4000-8000-000000000001","attributes":{"key":"testset"}}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: ["a0000000-0000-4000-8000-000000000001"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"attributes":{"key":"application"}}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "attributes"
--   p4: "key"
--   p5: ["workflow"]
arrayExists(x -> replaceRegexpOne(JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}), '^(application|evaluator)(_variant|_revision)?$', 'workflow\\2') IN (SELECT arrayJoin({p5:Array(String)})), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[]}
false

-- {"field":"references","operator":"in","value":[],"options":{"all":true}}
false

-- {"field":"references","operator":"in","value":[{},{"name":"x"},{"id":null}]}
false

-- {"field":"references","operator":"not_in","value":[{"id":"a0000000-0000-4000-8000-000000000001"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: ["a0000000-0000-4000-8000-000000000001"]
NOT (arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(references)))

-- {"field":"references","operator":"not_in","value":[{"id":"a0000000-0000-4000-8000-000000000001"},{"id":"c0000000-0000-4000-8000-000000000003"}],"options":{"all":true}}
--   p1: ["a0000000-0000-4000-8000-000000000001","c0000000-0000-4000-8000-000000000003"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "id"
--   p5: 2
NOT (length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p4:String}), JSONExtractArrayRaw(references))))) = {p5:UInt64})

-- {"field":"references","operator":"not_in","value":[]}
NOT (false)

-- {"field":"references","operator":"has","value":"evaluator","key":"attributes.key"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "attributes"
--   p4: "key"
--   p5: "\"evaluator\""
arrayExists(x -> JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}) = JSONExtractRaw({p5:String}), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"has_not","value":"evaluator","key":"attributes.key"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "attributes"
--   p4: "key"
--   p5: "\"evaluator\""
NOT arrayExists(x -> JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}) = JSONExtractRaw({p5:String}), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"exists"}
notEmpty(JSONExtractArrayRaw(references))

-- {"field":"references","operator":"not_exists"}
empty(JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo'bot\\"},{"slug":"%"}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "slug"
--   p4: ["geo'bot\\","%"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(references))
