-- Ways into an account or a workspace that were handed out as a link. Of a link's token only the SHA-256 is kept.

CREATE TABLE invitations (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    email text NOT NULL,
    role text NOT NULL,
    token_hash text NOT NULL UNIQUE,
    expires_at timestamptz NOT NULL,
    -- Null: pending. Kept afterwards, so that a second use of the link can be told from a wrong one.
    accepted_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by_id uuid REFERENCES users ON DELETE SET NULL
);
CREATE UNIQUE INDEX invitations_pending_key ON invitations (workspace_id, lower(email)) WHERE accepted_at IS NULL;

-- At most one link a user: a new one replaces it, and using it removes it.
CREATE TABLE password_resets (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    token_hash text NOT NULL UNIQUE,
    expires_at timestamptz NOT NULL
);
