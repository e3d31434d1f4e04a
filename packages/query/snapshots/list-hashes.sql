-- {"field":"hashes","operator":"in","value":["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34"]}
--   p1: "id"
--   p2: ["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34"]
arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"in","value":[{"id":"5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34","attributes":{"key":"indirect"}}]}
--   p1: "id"
--   p2: "attributes"
--   p3: "key"
--   p4: 1
--   p5: 2
--   p6: [["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34","indirect"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), JSONExtractString(x, {p2:String}, {p3:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p4:UInt64}], z[{p5:UInt64}]), {p6:Array(Array(String))}))), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"in","value":[{"id":"5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34","attributes":{"key":"direct"}}]}
--   p1: "id"
--   p2: "attributes"
--   p3: "key"
--   p4: 1
--   p5: 2
--   p6: [["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34","direct"]]
arrayExists(x -> (JSONExtractString(x, {p1:String}), JSONExtractString(x, {p2:String}, {p3:String})) IN (SELECT arrayJoin(arrayMap(z -> (z[{p4:UInt64}], z[{p5:UInt64}]), {p6:Array(Array(String))}))), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"not_in","value":["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34"]}
--   p1: "id"
--   p2: ["5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34"]
NOT (arrayExists(x -> JSONExtractString(x, {p1:String}) IN (SELECT arrayJoin({p2:Array(String)})), JSONExtractArrayRaw(hashes)))

-- {"field":"hashes","operator":"has","value":"5F0D2C55-8A3E-4B1F-9C67-0F6B8D1E2A34","key":"id"}
--   p1: "id"
--   p2: "\"5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34\""
arrayExists(x -> JSONExtractRaw(x, {p1:String}) = JSONExtractRaw({p2:String}), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"has","value":"indirect","key":"attributes.key"}
--   p1: "attributes"
--   p2: "key"
--   p3: "\"indirect\""
arrayExists(x -> JSONExtractRaw(x, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"has_not","value":"5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34","key":"id"}
--   p1: "id"
--   p2: "\"5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34\""
NOT arrayExists(x -> JSONExtractRaw(x, {p1:String}) = JSONExtractRaw({p2:String}), JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"exists"}
notEmpty(JSONExtractArrayRaw(hashes))

-- {"field":"hashes","operator":"not_exists"}
empty(JSONExtractArrayRaw(hashes))
