-- Filters of trace ids and of search terms for 32 granules each. They are tested before those of single granules, so most of
-- the table is excluded at once: see packages/span-store/DECISIONS.md. Like the index of texts they are made when parts are
-- merged, not when rows come in.
ALTER TABLE spans
    ADD INDEX IF NOT EXISTS by_trace_range trace_id TYPE bloom_filter(0.0001) GRANULARITY 32,
    ADD INDEX IF NOT EXISTS by_search_term_block search_terms TYPE bloom_filter(0.05) GRANULARITY 32;

-- Sessions and users are found by their columns, which are smaller than the search terms.
ALTER TABLE spans
    ADD INDEX IF NOT EXISTS by_session session_id TYPE bloom_filter(0.001) GRANULARITY 1,
    ADD INDEX IF NOT EXISTS by_user user_id TYPE bloom_filter(0.001) GRANULARITY 1;

-- In the background; parts without them are read as before.
ALTER TABLE spans
    MATERIALIZE INDEX by_trace_range, MATERIALIZE INDEX by_search_term_block,
    MATERIALIZE INDEX by_session, MATERIALIZE INDEX by_user;
