-- The options that both bots were set for a game alone, as JSON with members first and
-- second; '' where there are none.
ALTER TABLE games ADD COLUMN options TEXT NOT NULL DEFAULT '';

-- The nodes that a version of a bot searches in a task that is always the same.
CREATE TABLE benches (
  id          INTEGER PRIMARY KEY,
  bot         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  label       TEXT NOT NULL, -- the version's own name, "" if it has none
  game        TEXT NOT NULL,
  task        TEXT NOT NULL,
  nodes       INTEGER NOT NULL,
  moves       TEXT NOT NULL, -- identifies the moves found, "" of the bot's own bench
  speed       INTEGER NOT NULL, -- nodes a second, 0 if unknown
  machine     TEXT NOT NULL,
  created     INTEGER NOT NULL
) STRICT;

CREATE INDEX benches_bot ON benches (bot, id);
