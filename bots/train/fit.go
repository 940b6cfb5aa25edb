package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"botarena/bots/learnt"
	"botarena/bots/minimax"
	"botarena/engine"
)

// usual is the number of weights of a position that --rate is meant for: Breakthrough's
// 8x8 board has so many windows.
const usual = 84

// scaleOf finds the number of centipawns a logit with which the search's scores predict
// the results best.
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

// targets returns the training targets of positions: the lambda-weighted mean of the
// search's scores of each position and the following ones and of the result (the return
// of TD(lambda), Sutton 1988), mixed with a share of the result.
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

// An example is a position to learn from.
type example struct {
	at, to int // of its weights, in indexes
	target float32
}

// A fitting is the state of one fit call. It learns the differences of weights from the
// last table's, followed by the shared weights.
type fitting struct {
	indexes []int32
	given   []float64 // the last table's weights, in logits
	learnt  []float64
	common  []int32   // nil if nothing is shared
	prior   []float64 // for each time that a weight is learnt in an epoch
	squares []float64 // of the gradients
}

// fit is logistic regression by AdaGrad (Duchi, Hazan and Singer 2011), the target
// being made of the search's own scores and of the game's result. What is learnt
// is how weights differ from the last table's: --prior holds each difference the
// nearer to none the fewer positions speak of it, and what windows share is learnt by
// a weight that they have in common.
func (p *plan) fit(shards [][]string, last []byte, generation int) ([]byte, error) {
	f := fitting{common: p.form.Common}
	examples, scale, err := p.examples(&f, shards)
	if err != nil {
		return nil, err
	}
	held := len(examples) / 20 // the last games, to see what others learn from it
	train, test := examples[:len(examples)-held], examples[len(examples)-held:]
	known := learnt.RulesOfThumb(p.game)
	if last != nil {
		if known, err = learnt.Decode(p.game, last); err != nil {
			return nil, err
		}
	}
	f.given = make([]float64, p.form.Size)
	for i, w := range known { // rules of thumb have a scale of their own
		f.given[i] = float64(w) / learnt.Unit / scale
	}
	f.begin(train, p.prior)
	// A step changes all weights of a position at once: the more there are, the less each.
	rate := p.rate * min(1, usual*float64(len(examples))/float64(max(1, len(f.indexes))))
	kept, least := slices.Clone(f.learnt), f.loss(test)
	fmt.Fprintf(p.log, "generation %d: %d positions, %.0f centipawns a logit, loss of held-out ones %.5f", generation, len(examples), scale, least)
	rng := rand.New(rand.NewPCG(p.seed, uint64(generation)))
	for epoch := range p.epochs {
		rng.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
		f.learn(train, rate*(1-float64(epoch)/float64(p.epochs)))
		now := f.loss(test)
		if now < least || epoch == 0 { // what comes later may learn the games by heart
			least = now
			copy(kept, f.learnt)
		}
		fmt.Fprintf(p.log, " %.5f", now)
	}
	fmt.Fprintln(p.log)
	table := make([]int16, len(f.given))
	for i := range table {
		w := f.given[i] + kept[i]
		if f.common != nil {
			w += kept[f.common[i]]
		}
		table[i] = int16(math.Round(max(-32_000, min(32_000, w*minimax.Logit*learnt.Unit))))
	}
	return learnt.Encode(p.game, table), nil
}

// examples reads the games of some generations. scale is that of the last one: a better
// table's scores are surer.
func (p *plan) examples(f *fitting, shards [][]string) (list []example, scale float64, err error) {
	for _, generation := range shards {
		begun := len(list)
		samples, err := p.decode(generation, func(pos engine.Position) {
			at := len(f.indexes)
			f.indexes = p.form.Indexes(f.indexes, pos)
			list = append(list, example{at: at, to: len(f.indexes)})
		})
		if err != nil {
			return nil, 0, err
		}
		scale = scaleOf(samples)
		for i, target := range p.targets(samples, scale) {
			list[begun+i].target = target
		}
	}
	return list, scale, nil
}

// begin makes room for what is to be learnt from the examples, with a prior.
func (f *fitting) begin(train []example, prior float64) {
	f.learnt = make([]float64, len(f.given))
	if f.common != nil {
		f.learnt = append(f.learnt, make([]float64, slices.Max(f.common)+1-int32(len(f.learnt)))...)
	}
	f.prior = make([]float64, len(f.learnt))
	for _, q := range train {
		for _, i := range f.indexes[q.at:q.to] {
			f.prior[i]++
			if f.common != nil {
				f.prior[f.common[i]]++
			}
		}
	}
	const begin = 60 // of the squared gradients: too little makes the first steps too long
	f.squares = make([]float64, len(f.learnt))
	for i, n := range f.prior {
		f.prior[i], f.squares[i] = prior/max(1, n), begin
	}
}

// logit judges a position.
func (f *fitting) logit(q example) (logit float64) {
	for _, i := range f.indexes[q.at:q.to] {
		logit += f.given[i] + f.learnt[i]
		if f.common != nil {
			logit += f.learnt[f.common[i]]
		}
	}
	return logit
}

// loss returns the mean loss of positions.
func (f *fitting) loss(test []example) float64 {
	total := 0.0
	for _, q := range test {
		total += loss(float64(q.target), sigmoid(f.logit(q)))
	}
	return total / float64(max(1, len(test)))
}

// learn goes through the examples once.
func (f *fitting) learn(train []example, step float64) {
	for _, q := range train {
		g := sigmoid(f.logit(q)) - float64(q.target)
		adapt := func(i int32) {
			f.squares[i] += g * g
			by := step / math.Sqrt(f.squares[i])
			f.learnt[i] = (f.learnt[i] - by*g) / (1 + by*f.prior[i])
		}
		for _, i := range f.indexes[q.at:q.to] {
			adapt(i)
			if f.common != nil {
				adapt(f.common[i])
			}
		}
	}
}
