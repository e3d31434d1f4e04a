-- Credentials of model providers and the like. `sealed` is the secret's data, encrypted; `key_id` says with which key.
CREATE TABLE secrets (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    slug text,
    kind text NOT NULL,
    name text,
    description text,
    sealed text NOT NULL,
    key_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    created_by_id uuid REFERENCES users ON DELETE SET NULL,
    updated_by_id uuid REFERENCES users ON DELETE SET NULL,
    UNIQUE (project_id, slug)
);
