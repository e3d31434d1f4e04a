-- {"field":"attributes","key":"a.l.0","operator":"is","value":"x"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: ["0"]
--   p4: [1]
--   p5: "a"
--   p6: "l"
--   p7: "\"x\""
arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p2:String}))), v)])[1], {p3:Array(String)}, {p4:Array(Int64)}, JSONExtractRaw(attributes, {p5:String}, {p6:String})) = JSONExtractRaw({p7:String})

-- {"field":"attributes","key":"a.l.2","operator":"is","value":5}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: ["2"]
--   p4: [3]
--   p5: "a"
--   p6: "l"
--   p7: "5"
arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p2:String}))), v)])[1], {p3:Array(String)}, {p4:Array(Int64)}, JSONExtractRaw(attributes, {p5:String}, {p6:String})) = JSONExtractRaw({p7:String})

-- {"field":"attributes","key":"a.l.3","operator":"exists"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: ["3"]
--   p4: [4]
--   p5: "a"
--   p6: "l"
arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p2:String}))), v)])[1], {p3:Array(String)}, {p4:Array(Int64)}, JSONExtractRaw(attributes, {p5:String}, {p6:String})) != ''

-- {"field":"attributes","key":"a.l.0","operator":"is","value":"key"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: ["0"]
--   p4: [1]
--   p5: "a"
--   p6: "l"
--   p7: "\"key\""
arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p2:String}))), v)])[1], {p3:Array(String)}, {p4:Array(Int64)}, JSONExtractRaw(attributes, {p5:String}, {p6:String})) = JSONExtractRaw({p7:String})

-- {"field":"attributes","key":"a.0","operator":"is","value":"zero"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: ["0"]
--   p4: [1]
--   p5: "a"
--   p6: "\"zero\""
arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p2:String}))), v)])[1], {p3:Array(String)}, {p4:Array(Int64)}, JSONExtractRaw(attributes, {p5:String})) = JSONExtractRaw({p6:String})

-- {"field":"attributes","key":"a.l.1.c","operator":"is","value":"deep"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: ["1","c"]
--   p4: [2,0]
--   p5: "a"
--   p6: "l"
--   p7: "\"deep\""
arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p2:String}))), v)])[1], {p3:Array(String)}, {p4:Array(Int64)}, JSONExtractRaw(attributes, {p5:String}, {p6:String})) = JSONExtractRaw({p7:String})

-- {"field":"attributes","key":"a.l.0.0.c","operator":"is","value":"deep"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: ["0","0","c"]
--   p4: [1,1,0]
--   p5: "a"
--   p6: "l"
--   p7: "\"deep\""
arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p2:String}))), v)])[1], {p3:Array(String)}, {p4:Array(Int64)}, JSONExtractRaw(attributes, {p5:String}, {p6:String})) = JSONExtractRaw({p7:String})

-- {"field":"attributes","key":"a.l.0","operator":"is","value":{"k":"v"}}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: ["0","k"]
--   p4: [1,0]
--   p5: "a"
--   p6: "l"
--   p7: "\"v\""
arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p2:String}))), v)])[1], {p3:Array(String)}, {p4:Array(Int64)}, JSONExtractRaw(attributes, {p5:String}, {p6:String})) = JSONExtractRaw({p7:String})

-- {"field":"attributes","key":"a.l.01","operator":"exists"}
--   p1: "a"
--   p2: "l"
--   p3: "01"
JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}) != ''

-- {"field":"attributes","key":"a.l.1","operator":"startswith","value":"LA"}
--   p1: "LA"
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: ["1"]
--   p5: [2]
--   p6: "a"
--   p7: "l"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p3:String}))), v)])[1], {p4:Array(String)}, {p5:Array(Int64)}, JSONExtractRaw(sent_attributes, {p6:String}, {p7:String})) NOT IN ('', 'null') AND startsWith(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p3:String}))), v)])[1], {p4:Array(String)}, {p5:Array(Int64)}, JSONExtractRaw(sent_attributes, {p6:String}, {p7:String}))])[1]), lowerUTF8({p1:String}))), false)

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
if(position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0, (JSONExtractRaw(span_data, {p2:String}, {p3:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(span_data, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"ag.data.inputs.n","operator":"lt","value":4}
--   p1: "inputs"
--   p2: "n"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "4"
(match(trimBoth(JSONExtractRaw(span_data, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(span_data, {p1:String}, {p2:String}), '"')) < {p4:Float64}, false))

-- {"field":"attributes","key":"ag.data.outputs","operator":"in","value":["Lima"]}
--   p1: ["\"Lima\""]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "outputs"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(span_data, {p4:String})])[1], JSONExtractRaw(span_data, {p4:String})))

-- {"field":"attributes","key":"ag.data.outputs.1.city","operator":"is","value":"Lima"}
--   p1: "\\d{17}00"
--   p2: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p3: ["1","city"]
--   p4: [2,0]
--   p5: "outputs"
--   p6: "\"Lima\""
arrayFold((v, k, i) -> arrayMap(w -> concat(JSONExtractRaw(w, k), JSONExtractArrayRaw(w)[i]), [if(match(v, {p1:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(v, {p2:String}))), v)])[1], {p3:Array(String)}, {p4:Array(Int64)}, JSONExtractRaw(span_data, {p5:String})) = JSONExtractRaw({p6:String})

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
(if(span_data = '', '{}', JSONExtractRaw(span_data)) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [if(span_data = '', '{}', JSONExtractRaw(span_data))])[1]), lowerUTF8({p1:String})) > 0)

-- {"field":"attributes","key":"ag.data","operator":"has_not","value":{"outputs":"Lima"}}
--   p1: "outputs"
--   p2: "\"Lima\""
NOT (JSONExtractRaw(span_data, {p1:String}) = JSONExtractRaw({p2:String}))
