package event

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/store"
)

// dice are Workers that throw dice: what is left is what a run does itself. They
// have up to so many games in hand, and give results in any order.
type dice struct {
	slots    int
	games    chan arena.Game
	outcomes chan Outcome
	ended    <-chan struct{} // games in hand end without a result
	done     chan struct{}
}

// throwDice returns dice whose results depend on the games alone, and the order in
// which they come on the seed.
func throwDice(slots int, seed uint64) func(Work) (Workers, error) {
	return func(Work) (Workers, error) {
		d := &dice{slots: slots, games: make(chan arena.Game), outcomes: make(chan Outcome, 2*slots), done: make(chan struct{})}
		go d.play(rand.New(rand.NewPCG(seed, 0)))
		return d, nil
	}
}

func (d *dice) play(r *rand.Rand) {
	defer close(d.done)
	var hand []arena.Game
	for open := true; open || len(hand) > 0; {
		if open && (len(hand) == 0 || len(hand) < d.slots && r.IntN(d.slots) > 0) {
			// Without another game to be had soon, one in hand is played.
			soon := time.NewTimer(2 * time.Millisecond)
			if len(hand) == 0 {
				soon.Stop()
			}
			select {
			case g, ok := <-d.games:
				if open = ok; ok {
					hand = append(hand, g)
				}
				continue
			case <-soon.C:
			}
		}
		if len(hand) == 0 {
			continue
		}
		i := r.IntN(len(hand))
		g := hand[i]
		hand = slices.Delete(hand, i, i+1)
		o := Outcome{Game: g, Begun: true}
		select {
		case <-d.ended:
			o.Game.Reason, o.Interrupted = arena.Void, true
		default:
			throw(&o.Game)
		}
		d.outcomes <- o
	}
}

// throw gives a game a result.
func throw(g *arena.Game) {
	g.Result = [...]arena.Result{arena.FirstWins, arena.SecondWins, arena.Draw}[uint32(g.Number)*2654435761>>16%3]
	g.Reason, g.Start, g.Wall, g.Plies = arena.WinByRule, time.Unix(int64(g.Number), 0), time.Second, 1
	g.Moves = []arena.MoveRecord{{Move: fmt.Sprintf("m%d", g.Number)}} // no two games are the same
}

func (d *dice) Start(ctx context.Context) error { d.ended = ctx.Done(); return nil }
func (d *dice) Games() chan<- arena.Game        { return d.games }
func (d *dice) Outcomes() <-chan Outcome        { return d.outcomes }
func (d *dice) Stop()                           {}
func (d *dice) Slots() (n int, pinned bool)     { return d.slots, false }
func (d *dice) Close()                          { close(d.games); <-d.done }

// An event has the same games, and a test the same verdict, whoever plays them,
// however many at once and in whichever order their results come, and however often it
// is interrupted.
func TestSameGamesAtAnyConcurrency(t *testing.T) {
	t.Parallel()
	for format, more := range map[string]string{
		"round-robin": "rounds: 4", "swiss": "rounds: 5", "knockout": "rounds: 2", "gauntlet": "rounds: 3",
		"ladder": "ladder: {games: 60}", "match": "rounds: 200\nsprt: {elo0: -120, elo1: 120}", "race": "rounds: 200\nsprt: {elo0: 0, elo1: 250}",
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			bots := "{name: a, builtin: random}, {name: b, builtin: random}"
			if format != "match" {
				bots += ", {name: c, builtin: greedy}, {name: d, builtin: mcts}"
			}
			text := fmt.Sprintf("event: e\ngame: breakthrough:5x5\nformat: %s\n%s\nopenings: {random: 2}\nclock: {depth: 1}\nbots: [%s]\n", format, more, bots)
			var first []store.Game
			for i, slots := range []int{1, 40} {
				f := setup(t)
				f.Workers = throwDice(slots, uint64(slots))
				looked := 0 // games that the test looked at
				f.Observe = func(u Update) {
					if u.Trial != nil {
						looked = u.Trial.Games()
					} else if format == "match" && u.Kind != Notice {
						t.Error("an update without the trial")
					}
				}
				summary := f.mustRun(f.event(text), Options{})
				ev, err := f.Store.Event(t.Context(), "e")
				if err != nil || ev.State != store.Finished || summary.Concurrency != slots || summary.Played < 6 || ev.Played != summary.Played || ev.Games != summary.Planned {
					t.Errorf("%+v, %+v, %v", summary, ev, err)
				}
				games := f.games("e")
				if format == "match" {
					if looked < 4 || looked > len(games) || looked == 400 || len(games)%2 != 0 {
						t.Fatalf("the test looked at %d of %d games", looked, len(games))
					}
					games = games[:looked]
				}
				if i == 0 {
					first = games
				} else if !reflect.DeepEqual(games, first) {
					t.Errorf("%d at once: %d games differ from the %d one by one", slots, len(games), len(first))
				}
			}
			parts, runs := setup(t), 0
			parts.Workers = throwDice(2, 3)
			for err := ErrInterrupted; err != nil; runs++ {
				if _, err = parts.Run(t.Context(), parts.event(text), Options{Soft: parts.after(1 + len(first)/4)}); err == nil {
					break
				}
				ev, stateErr := parts.Store.Event(t.Context(), "e")
				if !errors.Is(err, ErrInterrupted) || stateErr != nil || ev.Holder != nil || ev.State != store.Running {
					t.Fatalf("%+v, %v, %v", ev, err, stateErr)
				}
			}
			if runs == 0 || !reflect.DeepEqual(parts.games("e")[:len(first)], first) {
				t.Errorf("other games after %d interruptions", runs)
			}
		})
	}
}

// BenchmarkManyGames goes on with an event of so many games: the time from a result
// that is recorded to the next game handed out, recording a result, reading the
// event again at the start, and the memory taken. The disk is waited for as
// always: TMPDIR=/dev/shm leaves that out.
func BenchmarkManyGames(b *testing.B) {
	for _, c := range []struct{ name, more string }{
		{"match", "format: match\nrounds: %d"},
		{"sprt", "format: match\nrounds: %d\nsprt: {elo0: -0.001, elo1: 0.001}"},
		{"swiss", "format: swiss\nrounds: %d"},
		{"ladder", "format: ladder\nladder: {games: %d}"},
	} {
		for _, games := range []int{10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", c.name, games), func(b *testing.B) { benchmarkMany(b, c.more, games) })
		}
	}
}

// past records so many games as played: straight into the database, since to play
// or to import a million takes many minutes. Bots 1 and 2 meet, then 3 and 4.
func (f *fixture) past(b *testing.B, bots, games int) {
	b.Helper()
	db, err := sql.Open("sqlite", filepath.Join(f.folder, "arena.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(b.Context(), `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
		INSERT INTO games (event, number, round, pair, stage, game, first, second, opening_name, opening_position, opening_moves, result, reason, plies, start)
		SELECT 1, i + 1, i / ?2 + 1, i / 2 + 1, '', 'breakthrough:5x5', (i / 2 * 2 + i % 2) % ?2 + 1, (i / 2 * 2 + (i + 1) % 2) % ?2 + 1, '', '', '',
			CASE (i * 2654435761 >> 16) % 3 WHEN 0 THEN '1-0' WHEN 1 THEN '0-1' ELSE '1/2-1/2' END, 'win by rule', 1, 1 FROM n`, games, bots)
	if err == nil {
		_, err = db.ExecContext(b.Context(), "UPDATE events SET state = 'running', rated = ?", games)
	}
	if err != nil {
		b.Fatal(err)
	}
}

func benchmarkMany(b *testing.B, more string, before int) {
	f := setup(b)
	f.LogDir, f.Workers = "", throwDice(1, 1)
	event := func(games int) arena.Event {
		bots, n := "{name: a, builtin: random}, {name: b, builtin: greedy}", games/2
		switch {
		case strings.Contains(more, "swiss"): // two pairs a round
			bots, n = bots+", {name: c, builtin: mcts}, {name: d, builtin: minimax}", games/4
		case strings.Contains(more, "ladder"):
			bots, n = bots+", {name: c, builtin: mcts}, {name: d, builtin: minimax}", games
		}
		return f.event("event: e\ngame: breakthrough:5x5\nclock: {depth: 1}\nopenings: {random: 2}\nbots: [" + bots + "]\n" + fmt.Sprintf(more, n))
	}
	old := event(before)
	if err := f.fingerprint(old.Bots); err != nil {
		b.Fatal(err)
	}
	text, err := config.Encode(old)
	if err != nil {
		b.Fatal(err)
	}
	hold, err := f.Store.Create(b.Context(), old, text, f.Self)
	if err != nil {
		b.Fatal(err)
	}
	if err := hold.Release(b.Context()); err != nil {
		b.Fatal(err)
	}
	f.past(b, len(old.Bots), before)
	const further = 2000
	now := event(before + further)
	var started, finished, ready time.Time
	var handed, recorded time.Duration
	var heap uint64
	f.Observe = func(u Update) {
		switch u.Kind {
		case GamesPlanned:
			if ready.IsZero() {
				ready = time.Now()
			}
		case GameStarted:
			started = time.Now()
			if !finished.IsZero() {
				handed += started.Sub(finished)
			}
		case GameFinished:
			finished = time.Now()
			recorded += finished.Sub(started)
			if u.Game.Number%500 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				heap = max(heap, m.HeapAlloc)
				finished = time.Now()
			}
		}
	}
	begin := time.Now()
	summary := f.mustRun(now, Options{Extend: true})
	if summary.Now < further-8 || summary.Planned < before+further-8 {
		b.Fatalf("%+v", summary)
	}
	b.ReportMetric(float64(handed.Microseconds())/float64(summary.Now), "us-to-next-game")
	b.ReportMetric(float64(recorded.Microseconds())/float64(summary.Now), "us-to-record")
	b.ReportMetric(ready.Sub(begin).Seconds(), "s-to-read")
	b.ReportMetric(float64(heap)/(1<<20), "MB")
	b.ReportMetric(0, "ns/op")
}
