-- {"field":"attributes","key":"a.s","operator":"startswith","value":"hE"}
--   p1: "hE"
--   p2: "a"
--   p3: "s"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND startsWith(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String}))), false)

-- {"field":"attributes","key":"a.s","operator":"startswith","value":"hE","options":{"case_sensitive":true}}
--   p1: "hE"
--   p2: "a"
--   p3: "s"
if((position(attributes, {p1:String}) > 0 OR position(span_data, {p1:String}) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND startsWith(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1], {p1:String})), false)

-- {"field":"attributes","key":"a.s","operator":"startswith","value":"He","options":{"case_sensitive":true}}
--   p1: "He"
--   p2: "a"
--   p3: "s"
if((position(attributes, {p1:String}) > 0 OR position(span_data, {p1:String}) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND startsWith(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1], {p1:String})), false)

-- {"field":"attributes","key":"a.s","operator":"endswith","value":"É"}
--   p1: "É"
--   p2: "a"
--   p3: "s"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND endsWith(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String}))), false)

-- {"field":"attributes","key":"a.s","operator":"endswith","value":"É","options":{"case_sensitive":true}}
--   p1: "É"
--   p2: "a"
--   p3: "s"
if((position(attributes, {p1:String}) > 0 OR position(span_data, {p1:String}) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND endsWith(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1], {p1:String})), false)

-- {"field":"attributes","key":"a.s","operator":"contains","value":"%_"}
--   p1: "%_"
--   p2: "a"
--   p3: "s"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"a.s","operator":"contains","value":"%"}
--   p1: "%"
--   p2: "a"
--   p3: "s"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"a.s","operator":"contains","value":"\\\n\u0000"}
--   p1: "a"
--   p2: "s"
--   p3: "\\\n\u0000"
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1]), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.s","operator":"contains","value":""}
--   p1: "a"
--   p2: "s"
--   p3: ""
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1]), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.z","operator":"contains","value":""}
--   p1: "a"
--   p2: "z"
--   p3: ""
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1]), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.n","operator":"contains","value":5}
--   p1: "a"
--   p2: "n"
--   p3: "5"
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1]), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.b","operator":"startswith","value":"TRU"}
--   p1: "TRU"
--   p2: "a"
--   p3: "b"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND startsWith(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String}))), false)

-- {"field":"attributes","key":"a.o","operator":"contains","value":"\"q\":1"}
--   p1: "a"
--   p2: "o"
--   p3: "\"q\":1"
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1]), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.s","operator":"matches","value":"ELL"}
--   p1: "ELL"
--   p2: "a"
--   p3: "s"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"a.s","operator":"matches","value":"^Hello$"}
--   p1: "^Hello$"
--   p2: "a"
--   p3: "s"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"a.s","operator":"matches","value":"HELLO","options":{"exact_match":true}}
--   p1: "HELLO"
--   p2: "a"
--   p3: "s"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]) = lowerUTF8({p1:String})), false)

-- {"field":"attributes","key":"a.s","operator":"matches","value":"ELL","options":{"exact_match":true}}
--   p1: "ELL"
--   p2: "a"
--   p3: "s"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]) = lowerUTF8({p1:String})), false)

-- {"field":"attributes","key":"a.s","operator":"like","value":"h_l%"}
--   p1: "a"
--   p2: "s"
--   p3: "h_l%"
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1]) LIKE lowerUTF8({p3:String}))

-- {"field":"attributes","key":"a.s","operator":"like","value":"%\\%\\_%"}
--   p1: "a"
--   p2: "s"
--   p3: "%\\%\\_%"
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1]) LIKE lowerUTF8({p3:String}))

-- {"field":"attributes","key":"a.s","operator":"like","value":"%"}
--   p1: "a"
--   p2: "s"
--   p3: "%"
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1]) LIKE lowerUTF8({p3:String}))

-- {"field":"attributes","key":"ag.data.outputs","operator":"contains","value":"lima"}
--   p1: "lima"
--   p2: "outputs"
if(position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0, (JSONExtractRaw(span_data, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(span_data, {p2:String})])[1]), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"ag.data.outputs","operator":"contains","value":"Lima","options":{"case_sensitive":true}}
--   p1: "Lima"
--   p2: "outputs"
if(position(span_data, {p1:String}) > 0, (JSONExtractRaw(span_data, {p2:String}) NOT IN ('', 'null') AND position(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(span_data, {p2:String})])[1], {p1:String}) > 0), false)

-- {"field":"attributes","key":"ag.data.outputs","operator":"startswith","value":"lima"}
--   p1: "lima"
--   p2: "outputs"
if(position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0, (JSONExtractRaw(span_data, {p2:String}) NOT IN ('', 'null') AND startsWith(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(span_data, {p2:String})])[1]), lowerUTF8({p1:String}))), false)

-- {"field":"attributes","key":"ag.data.outputs","operator":"contains","value":"Peru"}
--   p1: "Peru"
--   p2: "outputs"
if(position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0, (JSONExtractRaw(span_data, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(span_data, {p2:String})])[1]), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"ag.data.inputs","operator":"contains","value":"question"}
--   p1: "question"
--   p2: "inputs"
if(position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0, (JSONExtractRaw(span_data, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(span_data, {p2:String})])[1]), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"ag.data.inputs.question","operator":"endswith","value":"peru?"}
--   p1: "peru?"
--   p2: "inputs"
--   p3: "question"
if(position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0, (JSONExtractRaw(span_data, {p2:String}, {p3:String}) NOT IN ('', 'null') AND endsWith(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(span_data, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String}))), false)

-- {"field":"attributes","key":"a.s","operator":"contains","value":"_'\"\\\n"}
--   p1: "a"
--   p2: "s"
--   p3: "_'\"\\\n"
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1]), lowerUTF8({p3:String})) > 0)

-- {"field":"attributes","key":"a.b","operator":"contains","value":"als"}
--   p1: "als"
--   p2: "a"
--   p3: "b"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"a.l","operator":"contains","value":"last"}
--   p1: "last"
--   p2: "a"
--   p3: "l"
if((position(lowerUTF8(attributes), lowerUTF8({p1:String})) > 0 OR position(lowerUTF8(span_data), lowerUTF8({p1:String})) > 0), (JSONExtractRaw(sent_attributes, {p2:String}, {p3:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p2:String}, {p3:String})])[1]), lowerUTF8({p1:String})) > 0), false)

-- {"field":"attributes","key":"a.l","operator":"contains","value":"[1,2]"}
--   p1: "a"
--   p2: "l"
--   p3: "[1,2]"
(JSONExtractRaw(sent_attributes, {p1:String}, {p2:String}) NOT IN ('', 'null') AND position(lowerUTF8(arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [JSONExtractRaw(sent_attributes, {p1:String}, {p2:String})])[1]), lowerUTF8({p3:String})) > 0)
