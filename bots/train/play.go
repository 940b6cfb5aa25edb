package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"botarena/bots/boards"
	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/bots/pattern"
	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/protocol"
)

// shardGames is how many games a file holds.
const shardGames = 100

// A sample is a quiet position with what became of it, for the side to move.
type sample struct {
	second bool
	score  int16   // of the search, in centipawns; beyond decided the game was won
	result uint8   // 1 won, 0 lost
	digits []uint8 // 0 empty, 1 the first side's, 2 the second's
}

// decided is a score that stands for a win.
const decided = 15_000

func (p *plan) searcher(t *pattern.Table) *minimax.Searcher {
	judge := pattern.NewJudge(t, p.game.Cols(), p.game.Rows())
	return minimax.New(minimax.Config{Megabytes: 1}, func() minimax.Board {
		return boards.Breakthrough(p.game.Cols(), p.game.Rows(), judge)
	})
}

// play makes the shards of a generation that are not there yet, and lists all.
func (p *plan) play(dir string, generation int, table *pattern.Table) ([]string, error) {
	// The first tables say little, and little is lost by learning them from few games.
	games := p.games / max(1, 8>>generation)
	count := (games + shardGames - 1) / shardGames
	files := make([]string, count)
	for i := range files {
		files[i] = filepath.Join(dir, fmt.Sprintf("games-%04d", i))
	}
	todo := make(chan int)
	var mu sync.Mutex
	var failed error
	begun, done, told := time.Now(), 0, time.Now()
	var workers sync.WaitGroup
	for range p.threads {
		workers.Go(func() {
			s := p.searcher(table)
			for i := range todo {
				samples, err := p.shard(s, generation, i), error(nil)
				err = write(files[i], encode(samples))
				mu.Lock()
				failed = errors.Join(failed, err)
				done++
				if time.Since(told) > 10*time.Second {
					told = time.Now()
					rate := float64(done*shardGames) / time.Since(begun).Seconds()
					fmt.Fprintf(p.log, "generation %d: %d of %d games, %.1f a second\n", generation, (i+1)*shardGames, games, rate)
				}
				mu.Unlock()
			}
		})
	}
	for i, file := range files {
		if _, err := os.Stat(file); err == nil {
			continue
		}
		mu.Lock()
		stop := failed != nil
		mu.Unlock()
		if stop {
			break
		}
		todo <- i
	}
	close(todo)
	workers.Wait()
	return files, failed
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
	pos := p.game.Start().(*breakthrough.Position)
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
	for !pos.Outcome().Over {
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
		if !pos.Captures(m) && pos.Ply() >= 2 && !threatened(pos) {
			samples = append(samples, sample{second: pos.Turn() == engine.Second, score: int16(last.Score.Value), digits: digitsOf(pos)})
		}
		pos.Play(m)
	}
	if winner == engine.NoSide {
		winner = pos.Outcome().Winner
	}
	for i := range samples {
		if samples[i].second == (winner == engine.Second) {
			samples[i].result = 1
		}
	}
	return samples
}

// threatened reports whether the side to move has to capture.
func threatened(pos *breakthrough.Position) bool {
	row := 1
	if pos.Turn() == engine.Second {
		row = pos.Rows() - 2
	}
	for col := range pos.Cols() {
		if pos.PieceAt(row*pos.Cols()+col) == pos.Turn().Other() {
			return true
		}
	}
	return false
}

func digitsOf(pos *breakthrough.Position) []uint8 {
	digits := make([]uint8, pos.Cols()*pos.Rows())
	for sq := range digits {
		digits[sq] = uint8(pos.PieceAt(sq) + 1)
	}
	return digits
}

func encode(samples []sample) []byte {
	var data []byte
	for _, s := range samples {
		flags := s.result
		if s.second {
			flags |= 2
		}
		data = append(data, flags)
		data = binary.LittleEndian.AppendUint16(data, uint16(s.score))
		data = append(data, s.digits...)
	}
	return data
}

// decode reads the files of a generation.
func (p *plan) decode(files []string) ([]sample, error) {
	size := 3 + p.game.Cols()*p.game.Rows()
	var samples []sample
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if len(data)%size != 0 {
			return nil, fmt.Errorf("%s: %d bytes are no whole number of positions; delete it to have its games played again", file, len(data))
		}
		for record := range slices.Chunk(data, size) {
			samples = append(samples, sample{
				result: record[0] & 1, second: record[0]&2 != 0,
				score: int16(binary.LittleEndian.Uint16(record[1:])), digits: record[3:],
			})
		}
	}
	return samples, nil
}

// A verdict is what a match between a new table and the last one said.
type verdict struct {
	Wins, Losses int
	Elo, Error   float64
	Stronger     bool
}

// compare lets a new table play the last one, and reports whether it is the better
// of the two. Openings come in pairs with sides swapped.
func (p *plan) compare(dir string, table, last *pattern.Table) (bool, error) {
	file := filepath.Join(dir, "match.json")
	var v verdict
	if data, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(data, &v); err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		return v.Stronger, nil
	}
	a, b := p.searcher(table), p.searcher(last)
	for pair := range p.pairs {
		for _, first := range []bool{true, false} {
			if p.game1(a, b, first, uint64(pair)) {
				v.Wins++
			} else {
				v.Losses++
			}
		}
	}
	n := float64(v.Wins + v.Losses)
	share := (float64(v.Wins) + 0.5) / (n + 1)
	v.Elo = math.Round(-400 * math.Log10(1/share-1))
	v.Error = math.Round(1.96 * 400 / math.Ln10 / math.Sqrt(n*share*(1-share)))
	v.Stronger = v.Wins > v.Losses
	fmt.Fprintf(p.log, "%s: %d-%d against the last table with %d nodes a move, Elo %+.0f ± %.0f\n", dir, v.Wins, v.Losses, p.matchNodes, v.Elo, v.Error)
	data, err := json.Marshal(v)
	if err != nil {
		return false, err
	}
	return v.Stronger, write(file, data)
}

// game1 plays one game and reports whether a won it.
func (p *plan) game1(a, b *minimax.Searcher, aFirst bool, opening uint64) bool {
	rng := rand.New(rand.NewPCG(p.seed^0x6d61746368, opening))
	pos := p.game.Start()
	for range 4 {
		moves := pos.Legal(nil)
		pos.Play(moves[rng.IntN(len(moves))])
	}
	a.NewGame()
	b.NewGame()
	for !pos.Outcome().Over {
		s := b
		if (pos.Turn() == engine.First) == aFirst {
			s = a
		}
		turn := kit.NewTurn(pos, opening, nil)
		turn.Nodes = p.matchNodes
		pos.Play(s.Choose(turn))
	}
	return (pos.Outcome().Winner == engine.First) == aFirst
}
