-- {"field":"links","operator":"in","value":[{"trace_id":"00000000000000000000000000000009","span_id":"0000000000000009"}]}
--   p1: "trace_id"
--   p2: "span_id"
--   p3: 1
--   p4: 2
--   p5: [["00000000000000000000000000000009","0000000000000009"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), JSONExtractString(x, {p2:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p3:UInt64}], z[{p4:UInt64}]), {p5:Array(Array(String))}))), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{"trace_id":"00000000000000000000000000000009","span_id":"0000000000000008"}]}
--   p1: "trace_id"
--   p2: "span_id"
--   p3: 1
--   p4: 2
--   p5: [["00000000000000000000000000000009","0000000000000008"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), JSONExtractString(x, {p2:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p3:UInt64}], z[{p4:UInt64}]), {p5:Array(Array(String))}))), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{"trace_id":"0x00000000000000000000000000000100"}]}
--   p1: "trace_id"
--   p2: ["00000000000000000000000000000100"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{"span_id":"0000000000000009"}]}
--   p1: "span_id"
--   p2: ["0000000000000009"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{"span_id":"0000000000000009","attributes":{"key":"other"}}]}
--   p1: "span_id"
--   p2: ["0000000000000009"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{"span_id":"0000000000000009"},{"span_id":"0000000000000100"}],"options":{"all":true}}
--   p1: ["0000000000000009","0000000000000100"]
--   p2: "span_id"
--   p3: 2
length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(x, {p2:String}), JSONExtractArrayRaw(links))))) = {p3:UInt64}

-- {"field":"links","operator":"in","value":[{}]}
notEmpty(JSONExtractArrayRaw(links))

-- {"field":"links","operator":"in","value":[{},{"span_id":"0000000000000100"}],"options":{"all":true}}
--   p1: ["0000000000000100"]
--   p2: "span_id"
--   p3: 1
(notEmpty(JSONExtractArrayRaw(links)) AND length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(x, {p2:String}), JSONExtractArrayRaw(links))))) = {p3:UInt64})

-- {"field":"links","operator":"not_in","value":[{"span_id":"0000000000000009"}]}
--   p1: "span_id"
--   p2: ["0000000000000009"]
NOT (arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(links)))

-- {"field":"links","operator":"not_in","value":[{}]}
NOT (notEmpty(JSONExtractArrayRaw(links)))

-- {"field":"links","operator":"in","value":[]}
false

-- {"field":"links","operator":"has","value":"invocation","key":"attributes.key"}
--   p1: "attributes"
--   p2: "key"
--   p3: "\"invocation\""
arrayExists(x -> JSONExtractRaw(x, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"has_not","value":"invocation","key":"attributes.key"}
--   p1: "attributes"
--   p2: "key"
--   p3: "\"invocation\""
NOT arrayExists(x -> JSONExtractRaw(x, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}), JSONExtractArrayRaw(links))

-- {"field":"links","operator":"exists"}
notEmpty(JSONExtractArrayRaw(links))

-- {"field":"links","operator":"not_exists"}
empty(JSONExtractArrayRaw(links))
