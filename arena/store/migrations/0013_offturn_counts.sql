-- The CPU time that bots used while the other side was to move, among the counts.

ALTER TABLE endings ADD COLUMN offturn_first INTEGER NOT NULL DEFAULT 0;
ALTER TABLE endings ADD COLUMN offturn_second INTEGER NOT NULL DEFAULT 0;

UPDATE endings SET offturn_first = g.offturn_first, offturn_second = g.offturn_second
FROM (SELECT event, first, second, CASE result WHEN '' THEN 0 ELSE start / 86400000000 END AS day, result, reason, blame,
  sum(offturn_first) AS offturn_first, sum(offturn_second) AS offturn_second
  FROM games WHERE offturn_first <> 0 OR offturn_second <> 0 GROUP BY 1, 2, 3, 4, 5, 6, 7) AS g
WHERE endings.event = g.event AND endings.first = g.first AND endings.second = g.second AND endings.day = g.day
  AND endings.result = g.result AND endings.reason = g.reason AND endings.blame = g.blame;

DROP TRIGGER endings_insert;
DROP TRIGGER endings_delete;
DROP TRIGGER endings_update;

CREATE TRIGGER endings_insert AFTER INSERT ON games
BEGIN
  INSERT INTO endings VALUES (NEW.event, NEW.first, NEW.second, CASE NEW.result WHEN '' THEN 0 ELSE NEW.start / 86400000000 END,
    NEW.result, NEW.reason, NEW.blame, 1, NEW.plies, NEW.wall, NEW.cpu_first, NEW.cpu_second, NEW.attempts, NEW.offturn_first, NEW.offturn_second)
  ON CONFLICT DO UPDATE SET games = games + 1, plies = plies + excluded.plies, wall = wall + excluded.wall,
    cpu_first = cpu_first + excluded.cpu_first, cpu_second = cpu_second + excluded.cpu_second, attempts = attempts + excluded.attempts,
    offturn_first = offturn_first + excluded.offturn_first, offturn_second = offturn_second + excluded.offturn_second;
END;

CREATE TRIGGER endings_delete AFTER DELETE ON games
BEGIN
  UPDATE endings SET games = games - 1, plies = plies - OLD.plies, wall = wall - OLD.wall,
    cpu_first = cpu_first - OLD.cpu_first, cpu_second = cpu_second - OLD.cpu_second, attempts = attempts - OLD.attempts,
    offturn_first = offturn_first - OLD.offturn_first, offturn_second = offturn_second - OLD.offturn_second
  WHERE event = OLD.event AND first = OLD.first AND second = OLD.second AND day = CASE OLD.result WHEN '' THEN 0 ELSE OLD.start / 86400000000 END
    AND result = OLD.result AND reason = OLD.reason AND blame = OLD.blame;
  DELETE FROM endings WHERE event = OLD.event AND first = OLD.first AND second = OLD.second AND games = 0;
END;

CREATE TRIGGER endings_update AFTER UPDATE OF event, first, second, result, reason, blame, plies, start, wall, cpu_first, cpu_second, attempts, offturn_first, offturn_second ON games
BEGIN
  UPDATE endings SET games = games - 1, plies = plies - OLD.plies, wall = wall - OLD.wall,
    cpu_first = cpu_first - OLD.cpu_first, cpu_second = cpu_second - OLD.cpu_second, attempts = attempts - OLD.attempts,
    offturn_first = offturn_first - OLD.offturn_first, offturn_second = offturn_second - OLD.offturn_second
  WHERE event = OLD.event AND first = OLD.first AND second = OLD.second AND day = CASE OLD.result WHEN '' THEN 0 ELSE OLD.start / 86400000000 END
    AND result = OLD.result AND reason = OLD.reason AND blame = OLD.blame;
  INSERT INTO endings VALUES (NEW.event, NEW.first, NEW.second, CASE NEW.result WHEN '' THEN 0 ELSE NEW.start / 86400000000 END,
    NEW.result, NEW.reason, NEW.blame, 1, NEW.plies, NEW.wall, NEW.cpu_first, NEW.cpu_second, NEW.attempts, NEW.offturn_first, NEW.offturn_second)
  ON CONFLICT DO UPDATE SET games = games + 1, plies = plies + excluded.plies, wall = wall + excluded.wall,
    cpu_first = cpu_first + excluded.cpu_first, cpu_second = cpu_second + excluded.cpu_second, attempts = attempts + excluded.attempts,
    offturn_first = offturn_first + excluded.offturn_first, offturn_second = offturn_second + excluded.offturn_second;
  DELETE FROM endings WHERE event = OLD.event AND first = OLD.first AND second = OLD.second AND games = 0;
END;
