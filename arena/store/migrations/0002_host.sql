-- Teams that hand in bots. What is kept of a token is its SHA-256.
CREATE TABLE teams (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE COLLATE NOCASE,
  token   BLOB NOT NULL UNIQUE,
  created INTEGER NOT NULL, -- the token
  revoked INTEGER NOT NULL DEFAULT 0,
  experiments INTEGER NOT NULL DEFAULT 0 CHECK (experiments IN (0, 1)) -- whether it may queue them
) STRICT;

-- What was handed in, and how far it has come. league is the name of its event.
CREATE TABLE submissions (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  league   TEXT NOT NULL,
  team     INTEGER NOT NULL REFERENCES teams (id),
  number   INTEGER NOT NULL, -- within the team, from 1
  file     TEXT NOT NULL,    -- its name, as it came
  size     INTEGER NOT NULL,
  sha256   TEXT NOT NULL,
  language TEXT NOT NULL DEFAULT '',
  spec     TEXT NOT NULL DEFAULT '', -- JSON: how the bot is started
  bot      TEXT NOT NULL DEFAULT '', -- its name in the event, once it entered
  state    TEXT NOT NULL,
  refused  TEXT NOT NULL DEFAULT '', -- the step that failed
  reason   TEXT NOT NULL DEFAULT '',
  received INTEGER NOT NULL,
  changed  INTEGER NOT NULL,
  UNIQUE (league, team, number)
) STRICT;

-- Those that are still on their way are few.
CREATE INDEX submissions_pending ON submissions (league, id) WHERE state IN ('received', 'unpacked', 'built', 'checked', 'tried');

-- A step of a submission: begun, and ended unless ended is 0.
CREATE TABLE submission_steps (
  submission INTEGER NOT NULL REFERENCES submissions (id),
  step       TEXT NOT NULL,
  began      INTEGER NOT NULL,
  ended      INTEGER NOT NULL DEFAULT 0,
  ok         INTEGER NOT NULL DEFAULT 0 CHECK (ok IN (0, 1)),
  log        TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (submission, step)
) STRICT;

-- Unrated games that a team asked for.
CREATE TABLE challenges (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  league   TEXT NOT NULL,
  team     INTEGER NOT NULL REFERENCES teams (id),
  opponent TEXT NOT NULL,
  games    INTEGER NOT NULL,
  event    TEXT NOT NULL DEFAULT '', -- of these games
  state    TEXT NOT NULL,
  reason   TEXT NOT NULL DEFAULT '',
  asked    INTEGER NOT NULL,
  ended    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX challenges_team ON challenges (league, team, id);

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
