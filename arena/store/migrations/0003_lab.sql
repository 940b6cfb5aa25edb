-- The options that both bots were set for a game alone, as JSON with members first and
-- second; '' where there are none.
ALTER TABLE games ADD COLUMN options TEXT NOT NULL DEFAULT '';
