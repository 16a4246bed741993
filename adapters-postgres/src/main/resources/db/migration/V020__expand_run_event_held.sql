-- of a lost lease: the step runs at most once, so no other worker gets it
ALTER TABLE run_event ADD COLUMN held boolean;
