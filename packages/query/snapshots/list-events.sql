-- {"field":"events","operator":"in","value":[{"name":"exception"}]}
--   p1: "name"
--   p2: ["exception"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"in","value":[{"name":"it's 100%","timestamp":9,"attributes":{"a":1}}]}
--   p1: "name"
--   p2: ["it's 100%"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"in","value":[{"name":"exception"},{"name":"token"}]}
--   p1: "name"
--   p2: ["exception","token"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"in","value":[{"name":"exception"},{"name":"token"}],"options":{"all":true}}
--   p1: ["exception","token"]
--   p2: "name"
--   p3: 2
length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(x, {p2:String}), JSONExtractArrayRaw(events))))) = {p3:UInt64}

-- {"field":"events","operator":"in","value":[{"attributes":{"a":1}}]}
false

-- {"field":"events","operator":"not_in","value":[{"name":"exception"}]}
--   p1: "name"
--   p2: ["exception"]
NOT (arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(events)))

-- {"field":"events","operator":"has","value":"ValueError","key":"attributes.exception.type"}
--   p1: "attributes"
--   p2: "exception.type"
--   p3: "\"ValueError\""
--   p4: "exception"
--   p5: "type"
arrayExists(x -> (JSONExtractRaw(x, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}) OR JSONExtractRaw(x, {p1:String}, {p4:String}, {p5:String}) = JSONExtractRaw({p3:String})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"has","value":"Nested","key":"attributes.exception.type"}
--   p1: "attributes"
--   p2: "exception.type"
--   p3: "\"Nested\""
--   p4: "exception"
--   p5: "type"
arrayExists(x -> (JSONExtractRaw(x, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}) OR JSONExtractRaw(x, {p1:String}, {p4:String}, {p5:String}) = JSONExtractRaw({p3:String})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"has","value":{"a":[1]},"key":"attributes.exception.nested"}
--   p1: "attributes"
--   p2: "exception.nested"
--   p3: "a"
--   p4: ["1"]
--   p5: "exception"
--   p6: "nested"
--   p7: ["1"]
arrayExists(x -> ((startsWith(JSONExtractRaw(x, {p1:String}, {p2:String}, {p3:String}), '[') AND hasAll(JSONExtractArrayRaw(JSONExtractRaw(x, {p1:String}, {p2:String}, {p3:String})), arrayMap(y -> JSONExtractRaw(y), {p4:Array(String)}))) OR (startsWith(JSONExtractRaw(x, {p1:String}, {p5:String}, {p6:String}, {p3:String}), '[') AND hasAll(JSONExtractArrayRaw(JSONExtractRaw(x, {p1:String}, {p5:String}, {p6:String}, {p3:String})), arrayMap(y -> JSONExtractRaw(y), {p7:Array(String)})))), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"has_not","value":"ValueError","key":"attributes.exception.type"}
--   p1: "attributes"
--   p2: "exception.type"
--   p3: "\"ValueError\""
--   p4: "exception"
--   p5: "type"
NOT arrayExists(x -> (JSONExtractRaw(x, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}) OR JSONExtractRaw(x, {p1:String}, {p4:String}, {p5:String}) = JSONExtractRaw({p3:String})), JSONExtractArrayRaw(events))

-- {"field":"events","operator":"exists"}
notEmpty(JSONExtractArrayRaw(events))

-- {"field":"events","operator":"not_exists"}
empty(JSONExtractArrayRaw(events))
