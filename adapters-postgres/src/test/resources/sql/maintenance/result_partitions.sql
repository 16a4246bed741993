-- create what is missing
SET lock_timeout = '100ms'; SET statement_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SELECT 1;
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'hapax.operation_result'::regclass
  AND c.relname ~ '^operation_result_[0-9]{8}$';
SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date;
SELECT hapax.create_result_partition(?);

-- drop what is over
SET lock_timeout = '100ms'; SET statement_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SELECT 1;
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'hapax.operation_result'::regclass
  AND c.relname ~ '^operation_result_[0-9]{8}$';
SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date;
