package store

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
)

func TestMovesRoundTrip(t *testing.T) {
	s := newStore(&opening{clock: time.Now})
	rapid.Check(t, func(t *rapid.T) {
		move := rapid.Custom(func(t *rapid.T) arena.MoveRecord {
			m := arena.MoveRecord{
				Move:  rapid.StringMatching(`[a-z0-9=+@]{1,8}`).Draw(t, "move"),
				Time:  time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "us")) * time.Microsecond,
				Depth: rapid.Int().Draw(t, "depth"),
				Nodes: rapid.Int64().Draw(t, "nodes"),
			}
			if m.HasScore = rapid.Bool().Draw(t, "scored"); m.HasScore {
				m.Mate = rapid.Bool().Draw(t, "mate")
				m.Score = rapid.IntRange(-1<<60, 1<<60).Draw(t, "score")
			}
			return m
		})
		want := rapid.SliceOfN(move, 0, 300).Draw(t, "moves")
		data, err := s.encodeMoves(want)
		must(t, err)
		got, err := decodeMoves(data)
		must(t, err)
		if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	})
}

func TestMovesExtremes(t *testing.T) {
	s := newStore(&opening{clock: time.Now})
	data, err := s.encodeMoves([]arena.MoveRecord{
		{Move: "a", Time: -time.Second, HasScore: true, Score: math.MinInt},
		{Move: "b", HasScore: true, Score: math.MaxInt, Mate: true},
	})
	must(t, err)
	got, err := decodeMoves(data)
	must(t, err)
	if got[0].Time != 0 || got[0].Score > -1<<60 || got[1].Score < 1<<60 || !got[1].Mate {
		t.Errorf("got %+v", got)
	}
	for _, bad := range []string{"", "a b"} {
		if _, err := s.encodeMoves([]arena.MoveRecord{{Move: bad}}); err == nil {
			t.Errorf("move %q was stored", bad)
		}
	}
}

// Moves that cannot be read are told as any other damage.
func TestDamagedMoves(t *testing.T) {
	s := openTest(t)
	h := create(t, s, testEvent("e", "a", "b"), 1)
	must(t, h.Finish(t.Context(), &arena.Game{Number: 1, Result: arena.Draw, Reason: arena.MoveLimit, Moves: someMoves(3)}))
	raw(t, s.Path(), "UPDATE moves SET data = x'09'")
	var file *FileError
	if _, err := s.Games(t.Context(), Filter{Moves: true}); !errors.As(err, &file) || !strings.Contains(err.Error(), "is damaged") {
		t.Error(err)
	}
}

func FuzzDecodeMoves(f *testing.F) {
	s := newStore(&opening{clock: time.Now})
	for _, n := range []int{0, 1, 5, 400} {
		data, err := s.encodeMoves(someMoves(n))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		moves, err := decodeMoves(data)
		if err != nil {
			if !errors.Is(err, errMoves) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		if _, err := s.encodeMoves(moves); err != nil {
			t.Fatal(err)
		}
	})
}

// someMoves makes the moves of a game of n plies as a searching bot plays it.
func someMoves(n int) []arena.MoveRecord {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	moves := make([]arena.MoveRecord, n)
	for i := range moves {
		file, rank := string(rune('a'+rng.IntN(8))), rng.IntN(7)
		moves[i] = arena.MoveRecord{
			Move: file + strconv.Itoa(rank+1) + file + strconv.Itoa(rank+2), Time: time.Duration(rng.IntN(90000)) * time.Microsecond,
			Depth: 4 + rng.IntN(6), Nodes: rng.Int64N(200000), Score: rng.IntN(600) - 300, HasScore: true,
		}
	}
	return moves
}

func BenchmarkEncodeMoves(b *testing.B) {
	s := newStore(&opening{clock: time.Now})
	for _, n := range []int{60, 66000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			moves := someMoves(n)
			b.ReportAllocs()
			var size int
			for b.Loop() {
				data, err := s.encodeMoves(moves)
				if err != nil {
					b.Fatal(err)
				}
				size = len(data)
			}
			b.ReportMetric(float64(size), "bytes")
			b.ReportMetric(float64(size)/float64(n), "bytes/ply")
		})
	}
}
