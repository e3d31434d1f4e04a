-- {"field":"span_id","value":"0000000000000100"}
--   p1: "0000000000000100"
span_id = toFixedString(unhex({p1:String}), 8)

-- {"field":"span_id","value":"0x0000000000000002"}
--   p1: "0000000000000002"
span_id = toFixedString(unhex({p1:String}), 8)

-- {"field":"span_id","operator":"is_not","value":"00000000000000020000000000000002"}
--   p1: "0000000000000002"
span_id != toFixedString(unhex({p1:String}), 8)

-- {"field":"span_id","operator":"in","value":["0000000000000200","0000000000000001","0000000000000003"]}
--   p1: ["0000000000000200","0000000000000001","0000000000000003"]
span_id IN (SELECT toFixedString(unhex(arrayJoin({p1:Array(String)})), 8))

-- {"field":"span_id","operator":"not_in","value":["0000000000000200"]}
--   p1: ["0000000000000200"]
NOT (span_id IN (SELECT toFixedString(unhex(arrayJoin({p1:Array(String)})), 8)))
