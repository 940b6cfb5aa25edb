-- Games that others played again, by their id: a run that goes on knows which are still
-- to be played again. Those before this are counted with their workers alone.
CREATE TABLE audited (game INTEGER PRIMARY KEY) STRICT;
