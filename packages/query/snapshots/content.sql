-- {"field":"content","operator":"contains","value":"fox"}
--   p1: "fox"
--   p2: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p3: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))))))

-- {"field":"content","operator":"contains","value":"FOX quick"}
--   p1: "fox"
--   p2: "quick"
--   p3: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p4: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])quick(?:$|[^\\p{L}\\p{M}\\p{N}])"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0)) AND arrayExists(x -> match(x, {p3:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p4:String}), extractAll(span_data, {p4:String}))))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p4:String}), extractAll(span_data, {p4:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0) AND arrayExists(x -> match(x, {p3:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p4:String})))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p4:String})))))))

-- {"field":"content","operator":"contains","value":"quick lazy"}
--   p1: "quick"
--   p2: "lazy"
--   p3: "(?:^|[^\\p{L}\\p{M}\\p{N}])quick(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p4: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0)) AND arrayExists(x -> match(x, {p3:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p4:String}), extractAll(span_data, {p4:String}))))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p4:String}), extractAll(span_data, {p4:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0) AND arrayExists(x -> match(x, {p3:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p4:String})))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p4:String})))))))

-- {"field":"content","operator":"contains","value":"quick"}
--   p1: "quick"
--   p2: "(?:^|[^\\p{L}\\p{M}\\p{N}])quick(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p3: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))))))

-- {"field":"content","operator":"contains","value":"timeout exception"}
--   p1: "timeout"
--   p2: "exception"
--   p3: "(?:^|[^\\p{L}\\p{M}\\p{N}])timeout(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p4: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])exception(?:$|[^\\p{L}\\p{M}\\p{N}])"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0)) AND arrayExists(x -> match(x, {p3:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p4:String}), extractAll(span_data, {p4:String}))))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p4:String}), extractAll(span_data, {p4:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0) AND arrayExists(x -> match(x, {p3:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p4:String})))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p4:String})))))))

-- {"field":"content","operator":"contains","value":"timeout key"}
--   p1: "timeout"
--   p2: "key"
--   p3: "(?:^|[^\\p{L}\\p{M}\\p{N}])timeout(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p4: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])key(?:$|[^\\p{L}\\p{M}\\p{N}])"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0)) AND arrayExists(x -> match(x, {p3:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p4:String}), extractAll(span_data, {p4:String}))))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p4:String}), extractAll(span_data, {p4:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0) AND arrayExists(x -> match(x, {p3:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p4:String})))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p4:String})))))))

-- {"field":"content","operator":"contains","value":"\"lazy dog\""}
--   p1: "lazy"
--   p2: "dog"
--   p3: "lazy(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+dog"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy[^\\p{L}\\p{M}\\p{N}]+dog(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0) AND (match(lowerUTF8(sent_attributes), {p3:String}) OR match(lowerUTF8(span_data), {p3:String}))) AND arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p5:String}), extractAll(span_data, {p5:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String})) AND arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))))

-- {"field":"content","operator":"contains","value":"\"dog lazy\""}
--   p1: "dog"
--   p2: "lazy"
--   p3: "dog(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+lazy"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])dog[^\\p{L}\\p{M}\\p{N}]+lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0) AND (match(lowerUTF8(sent_attributes), {p3:String}) OR match(lowerUTF8(span_data), {p3:String}))) AND arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p5:String}), extractAll(span_data, {p5:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String})) AND arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))))

-- {"field":"content","operator":"contains","value":"\"fox jumps\""}
--   p1: "fox"
--   p2: "jumps"
--   p3: "fox(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+jumps"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox[^\\p{L}\\p{M}\\p{N}]+jumps(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0) AND (match(lowerUTF8(sent_attributes), {p3:String}) OR match(lowerUTF8(span_data), {p3:String}))) AND arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p5:String}), extractAll(span_data, {p5:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String})) AND arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))))

-- {"field":"content","operator":"contains","value":"\"quick brown fox\""}
--   p1: "quick"
--   p2: "brown"
--   p3: "fox"
--   p4: "quick(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+brown(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+fox"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])quick[^\\p{L}\\p{M}\\p{N}]+brown[^\\p{L}\\p{M}\\p{N}]+fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p6: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0) AND (position(lowerUTF8(attributes), {p3:String}) > 0 OR position(lowerUTF8(span_data), {p3:String}) > 0) AND (match(lowerUTF8(sent_attributes), {p4:String}) OR match(lowerUTF8(span_data), {p4:String}))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p6:String}), extractAll(span_data, {p6:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND position(lowerUTF8(events), {p3:String}) > 0 AND match(lowerUTF8(events), {p4:String})) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p6:String})))))))

-- {"field":"content","operator":"contains","value":"quick-brown"}
--   p1: "quick"
--   p2: "brown"
--   p3: "quick(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+brown"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])quick[^\\p{L}\\p{M}\\p{N}]+brown(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0) AND (match(lowerUTF8(sent_attributes), {p3:String}) OR match(lowerUTF8(span_data), {p3:String}))) AND arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p5:String}), extractAll(span_data, {p5:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String})) AND arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))))

-- {"field":"content","operator":"contains","value":"brown-quick"}
--   p1: "brown"
--   p2: "quick"
--   p3: "brown(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+quick"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])brown[^\\p{L}\\p{M}\\p{N}]+quick(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p5: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0) AND (match(lowerUTF8(sent_attributes), {p3:String}) OR match(lowerUTF8(span_data), {p3:String}))) AND arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p5:String}), extractAll(span_data, {p5:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0 AND match(lowerUTF8(events), {p3:String})) AND arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p5:String})))))))

-- {"field":"content","operator":"contains","value":"quic"}
--   p1: "quic"
--   p2: "(?:^|[^\\p{L}\\p{M}\\p{N}])quic(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p3: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))))))

-- {"field":"content","operator":"contains","value":"lazy or timeout"}
--   p1: "lazy"
--   p2: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p3: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p4: "timeout"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])timeout(?:$|[^\\p{L}\\p{M}\\p{N}])"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String})))))) OR ((position(lowerUTF8(attributes), {p4:String}) > 0 OR position(lowerUTF8(span_data), {p4:String}) > 0) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String}))))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String}))))) OR (position(lowerUTF8(events), {p4:String}) > 0 AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String}))))))))

-- {"field":"content","operator":"contains","value":"lazy OR timeout key"}
--   p1: "lazy"
--   p2: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p3: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p4: "timeout"
--   p5: "key"
--   p6: "(?:^|[^\\p{L}\\p{M}\\p{N}])timeout(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p7: "(?:^|[^\\p{L}\\p{M}\\p{N}])key(?:$|[^\\p{L}\\p{M}\\p{N}])"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String})))))) OR (((position(lowerUTF8(attributes), {p4:String}) > 0 OR position(lowerUTF8(span_data), {p4:String}) > 0) AND (position(lowerUTF8(attributes), {p5:String}) > 0 OR position(lowerUTF8(span_data), {p5:String}) > 0)) AND arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String}))))) AND arrayExists(x -> match(x, {p7:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String}))))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String}))))) OR ((position(lowerUTF8(events), {p4:String}) > 0 AND position(lowerUTF8(events), {p5:String}) > 0) AND arrayExists(x -> match(x, {p6:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))) AND arrayExists(x -> match(x, {p7:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String}))))))))

-- {"field":"content","operator":"contains","value":"or"}
--   p1: "or"
--   p2: "(?:^|[^\\p{L}\\p{M}\\p{N}])or(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p3: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))))))

-- {"field":"content","operator":"contains","value":"foxes or"}
--   p1: "foxes"
--   p2: "or"
--   p3: "(?:^|[^\\p{L}\\p{M}\\p{N}])foxes(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p4: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p5: "(?:^|[^\\p{L}\\p{M}\\p{N}])or(?:$|[^\\p{L}\\p{M}\\p{N}])"
((((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND (position(lowerUTF8(attributes), {p2:String}) > 0 OR position(lowerUTF8(span_data), {p2:String}) > 0)) AND arrayExists(x -> match(x, {p3:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p4:String}), extractAll(span_data, {p4:String}))))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p4:String}), extractAll(span_data, {p4:String})))))) OR (events != '' AND ((position(lowerUTF8(events), {p1:String}) > 0 AND position(lowerUTF8(events), {p2:String}) > 0) AND arrayExists(x -> match(x, {p3:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p4:String})))) AND arrayExists(x -> match(x, {p5:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p4:String})))))))

-- {"field":"content","operator":"contains","value":"\"or\""}
--   p1: "or"
--   p2: "(?:^|[^\\p{L}\\p{M}\\p{N}])or(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p3: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
(((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))))))

-- {"field":"content","operator":"contains","value":"fox -lazy"}
--   p1: "fox"
--   p2: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p3: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String}))))) AND NOT arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))) AND NOT arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))))))

-- {"field":"content","operator":"contains","value":"fox -\"lazy dog\""}
--   p1: "fox"
--   p2: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p3: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])lazy[^\\p{L}\\p{M}\\p{N}]+dog(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String}))))) AND NOT arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))) AND NOT arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))))))

-- {"field":"content","operator":"contains","value":"fox -\"dog lazy\""}
--   p1: "fox"
--   p2: "(?:^|[^\\p{L}\\p{M}\\p{N}])fox(?:$|[^\\p{L}\\p{M}\\p{N}])"
--   p3: "\"(?:[^\"\\\\]+|\\\\.)*\":?"
--   p4: "(?:^|[^\\p{L}\\p{M}\\p{N}])dog[^\\p{L}\\p{M}\\p{N}]+lazy(?:$|[^\\p{L}\\p{M}\\p{N}])"
(((position(lowerUTF8(attributes), {p1:String}) > 0 OR position(lowerUTF8(span_data), {p1:String}) > 0) AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String}))))) AND NOT arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), arrayConcat(extractAll(sent_attributes, {p3:String}), extractAll(span_data, {p3:String})))))) OR (events != '' AND (position(lowerUTF8(events), {p1:String}) > 0 AND arrayExists(x -> match(x, {p2:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))) AND NOT arrayExists(x -> match(x, {p4:String}), arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(events, {p3:String})))))))
