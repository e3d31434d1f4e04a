-- {"field":"attributes","key":"a.n","operator":"in","value":[5,7]}
--   p1: "a"
--   p2: "n"
--   p3: ["5","7"]
--   p4: ["5","7"]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))

-- {"field":"attributes","key":"a.n","operator":"in","value":["5",true]}
--   p1: "a"
--   p2: "n"
--   p3: ["\"5\"","true"]
--   p4: ["\"5\"","true"]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))

-- {"field":"attributes","key":"a.n","operator":"in","value":[5.5,-1,"NaN"]}
--   p1: "a"
--   p2: "n"
--   p3: ["5.5","-1","\"NaN\""]
--   p4: ["5.5","-1","\"NaN\""]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))

-- {"field":"attributes","key":"a.s","operator":"in","value":["100%_'\"\\\n\u0000é","Hello"]}
--   p1: "a"
--   p2: "s"
--   p3: ["\"100%_'\\\"\\\\\\n\\u0000é\"","\"Hello\""]
--   p4: ["\"100%_'\\\"\\\\\\n\\u0000é\"","\"Hello\""]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))

-- {"field":"attributes","key":"a.z","operator":"in","value":[null]}
--   p1: "a"
--   p2: "z"
--   p3: ["null"]
--   p4: ["null"]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))

-- {"field":"attributes","key":"a.l","operator":"in","value":["x","nope"]}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\"","\"nope\""]
--   p4: ["\"x\"","\"nope\""]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))

-- {"field":"attributes","key":"a.l","operator":"in","value":[5]}
--   p1: "a"
--   p2: "l"
--   p3: ["5"]
--   p4: ["5"]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))

-- {"field":"attributes","key":"a.l","operator":"in","value":["x",5,"x"],"options":{"all":true}}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\"","5","\"x\""]
--   p4: ["\"x\"","5","\"x\""]
--   p5: 2
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR length(arrayDistinct(arrayFilter(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))) = {p5:UInt64})

-- {"field":"attributes","key":"a.l","operator":"in","value":["x","nope"],"options":{"all":true}}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\"","\"nope\""]
--   p4: ["\"x\"","\"nope\""]
--   p5: 2
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR length(arrayDistinct(arrayFilter(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))) = {p5:UInt64})

-- {"field":"attributes","key":"a.l","operator":"in","value":[{"k":"v"},"x"]}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\""]
--   p4: "k"
--   p5: "\"v\""
--   p6: ["\"x\""]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p4:String}) = JSONExtractRaw({p5:String}) OR (arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p6:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))) OR arrayExists(x -> JSONExtractRaw(x, {p4:String}) = JSONExtractRaw({p5:String}), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String})))))

-- {"field":"attributes","key":"a.l","operator":"in","value":[{"k":"v"},{"k":"w"},[1]],"options":{"all":true}}
--   p1: "a"
--   p2: "l"
--   p3: []
--   p4: "k"
--   p5: "\"v\""
--   p6: "\"w\""
--   p7: ["1"]
--   p8: []
--   p9: 0
--   p10: ["1"]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p4:String}) = JSONExtractRaw({p5:String}) OR JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p4:String}) = JSONExtractRaw({p6:String}) OR (startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '[') AND hasAll(JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String})), arrayMap(y -> JSONExtractRaw(y), {p7:Array(String)}))) OR (length(arrayDistinct(arrayFilter(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p8:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))) = {p9:UInt64} AND arrayExists(x -> JSONExtractRaw(x, {p4:String}) = JSONExtractRaw({p5:String}), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))) AND arrayExists(x -> JSONExtractRaw(x, {p4:String}) = JSONExtractRaw({p6:String}), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))) AND arrayExists(x -> (startsWith(JSONExtractRaw(x), '[') AND hasAll(JSONExtractArrayRaw(JSONExtractRaw(x)), arrayMap(y -> JSONExtractRaw(y), {p10:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String})))))

-- {"field":"attributes","key":"a.l","operator":"in","value":[{"k":"v"},"x"],"options":{"all":true}}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\""]
--   p4: "k"
--   p5: "\"v\""
--   p6: ["\"x\""]
--   p7: 1
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p4:String}) = JSONExtractRaw({p5:String}) OR (length(arrayDistinct(arrayFilter(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p6:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))) = {p7:UInt64} AND arrayExists(x -> JSONExtractRaw(x, {p4:String}) = JSONExtractRaw({p5:String}), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String})))))

-- {"field":"attributes","key":"a.o","operator":"in","value":[{"r":[1]}]}
--   p1: "a"
--   p2: "o"
--   p3: []
--   p4: "r"
--   p5: ["1"]
--   p6: []
--   p7: ["1"]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR (startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p4:String}), '[') AND hasAll(JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p4:String})), arrayMap(y -> JSONExtractRaw(y), {p5:Array(String)}))) OR (arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p6:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))) OR arrayExists(x -> (startsWith(JSONExtractRaw(x, {p4:String}), '[') AND hasAll(JSONExtractArrayRaw(JSONExtractRaw(x, {p4:String})), arrayMap(y -> JSONExtractRaw(y), {p7:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String})))))

-- {"field":"attributes","key":"a.l","operator":"in","value":[]}
false

-- {"field":"attributes","key":"a.l","operator":"in","value":[],"options":{"all":true}}
false

-- {"field":"attributes","key":"a.n","operator":"not_in","value":[5,7]}
--   p1: "a"
--   p2: "n"
--   p3: ["5","7"]
--   p4: ["5","7"]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '' AND NOT ((JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))))

-- {"field":"attributes","key":"a.l","operator":"not_in","value":["x"]}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\""]
--   p4: ["\"x\""]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '' AND NOT ((JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))))

-- {"field":"attributes","key":"a.z","operator":"not_in","value":[1]}
--   p1: "a"
--   p2: "z"
--   p3: ["1"]
--   p4: ["1"]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '' AND NOT ((JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))))

-- {"field":"attributes","key":"a.l","operator":"not_in","value":[]}
--   p1: "a"
--   p2: "l"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '' AND NOT (false))

-- {"field":"attributes","key":"a.l","operator":"not_in","value":["x","nope"],"options":{"all":true}}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\"","\"nope\""]
--   p4: ["\"x\"","\"nope\""]
--   p5: 2
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '' AND NOT ((JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR length(arrayDistinct(arrayFilter(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(attributes, {p1:String}, {p2:String}))))) = {p5:UInt64})))
