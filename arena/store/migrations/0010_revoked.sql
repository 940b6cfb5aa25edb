-- Whether the games of a revoked worker are to be taken back.
ALTER TABLE workers ADD COLUMN void INTEGER NOT NULL DEFAULT 0 CHECK (void IN (0, 1));
