-- What a person does to a league while it runs.

-- An archived event keeps its games but stands in no table over several events.
ALTER TABLE events ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));

-- Results that a person took back, with all that was recorded: games were deleted
-- and planned anew under their numbers, or removed where a bot is withdrawn.
CREATE TABLE voided (
  id         INTEGER PRIMARY KEY,
  event      INTEGER NOT NULL REFERENCES events (id),
  number     INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  why        TEXT NOT NULL,
  first      INTEGER NOT NULL REFERENCES versions (id),
  second     INTEGER NOT NULL REFERENCES versions (id),
  result     TEXT NOT NULL,
  reason     TEXT NOT NULL,
  detail     TEXT NOT NULL,
  blame      INTEGER NOT NULL,
  plies      INTEGER NOT NULL,
  start      INTEGER NOT NULL,
  wall       INTEGER NOT NULL,
  cpu_first  INTEGER NOT NULL,
  cpu_second INTEGER NOT NULL,
  moves      BLOB NOT NULL
) STRICT;

CREATE INDEX voided_event ON voided (event, number);
