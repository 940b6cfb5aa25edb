-- Against which of the two workers a difference is held: the one whose game is on
-- record, or the one that played it again. Rows before this named the first.
ALTER TABLE differences ADD COLUMN suspect INTEGER NOT NULL DEFAULT 0;
UPDATE differences SET suspect = worker;
