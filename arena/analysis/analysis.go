// Package analysis finds the mistakes in a game, by a bot that evaluates each position
// and by exact tables.
//
// What a move costs is the difference in expected points between the position
// before it and the one after it, for the side that moved, as the bot judges both: a
// score of s centipawns is worth 1/(1+10^(-s/400)) points, which is the Elo formula
// with a pawn for a hundred Elo; it is a scale to compare moves on and no promise.
// Where tables know both positions, a move costs a point or nothing.
package analysis

import (
	"context"
	"fmt"
	"math"

	"botarena/arena"
	"botarena/engine"
)

// A Mark is an annotator's judgement of a move.
type Mark string

// The marks, from what they cost in expected points: 0.1, 0.2 and 0.3.
const (
	Fine       Mark = ""
	Inaccuracy Mark = "?!"
	Mistake    Mark = "?"
	Blunder    Mark = "??"
)

func markOf(loss float64) Mark {
	switch {
	case loss >= 0.3:
		return Blunder
	case loss >= 0.2:
		return Mistake
	case loss >= 0.1:
		return Inaccuracy
	}
	return Fine
}

// NAG returns the numeric annotation glyph of a mark in PGN, 0 for none.
func (m Mark) NAG() int {
	return map[Mark]int{Inaccuracy: 6, Mistake: 2, Blunder: 4}[m]
}

// A Ply is a move of the game with its evaluation, as JSON and the database have it.
type Ply struct {
	Ply   int         `json:"ply"` // from 1 on, those of the opening not counted
	Side  engine.Side `json:"-"`
	Role  string      `json:"side"` // the side as "first" or "second"
	Move  string      `json:"move"`
	Score string      `json:"score"` // what the bot said of the position before the move, for who moved
	Best  string      `json:"best"`  // the move that the bot would have played
	Loss  float64     `json:"loss"`  // what the move cost, in expected points
	Mark  Mark        `json:"mark"`
	// Exact reports that Loss was found in tables: 1 if the move gave away a win, else
	// 0.
	Exact bool `json:"exact"`
}

// Roles returns what JSON and CSV call the sides of any game.
func Roles() [2]string { return [2]string{"first", "second"} }

// Inputs holds the sources of judgement: a bot and exact tables.
type Inputs struct {
	// Judge returns the bot's move in a position that is not over, with its search
	// facts. nil leaves the bot out.
	Judge func(context.Context, engine.Position) (arena.MoveRecord, error)
	// Winner looks up who wins a position; known is false if the tables do not say. nil
	// is no tables.
	Winner func(engine.Position) (winner engine.Side, known bool, err error)
	// Tell, if set, is called with the numbers of positions judged and in all.
	Tell func(done, of int)
}

// Game judges each move of a game from a position on, which is changed. The error
// names the ply at which the rules refuse a move or a judge fails.
func Game(ctx context.Context, pos engine.Position, moves []arena.MoveRecord, in Inputs) ([]Ply, error) {
	arena.Expect(pos, nil, moves, false)
	plies := make([]Ply, len(moves))
	before, err := in.judge(ctx, pos)
	if err != nil {
		return nil, fmt.Errorf("before ply 1: %w", err)
	}
	for i, played := range moves {
		if in.Tell != nil {
			in.Tell(i, len(moves))
		}
		p := &plies[i]
		*p = Ply{Ply: i + 1, Side: pos.Turn(), Role: Roles()[pos.Turn()], Best: before.record.Move, Score: before.record.InPawns()}
		m, err := pos.ParseMove(played.Move)
		if err != nil {
			return nil, fmt.Errorf("ply %d: %w", i+1, err)
		}
		p.Move = string(pos.AppendMove(nil, m))
		pos.Play(m)
		after, err := in.judge(ctx, pos)
		if err != nil {
			return nil, fmt.Errorf("after ply %d: %w", i+1, err)
		}
		p.weigh(before, after)
		before = after
	}
	return plies, nil
}

// weigh computes what the move between two positions cost.
func (p *Ply) weigh(before, after judgement) {
	switch {
	case before.known && after.known:
		p.Exact = true
		if before.winner == p.Side && after.winner != p.Side || before.winner == engine.NoSide && after.winner == p.Side.Other() {
			p.Loss = points(before.winner, p.Side) - points(after.winner, p.Side)
		}
	case before.scored && after.scored && p.Move != p.Best:
		p.Loss = max(0, before.worth-(1-after.worth))
	}
	p.Mark = markOf(p.Loss)
}

func points(winner, side engine.Side) float64 {
	switch winner {
	case side:
		return 1
	case engine.NoSide:
		return 0.5
	}
	return 0
}

// judgement holds the evaluation of a position.
type judgement struct {
	record arena.MoveRecord
	scored bool
	worth  float64 // expected points of the side to move
	known  bool
	winner engine.Side
}

func (in *Inputs) judge(ctx context.Context, pos engine.Position) (j judgement, err error) {
	if out := pos.Outcome(); out.Over {
		return judgement{scored: true, worth: points(out.Winner, pos.Turn()), known: true, winner: out.Winner}, nil
	}
	if in.Winner != nil {
		if j.winner, j.known, err = in.Winner(pos); err != nil {
			return j, err
		}
	}
	if in.Judge == nil {
		return j, nil
	}
	if j.record, err = in.Judge(ctx, pos); err != nil {
		return j, err
	}
	if j.scored = j.record.HasScore; j.scored {
		j.worth = worth(j.record)
	}
	return j, nil
}

// worth returns a score in expected points.
func worth(r arena.MoveRecord) float64 {
	switch {
	case r.Mate && r.Score > 0:
		return 1
	case r.Mate:
		return 0
	}
	return 1 / (1 + math.Pow(10, -float64(r.Score)/400))
}
