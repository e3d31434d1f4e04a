-- Who may do what: users, what they belong to, and the keys they call with.
-- Ids are UUIDv7 made by the caller. Records are deleted for good, and what hangs on them goes with them.

CREATE TABLE users (
    id uuid PRIMARY KEY,
    -- A second public id, unrelated to the first; never changes.
    uid text NOT NULL UNIQUE,
    email text NOT NULL,
    username text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz
);
CREATE UNIQUE INDEX users_email_key ON users (lower(email));

-- A way for a user to prove who they are. `password_hash` carries its own algorithm, parameters and salt.
CREATE TABLE user_identities (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    method text NOT NULL,
    subject text NOT NULL,
    email text,
    domain text,
    provider_user_id text,
    verified boolean NOT NULL DEFAULT false,
    claims jsonb,
    password_hash text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz
);
CREATE UNIQUE INDEX user_identities_subject_key ON user_identities (method, lower(subject));
CREATE INDEX user_identities_user ON user_identities (user_id);

CREATE TABLE organizations (
    id uuid PRIMARY KEY,
    slug text UNIQUE,
    name text NOT NULL,
    description text,
    owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    flags jsonb,
    tags jsonb,
    meta jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    created_by_id uuid REFERENCES users ON DELETE SET NULL,
    updated_by_id uuid REFERENCES users ON DELETE SET NULL
);
CREATE INDEX organizations_owner ON organizations (owner_id);

CREATE TABLE workspaces (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
    slug text,
    name text NOT NULL,
    description text,
    type text NOT NULL DEFAULT 'default',
    flags jsonb,
    tags jsonb,
    meta jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    created_by_id uuid REFERENCES users ON DELETE SET NULL,
    updated_by_id uuid REFERENCES users ON DELETE SET NULL,
    -- What a project's two parents are checked against.
    UNIQUE (id, organization_id)
);
CREATE INDEX workspaces_organization ON workspaces (organization_id);

CREATE TABLE projects (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text,
    name text NOT NULL,
    description text,
    is_default boolean NOT NULL DEFAULT false,
    -- How long spans are kept; null: for ever.
    retention_days integer CHECK (retention_days > 0),
    flags jsonb,
    tags jsonb,
    meta jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    created_by_id uuid REFERENCES users ON DELETE SET NULL,
    updated_by_id uuid REFERENCES users ON DELETE SET NULL,
    FOREIGN KEY (workspace_id, organization_id) REFERENCES workspaces (id, organization_id) ON DELETE CASCADE
);
CREATE INDEX projects_organization ON projects (organization_id);
CREATE INDEX projects_workspace ON projects (workspace_id);
CREATE UNIQUE INDEX projects_one_default ON projects (workspace_id) WHERE is_default;

CREATE TABLE organization_memberships (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    UNIQUE (organization_id, user_id)
);
CREATE INDEX organization_memberships_user ON organization_memberships (user_id);

CREATE TABLE workspace_memberships (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    UNIQUE (workspace_id, user_id)
);
CREATE INDEX workspace_memberships_user ON workspace_memberships (user_id);

CREATE TABLE project_memberships (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role text NOT NULL,
    is_demo boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    UNIQUE (project_id, user_id)
);
CREATE INDEX project_memberships_user ON project_memberships (user_id);

-- `hash` is `<prefix>.<hex sha-256 of the secret>`; the secret itself is nowhere.
CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    prefix text NOT NULL UNIQUE,
    hash text NOT NULL,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name text,
    -- Works, and is not listed.
    hidden boolean NOT NULL DEFAULT false,
    expires_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_keys_user ON api_keys (user_id, project_id);
CREATE INDEX api_keys_project ON api_keys (project_id);

-- What was answered to an account creation that carried an idempotency key. `id` and `request_hash` are keyed hashes
-- and `answer` is sealed, because it holds an API key.
CREATE TABLE account_requests (
    id text PRIMARY KEY,
    request_hash text NOT NULL,
    answer text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX account_requests_created ON account_requests (created_at);
