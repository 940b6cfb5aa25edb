package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"botarena/arena/openings"
	"botarena/arena/rating"
	"botarena/bots/builtin"
	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/games"
)

// A pool holds the players and their games.
type pool struct {
	game    engine.Game
	rounds  int
	near    int
	threads int
	seed    uint64
	log     io.Writer
}

// A player of the pool is a built-in bot, or minimax at a level.
type player struct {
	name, bot string
	level     int // 0 for none
}

const randomName = "random"

func levelName(level int) string { return fmt.Sprintf("level %d", level) }

// entries lists who plays, random first and then the levels from the bottom. Greedy,
// whose place among them is another one in every game, is the last.
func entries() []player {
	list := []player{{name: randomName, bot: "random"}}
	for level := 1; level <= builtin.Levels; level++ {
		list = append(list, player{name: levelName(level), bot: "minimax", level: level})
	}
	return append(list, player{name: "greedy", bot: "greedy"})
}

// A pairing is a match of two players, the pair of games i beginning with opening i.
type pairing struct {
	a, b   player
	number int
}

func (p *pool) pairings() []pairing {
	list := entries()
	var all []pairing
	for i, a := range list {
		for j := i + 1; j < len(list); j++ {
			if b := list[j]; j-i <= p.near || b.bot == "greedy" {
				all = append(all, pairing{a: a, b: b, number: len(all)})
			}
		}
	}
	return all
}

// play plays the pool and rates it.
func (p *pool) play() (*rating.Table, error) {
	starts, err := p.openings()
	if err != nil {
		return nil, err
	}
	var results rating.Results
	var mu sync.Mutex
	all := p.pairings()
	begun, told, done := time.Now(), time.Now(), 0
	var group errgroup.Group
	group.SetLimit(p.threads)
	for _, next := range all {
		group.Go(func() error {
			games, err := p.match(next, starts)
			mu.Lock()
			defer mu.Unlock()
			for _, g := range games {
				err = errors.Join(err, results.Add(g))
			}
			done++
			if time.Since(told) > 10*time.Second {
				told = time.Now()
				fmt.Fprintf(p.log, "%s: %d of %d pairings, %.0f games a second\n", p.game.Name(), done, len(all), float64(results.Len())/time.Since(begun).Seconds())
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return rating.Rate(&results, rating.Options{Pairs: true, PriorIfApart: rating.UsualPrior})
}

// openings returns the positions after four random plies, one for each round.
func (p *pool) openings() ([]engine.Position, error) {
	source := openings.Random(p.game, 4, p.seed)
	var starts []engine.Position
	for i := range p.rounds {
		o, err := source.Opening(i)
		if err != nil {
			return nil, err
		}
		pos, err := openings.After(p.game, o)
		if err != nil {
			return nil, err
		}
		starts = append(starts, pos)
	}
	return starts, nil
}

// match plays the games of a pairing.
func (p *pool) match(m pairing, starts []engine.Position) ([]rating.Game, error) {
	a, err := newBot(m.a)
	if err != nil {
		return nil, err
	}
	b, err := newBot(m.b)
	if err != nil {
		return nil, err
	}
	var list []rating.Game
	for i, start := range starts {
		pair := int64(m.number*p.rounds + i + 1)
		for _, bots := range [][2]bot{{a, b}, {b, a}} {
			list = append(list, rating.Game{
				First: bots[0].name, Second: bots[1].name, Pair: pair, Score: p.one(bots, start.Clone(), uint64(pair)),
			})
		}
	}
	return list, nil
}

// A bot is a player ready to play.
type bot struct {
	player
	kit.Bot
}

func newBot(p player) (bot, error) {
	b, err := builtin.Find(p.bot)
	if err != nil {
		return bot{}, err
	}
	return bot{player: p, Bot: b.New(games.All())}, nil
}

// one plays a game to its end or the game's move limit.
func (p *pool) one(bots [2]bot, pos engine.Position, seed uint64) rating.Score {
	for _, b := range bots {
		if b.NewGame != nil {
			b.NewGame()
		}
	}
	for !pos.Outcome().Over && pos.Ply() < p.game.MaxPlies() {
		b := bots[pos.Turn()&1]
		turn := kit.NewTurn(pos, p.seed<<48^seed<<16^uint64(pos.Ply()), nil)
		turn.Nodes = 1 << 40        // more than any level looks at
		turn.SetOption("Hash", "1") // no level fills more, and a large table takes long to empty
		if b.level > 0 {
			turn.SetOption(builtin.OptionLevel, strconv.Itoa(b.level))
		}
		pos.Play(b.Choose(turn))
	}
	winner := engine.AtLimit(p.game)
	if out := pos.Outcome(); out.Over {
		winner = out.Winner
	}
	switch winner {
	case engine.First:
		return rating.Win
	case engine.Second:
		return rating.Loss
	}
	return rating.Draw
}
