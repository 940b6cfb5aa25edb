-- Machines that play for events which run here, and what each of them played.

-- A worker is a key that was given to a machine. One without a key joined a cluster
-- whose keys are not ours. What it says of itself is text and numbers, not believed.
CREATE TABLE workers (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  key      TEXT NOT NULL DEFAULT '',     -- public
  created  INTEGER NOT NULL,
  revoked  INTEGER NOT NULL DEFAULT 0,   -- when
  why      TEXT NOT NULL DEFAULT '',     -- it was revoked
  host     TEXT NOT NULL DEFAULT '',
  platform TEXT NOT NULL DEFAULT '',
  slots    INTEGER NOT NULL DEFAULT 0,
  speed    REAL NOT NULL DEFAULT 0,      -- positions a second of one slot while all are busy; 0: not measured
  spread   REAL NOT NULL DEFAULT 0,      -- of the slots' speeds, as a share
  seen     INTEGER NOT NULL DEFAULT 0,   -- last sign of life
  faults   INTEGER NOT NULL DEFAULT 0,   -- results that did not hold, and games that failed on its side
  audited  INTEGER NOT NULL DEFAULT 0,   -- of its games that others played again
  differed INTEGER NOT NULL DEFAULT 0    -- with other moves
) STRICT;

CREATE UNIQUE INDEX workers_name ON workers (name) WHERE revoked = 0;
CREATE UNIQUE INDEX workers_key ON workers (key) WHERE key <> '';

-- Who played a game, 0 being the machine that runs the event, and how much slower
-- that worker is than that machine (0: not measured). Events say whether clocks were
-- multiplied by it.
ALTER TABLE games ADD COLUMN worker INTEGER NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN factor REAL NOT NULL DEFAULT 0;
ALTER TABLE voided ADD COLUMN worker INTEGER NOT NULL DEFAULT 0;

CREATE INDEX games_worker ON games (worker) WHERE worker <> 0;

-- Games that were played again by another worker with other moves.
CREATE TABLE differences (
  id      INTEGER PRIMARY KEY,
  event   INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  worker  INTEGER NOT NULL, -- whose game is on record
  auditor INTEGER NOT NULL, -- who played it again
  ply     INTEGER NOT NULL, -- 1-based, of the first other move; 0: only the ending differs
  detail  TEXT NOT NULL
) STRICT;
