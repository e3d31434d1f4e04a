-- Everything that has versions: artifact → variant → revision, in one table a layer. `family` says how the record is
-- stored (workflow, testset, query, environment); applications and evaluators are workflows whose flags say so.
-- Ids are UUIDv7, so that their order is that of creation; an artifact's may be the caller's choice. Users' ids carry no
-- foreign key: history outlives the people who made it.

CREATE TABLE artifacts (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    family text NOT NULL,
    id uuid NOT NULL,
    slug text NOT NULL,
    name text,
    description text,
    flags jsonb,
    tags jsonb,
    meta json,
    folder_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    deleted_at timestamptz,
    created_by_id uuid,
    updated_by_id uuid,
    deleted_by_id uuid,
    PRIMARY KEY (project_id, family, id),
    -- An archived record keeps its slug, in every layer.
    CONSTRAINT artifacts_slug UNIQUE (project_id, family, slug)
);
CREATE INDEX artifacts_labels ON artifacts USING gin (tags jsonb_path_ops, flags jsonb_path_ops);
CREATE INDEX artifacts_folder ON artifacts (project_id, folder_id) WHERE folder_id IS NOT NULL;

CREATE TABLE variants (
    project_id uuid NOT NULL,
    family text NOT NULL,
    id uuid NOT NULL,
    artifact_id uuid NOT NULL,
    slug text NOT NULL,
    name text,
    description text,
    flags jsonb,
    tags jsonb,
    meta json,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    deleted_at timestamptz,
    created_by_id uuid,
    updated_by_id uuid,
    deleted_by_id uuid,
    PRIMARY KEY (project_id, family, id),
    CONSTRAINT variants_slug UNIQUE (project_id, family, slug),
    -- What a revision's two parents are checked against.
    UNIQUE (project_id, family, artifact_id, id),
    CONSTRAINT variants_artifact FOREIGN KEY (project_id, family, artifact_id)
        REFERENCES artifacts ON DELETE CASCADE
);
-- The default variant of an artifact: the oldest that is not archived.
CREATE INDEX variants_oldest ON variants (project_id, artifact_id, (deleted_at IS NOT NULL), created_at, id);

-- Never changes but for its labels (name, description, tags, meta) and `deleted_at`.
CREATE TABLE revisions (
    project_id uuid NOT NULL,
    family text NOT NULL,
    id uuid NOT NULL,
    artifact_id uuid NOT NULL,
    variant_id uuid NOT NULL,
    -- Counts from 0 on each variant, without gaps, and is given out under a lock on the variant's row.
    version integer NOT NULL,
    slug text NOT NULL,
    name text,
    description text,
    flags jsonb,
    tags jsonb,
    meta json,
    message text,
    -- As it was sent, its members in their order: nothing is looked up by what it holds.
    data json,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    deleted_at timestamptz,
    -- Archived because its variant was, and so restored with it.
    deleted_with_variant boolean NOT NULL DEFAULT false,
    created_by_id uuid,
    updated_by_id uuid,
    deleted_by_id uuid,
    PRIMARY KEY (project_id, family, id),
    CONSTRAINT revisions_slug UNIQUE (project_id, family, slug),
    CONSTRAINT revisions_version UNIQUE (project_id, variant_id, version),
    CONSTRAINT revisions_variant FOREIGN KEY (project_id, family, artifact_id, variant_id)
        REFERENCES variants (project_id, family, artifact_id, id) ON DELETE CASCADE
);
-- The head of a variant: the highest version that is not archived.
CREATE INDEX revisions_head ON revisions (project_id, variant_id, (deleted_at IS NOT NULL), version DESC);
CREATE INDEX revisions_labels ON revisions USING gin (tags jsonb_path_ops);
