-- {"field":"attributes","key":"a.l.0","operator":"is","value":"x"}
--   p1: ["0"]
--   p2: [1]
--   p3: "a"
--   p4: "l"
--   p5: "\"x\""
arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p1:Array(String)}, {p2:Array(Int64)}, JSONExtractRaw(attributes, {p3:String}, {p4:String})) = JSONExtractRaw({p5:String})

-- {"field":"attributes","key":"a.l.2","operator":"is","value":5}
--   p1: ["2"]
--   p2: [3]
--   p3: "a"
--   p4: "l"
--   p5: "5"
arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p1:Array(String)}, {p2:Array(Int64)}, JSONExtractRaw(attributes, {p3:String}, {p4:String})) = JSONExtractRaw({p5:String})

-- {"field":"attributes","key":"a.l.3","operator":"exists"}
--   p1: ["3"]
--   p2: [4]
--   p3: "a"
--   p4: "l"
arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p1:Array(String)}, {p2:Array(Int64)}, JSONExtractRaw(attributes, {p3:String}, {p4:String})) != ''

-- {"field":"attributes","key":"a.l.0","operator":"is","value":"key"}
--   p1: ["0"]
--   p2: [1]
--   p3: "a"
--   p4: "l"
--   p5: "\"key\""
arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p1:Array(String)}, {p2:Array(Int64)}, JSONExtractRaw(attributes, {p3:String}, {p4:String})) = JSONExtractRaw({p5:String})

-- {"field":"attributes","key":"a.0","operator":"is","value":"zero"}
--   p1: ["0"]
--   p2: [1]
--   p3: "a"
--   p4: "\"zero\""
arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p1:Array(String)}, {p2:Array(Int64)}, JSONExtractRaw(attributes, {p3:String})) = JSONExtractRaw({p4:String})

-- {"field":"attributes","key":"a.l.1.c","operator":"is","value":"deep"}
--   p1: ["1","c"]
--   p2: [2,0]
--   p3: "a"
--   p4: "l"
--   p5: "\"deep\""
arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p1:Array(String)}, {p2:Array(Int64)}, JSONExtractRaw(attributes, {p3:String}, {p4:String})) = JSONExtractRaw({p5:String})

-- {"field":"attributes","key":"a.l.0.0.c","operator":"is","value":"deep"}
--   p1: ["0","0","c"]
--   p2: [1,1,0]
--   p3: "a"
--   p4: "l"
--   p5: "\"deep\""
arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p1:Array(String)}, {p2:Array(Int64)}, JSONExtractRaw(attributes, {p3:String}, {p4:String})) = JSONExtractRaw({p5:String})

-- {"field":"attributes","key":"a.l.0","operator":"is","value":{"k":"v"}}
--   p1: ["0","k"]
--   p2: [1,0]
--   p3: "a"
--   p4: "l"
--   p5: "\"v\""
arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p1:Array(String)}, {p2:Array(Int64)}, JSONExtractRaw(attributes, {p3:String}, {p4:String})) = JSONExtractRaw({p5:String})

-- {"field":"attributes","key":"a.l.01","operator":"exists"}
--   p1: "a"
--   p2: "l"
--   p3: "01"
JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}) != ''

-- {"field":"attributes","key":"a.l.1","operator":"startswith","value":"LA"}
--   p1: "LA"
--   p2: ["1"]
--   p3: [2]
--   p4: "a"
--   p5: "l"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p2:Array(String)}, {p3:Array(Int64)}, JSONExtractRaw(sent_attributes, {p4:String}, {p5:String})) NOT IN ('', 'null') AND startsWith(lowerUTF8(JSONExtractString(arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p2:Array(String)}, {p3:Array(Int64)}, JSONExtractRaw(sent_attributes, {p4:String}, {p5:String})))), lowerUTF8({p1:String}))), false)

-- {"field":"attributes","key":"a.l.99999999999","operator":"exists"}
--   p1: "a"
--   p2: "l"
--   p3: "99999999999"
JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}) != ''

-- {"field":"attributes","key":"a..n","operator":"exists"}
--   p1: "a"
--   p2: ""
--   p3: "n"
JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}) != ''

-- {"field":"attributes","key":"a'.n","operator":"exists"}
--   p1: "a'"
--   p2: "n"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) != ''

-- {"field":"attributes","key":"ag.data.inputs.question","operator":"contains","value":"peru"}
--   p1: "peru"
--   p2: "inputs"
--   p3: "question"
if(position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0, (JSONExtractRaw(span_data, {p2:String}, {p3:String}) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(JSONExtractRaw(span_data, {p2:String}, {p3:String}))), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"ag.data.inputs.n","operator":"lt","value":4}
--   p1: "inputs"
--   p2: "n"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "4"
(match(trimBoth(JSONExtractRaw(span_data, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(span_data, {p1:String}, {p2:String}), '"')) < {p4:Float64}, false))

-- {"field":"attributes","key":"ag.data.outputs","operator":"in","value":["Lima"]}
--   p1: "outputs"
--   p2: ["\"Lima\""]
--   p3: ["\"Lima\""]
(JSONExtractRaw(span_data, {p1:String}) IN (SELECT JSONExtractRaw(arrayJoin({p2:Array(String)}))) OR arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))), JSONExtractArrayRaw(JSONExtractRaw(span_data, {p1:String}))))

-- {"field":"attributes","key":"ag.data.outputs.1.city","operator":"is","value":"Lima"}
--   p1: ["1","city"]
--   p2: [2,0]
--   p3: "outputs"
--   p4: "\"Lima\""
arrayFold((v, k, i) -> concat(JSONExtractRaw(v, k), JSONExtractArrayRaw(v)[i]), {p1:Array(String)}, {p2:Array(Int64)}, JSONExtractRaw(span_data, {p3:String})) = JSONExtractRaw({p4:String})

-- {"field":"attributes","key":"ag.data","operator":"is","value":{"outputs":"Lima"}}
--   p1: "outputs"
--   p2: "\"Lima\""
JSONExtractRaw(span_data, {p1:String}) = JSONExtractRaw({p2:String})

-- {"field":"attributes","key":"ag.data","operator":"is","value":{}}
true

-- {"field":"attributes","key":"ag","operator":"is","value":{"data":{"inputs":{"n":3}},"session":{"id":"chat-1"}}}
--   p1: "inputs"
--   p2: "n"
--   p3: "3"
--   p4: "chat-1"
(JSONExtractRaw(span_data, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}) AND session_id = {p4:String})

-- {"field":"attributes","key":"ag.data","operator":"contains","value":"\"outputs\":\"lima\""}
--   p1: "\"outputs\":\"lima\""
(if(span_data = '', '{}', JSONExtractRaw(span_data)) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(if(span_data = '', '{}', JSONExtractRaw(span_data)))), lowerUTF8({p1:String})) > 0)

-- {"field":"attributes","key":"ag.data","operator":"has_not","value":{"outputs":"Lima"}}
--   p1: "outputs"
--   p2: "\"Lima\""
NOT (JSONExtractRaw(span_data, {p1:String}) = JSONExtractRaw({p2:String}))
