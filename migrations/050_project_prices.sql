-- What models cost in a project, where it says so itself: {model: {input, output, cached_input, cache_write}} in USD per
-- million tokens. A project without a row has no prices of its own.
CREATE TABLE project_prices (
    project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    prices jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    updated_by_id uuid REFERENCES users ON DELETE SET NULL
);
