-- What a key remembers of calls that ended earlier grants, and of earlier resolutions, so that one of them
-- sent again is answered as the first time. Few keys have any.
ALTER TABLE operation
  -- 17 bytes each, oldest first: nonce, fence, kind (retryable 1, final 2, unknown effect 3)
  ADD COLUMN earlier_failures bytea,
  -- 16 bytes each, oldest first: request ids, condensed
  ADD COLUMN earlier_resolutions bytea;

-- From now on attempt_id is also that of an indeterminate operation, where its holder's lease expired and the
-- holder has said nothing: it may renew it.
