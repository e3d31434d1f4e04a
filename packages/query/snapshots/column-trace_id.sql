-- {"field":"trace_id","value":"00000000000000000000000000000001"}
--   p1: "00000000000000000000000000000001"
trace_id = toFixedString(unhex({p1:String}), 16)

-- {"field":"trace_id","operator":"is","value":"0x00000000000000000000000000000100"}
--   p1: "00000000000000000000000000000100"
trace_id = toFixedString(unhex({p1:String}), 16)

-- {"field":"trace_id","operator":"is_not","value":"00000000-0000-0000-0000-000000000001"}
--   p1: "00000000000000000000000000000001"
trace_id != toFixedString(unhex({p1:String}), 16)

-- {"field":"trace_id","operator":"in","value":["00000000000000000000000000000100","00000000000000000000000000000007"]}
--   p1: ["00000000000000000000000000000100","00000000000000000000000000000007"]
trace_id IN (SELECT toFixedString(unhex(arrayJoin({p1:Array(String)})), 16))

-- {"field":"trace_id","operator":"not_in","value":["00000000000000000000000000000100","00000000000000000000000000000007"]}
--   p1: ["00000000000000000000000000000100","00000000000000000000000000000007"]
NOT (trace_id IN (SELECT toFixedString(unhex(arrayJoin({p1:Array(String)})), 16)))

-- {"field":"trace_id","operator":"in","value":[]}
--   p1: []
trace_id IN (SELECT toFixedString(unhex(arrayJoin({p1:Array(String)})), 16))

-- {"field":"trace_id","operator":"not_in","value":[]}
--   p1: []
NOT (trace_id IN (SELECT toFixedString(unhex(arrayJoin({p1:Array(String)})), 16)))
