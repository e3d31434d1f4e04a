-- {"field":"content","operator":"contains","value":"fox"}
--   p1: "fox"
--   p2: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})fox[^\\p{L}\\p{M}\\p{N}]"
--   p3: "[\" !#-/:-@\\[\\]^_`{|}~]fox(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (match(lowerUTF8(span_data), {p2:String}) OR match(lowerUTF8(attributes), {p2:String})) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND match(lowerUTF8(events), {p2:String}) AND (match(lowerUTF8(events), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String}))))))))

-- {"field":"content","operator":"contains","value":"FOX quick"}
--   p1: "fox"
--   p2: "quick"
--   p3: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})fox[^\\p{L}\\p{M}\\p{N}]"
--   p4: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})quick[^\\p{L}\\p{M}\\p{N}]"
--   p5: "[\" !#-/:-@\\[\\]^_`{|}~]fox(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p6: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p7: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p8: "[\" !#-/:-@\\[\\]^_`{|}~]quick(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p9: "(?:^|[^\\p{L}\\p{M}\\p{N}])quick(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String})) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(attributes), {p4:String})) AND (match(lowerUTF8(span_data), {p5:String}) OR match(lowerUTF8(attributes), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String}))))) AND (match(lowerUTF8(span_data), {p8:String}) OR match(lowerUTF8(attributes), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String}) AND match(lowerUTF8(events), {p4:String}) AND (match(lowerUTF8(events), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))) AND (match(lowerUTF8(events), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))))))

-- {"field":"content","operator":"contains","value":"quick lazy"}
--   p1: "quick"
--   p2: "lazy"
--   p3: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})quick[^\\p{L}\\p{M}\\p{N}]"
--   p4: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})lazy[^\\p{L}\\p{M}\\p{N}]"
--   p5: "[\" !#-/:-@\\[\\]^_`{|}~]quick(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p6: "(?:^|[^\\p{L}\\p{M}\\p{N}])quick(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p7: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p8: "[\" !#-/:-@\\[\\]^_`{|}~]lazy(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p9: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String})) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(attributes), {p4:String})) AND (match(lowerUTF8(span_data), {p5:String}) OR match(lowerUTF8(attributes), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String}))))) AND (match(lowerUTF8(span_data), {p8:String}) OR match(lowerUTF8(attributes), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String}) AND match(lowerUTF8(events), {p4:String}) AND (match(lowerUTF8(events), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))) AND (match(lowerUTF8(events), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))))))

-- {"field":"content","operator":"contains","value":"quick"}
--   p1: "quick"
--   p2: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})quick[^\\p{L}\\p{M}\\p{N}]"
--   p3: "[\" !#-/:-@\\[\\]^_`{|}~]quick(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])quick(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (match(lowerUTF8(span_data), {p2:String}) OR match(lowerUTF8(attributes), {p2:String})) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND match(lowerUTF8(events), {p2:String}) AND (match(lowerUTF8(events), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String}))))))))

-- {"field":"content","operator":"contains","value":"timeout exception"}
--   p1: "timeout"
--   p2: "exception"
--   p3: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})timeout[^\\p{L}\\p{M}\\p{N}]"
--   p4: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})exception[^\\p{L}\\p{M}\\p{N}]"
--   p5: "[\" !#-/:-@\\[\\]^_`{|}~]timeout(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p6: "(?:^|[^\\p{L}\\p{M}\\p{N}])timeout(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p7: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p8: "[\" !#-/:-@\\[\\]^_`{|}~]exception(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p9: "(?:^|[^\\p{L}\\p{M}\\p{N}])exception(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String})) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(attributes), {p4:String})) AND (match(lowerUTF8(span_data), {p5:String}) OR match(lowerUTF8(attributes), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String}))))) AND (match(lowerUTF8(span_data), {p8:String}) OR match(lowerUTF8(attributes), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String}) AND match(lowerUTF8(events), {p4:String}) AND (match(lowerUTF8(events), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))) AND (match(lowerUTF8(events), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))))))

-- {"field":"content","operator":"contains","value":"timeout key"}
--   p1: "timeout"
--   p2: "key"
--   p3: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})timeout[^\\p{L}\\p{M}\\p{N}]"
--   p4: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})key[^\\p{L}\\p{M}\\p{N}]"
--   p5: "[\" !#-/:-@\\[\\]^_`{|}~]timeout(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p6: "(?:^|[^\\p{L}\\p{M}\\p{N}])timeout(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p7: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p8: "[\" !#-/:-@\\[\\]^_`{|}~]key(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p9: "(?:^|[^\\p{L}\\p{M}\\p{N}])key(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String})) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(attributes), {p4:String})) AND (match(lowerUTF8(span_data), {p5:String}) OR match(lowerUTF8(attributes), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String}))))) AND (match(lowerUTF8(span_data), {p8:String}) OR match(lowerUTF8(attributes), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String}) AND match(lowerUTF8(events), {p4:String}) AND (match(lowerUTF8(events), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))) AND (match(lowerUTF8(events), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))))))

-- {"field":"content","operator":"contains","value":"\"lazy dog\""}
--   p1: "lazy"
--   p2: "dog"
--   p3: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})lazy(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+dog[^\\p{L}\\p{M}\\p{N}]"
--   p4: "[\" !#-/:-@\\[\\]^_`{|}~]lazy[ !#-/:-@\\[\\]^_`{|}~]+dog(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy[^\\p{L}\\p{M}\\p{N}]+dog(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p6: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(sent_attributes), {p3:String})) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(attributes), {p4:String}) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p6:String})))) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p6:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String}) AND (match(lowerUTF8(events), {p4:String}) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p6:String}))))))))

-- {"field":"content","operator":"contains","value":"\"dog lazy\""}
--   p1: "dog"
--   p2: "lazy"
--   p3: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})dog(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+lazy[^\\p{L}\\p{M}\\p{N}]"
--   p4: "[\" !#-/:-@\\[\\]^_`{|}~]dog[ !#-/:-@\\[\\]^_`{|}~]+lazy(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])dog[^\\p{L}\\p{M}\\p{N}]+lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p6: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(sent_attributes), {p3:String})) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(attributes), {p4:String}) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p6:String})))) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p6:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String}) AND (match(lowerUTF8(events), {p4:String}) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p6:String}))))))))

-- {"field":"content","operator":"contains","value":"\"fox jumps\""}
--   p1: "fox"
--   p2: "jumps"
--   p3: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})fox(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+jumps[^\\p{L}\\p{M}\\p{N}]"
--   p4: "[\" !#-/:-@\\[\\]^_`{|}~]fox[ !#-/:-@\\[\\]^_`{|}~]+jumps(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox[^\\p{L}\\p{M}\\p{N}]+jumps(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p6: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(sent_attributes), {p3:String})) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(attributes), {p4:String}) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p6:String})))) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p6:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String}) AND (match(lowerUTF8(events), {p4:String}) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p6:String}))))))))

-- {"field":"content","operator":"contains","value":"\"quick brown fox\""}
--   p1: "quick"
--   p2: "brown"
--   p3: "fox"
--   p4: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})quick(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+brown(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+fox[^\\p{L}\\p{M}\\p{N}]"
--   p5: "[\" !#-/:-@\\[\\]^_`{|}~]quick[ !#-/:-@\\[\\]^_`{|}~]+brown[ !#-/:-@\\[\\]^_`{|}~]+fox(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p6: "(?:^|[^\\p{L}\\p{M}\\p{N}])quick[^\\p{L}\\p{M}\\p{N}]+brown[^\\p{L}\\p{M}\\p{N}]+fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p7: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (position(lowerUTF8(span_data), {p3:String}) > 0 OR position(lowerUTF8(attributes), {p3:String}) > 0) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(sent_attributes), {p4:String})) AND (match(lowerUTF8(span_data), {p5:String}) OR match(lowerUTF8(attributes), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND position(lowerUTF8(events), {p3:String}) > 0 AND match(lowerUTF8(events), {p4:String}) AND (match(lowerUTF8(events), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))))))

-- {"field":"content","operator":"contains","value":"quick-brown"}
--   p1: "quick"
--   p2: "brown"
--   p3: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})quick(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+brown[^\\p{L}\\p{M}\\p{N}]"
--   p4: "[\" !#-/:-@\\[\\]^_`{|}~]quick[ !#-/:-@\\[\\]^_`{|}~]+brown(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])quick[^\\p{L}\\p{M}\\p{N}]+brown(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p6: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(sent_attributes), {p3:String})) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(attributes), {p4:String}) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p6:String})))) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p6:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String}) AND (match(lowerUTF8(events), {p4:String}) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p6:String}))))))))

-- {"field":"content","operator":"contains","value":"brown-quick"}
--   p1: "brown"
--   p2: "quick"
--   p3: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})brown(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+quick[^\\p{L}\\p{M}\\p{N}]"
--   p4: "[\" !#-/:-@\\[\\]^_`{|}~]brown[ !#-/:-@\\[\\]^_`{|}~]+quick(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])brown[^\\p{L}\\p{M}\\p{N}]+quick(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p6: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(sent_attributes), {p3:String})) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(attributes), {p4:String}) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p6:String})))) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p6:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String}) AND (match(lowerUTF8(events), {p4:String}) OR arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p6:String}))))))))

-- {"field":"content","operator":"contains","value":"quic"}
--   p1: "quic"
--   p2: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})quic[^\\p{L}\\p{M}\\p{N}]"
--   p3: "[\" !#-/:-@\\[\\]^_`{|}~]quic(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])quic(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (match(lowerUTF8(span_data), {p2:String}) OR match(lowerUTF8(attributes), {p2:String})) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND match(lowerUTF8(events), {p2:String}) AND (match(lowerUTF8(events), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String}))))))))

-- {"field":"content","operator":"contains","value":"lazy or timeout"}
--   p1: "lazy"
--   p2: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})lazy[^\\p{L}\\p{M}\\p{N}]"
--   p3: "[\" !#-/:-@\\[\\]^_`{|}~]lazy(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p6: "timeout"
--   p7: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})timeout[^\\p{L}\\p{M}\\p{N}]"
--   p8: "[\" !#-/:-@\\[\\]^_`{|}~]timeout(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p9: "(?:^|[^\\p{L}\\p{M}\\p{N}])timeout(?:$|[^\\p{L}\\p{M}\\p{N}])"
((((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (match(lowerUTF8(span_data), {p2:String}) OR match(lowerUTF8(attributes), {p2:String})) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String})))))) OR ((position(lowerUTF8(span_data), {p6:String}) > 0 OR position(lowerUTF8(attributes), {p6:String}) > 0) AND (match(lowerUTF8(span_data), {p7:String}) OR match(lowerUTF8(attributes), {p7:String})) AND (match(lowerUTF8(span_data), {p8:String}) OR match(lowerUTF8(attributes), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String}))))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND match(lowerUTF8(events), {p2:String}) AND (match(lowerUTF8(events), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))) OR (position(lowerUTF8(events), {p6:String}) > 0 AND match(lowerUTF8(events), {p7:String}) AND (match(lowerUTF8(events), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))))))

-- {"field":"content","operator":"contains","value":"lazy OR timeout key"}
--   p1: "lazy"
--   p2: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})lazy[^\\p{L}\\p{M}\\p{N}]"
--   p3: "[\" !#-/:-@\\[\\]^_`{|}~]lazy(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p6: "timeout"
--   p7: "key"
--   p8: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})timeout[^\\p{L}\\p{M}\\p{N}]"
--   p9: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})key[^\\p{L}\\p{M}\\p{N}]"
--   p10: "[\" !#-/:-@\\[\\]^_`{|}~]timeout(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p11: "(?:^|[^\\p{L}\\p{M}\\p{N}])timeout(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p12: "[\" !#-/:-@\\[\\]^_`{|}~]key(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p13: "(?:^|[^\\p{L}\\p{M}\\p{N}])key(?:$|[^\\p{L}\\p{M}\\p{N}])"
((((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (match(lowerUTF8(span_data), {p2:String}) OR match(lowerUTF8(attributes), {p2:String})) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String})))))) OR ((position(lowerUTF8(span_data), {p6:String}) > 0 OR position(lowerUTF8(attributes), {p6:String}) > 0) AND (position(lowerUTF8(span_data), {p7:String}) > 0 OR position(lowerUTF8(attributes), {p7:String}) > 0) AND (match(lowerUTF8(span_data), {p8:String}) OR match(lowerUTF8(attributes), {p8:String})) AND (match(lowerUTF8(span_data), {p9:String}) OR match(lowerUTF8(attributes), {p9:String})) AND (match(lowerUTF8(span_data), {p10:String}) OR match(lowerUTF8(attributes), {p10:String}) OR arrayExists(x -> match(x, {p11:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p11:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String}))))) AND (match(lowerUTF8(span_data), {p12:String}) OR match(lowerUTF8(attributes), {p12:String}) OR arrayExists(x -> match(x, {p13:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p13:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String}))))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND match(lowerUTF8(events), {p2:String}) AND (match(lowerUTF8(events), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))) OR (position(lowerUTF8(events), {p6:String}) > 0 AND position(lowerUTF8(events), {p7:String}) > 0 AND match(lowerUTF8(events), {p8:String}) AND match(lowerUTF8(events), {p9:String}) AND (match(lowerUTF8(events), {p10:String}) OR arrayExists(x -> match(x, {p11:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String}))))) AND (match(lowerUTF8(events), {p12:String}) OR arrayExists(x -> match(x, {p13:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))))))

-- {"field":"content","operator":"contains","value":"or"}
--   p1: "or"
--   p2: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})or[^\\p{L}\\p{M}\\p{N}]"
--   p3: "[\" !#-/:-@\\[\\]^_`{|}~]or(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])or(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (match(lowerUTF8(span_data), {p2:String}) OR match(lowerUTF8(attributes), {p2:String})) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND match(lowerUTF8(events), {p2:String}) AND (match(lowerUTF8(events), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String}))))))))

-- {"field":"content","operator":"contains","value":"foxes or"}
--   p1: "foxes"
--   p2: "or"
--   p3: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})foxes[^\\p{L}\\p{M}\\p{N}]"
--   p4: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})or[^\\p{L}\\p{M}\\p{N}]"
--   p5: "[\" !#-/:-@\\[\\]^_`{|}~]foxes(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p6: "(?:^|[^\\p{L}\\p{M}\\p{N}])foxes(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p7: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p8: "[\" !#-/:-@\\[\\]^_`{|}~]or(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p9: "(?:^|[^\\p{L}\\p{M}\\p{N}])or(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (position(lowerUTF8(span_data), {p2:String}) > 0 OR position(lowerUTF8(attributes), {p2:String}) > 0) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String})) AND (match(lowerUTF8(span_data), {p4:String}) OR match(lowerUTF8(attributes), {p4:String})) AND (match(lowerUTF8(span_data), {p5:String}) OR match(lowerUTF8(attributes), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String}))))) AND (match(lowerUTF8(span_data), {p8:String}) OR match(lowerUTF8(attributes), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p7:String})))) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p7:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String}) AND match(lowerUTF8(events), {p4:String}) AND (match(lowerUTF8(events), {p5:String}) OR arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))) AND (match(lowerUTF8(events), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p7:String}))))))))

-- {"field":"content","operator":"contains","value":"\"or\""}
--   p1: "or"
--   p2: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})or[^\\p{L}\\p{M}\\p{N}]"
--   p3: "[\" !#-/:-@\\[\\]^_`{|}~]or(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])or(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (match(lowerUTF8(span_data), {p2:String}) OR match(lowerUTF8(attributes), {p2:String})) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND match(lowerUTF8(events), {p2:String}) AND (match(lowerUTF8(events), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String}))))))))

-- {"field":"content","operator":"contains","value":"fox -lazy"}
--   p1: "fox"
--   p2: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})fox[^\\p{L}\\p{M}\\p{N}]"
--   p3: "[\" !#-/:-@\\[\\]^_`{|}~]fox(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p6: "lazy"
--   p7: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})lazy[^\\p{L}\\p{M}\\p{N}]"
--   p8: "[\" !#-/:-@\\[\\]^_`{|}~]lazy(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p9: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (match(lowerUTF8(span_data), {p2:String}) OR match(lowerUTF8(attributes), {p2:String})) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String}))))) AND NOT ((position(lowerUTF8(span_data), {p6:String}) > 0 OR position(lowerUTF8(attributes), {p6:String}) > 0) AND (match(lowerUTF8(span_data), {p7:String}) OR match(lowerUTF8(attributes), {p7:String})) AND (match(lowerUTF8(span_data), {p8:String}) OR match(lowerUTF8(attributes), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String}))))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND match(lowerUTF8(events), {p2:String}) AND (match(lowerUTF8(events), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String}))))) AND NOT (position(lowerUTF8(events), {p6:String}) > 0 AND match(lowerUTF8(events), {p7:String}) AND (match(lowerUTF8(events), {p8:String}) OR arrayExists(x -> match(x, {p9:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))))))

-- {"field":"content","operator":"contains","value":"fox -\"lazy dog\""}
--   p1: "fox"
--   p2: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})fox[^\\p{L}\\p{M}\\p{N}]"
--   p3: "[\" !#-/:-@\\[\\]^_`{|}~]fox(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p6: "lazy"
--   p7: "dog"
--   p8: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})lazy(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+dog[^\\p{L}\\p{M}\\p{N}]"
--   p9: "[\" !#-/:-@\\[\\]^_`{|}~]lazy[ !#-/:-@\\[\\]^_`{|}~]+dog(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p10: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy[^\\p{L}\\p{M}\\p{N}]+dog(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (match(lowerUTF8(span_data), {p2:String}) OR match(lowerUTF8(attributes), {p2:String})) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String}))))) AND NOT ((position(lowerUTF8(span_data), {p6:String}) > 0 OR position(lowerUTF8(attributes), {p6:String}) > 0) AND (position(lowerUTF8(span_data), {p7:String}) > 0 OR position(lowerUTF8(attributes), {p7:String}) > 0) AND (match(lowerUTF8(span_data), {p8:String}) OR match(lowerUTF8(sent_attributes), {p8:String})) AND (match(lowerUTF8(span_data), {p9:String}) OR match(lowerUTF8(attributes), {p9:String}) OR arrayExists(x -> match(x, {p10:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p10:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String}))))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND match(lowerUTF8(events), {p2:String}) AND (match(lowerUTF8(events), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String}))))) AND NOT (position(lowerUTF8(events), {p6:String}) > 0 AND position(lowerUTF8(events), {p7:String}) > 0 AND match(lowerUTF8(events), {p8:String}) AND (match(lowerUTF8(events), {p9:String}) OR arrayExists(x -> match(x, {p10:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))))))

-- {"field":"content","operator":"contains","value":"fox -\"dog lazy\""}
--   p1: "fox"
--   p2: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})fox[^\\p{L}\\p{M}\\p{N}]"
--   p3: "[\" !#-/:-@\\[\\]^_`{|}~]fox(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p6: "dog"
--   p7: "lazy"
--   p8: "(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})dog(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+lazy[^\\p{L}\\p{M}\\p{N}]"
--   p9: "[\" !#-/:-@\\[\\]^_`{|}~]dog[ !#-/:-@\\[\\]^_`{|}~]+lazy(?:[ !#-/:-@\\[\\]^_`{|}~](?:[^\"\\\\]|\\\\.)*)?\"[,}\\]]"
--   p10: "(?:^|[^\\p{L}\\p{M}\\p{N}])dog[^\\p{L}\\p{M}\\p{N}]+lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(span_data), {p1:String}) > 0 OR position(lowerUTF8(attributes), {p1:String}) > 0) AND (match(lowerUTF8(span_data), {p2:String}) OR match(lowerUTF8(attributes), {p2:String})) AND (match(lowerUTF8(span_data), {p3:String}) OR match(lowerUTF8(attributes), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String}))))) AND NOT ((position(lowerUTF8(span_data), {p6:String}) > 0 OR position(lowerUTF8(attributes), {p6:String}) > 0) AND (position(lowerUTF8(span_data), {p7:String}) > 0 OR position(lowerUTF8(attributes), {p7:String}) > 0) AND (match(lowerUTF8(span_data), {p8:String}) OR match(lowerUTF8(sent_attributes), {p8:String})) AND (match(lowerUTF8(span_data), {p9:String}) OR match(lowerUTF8(attributes), {p9:String}) OR arrayExists(x -> match(x, {p10:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(span_data, {p5:String})))) OR arrayExists(x -> match(x, {p10:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(sent_attributes, {p5:String}))))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND match(lowerUTF8(events), {p2:String}) AND (match(lowerUTF8(events), {p3:String}) OR arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String}))))) AND NOT (position(lowerUTF8(events), {p6:String}) > 0 AND position(lowerUTF8(events), {p7:String}) > 0 AND match(lowerUTF8(events), {p8:String}) AND (match(lowerUTF8(events), {p9:String}) OR arrayExists(x -> match(x, {p10:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))))))
