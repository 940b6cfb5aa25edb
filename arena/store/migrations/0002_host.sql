-- Teams that hand in bots. What is kept of a token is its SHA-256.
CREATE TABLE teams (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE COLLATE NOCASE,
  token   BLOB NOT NULL UNIQUE,
  created INTEGER NOT NULL, -- the token
  revoked INTEGER NOT NULL DEFAULT 0
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
