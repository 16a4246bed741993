-- The span of the session that posted, as the header traceparent; null or empty = it named none. A default, so that
-- each function keeps it. One character more than a header has: what is longer stays invalid.
ALTER TABLE inbox ADD COLUMN trace text COLLATE "C" DEFAULT left(current_setting('hapax.traceparent', true), 56);
