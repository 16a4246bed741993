-- create what is missing
SET lock_timeout = '100ms'; SET statement_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SELECT 1;
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind = 'r'
  AND c.relname ~ '^operation_result_[0-9]{8}$'
AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid
  AND i.inhparent = 'hapax.operation_result'::regclass AND NOT i.inhdetachpending);
SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date;
SELECT hapax.create_result_partition(?);
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind = 'r'
  AND c.relname ~ '^operation_result_[0-9]{8}$';

-- drop what is over
SET lock_timeout = '100ms'; SET statement_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SELECT 1;
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind = 'r'
  AND c.relname ~ '^operation_result_[0-9]{8}$'
AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid
  AND i.inhparent = 'hapax.operation_result'::regclass AND NOT i.inhdetachpending);
SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date;
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind = 'r'
  AND c.relname ~ '^operation_result_[0-9]{8}$';
SELECT hapax.drop_result_partition(?);
