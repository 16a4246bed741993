-- run
SET lock_timeout = '100ms'; SET statement_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SELECT 1;
SELECT pg_try_advisory_lock(?);
SELECT workspace, lifecycle, id, version
FROM hapax.entity_deletion
WHERE NOT purged AND deleted_at < now() - interval '1 minute'
  AND (SELECT true FROM hapax.moved WHERE moved.workspace = entity_deletion.workspace) IS NULL
ORDER BY deleted_at
LIMIT 100;
DELETE FROM hapax.entity_event
WHERE workspace = ? AND lifecycle = ? AND entity_id = ? AND version = ANY (ARRAY(
  SELECT version FROM (
    SELECT version, at FROM hapax.entity_event
    WHERE workspace = ? AND lifecycle = ? AND entity_id = ? AND version <= ? AND type <> 9
    ORDER BY version LIMIT 5000) first
  WHERE true)) AND
(SELECT true FROM hapax.moved WHERE moved.workspace = entity_event.workspace) IS NULL;
UPDATE hapax.entity_deletion SET purged = true
WHERE workspace = ? AND lifecycle = ? AND id = ? AND version = ? AND
(SELECT true FROM hapax.moved WHERE moved.workspace = entity_deletion.workspace) IS NULL;
SELECT workspace, lifecycle, id, version
FROM hapax.entity_deletion
WHERE purged AND deleted_at < now() - ? * interval '1 second'
  AND (SELECT true FROM hapax.moved WHERE moved.workspace = entity_deletion.workspace) IS NULL
ORDER BY deleted_at
LIMIT 100
FOR UPDATE SKIP LOCKED;
DELETE FROM hapax.entity_event
WHERE workspace = ? AND lifecycle = ? AND entity_id = ? AND version <= ?
  AND NOT EXISTS (SELECT 1 FROM hapax.entity WHERE workspace = ? AND lifecycle = ? AND id = ?);
DELETE FROM hapax.entity_deletion
WHERE workspace = ? AND lifecycle = ? AND id = ? AND version = ?;
SELECT e.workspace, e.lifecycle, e.id, e.version - 10, first.version <= e.version - 10
  AND first.at < now() - ? * interval '1 second'
FROM (
  SELECT workspace, lifecycle, id, version
  FROM hapax.entity
  WHERE (workspace, lifecycle, id) > (?, ?, ?)
    AND (SELECT true FROM hapax.moved WHERE moved.workspace = entity.workspace) IS NULL
  ORDER BY workspace, lifecycle, id
  LIMIT 500
) e LEFT JOIN LATERAL (
  SELECT version, at
  FROM hapax.entity_event v
  WHERE v.workspace = e.workspace AND v.lifecycle = e.lifecycle AND v.entity_id = e.id
  ORDER BY version
  LIMIT 1
) first ON true
ORDER BY e.workspace, e.lifecycle, e.id;
DELETE FROM hapax.entity_event
WHERE workspace = ? AND lifecycle = ? AND entity_id = ? AND version = ANY (ARRAY(
  SELECT version FROM (
    SELECT version, at FROM hapax.entity_event
    WHERE workspace = ? AND lifecycle = ? AND entity_id = ? AND version <= ? AND true
    ORDER BY version LIMIT 5000) first
  WHERE at < now() - ? * interval '1 second')) AND
(SELECT true FROM hapax.moved WHERE moved.workspace = entity_event.workspace) IS NULL;
SELECT pg_advisory_unlock(?);
