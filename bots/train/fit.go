package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"botarena/bots/pattern"
)

// centipawns is what a logit of a learnt table is told as.
const centipawns = 150

// scaleOf finds the number of centipawns of a logit that makes the scores of the
// search say best who won.
func scaleOf(samples []sample) float64 {
	best, least := 0.0, math.Inf(1)
	for scale := 40.0; scale < 1000; scale *= 1.1 {
		sum := 0.0
		for i := 0; i < len(samples); i += 1 + len(samples)/50_000 {
			s := &samples[i]
			sum += loss(float64(s.result), sigmoid(float64(s.score)/scale))
		}
		if sum < least {
			best, least = scale, sum
		}
	}
	return best
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func loss(target, p float64) float64 {
	p = min(max(p, 1e-6), 1-1e-6)
	return -target*math.Log(p) - (1-target)*math.Log(1-p)
}

// fit is logistic regression by AdaGrad (Duchi, Hazan and Singer 2011), the target
// being a mixture of the game's result and of the search's own score.
func (p *plan) fit(shards [][]string, last *pattern.Table, generation int) (*pattern.Table, error) {
	layout := pattern.NewLayout(p.game.Cols(), p.game.Rows(), p.shared)
	coder := layout.Coder(p.shared)
	type point struct {
		at     int // in indexes
		target float32
	}
	windows := layout.Windows()
	var indexes []int32
	var points []point
	var scale float64
	for _, generation := range shards {
		samples, err := p.decode(generation)
		if err != nil {
			return nil, err
		}
		scale = scaleOf(samples) // a better table's scores are surer
		for i := range samples {
			s := &samples[i]
			target := p.lambda*float64(s.result) + (1-p.lambda)*sigmoid(float64(s.score)/scale)
			points = append(points, point{at: len(indexes), target: float32(target)})
			indexes = coder.Indexes(indexes, s.digits, s.second)
		}
	}
	held := len(points) / 20 // the last games, to see what others learn from it
	train, test := points[:len(points)-held], points[len(points)-held:]
	weights := make([]float64, layout.Classes*pattern.States)
	if last.Shared() == p.shared && len(last.Weights) == len(weights) {
		for i, w := range last.Weights {
			weights[i] = float64(w) / pattern.Unit / centipawns
		}
	}
	const begin = 60 // of the squared gradients: too little makes the first steps too long
	squares := make([]float64, len(weights))
	for i := range squares {
		squares[i] = begin
	}
	sum := func(at int) (logit float64) {
		for _, i := range indexes[at : at+windows] {
			logit += weights[i]
		}
		return logit
	}
	tested := func() float64 {
		total := 0.0
		for _, q := range test {
			total += loss(float64(q.target), sigmoid(sum(q.at)))
		}
		return total / float64(max(1, len(test)))
	}
	fmt.Fprintf(p.log, "generation %d: %d positions, %.0f centipawns a logit, loss of held-out ones %.5f", generation, len(points), scale, tested())
	rng := rand.New(rand.NewPCG(p.seed, uint64(generation)))
	for range p.epochs {
		rng.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
		for _, q := range train {
			g := sigmoid(sum(q.at)) - float64(q.target)
			for _, i := range indexes[q.at : q.at+windows] {
				squares[i] += g * g
				weights[i] -= p.rate * g / math.Sqrt(squares[i])
			}
		}
		fmt.Fprintf(p.log, " %.5f", tested())
	}
	fmt.Fprintln(p.log)
	table := &pattern.Table{Weights: make([]int16, len(weights))}
	if !p.shared {
		table.Cols, table.Rows = p.game.Cols(), p.game.Rows()
	}
	for i, w := range weights {
		table.Weights[i] = int16(math.Round(max(-32_000, min(32_000, w*centipawns*pattern.Unit))))
	}
	return table, nil
}
