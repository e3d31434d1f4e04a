-- {"field":"attributes","key":"a.n","operator":"is","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "5"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.n","operator":"is","value":5.5}
--   p1: "a"
--   p2: "n"
--   p3: "5.5"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.n","operator":"is","value":"5"}
--   p1: "a"
--   p2: "n"
--   p3: "\"5\""
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.s","operator":"is","value":"5"}
--   p1: "a"
--   p2: "s"
--   p3: "\"5\""
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.s","operator":"is","value":5}
--   p1: "a"
--   p2: "s"
--   p3: "5"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.s","operator":"is","value":"hello"}
--   p1: "a"
--   p2: "s"
--   p3: "\"hello\""
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.s","operator":"is","value":"100%_'\"\\\n\u0000é"}
--   p1: "a"
--   p2: "s"
--   p3: "\"100%_'\\\"\\\\\\n\\u0000é\""
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.b","operator":"is","value":true}
--   p1: "a"
--   p2: "b"
--   p3: "true"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.b","operator":"is","value":false}
--   p1: "a"
--   p2: "b"
--   p3: "false"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.z","operator":"is","value":null}
--   p1: "a"
--   p2: "z"
--   p3: "null"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.z"}
--   p1: "a"
--   p2: "z"
--   p3: "null"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.missing","operator":"is","value":null}
--   p1: "a"
--   p2: "missing"
--   p3: "null"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.z","operator":"is_not","value":null}
--   p1: "a"
--   p2: "z"
--   p3: "null"
NOT (JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}))

-- {"field":"attributes","key":"a.n","operator":"is_not","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "5"
NOT (JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}))

-- {"field":"attributes","key":"a.n","operator":"is_not","value":-1}
--   p1: "a"
--   p2: "n"
--   p3: "-1"
NOT (JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}))

-- {"field":"attributes","key":"a.o","operator":"is","value":{"p":{"q":1}}}
--   p1: "a"
--   p2: "o"
--   p3: "p"
--   p4: "q"
--   p5: "1"
JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String}) = JSONExtractRaw({p5:String})

-- {"field":"attributes","key":"a.o","operator":"is","value":{"p":{},"r":[]}}
--   p1: "a"
--   p2: "o"
--   p3: "p"
--   p4: "r"
(startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}), '{') AND startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p4:String}), '['))

-- {"field":"attributes","key":"a.o","operator":"is","value":{"p":{"q":"1"}}}
--   p1: "a"
--   p2: "o"
--   p3: "p"
--   p4: "q"
--   p5: "\"1\""
JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}, {p4:String}) = JSONExtractRaw({p5:String})

-- {"field":"attributes","key":"a","operator":"is","value":{"o":{},"n":-1}}
--   p1: "a"
--   p2: "o"
--   p3: "n"
--   p4: "-1"
(startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '{') AND JSONExtractRaw(attributes, {p1:String}, {p3:String}) = JSONExtractRaw({p4:String}))

-- {"field":"attributes","key":"a","operator":"is","value":{"0":"zero"}}
--   p1: "a"
--   p2: "0"
--   p3: "\"zero\""
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a","operator":"is","value":{}}
--   p1: "a"
startsWith(JSONExtractRaw(attributes, {p1:String}), '{')

-- {"field":"attributes","key":"a.s","operator":"is","value":{}}
--   p1: "a"
--   p2: "s"
startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '{')

-- {"field":"attributes","key":"a.l","operator":"is","value":["y"]}
--   p1: "a"
--   p2: "l"
--   p3: "\\d{17}00"
--   p4: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p5: ["\"y\""]
(startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p4:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1], arrayMap(y -> JSONExtractRaw(y), {p5:Array(String)})))

-- {"field":"attributes","key":"a.l","operator":"is","value":[5,"x"]}
--   p1: "a"
--   p2: "l"
--   p3: "\\d{17}00"
--   p4: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p5: ["5","\"x\""]
(startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p4:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1], arrayMap(y -> JSONExtractRaw(y), {p5:Array(String)})))

-- {"field":"attributes","key":"a.l","operator":"is","value":[5,"nope"]}
--   p1: "a"
--   p2: "l"
--   p3: "\\d{17}00"
--   p4: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p5: ["5","\"nope\""]
(startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p4:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1], arrayMap(y -> JSONExtractRaw(y), {p5:Array(String)})))

-- {"field":"attributes","key":"a.l","operator":"is","value":[]}
--   p1: "a"
--   p2: "l"
startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '[')

-- {"field":"attributes","key":"a.l","operator":"is","value":"x"}
--   p1: "a"
--   p2: "l"
--   p3: "\"x\""
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.l","operator":"is","value":[{"k":"v"}]}
--   p1: "a"
--   p2: "l"
--   p3: "\\d{17}00"
--   p4: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p5: "k"
--   p6: "\"v\""
(startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '[') AND arrayExists(x -> JSONExtractRaw(if(match(x, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p4:String}))), x), {p5:String}) = JSONExtractRaw({p6:String}), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p4:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]))

-- {"field":"attributes","key":"a.l","operator":"is","value":[{"k":"w","m":1}]}
--   p1: "a"
--   p2: "l"
--   p3: "\\d{17}00"
--   p4: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p5: "k"
--   p6: "\"w\""
--   p7: "m"
--   p8: "1"
(startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '[') AND arrayExists(x -> (JSONExtractRaw(if(match(x, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p4:String}))), x), {p5:String}) = JSONExtractRaw({p6:String}) AND JSONExtractRaw(if(match(x, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p4:String}))), x), {p7:String}) = JSONExtractRaw({p8:String})), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p4:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]))

-- {"field":"attributes","key":"a.l","operator":"is","value":[{"k":"w"},[2]]}
--   p1: "a"
--   p2: "l"
--   p3: "\\d{17}00"
--   p4: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p5: "k"
--   p6: "\"w\""
--   p7: ["2"]
(startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '[') AND arrayExists(x -> JSONExtractRaw(if(match(x, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(x, {p4:String}))), x), {p5:String}) = JSONExtractRaw({p6:String}), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p4:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]) AND arrayExists(x -> (startsWith(x, '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p4:String}))), raw)), [x])[1], arrayMap(y -> JSONExtractRaw(y), {p7:Array(String)}))), arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p4:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1]))

-- {"field":"attributes","key":"a.l","operator":"is_not","value":["y"]}
--   p1: "a"
--   p2: "l"
--   p3: "\\d{17}00"
--   p4: "\"(?:[^\"\\\\]|\\\\.)*\"|-?\\d+|[^\"\\d-]+|-"
--   p5: ["\"y\""]
NOT ((startsWith(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '[') AND hasAll(arrayMap(raw -> JSONExtractArrayRaw(if(match(raw, {p3:String}), arrayStringConcat(arrayMap(part -> if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0')), extractAll(raw, {p4:String}))), raw)), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1], arrayMap(y -> JSONExtractRaw(y), {p5:Array(String)}))))

-- {"field":"attributes","key":"a.n","operator":"has","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "5"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.n","operator":"has_not","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "5"
NOT (JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}))

-- {"field":"attributes","key":"big","operator":"is","value":9007199254740993}
--   p1: "big"
--   p2: "9007199254740993"
JSONExtractRaw(attributes, {p1:String}) = JSONExtractRaw({p2:String})

-- {"field":"attributes","key":"big","operator":"is","value":9007199254740992}
--   p1: "big"
--   p2: "9007199254740992"
JSONExtractRaw(attributes, {p1:String}) = JSONExtractRaw({p2:String})

-- {"field":"attributes","key":"big","operator":"is","value":100000000000000000000000}
--   p1: "big"
--   p2: "100000000000000000000000e0"
JSONExtractRaw(attributes, {p1:String}) = JSONExtractRaw({p2:String})
