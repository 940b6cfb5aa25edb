-- The CPU time that a bot used while the other side was to move, in microseconds.

ALTER TABLE games ADD COLUMN offturn_first INTEGER NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN offturn_second INTEGER NOT NULL DEFAULT 0;
