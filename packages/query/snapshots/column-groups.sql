-- {"conditions":[]}
true

-- {"operator":"or","conditions":[{"field":"span_name","value":""},{"conditions":[]}]}
--   p1: ""
span_name = {p1:String}

-- {"operator":"not","conditions":[{"field":"span_name","value":""}]}
--   p1: ""
NOT (span_name = {p1:String})

-- {"operator":"not","conditions":[{"field":"session_id","value":"chat-42"}]}
--   p1: "chat-42"
NOT (((session_id != '' AND is_root = true) AND session_id = {p1:String}))

-- {"operator":"not","conditions":[{"field":"session_id","operator":"neq","value":"chat-42"}]}
--   p1: "chat-42"
NOT (((session_id != '' AND is_root = true) AND session_id != {p1:String}))

-- {"operator":"nand","conditions":[{"field":"parent_id"},{"field":"trace_type","value":"annotation"}]}
--   p1: "annotation"
NOT ((NOT (NOT (is_root = true)) AND trace_type = {p1:String}))

-- {"operator":"nor","conditions":[{"field":"parent_id"},{"field":"trace_type","value":"unknown"}]}
--   p1: "unknown"
NOT ((NOT (NOT (is_root = true)) OR trace_type = {p1:String}))

-- {"operator":"or","conditions":[{"field":"span_id","value":"0000000000000001"},{"field":"span_name","value":""}]}
--   p1: "0000000000000001"
--   p2: ""
(span_id = toFixedString(unhex({p1:String}), 8) OR span_name = {p2:String})

-- {"operator":"and","conditions":[{"operator":"not","conditions":[{"operator":"not","conditions":[{"field":"parent_id"}]}]},{"operator":"or","conditions":[{"field":"span_name","value":"Answer"},{"field":"span_name","value":""}]}]}
--   p1: "Answer"
--   p2: ""
(NOT (NOT (NOT (NOT (is_root = true)))) AND (span_name = {p1:String} OR span_name = {p2:String}))
