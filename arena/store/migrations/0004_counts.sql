-- What tables are made of, counted as the games come in: reading them does not
-- grow with the games. Triggers keep the counts, whoever writes; a recount gives
-- the same (TestCountsEqualRecount).

DROP INDEX games_first;
DROP INDEX games_second;
CREATE INDEX games_first ON games (first, event, number);
CREATE INDEX games_second ON games (second, event, number);
CREATE INDEX games_pair ON games (event, pair);
CREATE INDEX games_hash ON games (hash, event) WHERE hash <> 0;

-- The games of an event by who moved first, the day (since 1970 UTC; 0 without a
-- result) and how they ended, '' for those without a result.
CREATE TABLE endings (
  event      INTEGER NOT NULL,
  first      INTEGER NOT NULL,
  second     INTEGER NOT NULL,
  day        INTEGER NOT NULL,
  result     TEXT NOT NULL,
  reason     TEXT NOT NULL,
  blame      INTEGER NOT NULL,
  games      INTEGER NOT NULL,
  plies      INTEGER NOT NULL,
  wall       INTEGER NOT NULL,
  cpu_first  INTEGER NOT NULL,
  cpu_second INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  PRIMARY KEY (event, first, second, day, result, reason, blame)
) STRICT, WITHOUT ROWID;

INSERT INTO endings
SELECT event, first, second, CASE result WHEN '' THEN 0 ELSE start / 86400000000 END, result, reason, blame,
  count(*), sum(plies), sum(wall), sum(cpu_first), sum(cpu_second), sum(attempts)
FROM games GROUP BY 1, 2, 3, 4, 5, 6, 7;

-- The finished games of each pair as counts: losses, draws and wins of version a
-- (the one with the smaller id) where it moved first, then where b did.
CREATE VIEW pair_patterns AS
SELECT event, pair, min(first, second) AS a, max(first, second) AS b,
  format('%d %d %d %d %d %d',
    sum(first < second AND result = '0-1'), sum(first < second AND result = '1/2-1/2'), sum(first < second AND result = '1-0'),
    sum(first > second AND result = '1-0'), sum(first > second AND result = '1/2-1/2'), sum(first > second AND result = '0-1')) AS pattern
FROM games WHERE result <> '' GROUP BY event, pair, min(first, second), max(first, second);

-- How many pairs of an event came out alike.
CREATE TABLE pairs (
  event   INTEGER NOT NULL,
  a       INTEGER NOT NULL,
  b       INTEGER NOT NULL,
  pattern TEXT NOT NULL,
  times   INTEGER NOT NULL,
  PRIMARY KEY (event, a, b, pattern)
) STRICT, WITHOUT ROWID;

INSERT INTO pairs SELECT event, a, b, pattern, count(*) FROM pair_patterns GROUP BY event, a, b, pattern;

-- Games with moves, how many of them repeat another one of the event, and how
-- many of the rest one of another event: of a single event this last number says
-- nothing, its sum over all events does.
CREATE TABLE repeats (
  event     INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  second    INTEGER NOT NULL,
  games     INTEGER NOT NULL,
  repeated  INTEGER NOT NULL,
  elsewhere INTEGER NOT NULL,
  PRIMARY KEY (event, first, second)
) STRICT, WITHOUT ROWID;

INSERT INTO repeats
SELECT event, first, second, sum(n), sum(n - 1), sum(earlier) FROM (
  SELECT event, first, second, n, row_number() OVER (PARTITION BY hash ORDER BY event) > 1 AS earlier FROM (
    SELECT hash, event, first, second, count(*) AS n FROM games WHERE hash <> 0 GROUP BY hash, event, first, second))
GROUP BY event, first, second;

CREATE TRIGGER endings_insert AFTER INSERT ON games
BEGIN
  INSERT INTO endings VALUES (NEW.event, NEW.first, NEW.second, CASE NEW.result WHEN '' THEN 0 ELSE NEW.start / 86400000000 END,
    NEW.result, NEW.reason, NEW.blame, 1, NEW.plies, NEW.wall, NEW.cpu_first, NEW.cpu_second, NEW.attempts)
  ON CONFLICT DO UPDATE SET games = games + 1, plies = plies + excluded.plies, wall = wall + excluded.wall,
    cpu_first = cpu_first + excluded.cpu_first, cpu_second = cpu_second + excluded.cpu_second, attempts = attempts + excluded.attempts;
END;

CREATE TRIGGER endings_delete AFTER DELETE ON games
BEGIN
  UPDATE endings SET games = games - 1, plies = plies - OLD.plies, wall = wall - OLD.wall,
    cpu_first = cpu_first - OLD.cpu_first, cpu_second = cpu_second - OLD.cpu_second, attempts = attempts - OLD.attempts
  WHERE event = OLD.event AND first = OLD.first AND second = OLD.second AND day = CASE OLD.result WHEN '' THEN 0 ELSE OLD.start / 86400000000 END
    AND result = OLD.result AND reason = OLD.reason AND blame = OLD.blame;
  DELETE FROM endings WHERE event = OLD.event AND first = OLD.first AND second = OLD.second AND games = 0;
END;

CREATE TRIGGER endings_update AFTER UPDATE OF event, first, second, result, reason, blame, plies, start, wall, cpu_first, cpu_second, attempts ON games
BEGIN
  UPDATE endings SET games = games - 1, plies = plies - OLD.plies, wall = wall - OLD.wall,
    cpu_first = cpu_first - OLD.cpu_first, cpu_second = cpu_second - OLD.cpu_second, attempts = attempts - OLD.attempts
  WHERE event = OLD.event AND first = OLD.first AND second = OLD.second AND day = CASE OLD.result WHEN '' THEN 0 ELSE OLD.start / 86400000000 END
    AND result = OLD.result AND reason = OLD.reason AND blame = OLD.blame;
  INSERT INTO endings VALUES (NEW.event, NEW.first, NEW.second, CASE NEW.result WHEN '' THEN 0 ELSE NEW.start / 86400000000 END,
    NEW.result, NEW.reason, NEW.blame, 1, NEW.plies, NEW.wall, NEW.cpu_first, NEW.cpu_second, NEW.attempts)
  ON CONFLICT DO UPDATE SET games = games + 1, plies = plies + excluded.plies, wall = wall + excluded.wall,
    cpu_first = cpu_first + excluded.cpu_first, cpu_second = cpu_second + excluded.cpu_second, attempts = attempts + excluded.attempts;
  DELETE FROM endings WHERE event = OLD.event AND first = OLD.first AND second = OLD.second AND games = 0;
END;

-- A pair's pattern is taken out before it changes and put in after.
CREATE TRIGGER pairs_insert_out BEFORE INSERT ON games WHEN NEW.result <> ''
BEGIN
  UPDATE pairs SET times = times - 1 WHERE (event, a, b, pattern) IN (SELECT event, a, b, pattern FROM pair_patterns
    WHERE event = NEW.event AND pair = NEW.pair AND a = min(NEW.first, NEW.second) AND b = max(NEW.first, NEW.second));
END;

CREATE TRIGGER pairs_insert_in AFTER INSERT ON games WHEN NEW.result <> ''
BEGIN
  INSERT INTO pairs SELECT event, a, b, pattern, 1 FROM pair_patterns
    WHERE event = NEW.event AND pair = NEW.pair AND a = min(NEW.first, NEW.second) AND b = max(NEW.first, NEW.second)
  ON CONFLICT DO UPDATE SET times = times + 1;
  DELETE FROM pairs WHERE event = NEW.event AND a = min(NEW.first, NEW.second) AND b = max(NEW.first, NEW.second) AND times = 0;
END;

CREATE TRIGGER pairs_update_out BEFORE UPDATE OF result ON games WHEN OLD.result <> NEW.result
BEGIN
  UPDATE pairs SET times = times - 1 WHERE (event, a, b, pattern) IN (SELECT event, a, b, pattern FROM pair_patterns
    WHERE event = OLD.event AND pair = OLD.pair AND a = min(OLD.first, OLD.second) AND b = max(OLD.first, OLD.second));
END;

CREATE TRIGGER pairs_update_in AFTER UPDATE OF result ON games WHEN OLD.result <> NEW.result
BEGIN
  INSERT INTO pairs SELECT event, a, b, pattern, 1 FROM pair_patterns
    WHERE event = NEW.event AND pair = NEW.pair AND a = min(NEW.first, NEW.second) AND b = max(NEW.first, NEW.second)
  ON CONFLICT DO UPDATE SET times = times + 1;
  DELETE FROM pairs WHERE event = NEW.event AND a = min(NEW.first, NEW.second) AND b = max(NEW.first, NEW.second) AND times = 0;
END;

CREATE TRIGGER pairs_delete_out BEFORE DELETE ON games WHEN OLD.result <> ''
BEGIN
  UPDATE pairs SET times = times - 1 WHERE (event, a, b, pattern) IN (SELECT event, a, b, pattern FROM pair_patterns
    WHERE event = OLD.event AND pair = OLD.pair AND a = min(OLD.first, OLD.second) AND b = max(OLD.first, OLD.second));
END;

CREATE TRIGGER pairs_delete_in AFTER DELETE ON games WHEN OLD.result <> ''
BEGIN
  INSERT INTO pairs SELECT event, a, b, pattern, 1 FROM pair_patterns
    WHERE event = OLD.event AND pair = OLD.pair AND a = min(OLD.first, OLD.second) AND b = max(OLD.first, OLD.second)
  ON CONFLICT DO UPDATE SET times = times + 1;
  DELETE FROM pairs WHERE event = OLD.event AND a = min(OLD.first, OLD.second) AND b = max(OLD.first, OLD.second) AND times = 0;
END;

CREATE TRIGGER repeats_insert AFTER INSERT ON games WHEN NEW.hash <> 0
BEGIN
  INSERT INTO repeats SELECT NEW.event, NEW.first, NEW.second, 1, here, NOT here AND (
      EXISTS (SELECT 1 FROM games WHERE hash = NEW.hash AND hash <> 0 AND event < NEW.event) OR
      EXISTS (SELECT 1 FROM games WHERE hash = NEW.hash AND hash <> 0 AND event > NEW.event))
    FROM (SELECT EXISTS (SELECT 1 FROM games WHERE hash = NEW.hash AND hash <> 0 AND event = NEW.event AND id <> NEW.id) AS here) WHERE true
  ON CONFLICT DO UPDATE SET games = games + 1, repeated = repeated + excluded.repeated, elsewhere = elsewhere + excluded.elsewhere;
END;

CREATE TRIGGER repeats_update_in AFTER UPDATE OF hash ON games WHEN OLD.hash <> NEW.hash AND NEW.hash <> 0
BEGIN
  INSERT INTO repeats SELECT NEW.event, NEW.first, NEW.second, 1, here, NOT here AND (
      EXISTS (SELECT 1 FROM games WHERE hash = NEW.hash AND hash <> 0 AND event < NEW.event) OR
      EXISTS (SELECT 1 FROM games WHERE hash = NEW.hash AND hash <> 0 AND event > NEW.event))
    FROM (SELECT EXISTS (SELECT 1 FROM games WHERE hash = NEW.hash AND hash <> 0 AND event = NEW.event AND id <> NEW.id) AS here) WHERE true
  ON CONFLICT DO UPDATE SET games = games + 1, repeated = repeated + excluded.repeated, elsewhere = elsewhere + excluded.elsewhere;
END;

CREATE TRIGGER repeats_update_out BEFORE UPDATE OF hash ON games WHEN OLD.hash <> NEW.hash AND OLD.hash <> 0
BEGIN
  UPDATE repeats SET games = games - 1, repeated = repeated - here, elsewhere = elsewhere - there
  FROM (SELECT here, NOT here AND (
      EXISTS (SELECT 1 FROM games WHERE hash = OLD.hash AND hash <> 0 AND event < OLD.event) OR
      EXISTS (SELECT 1 FROM games WHERE hash = OLD.hash AND hash <> 0 AND event > OLD.event)) AS there
    FROM (SELECT EXISTS (SELECT 1 FROM games WHERE hash = OLD.hash AND hash <> 0 AND event = OLD.event AND id <> OLD.id) AS here))
  WHERE event = OLD.event AND first = OLD.first AND second = OLD.second;
END;

CREATE TRIGGER repeats_delete BEFORE DELETE ON games WHEN OLD.hash <> 0
BEGIN
  UPDATE repeats SET games = games - 1, repeated = repeated - here, elsewhere = elsewhere - there
  FROM (SELECT here, NOT here AND (
      EXISTS (SELECT 1 FROM games WHERE hash = OLD.hash AND hash <> 0 AND event < OLD.event) OR
      EXISTS (SELECT 1 FROM games WHERE hash = OLD.hash AND hash <> 0 AND event > OLD.event)) AS there
    FROM (SELECT EXISTS (SELECT 1 FROM games WHERE hash = OLD.hash AND hash <> 0 AND event = OLD.event AND id <> OLD.id) AS here))
  WHERE event = OLD.event AND first = OLD.first AND second = OLD.second;
END;
