-- {"field":"attributes","key":"a.s","operator":"startswith","value":"hE"}
--   p1: "a"
--   p2: "s"
--   p3: "hE"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND startsWith(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})))

-- {"field":"attributes","key":"a.s","operator":"startswith","value":"hE","options":{"case_sensitive":true}}
--   p1: "a"
--   p2: "s"
--   p3: "hE"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND startsWith(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String})), {p3:String}))

-- {"field":"attributes","key":"a.s","operator":"startswith","value":"He","options":{"case_sensitive":true}}
--   p1: "a"
--   p2: "s"
--   p3: "He"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND startsWith(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String})), {p3:String}))

-- {"field":"attributes","key":"a.s","operator":"endswith","value":"É"}
--   p1: "a"
--   p2: "s"
--   p3: "É"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND endsWith(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})))

-- {"field":"attributes","key":"a.s","operator":"endswith","value":"É","options":{"case_sensitive":true}}
--   p1: "a"
--   p2: "s"
--   p3: "É"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND endsWith(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String})), {p3:String}))

-- {"field":"attributes","key":"a.s","operator":"contains","value":"%_"}
--   p1: "a"
--   p2: "s"
--   p3: "%_"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.s","operator":"contains","value":"%"}
--   p1: "a"
--   p2: "s"
--   p3: "%"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.s","operator":"contains","value":"\\\n\u0000"}
--   p1: "a"
--   p2: "s"
--   p3: "\\\n\u0000"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.s","operator":"contains","value":""}
--   p1: "a"
--   p2: "s"
--   p3: ""
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.z","operator":"contains","value":""}
--   p1: "a"
--   p2: "z"
--   p3: ""
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.n","operator":"contains","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "5"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.b","operator":"startswith","value":"TRU"}
--   p1: "a"
--   p2: "b"
--   p3: "TRU"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND startsWith(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})))

-- {"field":"attributes","key":"a.o","operator":"contains","value":"\"q\":1"}
--   p1: "a"
--   p2: "o"
--   p3: "\"q\":1"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.s","operator":"matches","value":"ELL"}
--   p1: "a"
--   p2: "s"
--   p3: "ELL"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.s","operator":"matches","value":"^Hello$"}
--   p1: "a"
--   p2: "s"
--   p3: "^Hello$"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.s","operator":"matches","value":"HELLO","options":{"exact_match":true}}
--   p1: "a"
--   p2: "s"
--   p3: "HELLO"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))) = lowerUTF8({p3:String}))

-- {"field":"attributes","key":"a.s","operator":"matches","value":"ELL","options":{"exact_match":true}}
--   p1: "a"
--   p2: "s"
--   p3: "ELL"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))) = lowerUTF8({p3:String}))

-- {"field":"attributes","key":"a.s","operator":"like","value":"h_l%"}
--   p1: "a"
--   p2: "s"
--   p3: "h_l%"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))) LIKE lowerUTF8({p3:String}))

-- {"field":"attributes","key":"a.s","operator":"like","value":"%\\%\\_%"}
--   p1: "a"
--   p2: "s"
--   p3: "%\\%\\_%"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))) LIKE lowerUTF8({p3:String}))

-- {"field":"attributes","key":"a.s","operator":"like","value":"%"}
--   p1: "a"
--   p2: "s"
--   p3: "%"
(JSONExtractRaw(attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND lowerUTF8(JSONExtractString(JSONExtractRaw(attributes, {p1:String}, {p2:String}))) LIKE lowerUTF8({p3:String}))
