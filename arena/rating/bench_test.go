package rating

import "testing"

func benchmarkRate(b *testing.B, bots, games int, o Options) {
	g := rng(1)
	r := newWorld(g, bots, 200, 40, 1).randomGames(g, games)
	if o.Pairs {
		for k := range r.games {
			r.games[k].pair = int64(k/2 + 1)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Rate(r, o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRate30Bots5000Games(b *testing.B) { benchmarkRate(b, 30, 5_000, Options{}) }

func BenchmarkRate30Bots5000GamesPairs(b *testing.B) {
	benchmarkRate(b, 30, 5_000, Options{Pairs: true})
}

func BenchmarkRate1000Bots1000000GamesPairs(b *testing.B) {
	benchmarkRate(b, 1_000, 1_000_000, Options{Pairs: true})
}

// benchmarkLadder plays 12 bots for 660 games in pairs and reports how often the
// bot rated best is the best ("best"), and the share of pairs of bots that come
// out in the right order ("order"). Run it with -benchtime 1000x: every
// iteration is a pool of its own.
func benchmarkLadder(b *testing.B, next func(t *Table, game int) (i, j int)) {
	const bots, games = 12, 660
	best, order := 0.0, 0.0
	for seed := range uint64(b.N) {
		g := rng(seed)
		w := newWorld(g, bots, 150, 30, 1)
		r := &Results{}
		for i := range bots {
			r.Enter(botName(i))
		}
		var t *Table
		for k := 0; k < games; k += 2 {
			t = rate2(b, r)
			i, j := next(t, k/2)
			r.mustAdd(i, j, w.score(g.Float64(), i, j), 0)
			r.mustAdd(j, i, w.score(g.Float64(), j, i), 0)
		}
		t = rate2(b, r)
		right, top := 0.0, 0
		for i := range bots {
			if w.elo[i] > w.elo[top] {
				top = i
			}
			for j := range i {
				if elo, _, _, _ := t.Compare(botName(i), botName(j)); (elo > 0) == (w.elo[i] > w.elo[j]) {
					right += 2.0 / bots / (bots - 1)
				}
			}
		}
		order += right
		if t.Players[0].Name == botName(top) {
			best++
		}
	}
	b.ReportMetric(best/float64(b.N), "best")
	b.ReportMetric(order/float64(b.N), "order")
}

func BenchmarkLadderRoundRobin(b *testing.B) {
	var all [][2]int
	for i := range 12 {
		for j := range i {
			all = append(all, [2]int{i, j})
		}
	}
	benchmarkLadder(b, func(_ *Table, k int) (i, j int) { p := all[k%len(all)]; return p[0], p[1] })
}

func benchmarkChooser(b *testing.B, s Strategy) {
	c, err := NewChooser(s, 1)
	if err != nil {
		b.Fatal(err)
	}
	number := map[string]int{}
	for i := range 12 {
		number[botName(i)] = i
	}
	benchmarkLadder(b, func(t *Table, _ int) (i, j int) {
		x, y, err := c.Next(t)
		if err != nil {
			b.Fatal(err)
		}
		return number[x], number[y]
	})
}

func BenchmarkLadderInformation(b *testing.B) { benchmarkChooser(b, Information) }

func BenchmarkLadderThompson(b *testing.B) { benchmarkChooser(b, Thompson) }
