-- What `arena analyse` found out about a finished game, the last time. It goes with
-- the game: a result that is taken back takes it along.
CREATE TABLE analyses (
  game  INTEGER PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE,
  at    INTEGER NOT NULL,
  judge TEXT NOT NULL, -- the bot that judged
  plies TEXT NOT NULL  -- JSON, a list: see analyses.go
) STRICT;
