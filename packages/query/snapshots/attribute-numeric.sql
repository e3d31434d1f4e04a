-- {"field":"attributes","key":"a.n","operator":"eq","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "5"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"')) = {p4:Float64}, false))

-- {"field":"attributes","key":"a.n","operator":"neq","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "5"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"')) != {p4:Float64}, false))

-- {"field":"attributes","key":"a.n","operator":"gt","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "5"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"')) > {p4:Float64}, false))

-- {"field":"attributes","key":"a.n","operator":"gte","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "5"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"')) >= {p4:Float64}, false))

-- {"field":"attributes","key":"a.n","operator":"lt","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "5"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"')) < {p4:Float64}, false))

-- {"field":"attributes","key":"a.n","operator":"lte","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "5"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"')) <= {p4:Float64}, false))

-- {"field":"attributes","key":"a.n","operator":"lt","value":1e+300}
--   p1: "a"
--   p2: "n"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "1e+300"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"')) < {p4:Float64}, false))

-- {"field":"attributes","key":"a.n","operator":"btwn","value":[-1,5]}
--   p1: "a"
--   p2: "n"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "-1"
--   p5: "5"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"')) >= {p4:Float64}, false) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"')) <= {p5:Float64}, false))

-- {"field":"attributes","key":"mixed","operator":"eq","value":12}
--   p1: "mixed"
--   p2: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p3: "12"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), {p2:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) = {p3:Float64}, false))

-- {"field":"attributes","key":"mixed","operator":"neq","value":13}
--   p1: "mixed"
--   p2: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p3: "13"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), {p2:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) != {p3:Float64}, false))

-- {"field":"attributes","key":"mixed","operator":"gt","value":11.5}
--   p1: "mixed"
--   p2: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p3: "11.5"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), {p2:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) > {p3:Float64}, false))

-- {"field":"attributes","key":"a.s","operator":"gte","value":5}
--   p1: "a"
--   p2: "s"
--   p3: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p4: "5"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"'), {p3:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}, {p2:String}), '"')) >= {p4:Float64}, false))

-- {"field":"attributes","key":"big","operator":"gt","value":9007199254740992}
--   p1: "big"
--   p2: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p3: "9007199254740992"
--   p4: "9007199254740992"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), {p2:String}) AND if(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), '^[-+]?[0-9]{1,38}$'), toInt128OrZero(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) > {p3:Int128}, ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) > {p4:Float64}, false)))

-- {"field":"attributes","key":"big","operator":"eq","value":9007199254740992}
--   p1: "big"
--   p2: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p3: "9007199254740992"
--   p4: "9007199254740992"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), {p2:String}) AND if(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), '^[-+]?[0-9]{1,38}$'), toInt128OrZero(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) = {p3:Int128}, ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) = {p4:Float64}, false)))

-- {"field":"attributes","key":"big","operator":"eq","value":9007199254740993}
--   p1: "big"
--   p2: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p3: "9007199254740993"
--   p4: "9007199254740992"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), {p2:String}) AND if(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), '^[-+]?[0-9]{1,38}$'), toInt128OrZero(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) = {p3:Int128}, ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) = {p4:Float64}, false)))

-- {"field":"attributes","key":"big","operator":"lt","value":9007199254740994}
--   p1: "big"
--   p2: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p3: "9007199254740994"
--   p4: "9007199254740994"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), {p2:String}) AND if(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), '^[-+]?[0-9]{1,38}$'), toInt128OrZero(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) < {p3:Int128}, ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) < {p4:Float64}, false)))

-- {"field":"attributes","key":"big","operator":"lt","value":900719925474099400000000000000000000000000000}
--   p1: "big"
--   p2: "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"
--   p3: "9.007199254740994e+44"
(match(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"'), {p2:String}) AND ifNull(toFloat64OrNull(trimBoth(JSONExtractRaw(attributes, {p1:String}), '"')) < {p3:Float64}, false))

-- {"field":"attributes","key":"a.s","operator":"eq","value":"5"}
--   p1: "a"
--   p2: "s"
--   p3: "5"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1] = {p3:String})

-- {"field":"attributes","key":"a.n","operator":"eq","value":"5"}
--   p1: "a"
--   p2: "n"
--   p3: "5"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(attributes, {p1:String}, {p2:String})])[1] = {p3:String})

-- {"field":"attributes","key":"a.s","operator":"gt","value":"5"}
--   p1: "a"
--   p2: "s"
--   p3: "5"
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1] > {p3:String})

-- {"field":"attributes","key":"a.s","operator":"lte","value":"5"}
--   p1: "a"
--   p2: "s"
--   p3: "5"
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1] <= {p3:String})

-- {"field":"attributes","key":"mixed","operator":"btwn","value":["12","abc"]}
--   p1: "mixed"
--   p2: "12"
--   p3: "abc"
(JSONExtractRaw(sent_attributes, {p1:String}) NOT IN ('', 'null') AND arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String})])[1] >= {p2:String} AND arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String})])[1] <= {p3:String})

-- {"field":"attributes","key":"mixed","operator":"neq","value":"12"}
--   p1: "mixed"
--   p2: "12"
(JSONExtractRaw(attributes, {p1:String}) NOT IN ('', 'null') AND arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(attributes, {p1:String})])[1] != {p2:String})

-- {"field":"attributes","key":"mixed","operator":"gte","value":""}
--   p1: "mixed"
--   p2: ""
(JSONExtractRaw(sent_attributes, {p1:String}) NOT IN ('', 'null') AND arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String})])[1] >= {p2:String})

-- {"field":"attributes","key":"a.b","operator":"eq","value":true}
--   p1: "a"
--   p2: "b"
--   p3: "true"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String})

-- {"field":"attributes","key":"a.b","operator":"neq","value":true}
--   p1: "a"
--   p2: "b"
--   p3: "true"
NOT (JSONExtractRaw(attributes, {p1:String}, {p2:String}) = JSONExtractRaw({p3:String}))
