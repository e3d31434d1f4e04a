-- A commit locks no subscription: what is queued for a deleted one is removed later, with what is too old (events/log/retention.ts).
-- With the foreign key, commits that run at the same time shared locks on every subscription of their project.
ALTER TABLE webhook_queue DROP CONSTRAINT webhook_queue_subscription_id_fkey;
