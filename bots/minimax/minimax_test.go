package minimax

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/bots/bottest"
	"botarena/bots/eval"
	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/enginetest"
	"botarena/protocol"
)

func TestSuite(t *testing.T) {
	bottest.Run(t, 10_000, func() bottest.Choose {
		var s *Searcher
		var game engine.Game
		return func(turn *kit.Turn) engine.Move {
			if game != turn.Position.Game() {
				game = turn.Position.Game()
				s = plainSearcher(eval.For(game), Traits{Margin: 150, Late: true, Reduce: 200})
			}
			return s.Choose(turn)
		}
	})
}

func plainSearcher(evaluate func(engine.Position) int, traits Traits) *Searcher {
	return New(Config{Megabytes: 1}, func() Board { return Plain(evaluate, nil, traits) })
}

// plain is minimax without any pruning, from the side to move.
func plain(pos engine.Position, evaluate func(engine.Position) int, depth, ply int) int {
	if out := pos.Outcome(); out.Over {
		switch out.Winner {
		case engine.NoSide:
			return 0
		case pos.Turn():
			return Win - ply
		}
		return ply - Win
	}
	if depth == 0 {
		return evaluate(pos)
	}
	best := -Win
	for _, m := range pos.Legal(nil) {
		pos.Play(m)
		best = max(best, -plain(pos, evaluate, depth-1, ply+1))
		pos.Undo()
	}
	return best
}

// Where nothing is left out by rules of thumb, pruning, the table and the order of moves save time and change nothing: score
// and move are those of the plain search, whatever lies in the table from
// positions before. Where a position could come up after two plies more as well,
// the table may know more than was asked, from four plies on; in Breakthrough not
// before five, since no piece goes back.
func TestEqualsPlainSearch(t *testing.T) {
	for _, name := range bottest.Games() {
		t.Run(name, func(t *testing.T) {
			game := bottest.Open(t, name)
			evaluate := eval.For(game)
			s := plainSearcher(evaluate, Traits{})
			s.full = true
			s.table.buckets, s.table.mask = s.table.buckets[:16], 15 // so small that positions meet in it
			enginetest.Check(t, 40, func(rt *rapid.T) {
				pos := bottest.Random(rt, game)
				deepest := 3
				switch {
				case strings.HasPrefix(name, "breakthrough"):
					deepest = 4
				case len(pos.Legal(nil)) > 14:
					deepest = 2
				}
				s.NewGame()
				turn := kit.NewTurn(pos, rapid.Uint64().Draw(rt, "bot's seed"), nil)
				turn.Depth = rapid.IntRange(1, deepest).Draw(rt, "depth")
				var last protocol.Info
				turn.OnInfo(func(info protocol.Info) { last = info })
				got := s.Choose(turn)
				want := plain(pos, evaluate, int(last.Depth), 0)
				if score := told(want); last.Score != score && !quicker(last.Score, score) {
					rt.Errorf("%s at depth %d: score %+v, want %+v", pos, last.Depth, last.Score, score)
				}
				text := turn.Text(got)
				pos.Play(got)
				if mine := -plain(pos, evaluate, int(last.Depth)-1, 1); mine != want {
					rt.Errorf("at depth %d %s is worth %d, the best %d", last.Depth, text, mine, want)
				}
			})
		})
	}
}

// quicker reports whether a score tells of an end that the other does not see yet:
// the table may know it from a deeper search.
func quicker(score, other protocol.Score) bool { return score.Mate && !other.Mate }

// Wins and losses are told in as many moves as they take, also where the table
// met them at another ply: king and queen against king, where all that is to be
// found is mate, and the same positions come up again and again.
func TestDistanceToMate(t *testing.T) {
	s := plainSearcher(func(engine.Position) int { return 0 }, Traits{})
	s.full = true
	ends := map[int]int{}
	rng := rand.New(rand.NewPCG(3, 3))
	for ends[0] < 4 || ends[-2] < 4 || ends[-4] < 8 {
		pos, err := bottest.Open(t, "chess").Parse(ending(rng))
		if err != nil || pos.Outcome().Over {
			continue // kings side by side, or pieces on one square
		}
		want := bottest.Solve(pos, 4)
		ends[want]++
		for depth := 4; depth <= 5; depth++ {
			s.NewGame()
			turn := kit.NewTurn(pos, 1, nil)
			turn.Depth = depth
			var last protocol.Info
			turn.OnInfo(func(info protocol.Info) { last = info })
			s.Choose(turn)
			longer := last.Score.Mate && last.Score.Value < -2 // seen by looking deeper
			if want == 0 && last.Score != (protocol.Score{}) && !longer || want != 0 && last.Score != (protocol.Score{Mate: true, Value: int64(want / 2)}) {
				t.Errorf("%s at depth %d: told %+v, decided in %d plies", pos, depth, last.Score, want)
			}
		}
	}
}

// A position whose side to move is threatened is searched before it is judged: one that
// always is, so that a search of one ply sees a win that takes three.
func TestThreatsAreSearchedDeeper(t *testing.T) {
	pos := bottest.Parse(t, "breakthrough:5x5", "5/4p/P4/5/5 w")
	level := func(engine.Position) int { return 0 }
	told := func(b Board) protocol.Score {
		turn := kit.NewTurn(pos, 1, nil)
		turn.Depth = 1
		var last protocol.Info
		turn.OnInfo(func(info protocol.Info) { last = info })
		New(Config{Megabytes: 1}, func() Board { return b }).Choose(turn)
		return last.Score
	}
	if got := told(Plain(level, nil, Traits{})); got.Mate {
		t.Errorf("at rest, one ply: told %+v", got)
	}
	if got, want := told(alarmed{Plain(level, nil, Traits{})}), (protocol.Score{Mate: true, Value: 2}); got != want {
		t.Errorf("threatened: told %+v, want %+v", got, want)
	}
}

// alarmed is a board that takes every position for one with a threat.
type alarmed struct{ Board }

func (alarmed) Pressed() bool { return true }

// ending puts a black king near an edge, to move, before a white king and queen.
func ending(rng *rand.Rand) string {
	board := []byte("........ ........ ........ ........ ........ ........ ........ ........")
	board[rng.IntN(8)] = 'k'
	for _, piece := range []byte("KQ") {
		board[rng.IntN(3)*9+9+rng.IntN(8)] = piece
	}
	text := strings.ReplaceAll(string(board), " ", "/")
	for n := 8; n > 0; n-- {
		text = strings.ReplaceAll(text, strings.Repeat(".", n), strconv.Itoa(n))
	}
	return text + " b - - 0 1"
}

// A cleared table knows nothing of what was stored in it, wherever that was.
func TestTableClear(t *testing.T) {
	table := newTable(1)
	step := table.mask/1000 | 1
	for key := uint64(1); key < table.mask; key += step {
		table.store(key, entry{move: 1, depth: 1, bound: exact})
	}
	table.clear()
	for i := range table.buckets {
		for j := range table.buckets[i] {
			if table.buckets[i][j].data.Load() != 0 {
				t.Fatalf("bucket %d of %d holds an entry", i, len(table.buckets))
			}
		}
	}
}

// The clock is read often enough: one that goes on with each evaluation is
// overrun by few of them.
func TestReadsTheClock(t *testing.T) {
	game := bottest.Open(t, "breakthrough")
	evaluations := 0
	evaluate := eval.For(game)
	s := plainSearcher(func(pos engine.Position) int {
		evaluations++
		return evaluate(pos)
	}, Traits{})
	turn := kit.NewTurn(game.Start(), 1, func() time.Time { return time.UnixMicro(int64(evaluations)) })
	turn.Budget = 20 * time.Millisecond
	s.Choose(turn)
	if evaluations < 20_000 || evaluations > 21_100 {
		t.Errorf("%d evaluations of a microsecond in a budget of 20 ms", evaluations)
	}
}

// Deeper iterations are told one after another, with nodes that grow.
func TestTellsEachDepth(t *testing.T) {
	game := bottest.Open(t, "breakthrough:5x5")
	turn := kit.NewTurn(game.Start(), 1, nil)
	turn.Depth = 5
	var depths []int64
	nodes := int64(0)
	turn.OnInfo(func(info protocol.Info) {
		depths = append(depths, info.Depth)
		if info.Nodes <= nodes {
			t.Errorf("depth %d: %d nodes after %d", info.Depth, info.Nodes, nodes)
		}
		nodes = info.Nodes
	})
	plainSearcher(eval.For(game), Traits{Reduce: 200}).Choose(turn)
	if len(depths) != 5 || depths[0] != 1 || depths[4] != 5 {
		t.Errorf("told depths %v, want 1 to 5", depths)
	}
}
