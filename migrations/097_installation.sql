-- One row: what tells this installation from another one that uses the same NATS by mistake.
CREATE TABLE installation (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
INSERT INTO installation DEFAULT VALUES;
