-- What `signal` of a waiting run is, beside the values of V026: 3 = the name of a token, a line feed, and a type.
ALTER TABLE run ALTER COLUMN signal TYPE varchar(511) COLLATE "C";
