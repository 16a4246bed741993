-- What `signal` of a waiting run is: none = a type, where the empty one stands for any signal; 1 = the
-- fingerprint of a token; 2 = the name of a token.
ALTER TABLE run
  ADD COLUMN signal_filter smallint;
