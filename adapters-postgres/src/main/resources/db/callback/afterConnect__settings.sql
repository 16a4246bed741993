-- Statements of running nodes queue behind a migration that waits for a lock, and a backup may keep
-- one for hours: fail, and let the caller try again.
SET lock_timeout = '1s';
-- Migrations are written for it, and a database may have it off.
SET standard_conforming_strings = on;
