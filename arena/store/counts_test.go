package store

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/rating"
)

// fataler is a test, of package testing or rapid.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// must ends a test with an error.
func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// recount adds up the games themselves, apart from the counts in every respect.
func recount(t fataler, s *Store, event, game string) *Counts {
	t.Helper()
	games, err := s.Games(context.Background(), Filter{Event: event, Game: game, Moves: true, Current: event == ""})
	must(t, err)
	type pairKey struct {
		event string
		pair  int
		a, b  arena.BotVersion
	}
	type versions struct {
		event         string
		first, second arena.BotVersion
	}
	c := &Counts{}
	endings, patterns, repeats := map[arena.Ending]arena.Ending{}, map[pairKey]arena.PairCount{}, map[versions]arena.RepeatCount{}
	seen, seenHere := map[string]bool{}, map[string]bool{}
	for i := range games {
		g := &games[i]
		first, second := arena.BotVersion{Name: g.First, Version: g.FirstVersion}, arena.BotVersion{Name: g.Second, Version: g.SecondVersion}
		key := arena.Ending{Event: g.Event, First: first, Second: second, Result: g.Result, Reason: g.Reason, Blame: g.Blame}
		score, played := g.Result.Score()
		n := endings[key]
		n.Games++
		n.Plies += g.Plies
		n.Wall += g.Wall
		n.CPU[0] += g.CPU[0]
		n.CPU[1] += g.CPU[1]
		n.OffTurn[0] += g.OffTurn[0]
		n.OffTurn[1] += g.OffTurn[1]
		n.Attempts += g.Attempts
		endings[key] = n
		if !played {
			continue
		}
		swapped := second.Name < first.Name // versions came in by name
		k := pairKey{g.Event, g.Pair, first, second}
		if swapped {
			k.a, k.b = second, first
		}
		p := patterns[k]
		if swapped {
			p.AsSecond[int(2*(1-score))]++
		} else {
			p.AsFirst[int(2*score)]++
		}
		patterns[k] = p
		if len(g.Moves) == 0 {
			continue
		}
		text := fmt.Sprint(first, second, g.Opening.Position, "|", strings.Join(g.Opening.Moves, " "))
		for _, m := range g.Moves {
			text += " " + m.Move
		}
		v := versions{g.Event, first, second}
		r := repeats[v]
		r.Games++
		switch here := g.Event + "|" + text; {
		case seenHere[here]:
			r.Repeated++
		case seen[text]:
			r.Elsewhere++
		}
		seen[text], seenHere[g.Event+"|"+text] = true, true
		repeats[v] = r
	}
	for key, n := range endings {
		n.Event, n.First, n.Second, n.Result, n.Reason, n.Blame = key.Event, key.First, key.Second, key.Result, key.Reason, key.Blame
		c.Endings = append(c.Endings, n)
	}
	times := map[arena.PairCount]int{}
	for k, p := range patterns {
		p.Event, p.A, p.B = k.event, k.a, k.b
		times[p]++
	}
	for p, n := range times {
		p.Times = n
		c.Pairs = append(c.Pairs, p)
	}
	for v, r := range repeats {
		r.Event, r.First, r.Second = v.event, v.first, v.second
		c.Repeats = append(c.Repeats, r)
	}
	return c
}

// sameCounts compares counts whatever their order.
func sameCounts(t fataler, got, want *Counts) {
	t.Helper()
	flat := func(c *Counts) (lines []string) {
		for _, n := range c.Endings {
			lines = append(lines, fmt.Sprintf("%+v", n))
		}
		for _, p := range c.Pairs {
			lines = append(lines, fmt.Sprintf("%+v", p))
		}
		for _, r := range c.Repeats {
			lines = append(lines, fmt.Sprintf("%+v", r))
		}
		slices.SortFunc(lines, cmp.Compare[string])
		return lines
	}
	g, w := flat(got), flat(want)
	if !slices.Equal(g, w) {
		t.Fatalf("counts:\n%s\nrecount:\n%s", strings.Join(g, "\n"), strings.Join(w, "\n"))
	}
}

// samePeriods compares counts by period with the games themselves.
func samePeriods(t fataler, s *Store, event string) {
	t.Helper()
	var events []string
	all, err := s.Events(context.Background())
	must(t, err)
	for _, e := range all {
		if event == e.Name || event == "" && !e.Archived {
			events = append(events, e.Name)
		}
	}
	for _, by := range []Period{ByDay, ByWeek, ByEvent} {
		got, _, err := s.Periods(context.Background(), events, by, 0)
		must(t, err)
		sums := map[arena.PeriodCount][3]int{}
		err = s.Scan(context.Background(), Filter{Event: event, Played: true}, func(g *Game) error {
			period := map[Period]string{ByEvent: g.Event, ByDay: g.Start.UTC().Format(time.DateOnly)}[by]
			if by == ByWeek {
				sunday := g.Start.UTC()
				for sunday.Weekday() != time.Sunday {
					sunday = sunday.AddDate(0, 0, 1)
				}
				period = sunday.Format(time.DateOnly)
			}
			key := arena.PeriodCount{Period: period, First: arena.BotVersion{Name: g.First, Version: g.FirstVersion}, Second: arena.BotVersion{Name: g.Second, Version: g.SecondVersion}}
			score, _ := g.Result.Score()
			n := sums[key]
			n[int(2*score)]++
			sums[key] = n
			return nil
		})
		must(t, err)
		for _, p := range got {
			key := p
			key.Scores = [3]int{}
			if sums[key] != p.Scores {
				t.Fatalf("by %s: %+v, want %v", by, p, sums[key])
			}
			delete(sums, key)
		}
		if len(sums) > 0 || !slices.IsSortedFunc(got, func(a, b arena.PeriodCount) int { return cmp.Compare(a.Period, b.Period) }) {
			t.Fatalf("by %s: without %v, or not in order: %v", by, sums, got)
		}
	}
}

// sameOpenings compares counts by opening with those of the domain's counter,
// whatever their order.
func sameOpenings(t fataler, s *Store, event string, got []arena.OpeningCount) {
	t.Helper()
	var c arena.Counter
	err := s.Scan(context.Background(), Filter{Event: event}, func(g *Game) error {
		c.Add(&g.Game, g.FirstVersion, g.SecondVersion, g.Hash)
		return nil
	})
	must(t, err)
	var lists [2][]string
	for i, list := range [][]arena.OpeningCount{got, c.Counts().Openings} {
		for _, o := range list {
			lists[i] = append(lists[i], fmt.Sprintf("%+v", o))
		}
		slices.Sort(lists[i])
	}
	if !slices.Equal(lists[0], lists[1]) {
		t.Fatalf("openings\n%s\nof games\n%s", strings.Join(lists[0], "\n"), strings.Join(lists[1], "\n"))
	}
}

// samePlan compares the plan of an event with its games.
func samePlan(t fataler, s *Store, event string) {
	t.Helper()
	games, err := s.Games(context.Background(), Filter{Event: event})
	must(t, err)
	var want, got []arena.Game
	for i := range games {
		g := &games[i]
		want = append(want, arena.Game{
			Event: g.Event, Number: g.Number, Round: g.Round, Pair: g.Pair, Stage: g.Stage, First: g.First, Second: g.Second,
			Result: g.Result, Plies: g.Plies, Blame: g.Blame, Worker: g.Worker,
		})
		if g.Blame != "" {
			want[i].Reason = g.Reason
		}
	}
	must(t, s.Plan(context.Background(), event, func(g *arena.Game) { got = append(got, *g) }))
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("plan\n%+v\nof games\n%+v", got, want)
	}
}

// sameElo compares the incremental Elo of an event, and each bot's history of it, with
// that of its games in schedule order up to the first one without a result.
func sameElo(t fataler, s *Store, event string) {
	t.Helper()
	e, err := s.Event(context.Background(), event)
	must(t, err)
	games, err := s.Games(context.Background(), Filter{Event: event})
	must(t, err)
	type step struct {
		number   int
		standing rating.Standing
	}
	elo := rating.Elo(e.Elo)
	want, steps := map[string]rating.Standing{}, map[string][]step{}
	for _, n := range e.Entries {
		want[n.Name] = elo.New()
	}
	for i := range games {
		points, played := games[i].Result.Score()
		if !played {
			break
		}
		first, second := games[i].First, games[i].Second
		want[first], want[second] = elo.Update(want[first], want[second], rating.Score(2*points))
		for _, bot := range []string{first, second} {
			steps[bot] = append(steps[bot], step{games[i].Number, want[bot]})
		}
	}
	for _, n := range e.Entries {
		if got := (rating.Standing{Rating: n.Rating, Games: n.Rated}); got != want[n.Name] {
			t.Fatalf("%s stands at %+v, by its games at %+v", n.Name, got, want[n.Name])
		}
		history, err := s.History(context.Background(), n.Name, event)
		must(t, err)
		var got []step
		for _, st := range history {
			got = append(got, step{st.Number, rating.Standing{Rating: st.Rating, Games: st.Games}})
		}
		if !slices.Equal(got, steps[n.Name]) {
			t.Fatalf("the history of %s is %+v, by its games %+v", n.Name, got, steps[n.Name])
		}
	}
}

// fewer has rapid check a property less often than by default.
func fewer(t *testing.T, checks int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	if f.Value.String() != f.DefValue {
		return // somebody asked for a number
	}
	must(t, flag.Set(f.Name, fmt.Sprint(checks)))
	t.Cleanup(func() { _ = flag.Set(f.Name, f.DefValue) })
}

func TestCountsEqualRecount(t *testing.T) { countsEqualRecount(t, 2) }

// countsEqualRecount does to a database whatever may be done to it, in so many
// databases, with some thirty steps each, on a real disk.
func countsEqualRecount(t *testing.T, databases int) {
	fewer(t, databases)
	rapid.Check(t, func(rt *rapid.T) {
		ctx := t.Context()
		path := filepath.Join(t.TempDir(), "arena.db")
		s, err := Open(ctx, path, time.Now)
		must(t, err)
		defer func() { _ = s.Close() }()
		holds := map[string]*Hold{}
		planned := map[string]int{}
		bots := []string{"a", "b", "c"}
		for _, name := range []string{"e", "f"} {
			holds[name], err = s.Create(ctx, testEvent(name, bots...), []byte("config"), me(t))
			must(t, err)
		}
		pick := func() string { return rapid.SampledFrom([]string{"e", "f"}).Draw(rt, "event") }
		one := func(rt *rapid.T) (event string, number int) {
			if event = pick(); planned[event] == 0 {
				rt.Skip()
			}
			return event, rapid.IntRange(1, planned[event]).Draw(rt, "number")
		}
		outcome := func(g *arena.Game) {
			g.Result = rapid.SampledFrom(results()).Draw(rt, "result")
			g.Reason = rapid.SampledFrom([]arena.Reason{arena.WinByRule, arena.Crash}).Draw(rt, "reason")
			g.Worker = rapid.SampledFrom([]string{"", "w"}).Draw(rt, "worker")
			g.Start = time.Unix(int64(rapid.IntRange(1, 4).Draw(rt, "half day"))*12*60*60, 0)
			g.Plies, g.Wall, g.CPU = rapid.IntRange(0, 9).Draw(rt, "plies"), 7*time.Microsecond, [2]time.Duration{2 * time.Microsecond, 3 * time.Microsecond}
			g.OffTurn = [2]time.Duration{time.Microsecond * time.Duration(rapid.IntRange(0, 2).Draw(rt, "off turn")), time.Microsecond}
			g.Moves = someMoves(rapid.IntRange(0, 2).Draw(rt, "moves")) // few, so that games repeat
			for i := range g.Moves {
				g.Moves[i].Move = "x"
			}
		}
		imports, elsewhere := 0, false // a game was changed by what knows nothing of Elo
		rt.Repeat(map[string]func(*rapid.T){
			"plan": func(*rapid.T) {
				name := pick()
				var last int // a game may be gone
				must(t, s.read.QueryRowContext(ctx, "SELECT coalesce(max(number), 0) FROM games WHERE event = (SELECT id FROM events WHERE name = ?)", name).Scan(&last))
				planned[name] = last
				var games []arena.Game
				for _, g := range plan(testEvent(name, bots...), planned[name]+rapid.IntRange(1, 4).Draw(rt, "games"))[planned[name]:] {
					g.Pair = (g.Number + 2) / 3 // of two games, and of more
					g.Opening.Name = fmt.Sprint(g.Number % 3)
					games = append(games, g)
				}
				must(t, holds[name].Append(ctx, games))
				planned[name] += len(games)
			},
			"finish": func(rt *rapid.T) {
				name, number := one(rt)
				g := arena.Game{Number: number}
				outcome(&g)
				if err := holds[name].Finish(ctx, &g); err != nil && !errors.Is(err, ErrPlayed) && !strings.Contains(err.Error(), "no game") {
					t.Fatal(err)
				}
			},
			"void": func(rt *rapid.T) {
				name, number := one(rt)
				_, err := holds[name].Void(ctx, number, "the machine slept")
				if err != nil && !errors.Is(err, ErrPlayed) && !strings.Contains(err.Error(), "no game") {
					t.Fatal(err)
				}
			},
			"void results": func(rt *rapid.T) {
				name, number := one(rt)
				gone := rapid.SampledFrom([]string{"", "a"}).Draw(rt, "withdrawn")
				err := holds[name].VoidResults(ctx, []int{number}, func(bot string) bool { return bot == gone }, "a mistake")
				if err != nil && !strings.Contains(err.Error(), "no result") && !strings.Contains(err.Error(), "no game") {
					t.Fatal(err)
				}
			},
			"drop": func(rt *rapid.T) {
				name := pick()
				after := rapid.IntRange(0, planned[name]).Draw(rt, "after")
				if holds[name].Drop(ctx, after) == nil {
					planned[name] = min(planned[name], after)
				}
			},
			"extend": func(*rapid.T) {
				name := pick()
				must(t, holds[name].Extend(ctx, testEvent(name, append(bots, "d")...), []byte("longer")))
			},
			"import": func(*rapid.T) {
				imports++
				e := testEvent(fmt.Sprintf("import %d", imports), bots...)
				games := plan(e, rapid.IntRange(1, 4).Draw(rt, "games"))
				for i := range games {
					outcome(&games[i])
				}
				must(t, s.Import(ctx, []Import{imported(e, games)}, me(t)))
			},
			"archive": func(*rapid.T) {
				must(t, s.Archive(ctx, rapid.SampledFrom([]string{"e", "f"}).Draw(rt, "event"), rapid.Bool().Draw(rt, "archived")))
			},
			"remove": func(*rapid.T) {
				name := pick()
				must(t, holds[name].Remove(ctx))
				holds[name], err = s.Create(ctx, testEvent(name, bots...), []byte("config"), me(t))
				must(t, err)
			},
			"take a game out by hand": func(*rapid.T) {
				elsewhere = true // those behind it are rated with the next result
				raw(t, path, "DELETE FROM voids", fmt.Sprintf("DELETE FROM games WHERE id = %d AND result = ''", rapid.IntRange(1, 20).Draw(rt, "id")))
			},
			"take a result back by hand": func(*rapid.T) {
				elsewhere = true
				id := rapid.IntRange(1, 20).Draw(rt, "id")
				raw(t, path, "DROP TRIGGER games_once",
					fmt.Sprintf("UPDATE games SET result = '', reason = '', blame = 0, plies = 0, hash = 0 WHERE id = %d", id),
					fmt.Sprintf("DELETE FROM moves WHERE game = %d", id),
					"CREATE TRIGGER games_once BEFORE UPDATE OF result ON games WHEN OLD.result <> '' BEGIN SELECT RAISE(ABORT, 'this game has a result already'); END")
				raw(t, path, "UPDATE events SET rated = coalesce((SELECT min(number) - 1 FROM games WHERE event = events.id AND result = ''), rated)")
			},
			"resume": func(*rapid.T) {
				must(t, s.Close())
				var err error
				s, err = Open(ctx, path, time.Now)
				must(t, err)
				raw(t, path, "DELETE FROM holds") // this process is alive
				for name := range holds {
					holds[name], err = s.Acquire(ctx, name, me(t))
					must(t, err)
				}
			},
			"": func(*rapid.T) {
				for _, only := range []struct{ event, game string }{{"e", ""}, {"", "breakthrough"}} {
					c, err := s.Counts(ctx, only.event, only.game)
					must(t, err)
					want := recount(rt, s, only.event, only.game)
					sameCounts(rt, c, want)
					if only.event != "" {
						samePlan(rt, s, only.event)
						if !elsewhere {
							sameElo(rt, s, only.event)
						}
						list, err := readOpenings(ctx, s.read, only.event, "("+allOpenings+")")
						must(t, err)
						sameOpenings(rt, s, only.event, list)
						samePeriods(rt, s, only.event)
					}
					for bot, name := range map[string]string{"a": "", "b": "c"} {
						list, err := s.Openings(ctx, cmp.Or(only.event, "e"), bot, name)
						must(t, err)
						for _, o := range list {
							if (o.A.Name != bot && o.B.Name != bot) || name != "" && o.A.Name != name && o.B.Name != name {
								rt.Fatalf("openings of %s against %q: %+v", bot, name, o)
							}
						}
					}
					played := 0
					for _, n := range want.Endings {
						if n.Result != arena.Unplayed {
							played += n.Games
						}
					}
					for i := range c.Events {
						played -= c.Events[i].Played
					}
					if played != 0 {
						rt.Fatalf("events have %d more or fewer games than there are", played)
					}
				}
			},
		})
	})
}
