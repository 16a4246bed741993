-- What posting an intent costs beside its row. Most calls of these functions are the only ones of their transaction, so
-- it counts how many expressions PL/pgSQL has to prepare, not only how many it evaluates.

-- PostgreSQL prepares a check constraint anew for each statement, and only functions insert into the inbox.
ALTER TABLE inbox DROP CONSTRAINT inbox_verb_check;

-- Whether the session user may post it: it, or a role whose rights it has, was granted the verb; null = any verb. A
-- role that was dropped has no oid. In PL/pgSQL, which keeps the plan: a SQL function would be planned in each
-- transaction.
CREATE OR REPLACE FUNCTION may_post(workspace text, verb text) RETURNS boolean LANGUAGE plpgsql STABLE AS
$$
BEGIN
  RETURN EXISTS (
    SELECT FROM hapax.sql_grant g
    WHERE g.workspace = may_post.workspace AND (may_post.verb IS NULL OR may_post.verb = ANY (g.verbs))
      AND pg_has_role(session_user, to_regrole(quote_ident(g.role)), 'USAGE'));
END
$$;

-- Prints an id as the API does, such as run_01k…. A loop has few expressions.
CREATE OR REPLACE FUNCTION print_id(prefix text, id uuid) RETURNS text
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
DECLARE
  alphabet CONSTANT text := '0123456789abcdefghjkmnpqrstvwxyz';
  bits CONSTANT varbit := B'00' || ('x' || replace(id::text, '-', ''))::bit(128);
  printed text := prefix || '_';
BEGIN
  FOR i IN 0..25 LOOP
    printed := printed || substr(alphabet, substring(bits FROM 5 * i + 1 FOR 5)::integer + 1, 1);
  END LOOP;
  RETURN printed;
END
$$;

-- Most arguments are null, and a strict function is not called for them.
ALTER FUNCTION intent_name(text, text) STRICT;
ALTER FUNCTION intent_payload(text, jsonb) STRICT;
ALTER FUNCTION intent_retention(text, interval) STRICT;
