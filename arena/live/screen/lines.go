package screen

import (
	"context"
	"fmt"
	"io"

	"botarena/arena/live"
	"botarena/arena/text"
)

// Lines writes a line for each game that begins and for each that ends, until ctx
// is done or, where an event is named, its run ends. The error is that of writing.
func Lines(ctx context.Context, w io.Writer, opt Options) error {
	defer opt.View.Attend()()
	filter := live.Filter{Event: opt.Event}
	ran := false
	var to uint64
	var problem string
	air := map[live.Key]bool{}
	for {
		changed := opt.View.Changed()
		d := opt.View.Since(to, filter)
		to = d.To
		if p := opt.View.Problems(); len(p) > 0 && p[0] != problem {
			problem = p[0]
			if _, err := fmt.Fprintf(w, "! %s\n", text.Escape(problem)); err != nil {
				return err
			}
		}
		for i := range d.Games {
			if err := tellGame(w, &d.Games[i], air); err != nil {
				return err
			}
		}
		for _, e := range d.Events {
			ran = ran || e.Running
			if _, err := fmt.Fprintln(w, progress(&e)); err != nil {
				return err
			}
			if !e.Running && ran && opt.Event != "" {
				return nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// tellGame writes what is new of a game, moves left out.
func tellGame(w io.Writer, c *live.Change, air map[live.Key]bool) error {
	g := &c.Game
	name := fmt.Sprintf("%s/%d: %s - %s", text.Escape(g.Event), g.Number, text.Escape(g.First), text.Escape(g.Second))
	switch {
	case g.Over:
		delete(air, g.Key())
		plies := max(g.Plies, len(g.Moves))
		_, err := fmt.Fprintf(w, "%s:%s, %d plies\n", name, ended(&g.Game), plies)
		return err
	case c.New || !air[g.Key()]:
		air[g.Key()] = true
		_, err := fmt.Fprintf(w, "%s: begins\n", name)
		return err
	}
	return nil
}

func progress(e *live.Event) string {
	line := fmt.Sprintf("%s: %d games played", text.Escape(e.Name), e.Played)
	if goal := max(e.Planned, e.Total); goal > 0 {
		line = fmt.Sprintf("%s: %d/%d games played", text.Escape(e.Name), e.Played, goal)
	}
	if !e.Running {
		line += ", the run has ended"
	}
	return line
}
