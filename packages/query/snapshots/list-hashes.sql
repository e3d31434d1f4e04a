-- {"field":"hashes","operator":"in","value":["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34"]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: ["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34"]
arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"in","value":[{"id":"5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34","attributes":{"key":"indirect"}}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: "attributes"
--   p5: "key"
--   p6: 1
--   p7: 2
--   p8: [["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34","indirect"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String}, {p5:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p6:UInt64}], z[{p7:UInt64}]), {p8:Array(Array(String))}))), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"in","value":[{"id":"5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34","attributes":{"key":"direct"}}]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: "attributes"
--   p5: "key"
--   p6: 1
--   p7: 2
--   p8: [["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34","direct"]]
arrayExists(x -> (JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}), JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p4:String}, {p5:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p6:UInt64}], z[{p7:UInt64}]), {p8:Array(Array(String))}))), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"not_in","value":["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34"]}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: ["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34"]
NOT (arrayExists(x -> JSONExtractString(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) IN (SELECT arrayJoin({p4:Array(String)})), JSONExtractArrayRaw(hashes)))

-- {"field":"hashes","operator":"has","value":"5F0D2C55-8A3E-4B1F-9C67-0F6B8D1E2A34","key":"id"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: "\"5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34\""
arrayExists(x -> JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) = JSONExtractRaw({p4:String}), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"has","value":"indirect","key":"attributes.key"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "attributes"
--   p4: "key"
--   p5: "\"indirect\""
arrayExists(x -> JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}, {p4:String}) = JSONExtractRaw({p5:String}), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"has_not","value":"5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34","key":"id"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: "id"
--   p4: "\"5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34\""
NOT arrayExists(x -> JSONExtractRaw(if(match(x, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p2:String}))), x), {p3:String}) = JSONExtractRaw({p4:String}), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"exists"}
notEmpty(JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"not_exists"}
empty(JSONExtractArrayRaw(hashes))
