-- find
SELECT set_config('hapax.scope', ?, false);
SELECT k.name, k.key, k.of_definitions, l.max_running AS declared, l.max_starts AS starts,
  l.per AS starts_per, l.due_at,
  (
    SELECT count(*)
    FROM hapax.slot s,
      LATERAL (
        SELECT
        FROM hapax.run r
        WHERE r.workspace = s.workspace AND r.id = s.run_id
          AND (
            r.phase IN (1, 2) AND r.turn = s.turn AND s.hash = ANY (r.limit_hashes)
              OR r.definition_turn = s.turn AND s.hash = ANY (r.definition_hashes)
          )
        LIMIT 1
      ) w
    WHERE s.workspace = l.workspace AND s.hash = l.hash
  ) AS running,
  (
    SELECT count(*)
    FROM (
      SELECT
      FROM hapax.place p,
        LATERAL (
          SELECT
          FROM hapax.run r
          WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
            AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes))
          LIMIT 1
        ) w
      WHERE p.workspace = l.workspace AND p.hash = l.hash
      LIMIT 1000
    ) c
  ) AS waiting,
  (
    SELECT p.turn
    FROM hapax.place p,
      LATERAL (
        SELECT
        FROM hapax.run r
        WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
          AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes))
        LIMIT 1
      ) w
    WHERE p.workspace = l.workspace AND p.hash = l.hash
    ORDER BY p.turn
    LIMIT 1
  ) AS oldest, o.max_running, o.max_starts, o.per, o.set_at, o.set_by, o.set_by_principal, o.reason,
  a.max_running AS of_all, a.max_starts AS starts_of_all, a.per AS per_of_all
FROM (SELECT ?::text COLLATE "C" AS name, ?::text COLLATE "C" AS key, ?::boolean AS of_definitions) k LEFT JOIN hapax.limit_line l ON l.workspace = ?
  AND l.name = k.name AND l.key = k.key
  AND l.of_definitions = k.of_definitions LEFT JOIN hapax.limit_setting o ON o.workspace = ?
  AND o.name = k.name AND o.key = k.key AND o.of_definitions = k.of_definitions
  AND (o.max_running IS NOT NULL OR o.max_starts IS NOT NULL) LEFT JOIN hapax.limit_setting a ON a.workspace = ?
  AND a.name = k.name AND a.key = '' AND a.of_definitions = k.of_definitions
ORDER BY k.name, k.key, k.of_definitions;

-- ahead
SELECT set_config('hapax.scope', ?, false);
SELECT count(*) FROM (SELECT FROM hapax.place p, LATERAL (SELECT FROM hapax.run r
  WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
    AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes)) LIMIT 1) w
  WHERE p.workspace = ? AND p.hash = ? AND p.turn < ? LIMIT 1000) waiting;

-- list
SELECT set_config('hapax.scope', ?, false);
SELECT k.name, k.key, k.of_definitions, l.max_running AS declared, l.max_starts AS starts,
  l.per AS starts_per, l.due_at,
  (
    SELECT count(*)
    FROM hapax.slot s,
      LATERAL (
        SELECT
        FROM hapax.run r
        WHERE r.workspace = s.workspace AND r.id = s.run_id
          AND (
            r.phase IN (1, 2) AND r.turn = s.turn AND s.hash = ANY (r.limit_hashes)
              OR r.definition_turn = s.turn AND s.hash = ANY (r.definition_hashes)
          )
        LIMIT 1
      ) w
    WHERE s.workspace = l.workspace AND s.hash = l.hash
  ) AS running,
  (
    SELECT count(*)
    FROM (
      SELECT
      FROM hapax.place p,
        LATERAL (
          SELECT
          FROM hapax.run r
          WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
            AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes))
          LIMIT 1
        ) w
      WHERE p.workspace = l.workspace AND p.hash = l.hash
      LIMIT 1000
    ) c
  ) AS waiting,
  (
    SELECT p.turn
    FROM hapax.place p,
      LATERAL (
        SELECT
        FROM hapax.run r
        WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
          AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes))
        LIMIT 1
      ) w
    WHERE p.workspace = l.workspace AND p.hash = l.hash
    ORDER BY p.turn
    LIMIT 1
  ) AS oldest, o.max_running, o.max_starts, o.per, o.set_at, o.set_by, o.set_by_principal, o.reason,
  a.max_running AS of_all, a.max_starts AS starts_of_all, a.per AS per_of_all
FROM (
  SELECT name, key, of_definitions
  FROM (
    (
      SELECT name, key, of_definitions
      FROM hapax.limit_line
      WHERE workspace = ? AND (name, key, of_definitions) > (?, ?, ?) AND (? = '' OR name = ?)
      ORDER BY name, key, of_definitions
      LIMIT ?
    ) UNION (
      SELECT name, key, of_definitions
      FROM hapax.limit_setting
      WHERE workspace = ? AND (name, key, of_definitions) > (?, ?, ?) AND (? = '' OR name = ?)
        AND (max_running IS NOT NULL OR max_starts IS NOT NULL)
      ORDER BY name, key, of_definitions
      LIMIT ?
    )
  ) n
  ORDER BY name, key, of_definitions
  LIMIT ?
) k LEFT JOIN hapax.limit_line l ON l.workspace = ? AND l.name = k.name AND l.key = k.key
  AND l.of_definitions = k.of_definitions LEFT JOIN hapax.limit_setting o ON o.workspace = ?
  AND o.name = k.name AND o.key = k.key AND o.of_definitions = k.of_definitions
  AND (o.max_running IS NOT NULL OR o.max_starts IS NOT NULL) LEFT JOIN hapax.limit_setting a ON a.workspace = ?
  AND a.name = k.name AND a.key = '' AND a.of_definitions = k.of_definitions
ORDER BY k.name, k.key, k.of_definitions;

-- places
SELECT FROM hapax.place ORDER BY workspace, hash, turn LIMIT 1;

-- free
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
WITH RECURSIVE line(workspace, hash) AS (
  (
    SELECT p.workspace, p.hash
    FROM hapax.place p
    WHERE (p.workspace, p.hash) > (?, ?::uuid)
    ORDER BY p.workspace, p.hash
    LIMIT 1
  )
  UNION ALL
  SELECT next.*
  FROM line t,
    LATERAL (
      SELECT p.workspace, p.hash
      FROM hapax.place p
      WHERE (p.workspace, p.hash) > (t.workspace, t.hash)
      ORDER BY p.workspace, p.hash
      LIMIT 1
    ) next
)
SELECT t.workspace, t.hash, l.name, l.key, l.of_definitions, l.hash IS NOT NULL
  AND f.turn IS NOT NULL
  AND (SELECT true FROM hapax.moved WHERE moved.workspace = l.workspace) IS NULL
  AND (
    l.due_at IS NULL OR l.due_at <= now() OR l.due_turn <> f.turn OR l.started_at > now()
      OR EXISTS (
        SELECT
        FROM hapax.limit_setting s
        WHERE s.workspace = l.workspace AND s.name = l.name AND s.key IN (l.key, '')
          AND s.of_definitions = l.of_definitions AND s.set_at >= l.started_at
          AND s.set_at > now() - interval '1 hour'
      )
  )
  AND (
    SELECT true
    FROM hapax.run o, unnest(o.limit_hashes) other(hash),
      LATERAL (
        SELECT p.turn
        FROM hapax.place p,
          LATERAL (
            SELECT
            FROM hapax.run r
            WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
              AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes))
            LIMIT 1
          ) w
        WHERE p.workspace = t.workspace AND p.hash = other.hash
        ORDER BY p.turn
        LIMIT 1
      ) first
    WHERE o.workspace = t.workspace AND o.id = f.run_id AND first.turn < f.turn
    LIMIT 1
  ) IS NULL
  AND (
    SELECT count(*)
    FROM hapax.slot s,
      LATERAL (
        SELECT
        FROM hapax.run r
        WHERE r.workspace = s.workspace AND r.id = s.run_id
          AND (
            r.phase IN (1, 2) AND r.turn = s.turn AND s.hash = ANY (r.limit_hashes)
              OR r.definition_turn = s.turn AND s.hash = ANY (r.definition_hashes)
          )
        LIMIT 1
      ) w
    WHERE s.workspace = t.workspace AND s.hash = t.hash
  ) < coalesce(
    (
      SELECT o.max_running
      FROM hapax.limit_setting o
      WHERE o.workspace = l.workspace AND o.name = l.name AND o.key = l.key
        AND o.of_definitions = l.of_definitions
    ),
      (
        SELECT a.max_running
        FROM hapax.limit_setting a
        WHERE a.workspace = l.workspace AND a.name = l.name AND a.key = ''
          AND a.of_definitions = l.of_definitions
      ), nullif(l.max_running, 0), 2147483647
  ) AS is_free
FROM (SELECT * FROM line LIMIT ?) t LEFT JOIN LATERAL (
  SELECT * FROM hapax.limit_line i WHERE i.workspace = t.workspace AND i.hash = t.hash LIMIT 1
) l ON true LEFT JOIN LATERAL (
  SELECT p.turn, p.run_id
  FROM hapax.place p,
    LATERAL (
      SELECT
      FROM hapax.run r
      WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
        AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes))
      LIMIT 1
    ) w
  WHERE p.workspace = t.workspace AND p.hash = t.hash
  ORDER BY p.turn
  LIMIT 1
) f ON true;

-- due
SELECT l.workspace, l.name, l.key, l.of_definitions,
  ceil(extract(epoch FROM l.due_at - now()) * 1000000)::bigint AS micros
FROM hapax.limit_line l
WHERE l.due_at >= now() AND l.due_at <= now() + ? * interval '1 microsecond'
  AND (
    SELECT true
    FROM hapax.place p,
      LATERAL (
        SELECT
        FROM hapax.run r
        WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
          AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes))
        LIMIT 1
      ) w
    WHERE p.workspace = l.workspace AND p.hash = l.hash
    LIMIT 1
  ) IS TRUE AND (SELECT true FROM hapax.moved WHERE moved.workspace = l.workspace) IS NULL
ORDER BY l.due_at
LIMIT ?;
