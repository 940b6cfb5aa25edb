-- Tests and matches that teams queue on a host. config is the event as it was asked for,
-- bots is JSON: where each of its bots comes from, and once it is built how it is started.
CREATE TABLE experiments (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  league   TEXT NOT NULL,
  team     INTEGER NOT NULL REFERENCES teams (id),
  priority INTEGER NOT NULL, -- the highest goes first
  config   TEXT NOT NULL,
  bots     TEXT NOT NULL,
  event    TEXT NOT NULL DEFAULT '', -- of its games
  state    TEXT NOT NULL,
  reason   TEXT NOT NULL DEFAULT '',
  log      TEXT NOT NULL DEFAULT '', -- of a build that failed
  verdict  TEXT NOT NULL DEFAULT '', -- of a test that has ended
  asked    INTEGER NOT NULL,
  began    INTEGER NOT NULL DEFAULT 0,
  ended    INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Those that are not over are few.
CREATE INDEX experiments_open ON experiments (league, priority DESC, id) WHERE ended = 0;

-- Whether a team may queue experiments.
ALTER TABLE teams ADD COLUMN experiments INTEGER NOT NULL DEFAULT 0 CHECK (experiments IN (0, 1));
