-- Times are microseconds (since 1970 UTC where they name a moment).

CREATE TABLE bots (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- A version is a bot with one fingerprint; number counts a bot's versions.
CREATE TABLE versions (
  id          INTEGER PRIMARY KEY,
  bot         INTEGER NOT NULL REFERENCES bots (id),
  number      INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  label       TEXT NOT NULL,
  created     INTEGER NOT NULL,
  UNIQUE (bot, fingerprint),
  UNIQUE (bot, number)
) STRICT;

CREATE TABLE events (
  id        INTEGER PRIMARY KEY,
  name      TEXT NOT NULL UNIQUE,
  game      TEXT NOT NULL,
  format    TEXT NOT NULL,
  config    BLOB NOT NULL,
  state     TEXT NOT NULL CHECK (state IN ('planned', 'running', 'finished')),
  created   INTEGER NOT NULL,
  finished  INTEGER NOT NULL DEFAULT 0,
  played    INTEGER NOT NULL DEFAULT 0, -- time of play over all runs
  elo_start REAL NOT NULL,
  elo_k0    REAL NOT NULL,
  elo_kmin  REAL NOT NULL,
  elo_n0    REAL NOT NULL,
  rated     INTEGER NOT NULL DEFAULT 0  -- games 1..rated are in the Elo history
) STRICT;

-- The id of a hold is never used twice: it fences off a holder that was
-- taken for dead.
CREATE TABLE holds (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  event     INTEGER NOT NULL UNIQUE REFERENCES events (id),
  pid       INTEGER NOT NULL,
  started   INTEGER NOT NULL, -- of the process, in the host's own ticks
  host      TEXT NOT NULL,
  boot      TEXT NOT NULL,
  namespace TEXT NOT NULL,
  since     INTEGER NOT NULL,
  seen      INTEGER NOT NULL
) STRICT;

-- The bots of an event, with their incremental Elo after game events.rated.
CREATE TABLE entries (
  event   INTEGER NOT NULL REFERENCES events (id),
  seat    INTEGER NOT NULL,
  version INTEGER NOT NULL REFERENCES versions (id),
  rating  REAL NOT NULL,
  games   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (event, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE games (
  id               INTEGER PRIMARY KEY,
  event            INTEGER NOT NULL REFERENCES events (id),
  number           INTEGER NOT NULL,
  round            INTEGER NOT NULL,
  pair             INTEGER NOT NULL,
  stage            TEXT NOT NULL,
  game             TEXT NOT NULL,
  first            INTEGER NOT NULL REFERENCES versions (id),
  second           INTEGER NOT NULL REFERENCES versions (id),
  opening_name     TEXT NOT NULL,
  opening_position TEXT NOT NULL,
  opening_moves    TEXT NOT NULL,
  result           TEXT NOT NULL DEFAULT '' CHECK (result IN ('', '1-0', '0-1', '1/2-1/2')),
  reason           TEXT NOT NULL DEFAULT '',
  detail           TEXT NOT NULL DEFAULT '',
  blame            INTEGER NOT NULL DEFAULT 0 CHECK (blame IN (0, 1, 2)), -- 1 the first bot, 2 the second
  plies            INTEGER NOT NULL DEFAULT 0,
  start            INTEGER NOT NULL DEFAULT 0,
  wall             INTEGER NOT NULL DEFAULT 0,
  cpu_first        INTEGER NOT NULL DEFAULT 0,
  cpu_second       INTEGER NOT NULL DEFAULT 0,
  attempts         INTEGER NOT NULL DEFAULT 0,
  UNIQUE (event, number)
) STRICT;

CREATE INDEX games_first ON games (first);
CREATE INDEX games_second ON games (second);

-- Exactly once, whatever program writes: a result is filled in and never changed.
CREATE TRIGGER games_once BEFORE UPDATE OF result ON games
WHEN OLD.result <> ''
BEGIN
  SELECT RAISE(ABORT, 'this game has a result already');
END;

-- The moves of a finished game: see moves.go for the format of data.
CREATE TABLE moves (
  game INTEGER PRIMARY KEY REFERENCES games (id),
  data BLOB NOT NULL
) STRICT;

-- Attempts that did not count: nobody's fault, played again.
CREATE TABLE voids (
  game    INTEGER NOT NULL REFERENCES games (id),
  attempt INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  detail  TEXT NOT NULL,
  PRIMARY KEY (game, attempt)
) STRICT, WITHOUT ROWID;

-- The incremental Elo of both bots after each game, in schedule order.
CREATE TABLE elo (
  event  INTEGER NOT NULL REFERENCES events (id),
  number INTEGER NOT NULL,
  side   INTEGER NOT NULL CHECK (side IN (1, 2)),
  rating REAL NOT NULL,
  change REAL NOT NULL,
  games  INTEGER NOT NULL, -- rated games of the bot, this one included
  PRIMARY KEY (event, number, side)
) STRICT, WITHOUT ROWID;
