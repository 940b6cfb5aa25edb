-- What tells games apart that are the same move for move: a hash of who played
-- which side, the opening and the moves; 0 of a game without moves. See hash.go,
-- which fills it in for the games of old databases.
ALTER TABLE games ADD COLUMN hash INTEGER NOT NULL DEFAULT 0;
