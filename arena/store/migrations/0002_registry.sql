-- Bots that a person registered by name, to enter them in matches and events.
CREATE TABLE registry (
  name    TEXT PRIMARY KEY,
  spec    TEXT NOT NULL, -- JSON
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
