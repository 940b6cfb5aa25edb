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

func BenchmarkRate1000Bots1000000Games(b *testing.B) { benchmarkRate(b, 1_000, 1_000_000, Options{}) }

func BenchmarkRate1000Bots1000000GamesPairs(b *testing.B) {
	benchmarkRate(b, 1_000, 1_000_000, Options{Pairs: true})
}
