-- {"field":"trace_type","value":"annotation"}
--   p1: "annotation"
trace_type = {p1:String}

-- {"field":"trace_type","operator":"is_not","value":"annotation"}
--   p1: "annotation"
trace_type != {p1:String}

-- {"field":"span_type","operator":"in","value":["chat","llm","unknown"]}
--   p1: ["chat","llm","unknown"]
span_type IN (SELECT arrayJoin({p1:Array(String)}))

-- {"field":"span_type","operator":"not_in","value":["chat","llm","unknown"]}
--   p1: ["chat","llm","unknown"]
NOT (span_type IN (SELECT arrayJoin({p1:Array(String)})))

-- {"field":"span_kind","value":"SPAN_KIND_SERVER"}
--   p1: "SPAN_KIND_SERVER"
span_kind = {p1:String}

-- {"field":"status_code","value":"STATUS_CODE_ERROR"}
--   p1: "STATUS_CODE_ERROR"
status_code = {p1:String}

-- {"field":"status_code","value":null}
NOT true

-- {"field":"status_code","operator":"is_not","value":null}
true
