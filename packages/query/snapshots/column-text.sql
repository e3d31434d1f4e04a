-- {"field":"span_name","value":"Answer"}
--   p1: "Answer"
span_name = {p1:String}

-- {"field":"span_name","value":"answer"}
--   p1: "answer"
span_name = {p1:String}

-- {"field":"span_name","value":""}
--   p1: ""
span_name = {p1:String}

-- {"field":"span_name","value":"o'Neil \\ \"50%_\" \n`;--"}
--   p1: "o'Neil \\ \"50%_\" \n`;--"
span_name = {p1:String}

-- {"field":"span_name","operator":"is_not","value":"Answer"}
--   p1: "Answer"
span_name != {p1:String}

-- {"field":"span_name","operator":"eq","value":"Answer"}
--   p1: "Answer"
span_name = {p1:String}

-- {"field":"span_name","operator":"neq","value":"Answer"}
--   p1: "Answer"
span_name != {p1:String}

-- {"field":"span_name","operator":"gt","value":"Answer"}
--   p1: "Answer"
span_name > {p1:String}

-- {"field":"span_name","operator":"gte","value":"Answer"}
--   p1: "Answer"
span_name >= {p1:String}

-- {"field":"span_name","operator":"lt","value":"Answer"}
--   p1: "Answer"
span_name < {p1:String}

-- {"field":"span_name","operator":"lte","value":"Answer"}
--   p1: "Answer"
span_name <= {p1:String}

-- {"field":"span_name","operator":"btwn","value":["A","call_model"]}
--   p1: "A"
--   p2: "call_model"
(span_name >= {p1:String} AND span_name <= {p2:String})

-- {"field":"span_name","operator":"startswith","value":"aNs"}
--   p1: "aNs"
startsWith(lowerUTF8(span_name), lowerUTF8({p1:String}))

-- {"field":"span_name","operator":"startswith","value":"aNs","options":{"case_sensitive":true}}
--   p1: "aNs"
startsWith(span_name, {p1:String})

-- {"field":"span_name","operator":"endswith","value":"MODEL"}
--   p1: "MODEL"
endsWith(lowerUTF8(span_name), lowerUTF8({p1:String}))

-- {"field":"span_name","operator":"contains","value":"_"}
--   p1: "_"
position(lowerUTF8(span_name), lowerUTF8({p1:String})) > 0

-- {"field":"span_name","operator":"contains","value":"%"}
--   p1: "%"
position(lowerUTF8(span_name), lowerUTF8({p1:String})) > 0

-- {"field":"span_name","operator":"contains","value":"\\"}
--   p1: "\\"
position(lowerUTF8(span_name), lowerUTF8({p1:String})) > 0

-- {"field":"span_name","operator":"contains","value":"'"}
--   p1: "'"
position(lowerUTF8(span_name), lowerUTF8({p1:String})) > 0

-- {"field":"span_name","operator":"contains","value":""}
--   p1: ""
position(lowerUTF8(span_name), lowerUTF8({p1:String})) > 0

-- {"field":"span_name","operator":"matches","value":"SWE"}
--   p1: "SWE"
position(lowerUTF8(span_name), lowerUTF8({p1:String})) > 0

-- {"field":"span_name","operator":"matches","value":".*"}
--   p1: ".*"
position(lowerUTF8(span_name), lowerUTF8({p1:String})) > 0

-- {"field":"span_name","operator":"matches","value":"ANSWER","options":{"exact_match":true}}
--   p1: "ANSWER"
lowerUTF8(span_name) = lowerUTF8({p1:String})

-- {"field":"span_name","operator":"matches","value":"ANSWE","options":{"exact_match":true}}
--   p1: "ANSWE"
lowerUTF8(span_name) = lowerUTF8({p1:String})

-- {"field":"span_name","operator":"matches","value":"ANSWER","options":{"exact_match":true,"case_sensitive":true}}
--   p1: "ANSWER"
span_name = {p1:String}

-- {"field":"span_name","operator":"like","value":"a%R"}
--   p1: "a%R"
lowerUTF8(span_name) LIKE lowerUTF8({p1:String})

-- {"field":"span_name","operator":"like","value":"a%R","options":{"case_sensitive":true}}
--   p1: "a%R"
span_name LIKE {p1:String}

-- {"field":"span_name","operator":"like","value":"call_model"}
--   p1: "call_model"
lowerUTF8(span_name) LIKE lowerUTF8({p1:String})

-- {"field":"span_name","operator":"like","value":"%50\\%\\_%"}
--   p1: "%50\\%\\_%"
lowerUTF8(span_name) LIKE lowerUTF8({p1:String})

-- {"field":"span_name","operator":"like","value":"%\\\\%"}
--   p1: "%\\\\%"
lowerUTF8(span_name) LIKE lowerUTF8({p1:String})

-- {"field":"span_name","operator":"like","value":"%\\"}
--   p1: "%\\\\"
lowerUTF8(span_name) LIKE lowerUTF8({p1:String})

-- {"field":"span_name","operator":"like","value":"\\A\\nswer"}
--   p1: "Answer"
lowerUTF8(span_name) LIKE lowerUTF8({p1:String})

-- {"field":"span_name","operator":"like","value":"%\n%"}
--   p1: "%\n%"
lowerUTF8(span_name) LIKE lowerUTF8({p1:String})

-- {"field":"span_name","operator":"like","value":"%"}
--   p1: "%"
lowerUTF8(span_name) LIKE lowerUTF8({p1:String})

-- {"field":"span_name","operator":"in","value":["Answer","","'"]}
--   p1: ["Answer","","'"]
span_name IN (SELECT arrayJoin({p1:Array(String)}))

-- {"field":"span_name","operator":"not_in","value":["Answer",""]}
--   p1: ["Answer",""]
NOT (span_name IN (SELECT arrayJoin({p1:Array(String)})))

-- {"field":"span_name","operator":"exists"}
true

-- {"field":"span_name","operator":"not_exists"}
NOT true

-- {"field":"span_name","value":null}
NOT true

-- {"field":"span_name","value":5}
--   p1: "5"
span_name = {p1:String}

-- {"field":"span_name","operator":"in","value":[true,5,"Answer"]}
--   p1: ["true","5","Answer"]
span_name IN (SELECT arrayJoin({p1:Array(String)}))

-- {"field":"status_message","operator":"contains","value":"ÄRGER\u0000été"}
--   p1: "ÄRGER\u0000été"
((status_message != '') AND position(lowerUTF8(status_message), lowerUTF8({p1:String})) > 0)

-- {"field":"status_message","operator":"like","value":"_rger%"}
--   p1: "_rger%"
((status_message != '') AND lowerUTF8(status_message) LIKE lowerUTF8({p1:String}))

-- {"field":"status_message","operator":"contains","value":""}
--   p1: ""
((status_message != '') AND position(lowerUTF8(status_message), lowerUTF8({p1:String})) > 0)

-- {"field":"status_message","operator":"lt","value":"zzz"}
--   p1: "zzz"
((status_message != '') AND status_message < {p1:String})

-- {"field":"status_message","value":null}
NOT (status_message != '')

-- {"field":"status_message","operator":"is_not","value":null}
(status_message != '')

-- {"field":"status_message","operator":"is_not","value":"x"}
--   p1: "x"
((status_message != '') AND status_message != {p1:String})

-- {"field":"status_message","operator":"neq","value":"x"}
--   p1: "x"
((status_message != '') AND status_message != {p1:String})

-- {"field":"status_message","operator":"not_in","value":["x"]}
--   p1: ["x"]
((status_message != '') AND NOT (status_message IN (SELECT arrayJoin({p1:Array(String)}))))

-- {"field":"status_message","operator":"exists"}
(status_message != '')

-- {"field":"status_message","operator":"not_exists"}
NOT (status_message != '')

-- {"field":"session_id","value":"chat-42"}
--   p1: "chat-42"
((session_id != '' AND is_root = true) AND session_id = {p1:String})

-- {"field":"session_id","operator":"startswith","value":"CHAT"}
--   p1: "CHAT"
((session_id != '' AND is_root = true) AND startsWith(lowerUTF8(session_id), lowerUTF8({p1:String})))

-- {"field":"session_id","operator":"not_exists"}
NOT (session_id != '' AND is_root = true)

-- {"field":"session_id","operator":"is_not","value":"chat-42"}
--   p1: "chat-42"
((session_id != '' AND is_root = true) AND session_id != {p1:String})

-- {"field":"user_id","operator":"in","value":["u-7"]}
--   p1: ["u-7"]
((user_id != '' AND is_root = true) AND user_id IN (SELECT arrayJoin({p1:Array(String)})))

-- {"field":"agent_id","operator":"exists"}
(agent_id != '' AND is_root = true)

-- {"field":"agent_id","value":null}
NOT (agent_id != '' AND is_root = true)
