-- How much a project, or one of its keys, may ask for: {requests_per_second, spans_per_second}; null: no quota.
ALTER TABLE projects ADD COLUMN quota jsonb;
ALTER TABLE api_keys ADD COLUMN quota jsonb;
