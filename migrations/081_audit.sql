-- Who has changed what: an event for each statement that changes rows of these tables while a caller is set
-- (`spanhouse.actor`, set for the transaction by the connection). Only ids are noted, nothing of what rows contain.
-- Commits of revisions have events of their own, which name the caller too.

-- UUIDv7 (RFC 9562, section 5.7).
CREATE FUNCTION new_event_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
        substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- Arguments: the expressions for the project and the id of a changed row.
CREATE FUNCTION note_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    actor jsonb := nullif(current_setting('spanhouse.actor', true), '')::jsonb;
    verb text := CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END;
BEGIN
    IF actor IS NULL THEN RETURN NULL; END IF;
    EXECUTE format(
        'INSERT INTO events (id, project_id, type, actor, attributes)
         SELECT new_event_id(), coalesce(project_id, ($1->>''project_id'')::uuid), $2, $1,
             jsonb_build_object(''user_id'', $1->''user_id'', ''count'', count(*), ''ids'', (array_agg(id))[1:1000])
         FROM (SELECT %s AS project_id, %s AS id FROM changed) AS row GROUP BY project_id',
        TG_ARGV[0], TG_ARGV[1]
    ) USING actor, TG_TABLE_NAME || '.' || verb;
    RETURN NULL;
END
$$;

CREATE PROCEDURE audit(audited text, project text, row_id text, without_inserts boolean DEFAULT false)
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT without_inserts THEN
        EXECUTE format('CREATE TRIGGER note_inserts AFTER INSERT ON %I REFERENCING NEW TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION note_changes(%L, %L)', audited, project, row_id);
    END IF;
    EXECUTE format('CREATE TRIGGER note_updates AFTER UPDATE ON %I REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION note_changes(%L, %L)', audited, project, row_id);
    EXECUTE format('CREATE TRIGGER note_deletes AFTER DELETE ON %I REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION note_changes(%L, %L)', audited, project, row_id);
END
$$;

CALL audit('artifacts', 'project_id', 'id');
CALL audit('variants', 'project_id', 'id');
CALL audit('revisions', 'project_id', 'id', true);
CALL audit('folders', 'project_id', 'id');
CALL audit('secrets', 'project_id', 'id');
CALL audit('project_prices', 'project_id', 'project_id');
CALL audit('evaluation_runs', 'project_id', 'id');
CALL audit('evaluation_scenarios', 'project_id', 'id');
CALL audit('evaluation_results', 'project_id', 'id');
CALL audit('evaluation_metrics', 'project_id', 'id');
CALL audit('evaluation_queues', 'project_id', 'id');
CALL audit('webhook_subscriptions', 'project_id', 'id');
CALL audit('webhook_deliveries', 'project_id', 'id');
CALL audit('projects', 'id', 'id');
CALL audit('project_memberships', 'project_id', 'user_id');
-- The project of what belongs to none is that in which the caller acts.
CALL audit('api_keys', 'project_id', 'prefix');
CALL audit('users', 'NULL::uuid', 'id');
CALL audit('user_identities', 'NULL::uuid', 'user_id');
CALL audit('organizations', 'NULL::uuid', 'id');
CALL audit('workspaces', 'NULL::uuid', 'id');
CALL audit('organization_memberships', 'NULL::uuid', 'user_id');
CALL audit('workspace_memberships', 'NULL::uuid', 'user_id');
CALL audit('invitations', 'NULL::uuid', 'id');
CALL audit('password_resets', 'NULL::uuid', 'user_id');

-- For how many days the events of a project are kept; null: as long as without a setting.
ALTER TABLE projects ADD COLUMN event_days integer;
