-- The finished games of two versions in an event from one opening: losses, draws
-- and wins of version a (the one with the smaller id) where it moved first, then
-- where b did. since is the lowest number of a game from it.
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

INSERT INTO openings
SELECT event, min(first, second), max(first, second), opening_name, opening_position, opening_moves, min(number),
  sum(first < second AND result = '0-1'), sum(first < second AND result = '1/2-1/2'), sum(first < second AND result = '1-0'),
  sum(first > second AND result = '1-0'), sum(first > second AND result = '1/2-1/2'), sum(first > second AND result = '0-1')
FROM games WHERE result <> '' GROUP BY 1, 2, 3, 4, 5, 6;

CREATE TRIGGER openings_insert AFTER INSERT ON games WHEN NEW.result <> ''
BEGIN
  INSERT INTO openings VALUES (NEW.event, min(NEW.first, NEW.second), max(NEW.first, NEW.second),
    NEW.opening_name, NEW.opening_position, NEW.opening_moves, NEW.number,
    NEW.first < NEW.second AND NEW.result = '0-1', NEW.first < NEW.second AND NEW.result = '1/2-1/2', NEW.first < NEW.second AND NEW.result = '1-0',
    NEW.first > NEW.second AND NEW.result = '1-0', NEW.first > NEW.second AND NEW.result = '1/2-1/2', NEW.first > NEW.second AND NEW.result = '0-1')
  ON CONFLICT DO UPDATE SET since = min(since, excluded.since),
    losses1 = losses1 + excluded.losses1, draws1 = draws1 + excluded.draws1, wins1 = wins1 + excluded.wins1,
    losses2 = losses2 + excluded.losses2, draws2 = draws2 + excluded.draws2, wins2 = wins2 + excluded.wins2;
END;

CREATE TRIGGER openings_update_in AFTER UPDATE OF result ON games WHEN OLD.result <> NEW.result AND NEW.result <> ''
BEGIN
  INSERT INTO openings VALUES (NEW.event, min(NEW.first, NEW.second), max(NEW.first, NEW.second),
    NEW.opening_name, NEW.opening_position, NEW.opening_moves, NEW.number,
    NEW.first < NEW.second AND NEW.result = '0-1', NEW.first < NEW.second AND NEW.result = '1/2-1/2', NEW.first < NEW.second AND NEW.result = '1-0',
    NEW.first > NEW.second AND NEW.result = '1-0', NEW.first > NEW.second AND NEW.result = '1/2-1/2', NEW.first > NEW.second AND NEW.result = '0-1')
  ON CONFLICT DO UPDATE SET since = min(since, excluded.since),
    losses1 = losses1 + excluded.losses1, draws1 = draws1 + excluded.draws1, wins1 = wins1 + excluded.wins1,
    losses2 = losses2 + excluded.losses2, draws2 = draws2 + excluded.draws2, wins2 = wins2 + excluded.wins2;
END;

CREATE TRIGGER openings_update_out BEFORE UPDATE OF result ON games WHEN OLD.result <> NEW.result AND OLD.result <> ''
BEGIN
  UPDATE openings SET
    losses1 = losses1 - (OLD.first < OLD.second AND OLD.result = '0-1'), draws1 = draws1 - (OLD.first < OLD.second AND OLD.result = '1/2-1/2'),
    wins1 = wins1 - (OLD.first < OLD.second AND OLD.result = '1-0'),
    losses2 = losses2 - (OLD.first > OLD.second AND OLD.result = '1-0'), draws2 = draws2 - (OLD.first > OLD.second AND OLD.result = '1/2-1/2'),
    wins2 = wins2 - (OLD.first > OLD.second AND OLD.result = '0-1')
  WHERE event = OLD.event AND a = min(OLD.first, OLD.second) AND b = max(OLD.first, OLD.second)
    AND name = OLD.opening_name AND position = OLD.opening_position AND moves = OLD.opening_moves;
  DELETE FROM openings WHERE event = OLD.event AND a = min(OLD.first, OLD.second) AND b = max(OLD.first, OLD.second)
    AND name = OLD.opening_name AND position = OLD.opening_position AND moves = OLD.opening_moves
    AND losses1 + draws1 + wins1 + losses2 + draws2 + wins2 = 0;
END;

CREATE TRIGGER openings_delete BEFORE DELETE ON games WHEN OLD.result <> ''
BEGIN
  UPDATE openings SET
    losses1 = losses1 - (OLD.first < OLD.second AND OLD.result = '0-1'), draws1 = draws1 - (OLD.first < OLD.second AND OLD.result = '1/2-1/2'),
    wins1 = wins1 - (OLD.first < OLD.second AND OLD.result = '1-0'),
    losses2 = losses2 - (OLD.first > OLD.second AND OLD.result = '1-0'), draws2 = draws2 - (OLD.first > OLD.second AND OLD.result = '1/2-1/2'),
    wins2 = wins2 - (OLD.first > OLD.second AND OLD.result = '0-1')
  WHERE event = OLD.event AND a = min(OLD.first, OLD.second) AND b = max(OLD.first, OLD.second)
    AND name = OLD.opening_name AND position = OLD.opening_position AND moves = OLD.opening_moves;
  DELETE FROM openings WHERE event = OLD.event AND a = min(OLD.first, OLD.second) AND b = max(OLD.first, OLD.second)
    AND name = OLD.opening_name AND position = OLD.opening_position AND moves = OLD.opening_moves
    AND losses1 + draws1 + wins1 + losses2 + draws2 + wins2 = 0;
END;
