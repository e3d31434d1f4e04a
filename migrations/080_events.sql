-- What has happened: changes, with who made them, and reads that a webhook subscription asks for. Events are written in the
-- transaction of what they report. There is no foreign key to the project: what happened to it is known when it is gone.
CREATE TABLE events (
    -- UUIDv7: the order of ids is that of recording, within a millisecond.
    id uuid PRIMARY KEY,
    project_id uuid,
    type text NOT NULL,
    "timestamp" timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- {kind, user_id, role, key, operation} of the caller; null for work that the server does for itself. Every connection
    -- says for whom it works while it does.
    actor jsonb DEFAULT nullif(current_setting('spanhouse.actor', true), '')::jsonb,
    attributes jsonb NOT NULL
);
CREATE INDEX events_of_project ON events (project_id, id);
CREATE INDEX events_by_time ON events (created_at);

CREATE TABLE webhook_subscriptions (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    id uuid PRIMARY KEY,
    name text,
    description text,
    tags jsonb,
    meta json,
    is_active boolean NOT NULL DEFAULT true,
    -- {url, headers, payload_fields, auth_mode, event_types}, as sent.
    data json NOT NULL,
    -- As in `data`; null: every kind.
    event_types text[],
    secret_id uuid REFERENCES secrets ON DELETE SET NULL,
    -- False: the server made it.
    is_secret_given boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    created_by_id uuid,
    updated_by_id uuid
);
CREATE INDEX webhook_subscriptions_of_project ON webhook_subscriptions (project_id, id);

-- How each delivery ended. Its id follows from the event and the subscription, so that sending again keeps it.
CREATE TABLE webhook_deliveries (
    project_id uuid NOT NULL,
    id uuid PRIMARY KEY,
    subscription_id uuid NOT NULL REFERENCES webhook_subscriptions ON DELETE CASCADE,
    event_id uuid NOT NULL,
    status json NOT NULL,
    data json,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    created_by_id uuid,
    updated_by_id uuid,
    UNIQUE (subscription_id, event_id)
);
CREATE INDEX webhook_deliveries_of_project ON webhook_deliveries (project_id, created_at, id);

-- What is to be sent. Whoever sends a row moves `due_at` to when another may try, so that nothing is lost with a process.
CREATE TABLE webhook_queue (
    subscription_id uuid NOT NULL REFERENCES webhook_subscriptions ON DELETE CASCADE,
    event_id uuid NOT NULL,
    -- Those that have ended without success.
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (subscription_id, event_id)
);
CREATE INDEX webhook_queue_due ON webhook_queue (subscription_id, due_at);
