-- A tree of names to file artifacts in. `path` is the slugs from the root down, joined by dots, so that a subtree is the
-- paths that begin with one; ordered by bytes, which is what an index can answer that from.
CREATE TABLE folders (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    id uuid NOT NULL,
    parent_id uuid,
    kind text NOT NULL,
    slug text NOT NULL,
    path text COLLATE "C" NOT NULL,
    name text NOT NULL,
    description text,
    flags jsonb,
    tags jsonb,
    meta jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    created_by_id uuid,
    updated_by_id uuid,
    PRIMARY KEY (project_id, id),
    CONSTRAINT folders_path UNIQUE (project_id, path),
    CONSTRAINT folders_parent FOREIGN KEY (project_id, parent_id) REFERENCES folders ON DELETE CASCADE
);
CREATE INDEX folders_children ON folders (project_id, parent_id);

-- Whatever was filed in a folder that is deleted is in none afterwards.
ALTER TABLE artifacts ADD CONSTRAINT artifacts_folder_exists
    FOREIGN KEY (project_id, folder_id) REFERENCES folders ON DELETE SET NULL (folder_id);
