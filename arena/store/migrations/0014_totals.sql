-- What pages and tables read at each look, without the days: endings grows with the days
-- of play, these do not. They follow endings, which follows the games.

-- The games of an event by who moved first and how they ended.
CREATE TABLE tallies (
  event      INTEGER NOT NULL,
  first      INTEGER NOT NULL,
  second     INTEGER NOT NULL,
  result     TEXT NOT NULL,
  reason     TEXT NOT NULL,
  blame      INTEGER NOT NULL,
  games      INTEGER NOT NULL,
  plies      INTEGER NOT NULL,
  wall       INTEGER NOT NULL,
  cpu_first  INTEGER NOT NULL,
  cpu_second INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  offturn_first  INTEGER NOT NULL,
  offturn_second INTEGER NOT NULL,
  PRIMARY KEY (event, first, second, result, reason, blame)
) STRICT, WITHOUT ROWID;

INSERT INTO tallies
SELECT event, first, second, result, reason, blame, sum(games), sum(plies), sum(wall), sum(cpu_first), sum(cpu_second), sum(attempts),
  sum(offturn_first), sum(offturn_second)
FROM endings GROUP BY 1, 2, 3, 4, 5, 6;

-- All games of an event, those with a result, and attempts that did not count.
CREATE TABLE totals (
  event    INTEGER PRIMARY KEY,
  games    INTEGER NOT NULL,
  played   INTEGER NOT NULL,
  attempts INTEGER NOT NULL
) STRICT;

INSERT INTO totals SELECT event, sum(games), sum(iif(result <> '', games, 0)), sum(attempts) FROM tallies GROUP BY 1;

CREATE TRIGGER tallies_insert AFTER INSERT ON endings
BEGIN
  INSERT INTO tallies VALUES (NEW.event, NEW.first, NEW.second, NEW.result, NEW.reason, NEW.blame,
    NEW.games, NEW.plies, NEW.wall, NEW.cpu_first, NEW.cpu_second, NEW.attempts, NEW.offturn_first, NEW.offturn_second)
  ON CONFLICT DO UPDATE SET games = games + excluded.games, plies = plies + excluded.plies, wall = wall + excluded.wall,
    cpu_first = cpu_first + excluded.cpu_first, cpu_second = cpu_second + excluded.cpu_second, attempts = attempts + excluded.attempts,
    offturn_first = offturn_first + excluded.offturn_first, offturn_second = offturn_second + excluded.offturn_second;
  INSERT INTO totals VALUES (NEW.event, NEW.games, iif(NEW.result <> '', NEW.games, 0), NEW.attempts)
  ON CONFLICT DO UPDATE SET games = games + excluded.games, played = played + excluded.played, attempts = attempts + excluded.attempts;
END;

CREATE TRIGGER tallies_update AFTER UPDATE ON endings
BEGIN
  UPDATE tallies SET games = games + NEW.games - OLD.games, plies = plies + NEW.plies - OLD.plies, wall = wall + NEW.wall - OLD.wall,
    cpu_first = cpu_first + NEW.cpu_first - OLD.cpu_first, cpu_second = cpu_second + NEW.cpu_second - OLD.cpu_second,
    attempts = attempts + NEW.attempts - OLD.attempts,
    offturn_first = offturn_first + NEW.offturn_first - OLD.offturn_first, offturn_second = offturn_second + NEW.offturn_second - OLD.offturn_second
  WHERE event = NEW.event AND first = NEW.first AND second = NEW.second AND result = NEW.result AND reason = NEW.reason AND blame = NEW.blame;
  UPDATE totals SET games = games + NEW.games - OLD.games, played = played + iif(NEW.result <> '', NEW.games - OLD.games, 0),
    attempts = attempts + NEW.attempts - OLD.attempts
  WHERE event = NEW.event;
END;

CREATE TRIGGER tallies_delete AFTER DELETE ON endings
BEGIN
  UPDATE tallies SET games = games - OLD.games, plies = plies - OLD.plies, wall = wall - OLD.wall,
    cpu_first = cpu_first - OLD.cpu_first, cpu_second = cpu_second - OLD.cpu_second, attempts = attempts - OLD.attempts,
    offturn_first = offturn_first - OLD.offturn_first, offturn_second = offturn_second - OLD.offturn_second
  WHERE event = OLD.event AND first = OLD.first AND second = OLD.second AND result = OLD.result AND reason = OLD.reason AND blame = OLD.blame;
  DELETE FROM tallies
  WHERE event = OLD.event AND first = OLD.first AND second = OLD.second AND result = OLD.result AND reason = OLD.reason AND blame = OLD.blame AND games = 0;
  UPDATE totals SET games = games - OLD.games, played = played - iif(OLD.result <> '', OLD.games, 0), attempts = attempts - OLD.attempts
  WHERE event = OLD.event;
  DELETE FROM totals WHERE event = OLD.event AND games = 0;
END;

-- Games of an event that ended in a way that few do are looked for among all others. A
-- query that wants one of these says number > 0, which all are: no other one is to be
-- led astray by them, and to sort then.
CREATE INDEX games_result ON games (event, result, number) WHERE number > 0;
CREATE INDEX games_reason ON games (event, reason, number) WHERE number > 0;

-- The openings of one bot are looked for by either of the two.
CREATE INDEX openings_b ON openings (event, b);
