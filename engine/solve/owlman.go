package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/edsrzf/mmap-go"

	"botarena/engine"
	rules "botarena/engine/owlman"
	squares "botarena/engine/owlman/board"
	"botarena/engine/owlman/exact"
	"botarena/engine/solve/file"
)

// An owlman is the Solver of Owlman: its existing tables, from one helper up without a
// gap.
type owlman struct {
	exact.Tables
	dir  Dir
	most int // helpers
	maps []mmap.MMap
}

// owlman opens the existing tables for at most most helpers.
func (d Dir) owlman(most int) (*owlman, error) {
	o := &owlman{Tables: exact.Bottoms(), dir: d, most: most}
	for _, layers := range o.kinds() {
		for there := true; there && len(*layers) <= most; {
			var err error
			if there, err = o.next(layers); err != nil {
				o.Close()
				return nil, err
			}
		}
	}
	return o, nil
}

func (o *owlman) kinds() [2]*[]*exact.Layer { return [2]*[]*exact.Layer{&o.Catch, &o.Force} }

func (o *owlman) path(kind exact.Kind, helpers int) string {
	who := [...]string{exact.OwlmanCatches: "owlman", exact.DocForces: "owlman-doc"}[kind]
	return filepath.Join(string(o.dir), fmt.Sprintf("%s-%02d.table", who, helpers))
}

// next opens the next layer of a kind, and reports whether it exists.
func (o *owlman) next(layers *[]*exact.Layer) (there bool, err error) {
	kind, n := (*layers)[0].Kind, len(*layers)
	m, there, err := opened(o.path(kind, n), func(data []byte) error {
		l, err := exact.Read(data)
		if err == nil && (l.Helpers != n || l.Kind != kind) {
			return file.Damaged("it is another table")
		}
		if err == nil {
			*layers = append(*layers, l)
		}
		return err
	})
	if there {
		o.maps = append(o.maps, m)
	}
	return there, err
}

func (o *owlman) Close() {
	for _, m := range o.maps {
		_ = m.Unmap() // nothing was written
	}
	o.maps = nil
}

// Solve first computes who wins, then what Doc can force.
func (o *owlman) Solve(ctx context.Context, opt Options) error {
	for kind, layers := range o.kinds() {
		most := o.most
		if exact.Kind(kind) == exact.DocForces {
			most = min(o.most, opt.Forced)
			if o.Forces() < most {
				switch winner, err := o.start(); {
				case err != nil:
					return err
				case winner != "":
					fmt.Fprintf(opt.Log, "who wins is known: %s; what Doc can force follows\n", winner)
				}
			}
		}
		for len(*layers) <= most {
			if err := o.layer(ctx, exact.Kind(kind), layers, opt); err != nil {
				return err
			}
		}
	}
	return nil
}

// layer computes the next layer of a kind and opens it.
func (o *owlman) layer(ctx context.Context, kind exact.Kind, layers *[]*exact.Layer, opt Options) error {
	n := len(*layers)
	name := helpers(n)
	if kind == exact.DocForces {
		name += ", Doc's forced wins"
	}
	path := o.path(kind, n)
	err := o.dir.compute(ctx, task{
		name: name, done: "solved", path: path, kept: trimmed(path, ".part"), below: o.path(kind, n-1),
		run: func(ctx context.Context, fo file.Options) (io.WriterTo, error) {
			return exact.Solve(ctx, (*layers)[n-1], fo)
		},
	}, opt)
	if err != nil {
		return err
	}
	if there, err := o.next(layers); err != nil || !there {
		return damaged(path, errors.Join(err, errors.New("it went away")))
	}
	return nil
}

func helpers(n int) string {
	if n == 1 {
		return "1 helper"
	}
	return fmt.Sprintf("%d helpers", n)
}

func (o *owlman) Verify(ctx context.Context, opt Options, say func(string)) error {
	if o.Helpers() == 0 {
		return missing("there are no tables in %s; `arena solve owlman` computes them", o.dir)
	}
	for _, layers := range o.kinds() {
		for n, l := range (*layers)[1:] {
			if err := l.Check(); err != nil {
				return damaged(o.path(l.Kind, n+1), err)
			}
		}
	}
	for n := 1; n <= o.Helpers(); n++ {
		err := verify(ctx, opt.Draws, func(batch, draws int) error {
			return o.Tables.Verify(n, draws, rand.New(rand.NewPCG(uint64(n), uint64(batch))))
		})
		if err != nil {
			return err
		}
		say(fmt.Sprintf("%s: checksums and %s positions agree with the rules", helpers(n), humanize.Comma(int64(opt.Draws))))
	}
	return nil
}

func (o *owlman) Value(pos engine.Position) (Value, error) {
	p := pos.(exact.Position)
	found, ok, err := o.Tables.Value(p)
	v := Value{Winner: found.Winner, Catch: found.Catch, Force: found.Force}
	day := pos.Game().Name() == daybreak
	switch {
	case err != nil:
		return unknown(), fmt.Errorf("the tables of owlman in %s: %w; `arena solve owlman --verify` says which, delete it, and it is computed again", o.dir, err)
	case !ok, day && v.Winner == engine.First && !o.Forced(p):
		return unknown(), o.lacks(p, day)
	case day && v.Catch == 0 && (v.Force == 0 || v.Force > exact.NightsLeft(pos)):
		return Value{Winner: engine.Second, Rests: OnDaybreak}, nil
	case v.Winner == engine.Second:
	case v.Force > 0:
		v.Rests = OnForce
	case o.Forced(p):
		v.Rests = OnDemand
	default:
		v.Rests = OnEither
	}
	return v, nil
}

// lacks returns the error for a position that is in no table.
func (o *owlman) lacks(p exact.Position, day bool) error {
	if helpers, _, _ := p.Pieces(); helpers&squares.Bit(squares.H1) != 0 {
		return missing("no table has %s: a helper stands on h1, where none gets to", p)
	}
	n := o.Helpers()
	if day {
		n = o.Forces()
	}
	if n == 0 {
		return missing("the tables in %s do not have %s, nor any position of its kind; `arena solve owlman --pieces N` computes them", o.dir, p)
	}
	return missing("the tables in %s do not have %s: there are those of up to %s; `arena solve owlman --pieces N` computes more", o.dir, p, helpers(n))
}

// start returns the name of the winner from the game's start, "" if unknown.
func (o *owlman) start() (winner string, err error) {
	game, err := rules.Family{}.Open("")
	if err != nil {
		return "", err
	}
	v, err := o.Value(game.Start())
	if err != nil {
		if errors.As(err, new(*MissingError)) {
			err = nil
		}
		return "", err
	}
	return game.SideNames()[v.Winner], nil
}

// A LayerReport describes the tables of a number of helpers, for JSON. The side named
// last in a field is the one to move.
type LayerReport struct {
	Helpers  int           `json:"helpers"`
	States   uint64        `json:"states"`
	OwlWhite uint64        `json:"owlman_wins_white_to_move"`
	OwlOwl   uint64        `json:"owlman_wins_owlman_to_move"`
	Catch    int           `json:"longest_catch"`
	Bytes    Bytes         `json:"bytes"`
	Forced   *forcedReport `json:"doc_forces,omitempty"`
}

type forcedReport struct {
	White   uint64 `json:"white_to_move"`
	Owl     uint64 `json:"owlman_to_move"`
	Longest int    `json:"longest"`
}

func (o *owlman) Report() (Report, error) {
	r := Report{
		Title:   "owlman · solved",
		Columns: []string{"Helpers", "States", "Owlman wins, w", "b", "Catch", "Doc forces, w", "b", "Moves", "Size"},
		Notes: []string{
			"States: for each side to move (w: White, b: Owlman); a state and its reflection are one, unless Doc and Owlman both stand on the diagonal.",
			"Owlman wins: all others are Doc's. Catch: the most moves of Owlman's until he catches somebody and still wins.",
			"Doc forces: states that Doc wins without the demand to vary. Moves: the most moves of White's until he has won.",
			"Tables: " + string(o.dir),
		},
	}
	var list []LayerReport
	for n, l := range o.Catch[1:] {
		n++
		s := LayerReport{n, l.States(), l.White, l.Owl, l.Levels(), size(o.path(exact.OwlmanCatches, n)), nil}
		row := []any{s.Helpers, s.States, s.OwlWhite, s.OwlOwl, s.Catch, nil, nil, nil}
		if n <= o.Forces() {
			l := o.Force[n]
			s.Forced = &forcedReport{l.White, l.Owl, l.Levels()}
			s.Bytes += size(o.path(exact.DocForces, n))
			row = append(row[:5], l.White, l.Owl, l.Levels())
		}
		list, r.Rows = append(list, s), append(r.Rows, append(row, s.Bytes))
	}
	winner, err := o.start()
	r.JSON, r.Answer = list, o.answer(winner)
	return r, err
}

// answer describes who wins the game, if known, and how far the variant without the
// demand to vary is solved.
func (o *owlman) answer(winner string) (text string) {
	if winner != "" {
		text = fmt.Sprintf("\nWho wins? %s.\n", winner)
	}
	if winner == "doc" {
		text += "Owlman cannot force a capture of Doc or of the last helper. That makes the game White's by the demand to\n" +
			"vary: an Owlman who may not repeat himself runs out of moves in the end, which may take longer than games last.\n"
	}
	reach := "no position is decided by what Doc can force, as no such table is there"
	if n := o.Forces(); n > 0 {
		reach = fmt.Sprintf("all positions with up to %s are decided, by what Doc can force", helpers(n))
	}
	return text + fmt.Sprintf("\nowlman:daybreak, where Doc has to win by his %dth move: %s.\n"+
		"Of those with up to %s Owlman's wins above are his there, too. Who wins from the start, with twelve helpers, is not known.\n", rules.LastNight, reach, helpers(o.Helpers()))
}
