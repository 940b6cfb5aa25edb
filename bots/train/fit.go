package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"botarena/bots/minimax"
	"botarena/bots/weights"
	"botarena/engine"
)

// usual is the number of weights of a position that --rate is meant for: Breakthrough's
// 8x8 board has so many windows.
const usual = 84

// scaleOf finds the number of centipawns of a logit that makes the scores of the
// search say best who won.
func scaleOf(samples []sample) float64 {
	best, least := 0.0, math.Inf(1)
	for scale := 40.0; scale < 1000; scale *= 1.1 {
		sum := 0.0
		for i := 0; i < len(samples); i += 1 + len(samples)/50_000 {
			s := &samples[i]
			sum += loss(s.result, sigmoid(float64(s.score)/scale))
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

// targets returns what the positions of games are to be judged as: the mean of what the
// search said of them and of those that followed, each of which counts lambda of what
// the one before it does, and of the result (the return of TD(lambda), Sutton 1988); and
// so much of the result besides.
func (p *plan) targets(samples []sample, scale float64) []float32 {
	targets := make([]float32, len(samples))
	next, turned := 0.0, false // what follows is worth, and to whom
	for i := len(samples) - 1; i >= 0; i-- {
		s := &samples[i]
		switch {
		case s.last:
			next = s.result
		case turned != s.second:
			next = 1 - next
		}
		next, turned = (1-p.lambda)*sigmoid(float64(s.score)/scale)+p.lambda*next, s.second
		targets[i] = float32(p.result*s.result + (1-p.result)*next)
	}
	return targets
}

// fit is logistic regression by AdaGrad (Duchi, Hazan and Singer 2011), the target
// being made of the search's own scores and of the game's result. What is learnt
// is how weights differ from the last table's: --prior holds each difference the
// nearer to none the fewer positions speak of it, and what windows share is learnt by
// a weight that they have in common.
func (p *plan) fit(shards [][]string, last []byte, generation int) ([]byte, error) {
	type point struct {
		at, to int // in indexes
		target float32
	}
	var indexes []int32
	var points []point
	var scale float64
	for _, generation := range shards {
		samples, err := p.decode(generation)
		if err != nil {
			return nil, err
		}
		scale = scaleOf(samples) // a better table's scores are surer
		begun := len(points)
		for i := range samples {
			pos, err := p.game.Parse(samples[i].position)
			if err != nil {
				return nil, err
			}
			at := len(indexes)
			indexes = p.lesson.indexes(indexes, pos)
			points = append(points, point{at: at, to: len(indexes)})
			samples[i].second = pos.Turn() == engine.Second
		}
		for i, target := range p.targets(samples, scale) {
			points[begun+i].target = target
		}
	}
	held := len(points) / 20 // the last games, to see what others learn from it
	train, test := points[:len(points)-held], points[len(points)-held:]
	known, err := p.lesson.decode(last)
	if err != nil {
		return nil, err
	}
	given := make([]float64, p.lesson.size)
	for i, w := range known { // rules of thumb have a scale of their own
		given[i] = float64(w) / weights.Unit / scale
	}
	common := p.lesson.common
	learnt := make([]float64, len(given)) // and after them what weights have in common
	if common != nil {
		learnt = append(learnt, make([]float64, slices.Max(common)+1-int32(len(learnt)))...)
	}
	prior := make([]float64, len(learnt)) // for each time that a weight is learnt in an epoch
	for _, q := range train {
		for _, i := range indexes[q.at:q.to] {
			prior[i]++
			if common != nil {
				prior[common[i]]++
			}
		}
	}
	for i, n := range prior {
		prior[i] = p.prior / max(1, n)
	}
	const begin = 60 // of the squared gradients: too little makes the first steps too long
	squares := make([]float64, len(learnt))
	for i := range squares {
		squares[i] = begin
	}
	// A step changes all weights of a position at once: the more there are, the less each.
	rate := p.rate * min(1, usual*float64(len(points))/float64(max(1, len(indexes))))
	sum := func(q point) (logit float64) {
		for _, i := range indexes[q.at:q.to] {
			logit += given[i] + learnt[i]
			if common != nil {
				logit += learnt[common[i]]
			}
		}
		return logit
	}
	tested := func() float64 {
		total := 0.0
		for _, q := range test {
			total += loss(float64(q.target), sigmoid(sum(q)))
		}
		return total / float64(max(1, len(test)))
	}
	kept, least := slices.Clone(learnt), tested()
	fmt.Fprintf(p.log, "generation %d: %d positions, %.0f centipawns a logit, loss of held-out ones %.5f", generation, len(points), scale, least)
	rng := rand.New(rand.NewPCG(p.seed, uint64(generation)))
	for epoch := range p.epochs {
		rng.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
		step := rate * (1 - float64(epoch)/float64(p.epochs))
		for _, q := range train {
			g := sigmoid(sum(q)) - float64(q.target)
			learn := func(i int32) {
				squares[i] += g * g
				by := step / math.Sqrt(squares[i])
				learnt[i] = (learnt[i] - by*g) / (1 + by*prior[i])
			}
			for _, i := range indexes[q.at:q.to] {
				learn(i)
				if common != nil {
					learn(common[i])
				}
			}
		}
		now := tested()
		if now < least || epoch == 0 { // what comes later may learn the games by heart
			least = now
			copy(kept, learnt)
		}
		fmt.Fprintf(p.log, " %.5f", now)
	}
	fmt.Fprintln(p.log)
	table := make([]int16, len(given))
	for i := range table {
		w := given[i] + kept[i]
		if common != nil {
			w += kept[common[i]]
		}
		table[i] = int16(math.Round(max(-32_000, min(32_000, w*minimax.Logit*weights.Unit))))
	}
	return p.lesson.encode(table), nil
}
