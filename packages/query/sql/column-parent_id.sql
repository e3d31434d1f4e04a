-- {"field":"parent_id","value":null}
NOT (NOT (parent_id = toFixedString('', 8)))

-- {"field":"parent_id"}
NOT (NOT (parent_id = toFixedString('', 8)))

-- {"field":"parent_id","operator":"is_not","value":null}
(NOT (parent_id = toFixedString('', 8)))

-- {"field":"parent_id","value":"0000000000000100"}
--   p1: "0000000000000100"
((NOT (parent_id = toFixedString('', 8))) AND parent_id = toFixedString(unhex({p1:String}), 8))

-- {"field":"parent_id","operator":"is_not","value":"0000000000000100"}
--   p1: "0000000000000100"
((NOT (parent_id = toFixedString('', 8))) AND parent_id != toFixedString(unhex({p1:String}), 8))

-- {"field":"parent_id","operator":"in","value":["0000000000000001"]}
--   p1: ["0000000000000001"]
((NOT (parent_id = toFixedString('', 8))) AND parent_id IN (SELECT toFixedString(unhex(arrayJoin({p1:Array(String)})), 8)))

-- {"field":"parent_id","operator":"not_in","value":["0000000000000001"]}
--   p1: ["0000000000000001"]
((NOT (parent_id = toFixedString('', 8))) AND NOT (parent_id IN (SELECT toFixedString(unhex(arrayJoin({p1:Array(String)})), 8))))
