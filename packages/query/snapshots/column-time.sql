-- {"field":"start_time","value":"2026-02-03T09:15:00Z"}
--   p1: 1770110100000000
start_time = fromUnixTimestamp64Micro({p1:Int64}, 'UTC')

-- {"field":"start_time","value":"2026-02-03T10:15:00.250001+01:00"}
--   p1: 1770110100250001
start_time = fromUnixTimestamp64Micro({p1:Int64}, 'UTC')

-- {"field":"start_time","value":1770110100}
--   p1: 1770110100000000
start_time = fromUnixTimestamp64Micro({p1:Int64}, 'UTC')

-- {"field":"start_time","value":"1770110100000"}
--   p1: 1770110100000000
start_time = fromUnixTimestamp64Micro({p1:Int64}, 'UTC')

-- {"field":"start_time","operator":"is_not","value":1770110100000000}
--   p1: 1770110100000000
start_time != fromUnixTimestamp64Micro({p1:Int64}, 'UTC')

-- {"field":"start_time","operator":"eq","value":1770110100000001000}
--   p1: 1770110100000001
start_time = fromUnixTimestamp64Micro({p1:Int64}, 'UTC')

-- {"field":"start_time","operator":"gt","value":1770110100000001}
--   p1: 1770110100000001
start_time > fromUnixTimestamp64Micro({p1:Int64}, 'UTC')

-- {"field":"start_time","operator":"lte","value":1770110100000001}
--   p1: 1770110100000001
start_time <= fromUnixTimestamp64Micro({p1:Int64}, 'UTC')

-- {"field":"start_time","operator":"btwn","value":["2026-02-03T09:15:00Z","2026-02-03 09:15:00.25"]}
--   p1: 1770110100000000
--   p2: 1770110100250000
(start_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC') AND start_time <= fromUnixTimestamp64Micro({p2:Int64}, 'UTC'))

-- {"field":"start_time","operator":"in","value":[1770110100000000,"2026-02-03T09:15:00.250001Z"]}
--   p1: [1770110100000000,1770110100250001]
start_time IN (SELECT fromUnixTimestamp64Micro(arrayJoin({p1:Array(Int64)}), 'UTC'))

-- {"field":"start_time","operator":"not_in","value":[1770110100000000]}
--   p1: [1770110100000000]
NOT (start_time IN (SELECT fromUnixTimestamp64Micro(arrayJoin({p1:Array(Int64)}), 'UTC')))

-- {"field":"start_time","operator":"startswith","value":"2026-02-03 09:15:00.25"}
--   p1: "2026-02-03 09:15:00.25"
startsWith(lowerUTF8(concat(replaceRegexpOne(toString(start_time), '[.]?0+$', ''), '+00')), lowerUTF8({p1:String}))

-- {"field":"start_time","operator":"endswith","value":"09:15:00+00"}
--   p1: "09:15:00+00"
endsWith(lowerUTF8(concat(replaceRegexpOne(toString(start_time), '[.]?0+$', ''), '+00')), lowerUTF8({p1:String}))

-- {"field":"start_time","operator":"matches","value":"2026-02-03 09:15:00.25+00","options":{"exact_match":true}}
--   p1: "2026-02-03 09:15:00.25+00"
lowerUTF8(concat(replaceRegexpOne(toString(start_time), '[.]?0+$', ''), '+00')) = lowerUTF8({p1:String})

-- {"field":"start_time","operator":"like","value":"2026-02-__ 09:%"}
--   p1: "2026-02-__ 09:%"
lowerUTF8(concat(replaceRegexpOne(toString(start_time), '[.]?0+$', ''), '+00')) LIKE lowerUTF8({p1:String})

-- {"field":"end_time","operator":"gte","value":1770110102000000}
--   p1: 1770110102000000
end_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC')

-- {"field":"created_at","value":1770110103000000}
--   p1: 1770110103000000
created_at = fromUnixTimestamp64Micro({p1:Int64}, 'UTC')

-- {"field":"updated_at","value":null}
NOT (updated_at != fromUnixTimestamp64Micro(0, 'UTC'))

-- {"field":"updated_at","operator":"is_not","value":null}
(updated_at != fromUnixTimestamp64Micro(0, 'UTC'))

-- {"field":"updated_at","operator":"lt","value":1770110110000000}
--   p1: 1770110110000000
((updated_at != fromUnixTimestamp64Micro(0, 'UTC')) AND updated_at < fromUnixTimestamp64Micro({p1:Int64}, 'UTC'))

-- {"field":"updated_at","operator":"contains","value":"1970"}
--   p1: "1970"
((updated_at != fromUnixTimestamp64Micro(0, 'UTC')) AND position(lowerUTF8(concat(replaceRegexpOne(toString(updated_at), '[.]?0+$', ''), '+00')), lowerUTF8({p1:String})) > 0)

-- {"field":"deleted_at","value":null}
NOT (false)

-- {"field":"deleted_at","operator":"is_not","value":null}
(false)

-- {"field":"deleted_at","operator":"gte","value":"1970-01-01"}
--   p1: 0
((false) AND fromUnixTimestamp64Micro(0, 'UTC') >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC'))
