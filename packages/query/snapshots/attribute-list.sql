-- {"field":"attributes","key":"a.n","operator":"in","value":[5,7]}
--   p1: ["5","7"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "a"
--   p5: "n"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1], JSONExtractRaw(attributes, {p4:String}, {p5:String})))

-- {"field":"attributes","key":"a.n","operator":"in","value":["5",true]}
--   p1: ["\"5\"","true"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "a"
--   p5: "n"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1], JSONExtractRaw(attributes, {p4:String}, {p5:String})))

-- {"field":"attributes","key":"a.n","operator":"in","value":[5.5,-1,"NaN"]}
--   p1: ["5.5","-1","\"NaN\""]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "a"
--   p5: "n"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1], JSONExtractRaw(attributes, {p4:String}, {p5:String})))

-- {"field":"attributes","key":"a.s","operator":"in","value":["100%_'\"\\\n\u0000é","Hello"]}
--   p1: ["\"100%_'\\\"\\\\\\n\\u0000é\"","\"Hello\""]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "a"
--   p5: "s"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1], JSONExtractRaw(attributes, {p4:String}, {p5:String})))

-- {"field":"attributes","key":"a.z","operator":"in","value":[null]}
--   p1: ["null"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "a"
--   p5: "z"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1], JSONExtractRaw(attributes, {p4:String}, {p5:String})))

-- {"field":"attributes","key":"a.l","operator":"in","value":["x","nope"]}
--   p1: ["\"x\"","\"nope\""]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "a"
--   p5: "l"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1], JSONExtractRaw(attributes, {p4:String}, {p5:String})))

-- {"field":"attributes","key":"a.l","operator":"in","value":[5]}
--   p1: ["5"]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "a"
--   p5: "l"
arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1], JSONExtractRaw(attributes, {p4:String}, {p5:String})))

-- {"field":"attributes","key":"a.l","operator":"in","value":["x",5,"x"],"options":{"all":true}}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\"","5","\"x\""]
--   p4: ["\"x\"","5","\"x\""]
--   p5: "\\d{17}00"
--   p6: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p7: 2
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR length(arrayDistinct(arrayFilter(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p5:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p6:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]))) = {p7:UInt64})

-- {"field":"attributes","key":"a.l","operator":"in","value":["x","nope"],"options":{"all":true}}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\"","\"nope\""]
--   p4: ["\"x\"","\"nope\""]
--   p5: "\\d{17}00"
--   p6: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p7: 2
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR length(arrayDistinct(arrayFilter(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p5:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p6:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]))) = {p7:UInt64})

-- {"field":"attributes","key":"a.l","operator":"in","value":[{"k":"v"},"x"]}
--   p1: ["\"x\""]
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "a"
--   p5: "l"
--   p6: "k"
--   p7: "\"v\""
(arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1], JSONExtractRaw(attributes, {p4:String}, {p5:String}))) OR JSONExtractRaw(attributes, {p4:String}, {p5:String}, {p6:String}) = JSONExtractRaw({p7:String}) OR arrayExists(x -> JSONExtractRaw(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p6:String}) = JSONExtractRaw({p7:String}), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1]))

-- {"field":"attributes","key":"a.l","operator":"in","value":[{"k":"v"},{"k":"w"},[1]],"options":{"all":true}}
--   p1: "a"
--   p2: "l"
--   p3: []
--   p4: "k"
--   p5: "\"v\""
--   p6: "\"w\""
--   p7: "\\d{17}00"
--   p8: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p9: ["1"]
--   p10: []
--   p11: 0
--   p12: ["1"]
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p4:String}) = JSONExtractRaw({p5:String}) OR JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p4:String}) = JSONExtractRaw({p6:String}) OR (startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p8:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1], arrayMap(y -> JSONExtractRaw(y), {p9:Array(String)}))) OR (length(arrayDistinct(arrayFilter(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p10:Array(String)}))), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p8:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]))) = {p11:UInt64} AND arrayExists(x -> JSONExtractRaw(if(match(x, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p8:String}))), x), {p4:String}) = JSONExtractRaw({p5:String}), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p8:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]) AND arrayExists(x -> JSONExtractRaw(if(match(x, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p8:String}))), x), {p4:String}) = JSONExtractRaw({p6:String}), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p8:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]) AND arrayExists(x -> (startsWith(x, '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p8:String}))), raw)), [x])[1], arrayMap(y -> JSONExtractRaw(y), {p12:Array(String)}))), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p8:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1])))

-- {"field":"attributes","key":"a.l","operator":"in","value":[{"k":"v"},"x"],"options":{"all":true}}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\""]
--   p4: "k"
--   p5: "\"v\""
--   p6: ["\"x\""]
--   p7: "\\d{17}00"
--   p8: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p9: 1
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p4:String}) = JSONExtractRaw({p5:String}) OR (length(arrayDistinct(arrayFilter(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p6:Array(String)}))), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p8:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]))) = {p9:UInt64} AND arrayExists(x -> JSONExtractRaw(if(match(x, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p8:String}))), x), {p4:String}) = JSONExtractRaw({p5:String}), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p7:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p8:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1])))

-- {"field":"attributes","key":"a.o","operator":"in","value":[{"r":[1]}]}
--   p1: []
--   p2: "\\d{17}00"
--   p3: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p4: "a"
--   p5: "o"
--   p6: "r"
--   p7: ["1"]
--   p8: ["1"]
(arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p1:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1], JSONExtractRaw(attributes, {p4:String}, {p5:String}))) OR (startsWith(JSONExtractRaw(attributes, {p4:String}, {p5:String}, {p6:String}), '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String}, {p6:String})])[1], arrayMap(y -> JSONExtractRaw(y), {p7:Array(String)}))) OR arrayExists(x -> (startsWith(JSONExtractRaw(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p6:String}), '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(if(match(x, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p3:String}))), x), {p6:String})])[1], arrayMap(y -> JSONExtractRaw(y), {p8:Array(String)}))), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p2:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p3:String}))), raw)), [JSONExtractRaw(attributes, {p4:String}, {p5:String})])[1]))

-- {"field":"attributes","key":"a.l","operator":"in","value":[]}
false

-- {"field":"attributes","key":"a.l","operator":"in","value":[],"options":{"all":true}}
false

-- {"field":"attributes","key":"a.n","operator":"not_in","value":[5,7]}
--   p1: "a"
--   p2: "n"
--   p3: ["5","7"]
--   p4: "\\d{17}00"
--   p5: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '' AND NOT (arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p4:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p5:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1], JSONExtractRaw(attributes, {p1:String}, {p2:String})))))

-- {"field":"attributes","key":"a.l","operator":"not_in","value":["x"]}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\""]
--   p4: "\\d{17}00"
--   p5: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '' AND NOT (arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p4:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p5:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1], JSONExtractRaw(attributes, {p1:String}, {p2:String})))))

-- {"field":"attributes","key":"a.z","operator":"not_in","value":[1]}
--   p1: "a"
--   p2: "z"
--   p3: ["1"]
--   p4: "\\d{17}00"
--   p5: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '' AND NOT (arrayExists(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))), arrayPushFront(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p4:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p5:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1], JSONExtractRaw(attributes, {p1:String}, {p2:String})))))

-- {"field":"attributes","key":"a.l","operator":"not_in","value":[]}
--   p1: "a"
--   p2: "l"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '' AND NOT (false))

-- {"field":"attributes","key":"a.l","operator":"not_in","value":["x","nope"],"options":{"all":true}}
--   p1: "a"
--   p2: "l"
--   p3: ["\"x\"","\"nope\""]
--   p4: ["\"x\"","\"nope\""]
--   p5: "\\d{17}00"
--   p6: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p7: 2
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '' AND NOT ((JSONExtractRaw(attributes, {p1:String}, {p2:String}) IN (SELECT JSONExtractRaw(arrayJoin({p3:Array(String)}))) OR length(arrayDistinct(arrayFilter(x -> x IN (SELECT JSONExtractRaw(arrayJoin({p4:Array(String)}))), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p5:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p6:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]))) = {p7:UInt64})))
