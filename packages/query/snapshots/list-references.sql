-- {"field":"references","operator":"in","value":[{"id":"a0000000-0000-4000-8000-000000000001"}]}
--   p1: "id"
--   p2: ["a0000000-0000-4000-8000-000000000001"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"id":"0xA0000000000040008000000000000001"}]}
--   p1: "id"
--   p2: ["a0000000-0000-4000-8000-000000000001"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot"}]}
--   p1: "slug"
--   p2: ["geo-bot"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot","version":"3"}]}
--   p1: "slug"
--   p2: "version"
--   p3: 1
--   p4: 2
--   p5: [["geo-bot","3"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), JSONExtractString(x, {p2:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p3:UInt64}], z[{p4:UInt64}]), {p5:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot-r","version":3}]}
--   p1: "slug"
--   p2: "version"
--   p3: 1
--   p4: 2
--   p5: [["geo-bot-r","3"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), JSONExtractString(x, {p2:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p3:UInt64}], z[{p4:UInt64}]), {p5:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"id":"a0000000-0000-4000-8000-000000000001","slug":"judge"}]}
--   p1: "id"
--   p2: "slug"
--   p3: 1
--   p4: 2
--   p5: [["a0000000-0000-4000-8000-000000000001","judge"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), JSONExtractString(x, {p2:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p3:UInt64}], z[{p4:UInt64}]), {p5:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"id":"b0000000-0000-4000-8000-000000000002"},{"slug":"geo-bot-r","version":"3"},{"version":"9"}]}
--   p1: "id"
--   p2: ["b0000000-0000-4000-8000-000000000002"]
--   p3: "slug"
--   p4: "version"
--   p5: 1
--   p6: 2
--   p7: [["geo-bot-r","3"]]
--   p8: ["9"]
(arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(references)) OR arrayExists(x -> (JSONExtractString(x, {p3:String}), JSONExtractString(x, {p4:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p5:UInt64}], z[{p6:UInt64}]), {p7:Array(Array(String))}))), JSONExtractArrayRaw(references)) OR arrayExists(x -> JSONExtractString(x, {p4:String}) IN (SELECT arrayJoin({p8:Array(String)})), JSONExtractArrayRaw(references)))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot"},{"version":"3"}],"options":{"all":true}}
--   p1: ["geo-bot"]
--   p2: "slug"
--   p3: 1
--   p4: ["3"]
--   p5: "version"
(length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(x, {p2:String}), JSONExtractArrayRaw(references))))) = {p3:UInt64} AND length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p4:Array(String)})), arrayMap(x -> JSONExtractString(x, {p5:String}), JSONExtractArrayRaw(references))))) = {p3:UInt64})

-- {"field":"references","operator":"in","value":[{"id":"a0000000-0000-4000-8000-000000000001"},{"id":"c0000000-0000-4000-8000-000000000003"}],"options":{"all":true}}
--   p1: ["a0000000-0000-4000-8000-000000000001","c0000000-0000-4000-8000-000000000003"]
--   p2: "id"
--   p3: 2
length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(x, {p2:String}), JSONExtractArrayRaw(references))))) = {p3:UInt64}

-- {"field":"references","operator":"in","value":[{"id":"a0000000-0000-4000-8000-000000000001"},{"id":"b0000000-0000-4000-8000-000000000002"}],"options":{"all":true}}
--   p1: ["a0000000-0000-4000-8000-000000000001","b0000000-0000-4000-8000-000000000002"]
--   p2: "id"
--   p3: 2
length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(x, {p2:String}), JSONExtractArrayRaw(references))))) = {p3:UInt64}

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot","attributes":{"key":"application"}}]}
--   p1: "slug"
--   p2: "attributes"
--   p3: "key"
--   p4: 1
--   p5: 2
--   p6: [["geo-bot","workflow"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), replaceRegexpOne(JSONExtractString(x, {p2:String}, {p3:String}), '^(application|evaluator)(_variant|_revision)?$', 'workflow\\2')) IN (SELECT arrayJoin(arrayMap(z -> (z[{p4:UInt64}], z[{p5:UInt64}]), {p6:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot","attributes.key":"workflow"}]}
--   p1: "slug"
--   p2: "attributes"
--   p3: "key"
--   p4: 1
--   p5: 2
--   p6: [["geo-bot","workflow"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), replaceRegexpOne(JSONExtractString(x, {p2:String}, {p3:String}), '^(application|evaluator)(_variant|_revision)?$', 'workflow\\2')) IN (SELECT arrayJoin(arrayMap(z -> (z[{p4:UInt64}], z[{p5:UInt64}]), {p6:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot","attributes.key":"workflow_revision"}]}
--   p1: "slug"
--   p2: "attributes"
--   p3: "key"
--   p4: 1
--   p5: 2
--   p6: [["geo-bot","workflow_revision"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), replaceRegexpOne(JSONExtractString(x, {p2:String}, {p3:String}), '^(application|evaluator)(_variant|_revision)?$', 'workflow\\2')) IN (SELECT arrayJoin(arrayMap(z -> (z[{p4:UInt64}], z[{p5:UInt64}]), {p6:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo-bot","attributes":{"key":"testset"}}]}
--   p1: "slug"
--   p2: "attributes"
--   p3: "key"
--   p4: 1
--   p5: 2
--   p6: [["geo-bot","testset"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), replaceRegexpOne(JSONExtractString(x, {p2:String}, {p3:String}), '^(application|evaluator)(_variant|_revision)?$', 'workflow\\2')) IN (SELECT arrayJoin(arrayMap(z -> (z[{p4:UInt64}], z[{p5:UInt64}]), {p6:Array(Array(String))}))), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"id":"a0000000-0000-4000-8000-000000000001","attributes":{"key":"testset"}}]}
--   p1: "id"
--   p2: ["a0000000-0000-4000-8000-000000000001"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"attributes":{"key":"application"}}]}
--   p1: "attributes"
--   p2: "key"
--   p3: ["workflow"]
arrayExists(x -> replaceRegexpOne(JSONExtractString(x, {p1:String}, {p2:String}), '^(application|evaluator)(_variant|_revision)?$', 'workflow\\2') IN (SELECT arrayJoin({p3:Array(String)})), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[]}
false

-- {"field":"references","operator":"in","value":[],"options":{"all":true}}
false

-- {"field":"references","operator":"in","value":[{},{"name":"x"},{"id":null}]}
false

-- {"field":"references","operator":"not_in","value":[{"id":"a0000000-0000-4000-8000-000000000001"}]}
--   p1: "id"
--   p2: ["a0000000-0000-4000-8000-000000000001"]
NOT (arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(references)))

-- {"field":"references","operator":"not_in","value":[{"id":"a0000000-0000-4000-8000-000000000001"},{"id":"c0000000-0000-4000-8000-000000000003"}],"options":{"all":true}}
--   p1: ["a0000000-0000-4000-8000-000000000001","c0000000-0000-4000-8000-000000000003"]
--   p2: "id"
--   p3: 2
NOT (length(arrayDistinct(arrayFilter(y -> y IN (SELECT arrayJoin({p1:Array(String)})), arrayMap(x -> JSONExtractString(x, {p2:String}), JSONExtractArrayRaw(references))))) = {p3:UInt64})

-- {"field":"references","operator":"not_in","value":[]}
NOT (false)

-- {"field":"references","operator":"has","value":"evaluator","key":"attributes.key"}
--   p1: "attributes"
--   p2: "key"
--   p3: "\"evaluator\""
arrayExists(x -> JSONExtractRaw(x, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"has_not","value":"evaluator","key":"attributes.key"}
--   p1: "attributes"
--   p2: "key"
--   p3: "\"evaluator\""
NOT arrayExists(x -> JSONExtractRaw(x, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}), JSONExtractArrayRaw(references))

-- {"field":"references","operator":"exists"}
notEmpty(JSONExtractArrayRaw(references))

-- {"field":"references","operator":"not_exists"}
empty(JSONExtractArrayRaw(references))

-- {"field":"references","operator":"in","value":[{"slug":"geo'bot\\"},{"slug":"%"}]}
--   p1: "slug"
--   p2: ["geo'bot\\","%"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(references))
