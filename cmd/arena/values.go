package main

import (
	"fmt"
	"strings"

	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/owlman/exact"
	"botarena/engine/tables"
)

// worth is the value of a position: the moves until Owlman catches somebody, or until
// Doc has forced his win, are 0 where that is not so.
type worth struct {
	Winner string `json:"winner"`
	Catch  int    `json:"catch"`
	Force  int    `json:"force"`
}

// String is the value in words.
func (k worth) String() string {
	switch {
	case k.Catch > 0:
		return fmt.Sprintf("%s wins, and catches somebody in at most %s", k.Winner, text.Plural(k.Catch, "move"))
	case k.Force > 0:
		return fmt.Sprintf("%s wins, in at most %s", k.Winner, text.Plural(k.Force, "move"))
	}
	return k.Winner + " wins"
}

// An oracle knows what the exact tables say of positions.
type oracle struct {
	*tables.Owlman
	dir tables.Dir
}

func openOracle(dir tables.Dir) (*oracle, error) {
	o, err := dir.Owlman(exact.Most)
	if err != nil {
		return nil, err
	}
	return &oracle{o, dir}, nil
}

// value is what is known of a position; the error says what is missing, or damaged.
// In owlman:daybreak White's moves count from where the position came from.
func (o *oracle) value(p engine.Position) (worth, error) {
	pos, ok := p.(exact.Position)
	if !ok {
		return worth{}, usagef("%s is not solved; owlman is", p.Game().Name())
	}
	sides := pos.Game().SideNames()
	if out := pos.Outcome(); out.Over {
		return worth{Winner: sides[out.Winner]}, nil
	}
	daybreak := strings.HasSuffix(pos.Game().Name(), ":daybreak")
	v, ok, err := o.Value(pos)
	if err == nil && (!ok || daybreak && v.Winner == engine.First && !o.Forced(pos)) {
		most := o.Helpers()
		if daybreak {
			most = o.Forces()
		}
		return worth{}, usagef("the tables in %s do not have %s: there are those of up to %s; `arena solve owlman --pieces N` computes more",
			o.dir, pos, text.Plural(most, "helper"))
	}
	w := worth{sides[v.Winner], v.Catch, v.Force}
	if nights := exact.NightsLeft(pos); daybreak && w.Catch == 0 && (w.Force == 0 || w.Force > nights) {
		w = worth{Winner: sides[engine.Second]}
	}
	return w, err
}
