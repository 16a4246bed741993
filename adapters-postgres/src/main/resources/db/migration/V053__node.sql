CREATE FUNCTION require_feature(feature integer) RETURNS void LANGUAGE sql AS $$ SELECT $$;
