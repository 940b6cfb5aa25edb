-- Games that a bot lost by its own fault are few, and looked for among all others:
-- those of all bots, of the bot that moved first, and of the other one.
CREATE INDEX games_faults ON games (event, number) WHERE blame <> 0;
CREATE INDEX games_faults_first ON games (first, event, number) WHERE blame = 1;
CREATE INDEX games_faults_second ON games (second, event, number) WHERE blame = 2;
