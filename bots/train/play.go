package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"botarena/bots/boards"
	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/protocol"
	"botarena/protocol/positions"
)

// longest is the number of plies after which a game is given up as drawn.
const longest = 400

// shardGames is the number of games in a file.
const shardGames = 100

// A sample is a quiet position with its score and the game's result, for the side to
// move.
type sample struct {
	position string
	second   bool
	score    int     // of the search, in centipawns
	result   float64 // 1 won, 0 lost
	last     bool    // of its game
}

// searcher searches with a table, nil for rules of thumb.
func (p *plan) searcher(table []byte) (*minimax.Searcher, error) {
	made := boards.RulesOfThumb(p.game)
	if table != nil {
		var err error
		if made, err = boards.For(p.game, table); err != nil {
			return nil, err
		}
	}
	return minimax.New(minimax.Config{Megabytes: 1}, made), nil
}

// play makes the shards of a generation that are not there yet, and lists all; those of
// --data are there.
func (p *plan) play(dir string, generation int, table []byte) ([]string, error) {
	if p.data != nil {
		return p.data, nil
	}
	games := p.games[min(generation, len(p.games))-1]
	count := (games + shardGames - 1) / shardGames
	files := make([]string, count)
	for i := range files {
		files[i] = filepath.Join(dir, fmt.Sprintf("games-%04d", i))
	}
	var mu sync.Mutex
	begun, done, told := time.Now(), 0, time.Now()
	searchers := make(chan *minimax.Searcher, p.threads)
	for range p.threads {
		s, err := p.searcher(table)
		if err != nil {
			return nil, err
		}
		searchers <- s
	}
	var group errgroup.Group
	group.SetLimit(p.threads)
	for i, file := range files {
		if _, err := os.Stat(file); err == nil {
			continue
		}
		group.Go(func() error {
			s := <-searchers
			defer func() { searchers <- s }()
			if err := write(file, encode(p.shard(s, generation, i))); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			if time.Since(told) > 10*time.Second {
				told = time.Now()
				rate := float64(done*shardGames) / time.Since(begun).Seconds()
				fmt.Fprintf(p.log, "generation %d: %d of %d games, %.1f a second\n", generation, (i+1)*shardGames, games, rate)
			}
			return nil
		})
	}
	return files, group.Wait()
}

// shard plays the games of one file, all from its own seed.
func (p *plan) shard(s *minimax.Searcher, generation, number int) []sample {
	var samples []sample
	for i := range shardGames {
		rng := rand.New(rand.NewPCG(p.seed, uint64(generation)<<40|uint64(number)<<10|uint64(i)))
		samples = append(samples, p.one(s, rng)...)
	}
	return samples
}

// one plays a game after some random moves, until the search knows who wins.
func (p *plan) one(s *minimax.Searcher, rng *rand.Rand) []sample {
	pos := p.game.Start()
	for range 2 + rng.IntN(11) {
		moves := pos.Legal(nil)
		pos.Play(moves[rng.IntN(len(moves))])
		if pos.Outcome().Over {
			return nil
		}
	}
	nodes := p.nodes[0] + rng.Int64N(p.nodes[1]-p.nodes[0]+1)
	s.NewGame()
	var samples []sample
	winner := engine.NoSide
	for !pos.Outcome().Over && pos.Ply() < longest {
		var last protocol.Info
		turn := kit.NewTurn(pos, rng.Uint64(), nil)
		turn.Nodes = nodes
		turn.OnInfo(func(info protocol.Info) { last = info })
		m := s.Choose(turn)
		if last.Score.Mate {
			winner = pos.Turn()
			if last.Score.Value <= 0 {
				winner = winner.Other()
			}
			break
		}
		if quiet, known := engine.Quiet(pos, m); quiet || !known {
			samples = append(samples, sample{position: pos.String(), second: pos.Turn() == engine.Second, score: positions.Centipawns(int(last.Score.Value), false)})
		}
		pos.Play(m)
	}
	if winner == engine.NoSide {
		winner = pos.Outcome().Winner
	}
	for i := range samples {
		switch {
		case winner == engine.NoSide:
			samples[i].result = 0.5
		case samples[i].second == (winner == engine.Second):
			samples[i].result = 1
		}
		samples[i].last = i == len(samples)-1
	}
	return samples
}

// encode writes samples as package positions has them, numbered by their games.
func encode(samples []sample) []byte {
	var text []byte
	number := 1
	for _, s := range samples {
		p := positions.Sample{Number: number, Position: s.position, Score: s.score, Result: s.result}
		if s.second {
			p = p.Turned()
		}
		text = p.AppendJSON(text)
		if s.last {
			number++
		}
	}
	return text
}

// decode reads files of positions, whose scores and results are of First, and calls each
// for the positions.
func (p *plan) decode(files []string, each func(engine.Position)) ([]sample, error) {
	var samples []sample
	for _, file := range files {
		var last positions.Sample
		begun := len(samples)
		err := readPositions(file, func(s *positions.Sample) error {
			if s.Number == 0 && p.lambda > 0 {
				return errors.New("--lambda needs positions with the numbers of their games, in order: arena export --format positions --jsonl")
			}
			pos, err := p.game.Parse(s.Position)
			if err != nil {
				return err
			}
			each(pos)
			if len(samples) > begun && (s.Event != last.Event || s.Number != last.Number) {
				samples[len(samples)-1].last = true
			}
			last = *s
			own, second := *s, pos.Turn() == engine.Second
			if second {
				own = s.Turned()
			}
			samples = append(samples, sample{position: s.Position, second: second, score: own.Score, result: own.Result})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(samples) > begun {
			samples[len(samples)-1].last = true
		}
	}
	return samples, nil
}

func readPositions(file string, each func(*positions.Sample) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written
	return positions.Read(f, each)
}

// A verdict is the result of a match between a new table and the last one.
type verdict struct {
	Wins, Draws, Losses int
	Elo, Error          float64
	Stronger            bool
}

// compare lets a new table play the last one, and reports whether it is the better
// of the two. Openings come in pairs with sides swapped.
func (p *plan) compare(dir string, table, last []byte) (bool, error) {
	file := filepath.Join(dir, "match.json")
	var v verdict
	if data, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(data, &v); err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		return v.Stronger, nil
	}
	a, err := p.searcher(table)
	if err != nil {
		return false, err
	}
	b, err := p.searcher(last)
	if err != nil {
		return false, err
	}
	for pair := range p.pairs {
		for _, first := range []bool{true, false} {
			switch winner := p.match(a, b, first, uint64(pair)); {
			case winner == engine.NoSide:
				v.Draws++
			case (winner == engine.First) == first:
				v.Wins++
			default:
				v.Losses++
			}
		}
	}
	n := float64(v.Wins + v.Draws + v.Losses)
	share := (float64(v.Wins) + float64(v.Draws)/2 + 0.5) / (n + 1)
	v.Elo = math.Round(-400 * math.Log10(1/share-1))
	v.Error = math.Round(1.96 * 400 / math.Ln10 / math.Sqrt(n*share*(1-share)))
	v.Stronger = v.Wins > v.Losses
	fmt.Fprintf(p.log, "%s: %d won, %d drawn, %d lost against the last table with %d nodes a move, Elo %+.0f ± %.0f\n", dir, v.Wins, v.Draws, v.Losses, p.matchNodes, v.Elo, v.Error)
	data, err := json.Marshal(v)
	if err != nil {
		return false, err
	}
	return v.Stronger, write(file, data)
}

// match plays one game and returns who won.
func (p *plan) match(a, b *minimax.Searcher, aFirst bool, opening uint64) engine.Side {
	rng := rand.New(rand.NewPCG(p.seed^0x6d61746368, opening))
	pos := p.game.Start()
	for range 4 {
		moves := pos.Legal(nil)
		pos.Play(moves[rng.IntN(len(moves))])
	}
	a.NewGame()
	b.NewGame()
	for !pos.Outcome().Over && pos.Ply() < longest {
		s := b
		if (pos.Turn() == engine.First) == aFirst {
			s = a
		}
		turn := kit.NewTurn(pos, opening, nil)
		turn.Nodes = p.matchNodes
		pos.Play(s.Choose(turn))
	}
	return pos.Outcome().Winner
}
