-- PL/pgSQL reads a function in the settings of its caller: with standard_conforming_strings off, a backslash in a string
-- would be an escape. A function that replaces one of these needs the setting again.
DO
$$
DECLARE
  door regprocedure;
BEGIN
  FOR door IN SELECT oid FROM pg_proc WHERE pronamespace = 'hapax'::regnamespace AND prosecdef LOOP
    EXECUTE format('ALTER FUNCTION %s SET standard_conforming_strings = on', door);
  END LOOP;
END
$$;

-- A retention in microseconds; that of a key is more than 0. Intervals compare a year as 360 days, and convert it to
-- 365.25, so the microseconds are compared.
CREATE OR REPLACE FUNCTION intent_retention(argument text, value interval) RETURNS bigint LANGUAGE plpgsql STRICT AS
$$
DECLARE
  micros numeric := extract(epoch FROM value) * 1000000;
BEGIN
  IF argument = 'key_retention' AND micros = 0 THEN
    PERFORM hapax.reject_argument(argument, 'must be more than 0');
  ELSIF micros < 0 OR micros > 31536000000000 THEN
    PERFORM hapax.reject_argument(argument, format('must be between 0 and 365 days (was %s)', value));
  END IF;
  RETURN micros::bigint;
END
$$;

-- A day of an interval may have 25 hours in the time zone of the session; servers allow 365 days of 24 hours.
DO
$$
BEGIN
  EXECUTE replace(pg_get_functiondef('hapax.start_checked_run'::regproc), $text$interval '365 days'$text$,
    $text$interval '8760 hours'$text$);
END
$$;
