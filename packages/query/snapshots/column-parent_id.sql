-- {"field":"parent_id","value":null}
NOT (NOT (is_root = true))

-- {"field":"parent_id"}
NOT (NOT (is_root = true))

-- {"field":"parent_id","operator":"is_not","value":null}
(NOT (is_root = true))

-- {"field":"parent_id","value":"0000000000000100"}
--   p1: "0000000000000100"
((NOT (is_root = true)) AND parent_id = toFixedString(unhex({p1:String}), 8))

-- {"field":"parent_id","operator":"is_not","value":"0000000000000100"}
--   p1: "0000000000000100"
((NOT (is_root = true)) AND parent_id != toFixedString(unhex({p1:String}), 8))

-- {"field":"parent_id","operator":"in","value":["0000000000000001"]}
--   p1: ["0000000000000001"]
((NOT (is_root = true)) AND parent_id IN (SELECT toFixedString(unhex(arrayJoin({p1:Array(String)})), 8)))

-- {"field":"parent_id","operator":"not_in","value":["0000000000000001"]}
--   p1: ["0000000000000001"]
((NOT (is_root = true)) AND NOT (parent_id IN (SELECT toFixedString(unhex(arrayJoin({p1:Array(String)})), 8))))
