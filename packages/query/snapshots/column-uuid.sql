-- {"field":"created_by_id","value":"a0000000-0000-4000-8000-000000000001"}
--   p1: "a0000000-0000-4000-8000-000000000001"
((created_by_id != '00000000-0000-0000-0000-000000000000') AND created_by_id = {p1:UUID})

-- {"field":"created_by_id","value":"0xa0000000000040008000000000000001"}
--   p1: "a0000000-0000-4000-8000-000000000001"
((created_by_id != '00000000-0000-0000-0000-000000000000') AND created_by_id = {p1:UUID})

-- {"field":"created_by_id","operator":"is_not","value":"a0000000-0000-4000-8000-000000000001"}
--   p1: "a0000000-0000-4000-8000-000000000001"
((created_by_id != '00000000-0000-0000-0000-000000000000') AND created_by_id != {p1:UUID})

-- {"field":"created_by_id","operator":"in","value":["A0000000-0000-4000-8000-000000000001","b0000000-0000-4000-8000-000000000002"]}
--   p1: ["a0000000-0000-4000-8000-000000000001","b0000000-0000-4000-8000-000000000002"]
((created_by_id != '00000000-0000-0000-0000-000000000000') AND created_by_id IN (SELECT toUUID(arrayJoin({p1:Array(String)}))))

-- {"field":"created_by_id","operator":"not_in","value":["b0000000-0000-4000-8000-000000000002"]}
--   p1: ["b0000000-0000-4000-8000-000000000002"]
((created_by_id != '00000000-0000-0000-0000-000000000000') AND NOT (created_by_id IN (SELECT toUUID(arrayJoin({p1:Array(String)})))))

-- {"field":"created_by_id","operator":"exists"}
(created_by_id != '00000000-0000-0000-0000-000000000000')

-- {"field":"created_by_id","operator":"not_exists"}
NOT (created_by_id != '00000000-0000-0000-0000-000000000000')

-- {"field":"updated_by_id","value":null}
NOT (updated_by_id != '00000000-0000-0000-0000-000000000000')

-- {"field":"deleted_by_id","operator":"exists"}
(false)

-- {"field":"deleted_by_id","value":null}
NOT (false)

-- {"field":"deleted_by_id","value":"a0000000-0000-4000-8000-000000000001"}
--   p1: "a0000000-0000-4000-8000-000000000001"
((false) AND toUUID('00000000-0000-0000-0000-000000000000') = {p1:UUID})
