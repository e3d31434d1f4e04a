-- {"field":"attributes","key":"a.z","operator":"exists"}
--   p1: "a"
--   p2: "z"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) != ''

-- {"field":"attributes","key":"a.n","operator":"exists"}
--   p1: "a"
--   p2: "n"
JSONExtractRaw(attributes, {p1:String}, {p2:String}) != ''

-- {"field":"attributes","key":"a.n","operator":"not_exists"}
--   p1: "a"
--   p2: "n"
NOT (JSONExtractRaw(attributes, {p1:String}, {p2:String}) != '')

-- {"field":"attributes","key":"a.b.c","operator":"not_exists"}
--   p1: "a"
--   p2: "b"
--   p3: "c"
NOT (JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}) != '')

-- {"field":"attributes","key":"nowhere.at.all","operator":"not_exists","value":null}
--   p1: "nowhere"
--   p2: "at"
--   p3: "all"
NOT (JSONExtractRaw(attributes, {p1:String}, {p2:String}, {p3:String}) != '')

-- {"field":"attributes","key":"ag.data","operator":"exists"}
true

-- {"field":"attributes","key":"ag.data.inputs","operator":"exists"}
--   p1: "inputs"
JSONExtractRaw(span_data, {p1:String}) != ''

-- {"field":"attributes","key":"ag.data.outputs","operator":"not_exists"}
--   p1: "outputs"
NOT (JSONExtractRaw(span_data, {p1:String}) != '')
