-- Times are microseconds (since 1970 UTC where they name a moment), days are since 1970 UTC.

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

-- Bots that a person registered by name, to enter them in matches and events.
CREATE TABLE registry (
  name    TEXT PRIMARY KEY,
  spec    TEXT NOT NULL, -- JSON
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The id of a removed event is never used again.
CREATE TABLE events (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
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
  rated     INTEGER NOT NULL DEFAULT 0, -- games 1 to rated are in the incremental Elo
  archived  INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)) -- in no table over several events
) STRICT;

-- The process that runs an event. The id of a hold is never used again: it fences
-- off a holder that was taken for dead.
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

-- Machines that play for events which run here. A worker is a key that was given to a
-- machine; one without a key joined a cluster whose keys are not ours. What it says of
-- itself is text and numbers, not believed.
CREATE TABLE workers (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  key      TEXT NOT NULL DEFAULT '',     -- public
  created  INTEGER NOT NULL,
  revoked  INTEGER NOT NULL DEFAULT 0,   -- when
  why      TEXT NOT NULL DEFAULT '',     -- it was revoked
  void     INTEGER NOT NULL DEFAULT 0 CHECK (void IN (0, 1)), -- whether its games are to be taken back
  host     TEXT NOT NULL DEFAULT '',
  platform TEXT NOT NULL DEFAULT '',
  slots    INTEGER NOT NULL DEFAULT 0,
  speed    REAL NOT NULL DEFAULT 0,      -- positions a second of one slot while all are busy; 0: not measured
  spread   REAL NOT NULL DEFAULT 0,      -- of the slots' speeds, as a share
  seen     INTEGER NOT NULL DEFAULT 0,   -- last sign of life
  faults   INTEGER NOT NULL DEFAULT 0    -- results that did not hold, and games that failed on its side
) STRICT;

CREATE UNIQUE INDEX workers_name ON workers (name) WHERE revoked = 0;
CREATE UNIQUE INDEX workers_key ON workers (key) WHERE key <> '';

-- A pairing, and its result once it is played. Within an event, ids ascend with numbers.
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
  offturn_first    INTEGER NOT NULL DEFAULT 0, -- of the CPU time, while the other side was to move
  offturn_second   INTEGER NOT NULL DEFAULT 0,
  attempts         INTEGER NOT NULL DEFAULT 0, -- that did not count
  hash             INTEGER NOT NULL DEFAULT 0, -- the same of games that are the same move for move; 0 without moves
  worker           INTEGER NOT NULL DEFAULT 0, -- who played it; 0 is the machine that runs the event
  factor           REAL NOT NULL DEFAULT 0,    -- how much slower that worker is than that machine; 0: not measured
  -- The incremental Elo of both bots after the game, in schedule order, and how many
  -- rated games they had then: of games 1 to events.rated alone.
  rating_first     REAL NOT NULL DEFAULT 0,
  change_first     REAL NOT NULL DEFAULT 0,
  rated_first      INTEGER NOT NULL DEFAULT 0,
  rating_second    REAL NOT NULL DEFAULT 0,
  change_second    REAL NOT NULL DEFAULT 0,
  rated_second     INTEGER NOT NULL DEFAULT 0,
  UNIQUE (event, number)
) STRICT;

CREATE INDEX games_first ON games (first, event, number);
CREATE INDEX games_second ON games (second, event, number);
CREATE INDEX games_pair ON games (event, pair);
CREATE INDEX games_hash ON games (hash, event) WHERE hash <> 0;
CREATE INDEX games_worker ON games (worker) WHERE worker <> 0;

-- Games that a bot lost by its own fault are few, and looked for among all others:
-- those of all bots, of the bot that moved first, and of the other one.
CREATE INDEX games_faults ON games (event, number) WHERE blame <> 0;
CREATE INDEX games_faults_first ON games (first, event, number) WHERE blame = 1;
CREATE INDEX games_faults_second ON games (second, event, number) WHERE blame = 2;

-- Games of an event that ended in a way that few do are looked for among all others. A
-- query that wants one of these says number > 0, which all are: no other one is to be
-- led astray by them, and to sort then.
CREATE INDEX games_result ON games (event, result, number) WHERE number > 0;
CREATE INDEX games_reason ON games (event, reason, number) WHERE number > 0;

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

-- What `arena analyse` found out about a finished game, the last time. It goes with
-- the game: a result that is taken back takes it along.
CREATE TABLE analyses (
  game  INTEGER PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE,
  at    INTEGER NOT NULL,
  judge TEXT NOT NULL, -- the bot that judged
  plies TEXT NOT NULL  -- JSON, a list: see analyses.go
) STRICT;

-- Attempts that did not count: nobody's fault, played again.
CREATE TABLE voids (
  game    INTEGER NOT NULL REFERENCES games (id),
  attempt INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  detail  TEXT NOT NULL,
  PRIMARY KEY (game, attempt)
) STRICT, WITHOUT ROWID;

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
  moves      BLOB NOT NULL,
  worker     INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX voided_event ON voided (event, number);

-- What tables are made of, counted as the games come in: reading them does not grow
-- with the games. The triggers below keep all counts, whoever writes; a recount of the
-- games gives the same (TestCountsEqualRecount).

-- The games of an event by who moved first and how they ended, '' for those without a
-- result.
CREATE TABLE endings (
  event          INTEGER NOT NULL,
  first          INTEGER NOT NULL,
  second         INTEGER NOT NULL,
  result         TEXT NOT NULL,
  reason         TEXT NOT NULL,
  blame          INTEGER NOT NULL,
  games          INTEGER NOT NULL,
  plies          INTEGER NOT NULL,
  wall           INTEGER NOT NULL,
  cpu_first      INTEGER NOT NULL,
  cpu_second     INTEGER NOT NULL,
  offturn_first  INTEGER NOT NULL,
  offturn_second INTEGER NOT NULL,
  attempts       INTEGER NOT NULL,
  PRIMARY KEY (event, first, second, result, reason, blame)
) STRICT, WITHOUT ROWID;

-- Those with a result, by the day on which they began.
CREATE TABLE days (
  event  INTEGER NOT NULL,
  day    INTEGER NOT NULL,
  first  INTEGER NOT NULL,
  second INTEGER NOT NULL,
  result TEXT NOT NULL,
  reason TEXT NOT NULL,
  blame  INTEGER NOT NULL,
  games  INTEGER NOT NULL,
  PRIMARY KEY (event, day, first, second, result, reason, blame)
) STRICT, WITHOUT ROWID;

-- All games of an event, those with a result, and attempts that did not count.
CREATE TABLE totals (
  event    INTEGER PRIMARY KEY,
  games    INTEGER NOT NULL,
  played   INTEGER NOT NULL,
  attempts INTEGER NOT NULL
) STRICT;

-- How many pairs of games of an event came out alike: losses, draws and wins of version
-- a (the one with the smaller id) where it moved first, then where b did.
CREATE TABLE pairs (
  event   INTEGER NOT NULL,
  a       INTEGER NOT NULL,
  b       INTEGER NOT NULL,
  losses1 INTEGER NOT NULL,
  draws1  INTEGER NOT NULL,
  wins1   INTEGER NOT NULL,
  losses2 INTEGER NOT NULL,
  draws2  INTEGER NOT NULL,
  wins2   INTEGER NOT NULL,
  times   INTEGER NOT NULL,
  PRIMARY KEY (event, a, b, losses1, draws1, wins1, losses2, draws2, wins2)
) STRICT, WITHOUT ROWID;

-- The finished games of two versions in an event from one opening, as in pairs. since
-- is the lowest number of a game from it.
CREATE TABLE openings (
  event    INTEGER NOT NULL,
  a        INTEGER NOT NULL,
  b        INTEGER NOT NULL,
  name     TEXT NOT NULL,
  position TEXT NOT NULL,
  moves    TEXT NOT NULL,
  since    INTEGER NOT NULL,
  losses1  INTEGER NOT NULL,
  draws1   INTEGER NOT NULL,
  wins1    INTEGER NOT NULL,
  losses2  INTEGER NOT NULL,
  draws2   INTEGER NOT NULL,
  wins2    INTEGER NOT NULL,
  PRIMARY KEY (event, a, b, name, position, moves)
) STRICT, WITHOUT ROWID;

CREATE INDEX openings_b ON openings (event, b);

-- Games with moves, how many of them repeat another one of the event, and how many of
-- the others one of an event before it (by id). Archived events are left out of the last
-- number: theirs means nothing, and it looks at none of them.
CREATE TABLE repeats (
  event     INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  second    INTEGER NOT NULL,
  games     INTEGER NOT NULL,
  repeated  INTEGER NOT NULL,
  elsewhere INTEGER NOT NULL,
  PRIMARY KEY (event, first, second)
) STRICT, WITHOUT ROWID;

-- Where a game that is the first one with its moves in an event counts as a repeat: there,
-- or in the next event, which was the first one with them. Archived events are left out.
CREATE VIEW shared AS
SELECT g.id, g.event, g.first, g.second, g.hash,
  CASE WHEN EXISTS (SELECT 1 FROM games o JOIN events f ON f.id = o.event WHERE o.hash = g.hash AND o.hash <> 0 AND o.event < g.event AND NOT f.archived)
  THEN g.event
  ELSE (SELECT o.event FROM games o JOIN events f ON f.id = o.event WHERE o.hash = g.hash AND o.hash <> 0 AND o.event > g.event AND NOT f.archived
    ORDER BY o.event LIMIT 1)
  END AS counts_in
FROM games g JOIN events e ON e.id = g.event WHERE g.hash <> 0 AND NOT e.archived;

-- What is counted of a game. A row of games that is inserted here is added to the
-- counts, or taken out of them, as by says: 1 or -1.
CREATE VIEW counted AS
SELECT *, first < second AS forth, min(first, second) AS a, max(first, second) AS b, 1 AS by FROM games;

CREATE TRIGGER count_insert AFTER INSERT ON games
BEGIN
  INSERT INTO counted SELECT * FROM counted WHERE id = NEW.id;
END;

CREATE TRIGGER count_update_out BEFORE UPDATE OF event, pair, first, second, result, reason, blame, plies, start, wall, cpu_first, cpu_second,
  offturn_first, offturn_second, attempts, hash ON games
BEGIN
  INSERT INTO counted SELECT g.*, first < second, min(first, second), max(first, second), -1 FROM games g WHERE id = OLD.id;
END;

CREATE TRIGGER count_update_in AFTER UPDATE OF event, pair, first, second, result, reason, blame, plies, start, wall, cpu_first, cpu_second,
  offturn_first, offturn_second, attempts, hash ON games
BEGIN
  INSERT INTO counted SELECT * FROM counted WHERE id = NEW.id;
END;

CREATE TRIGGER count_delete BEFORE DELETE ON games
BEGIN
  INSERT INTO counted SELECT g.*, first < second, min(first, second), max(first, second), -1 FROM games g WHERE id = OLD.id;
END;

CREATE TRIGGER count_game INSTEAD OF INSERT ON counted
BEGIN
  INSERT INTO endings VALUES (NEW.event, NEW.first, NEW.second, NEW.result, NEW.reason, NEW.blame,
    NEW.by, NEW.by * NEW.plies, NEW.by * NEW.wall, NEW.by * NEW.cpu_first, NEW.by * NEW.cpu_second,
    NEW.by * NEW.offturn_first, NEW.by * NEW.offturn_second, NEW.by * NEW.attempts)
  ON CONFLICT DO UPDATE SET games = games + excluded.games, plies = plies + excluded.plies, wall = wall + excluded.wall,
    cpu_first = cpu_first + excluded.cpu_first, cpu_second = cpu_second + excluded.cpu_second,
    offturn_first = offturn_first + excluded.offturn_first, offturn_second = offturn_second + excluded.offturn_second,
    attempts = attempts + excluded.attempts;
  DELETE FROM endings WHERE NEW.by < 0 AND event = NEW.event AND first = NEW.first AND second = NEW.second AND result = NEW.result
    AND reason = NEW.reason AND blame = NEW.blame AND games = 0;
  INSERT INTO totals VALUES (NEW.event, NEW.by, NEW.by * (NEW.result <> ''), NEW.by * NEW.attempts)
  ON CONFLICT DO UPDATE SET games = games + excluded.games, played = played + excluded.played, attempts = attempts + excluded.attempts;
  DELETE FROM totals WHERE NEW.by < 0 AND event = NEW.event AND games = 0;
END;

CREATE TRIGGER count_result INSTEAD OF INSERT ON counted WHEN NEW.result <> ''
BEGIN
  INSERT INTO days VALUES (NEW.event, NEW.start / 86400000000, NEW.first, NEW.second, NEW.result, NEW.reason, NEW.blame, NEW.by)
  ON CONFLICT DO UPDATE SET games = games + excluded.games;
  DELETE FROM days WHERE NEW.by < 0 AND event = NEW.event AND day = NEW.start / 86400000000 AND first = NEW.first AND second = NEW.second
    AND result = NEW.result AND reason = NEW.reason AND blame = NEW.blame AND games = 0;
  INSERT INTO openings VALUES (NEW.event, NEW.a, NEW.b, NEW.opening_name, NEW.opening_position, NEW.opening_moves, NEW.number,
    NEW.by * (NEW.forth AND NEW.result = '0-1'), NEW.by * (NEW.forth AND NEW.result = '1/2-1/2'), NEW.by * (NEW.forth AND NEW.result = '1-0'),
    NEW.by * (NOT NEW.forth AND NEW.result = '1-0'), NEW.by * (NOT NEW.forth AND NEW.result = '1/2-1/2'), NEW.by * (NOT NEW.forth AND NEW.result = '0-1'))
  ON CONFLICT DO UPDATE SET since = min(since, excluded.since),
    losses1 = losses1 + excluded.losses1, draws1 = draws1 + excluded.draws1, wins1 = wins1 + excluded.wins1,
    losses2 = losses2 + excluded.losses2, draws2 = draws2 + excluded.draws2, wins2 = wins2 + excluded.wins2;
  DELETE FROM openings WHERE NEW.by < 0 AND event = NEW.event AND a = NEW.a AND b = NEW.b
    AND name = NEW.opening_name AND position = NEW.opening_position AND moves = NEW.opening_moves
    AND losses1 + draws1 + wins1 + losses2 + draws2 + wins2 = 0;

  -- The pair is another one with this game than without it.
  INSERT INTO pairs SELECT NEW.event, NEW.a, NEW.b,
      losses1 + (x.game AND NEW.forth AND NEW.result = '0-1'), draws1 + (x.game AND NEW.forth AND NEW.result = '1/2-1/2'),
      wins1 + (x.game AND NEW.forth AND NEW.result = '1-0'),
      losses2 + (x.game AND NOT NEW.forth AND NEW.result = '1-0'), draws2 + (x.game AND NOT NEW.forth AND NEW.result = '1/2-1/2'),
      wins2 + (x.game AND NOT NEW.forth AND NEW.result = '0-1'),
      iif(x.game, NEW.by, -NEW.by)
    FROM (SELECT count(*) AS others,
        count(*) FILTER (WHERE first < second AND result = '0-1') AS losses1, count(*) FILTER (WHERE first < second AND result = '1/2-1/2') AS draws1,
        count(*) FILTER (WHERE first < second AND result = '1-0') AS wins1,
        count(*) FILTER (WHERE first > second AND result = '1-0') AS losses2, count(*) FILTER (WHERE first > second AND result = '1/2-1/2') AS draws2,
        count(*) FILTER (WHERE first > second AND result = '0-1') AS wins2
      FROM games WHERE event = NEW.event AND pair = NEW.pair AND result <> '' AND id <> NEW.id
        AND min(first, second) = NEW.a AND max(first, second) = NEW.b),
      (SELECT 0 AS game UNION ALL SELECT 1) AS x
    WHERE x.game OR others > 0
  ON CONFLICT DO UPDATE SET times = times + excluded.times;
  DELETE FROM pairs WHERE event = NEW.event AND a = NEW.a AND b = NEW.b AND times = 0;
END;

CREATE TRIGGER count_moves INSTEAD OF INSERT ON counted WHEN NEW.hash <> 0
BEGIN
  INSERT INTO repeats VALUES (NEW.event, NEW.first, NEW.second, NEW.by,
    NEW.by * EXISTS (SELECT 1 FROM games WHERE hash = NEW.hash AND hash <> 0 AND event = NEW.event AND id <> NEW.id), 0)
  ON CONFLICT DO UPDATE SET games = games + excluded.games, repeated = repeated + excluded.repeated;
  UPDATE repeats SET elsewhere = elsewhere + NEW.by
  WHERE first = NEW.first AND second = NEW.second AND event = (SELECT counts_in FROM shared WHERE id = NEW.id)
    AND NOT EXISTS (SELECT 1 FROM games WHERE hash = NEW.hash AND hash <> 0 AND event = NEW.event AND id <> NEW.id);
  DELETE FROM repeats WHERE NEW.by < 0 AND event = NEW.event AND first = NEW.first AND second = NEW.second AND games = 0;
END;
