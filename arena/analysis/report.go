package analysis

import (
	"fmt"
	"strings"

	"botarena/arena"
	"botarena/arena/listing"
)

// A Report holds the analysis of a game.
type Report struct {
	Event  string    `json:"event"`
	Number int       `json:"number"`
	Game   string    `json:"game"`
	Judge  string    `json:"bot"`
	Sides  []Summary `json:"sides"`
	Moves  []Ply     `json:"moves"`

	names [2]string // of the sides
}

// A Summary describes how well one side played.
type Summary struct {
	Bot          string  `json:"bot"`
	Side         string  `json:"side"` // "first" or "second"
	Moves        int     `json:"moves"`
	Loss         float64 `json:"loss"` // points a move
	Inaccuracies int     `json:"inaccuracies"`
	Mistakes     int     `json:"mistakes"`
	Blunders     int     `json:"blunders"`
}

// NewReport returns the report of a game whose sides have these names.
func NewReport(g *arena.Game, sides [2]string, judge string, plies []Ply) *Report {
	r := &Report{Event: g.Event, Number: g.Number, Game: g.Game, Judge: judge, Moves: plies, names: sides}
	r.Sides = []Summary{{Bot: g.First, Side: Roles()[0]}, {Bot: g.Second, Side: Roles()[1]}}
	for i := range plies {
		p := &plies[i]
		s := &r.Sides[p.Side]
		s.Moves++
		s.Loss += p.Loss
		switch p.Mark {
		case Inaccuracy:
			s.Inaccuracies++
		case Mistake:
			s.Mistakes++
		case Blunder:
			s.Blunders++
		}
	}
	for i := range r.Sides {
		r.Sides[i].Loss /= float64(max(r.Sides[i].Moves, 1))
	}
	return r
}

// Table lists the moves.
func (r *Report) Table() listing.Table {
	t := listing.Table{
		Title: fmt.Sprintf("%s game %d · %s · judged by %s", r.Event, r.Number, r.Game, r.Judge),
		Columns: []listing.Column{
			{Name: "Ply"},
			{Name: "Side", Left: true},
			{Name: "Move", Left: true},
			{Name: "", Key: "mark", Left: true},
			{Name: "Score"},
			{Name: "Best", Left: true},
			{Name: "Loss"},
			{Name: "Exact", Data: true},
		},
	}
	for i := range r.Moves {
		m := &r.Moves[i]
		loss, best := "", m.Best
		if m.Loss >= 0.005 {
			loss = fmt.Sprintf("%.2f", m.Loss)
			if m.Exact {
				loss += " exact"
			}
		}
		if best == m.Move {
			best = ""
		}
		t.Rows = append(t.Rows, []any{fmt.Sprint(m.Ply), listing.Cell{Text: r.names[m.Side], Value: m.Role}, m.Move, string(m.Mark), listing.Cell{Text: m.Score, Value: strings.TrimPrefix(m.Score, "+")}, best, listing.Cell{Text: loss, Value: m.Loss}, m.Exact})
	}
	for side, s := range r.Sides {
		t.Notes = append(t.Notes, fmt.Sprintf("%s (%s): %.3f points lost a move; %d ?!, %d ?, %d ??.", s.Bot, r.names[side], s.Loss, s.Inaccuracies, s.Mistakes, s.Blunders))
	}
	t.Notes = append(t.Notes, "Score: before the move, for who moved. Loss: in points, of which a won game is one.")
	return t
}

// Comment returns the annotation of a move.
func (p *Ply) Comment() string {
	if p.Mark == Fine {
		return p.Score
	}
	comment := fmt.Sprintf("%s costs %.2f", p.Score, p.Loss)
	if p.Exact {
		comment = "gives the win away"
	}
	if p.Best != "" && p.Best != p.Move {
		comment += ", better " + p.Best
	}
	return comment
}
