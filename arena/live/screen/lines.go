package screen

import (
	"context"
	"fmt"
	"io"

	"botarena/arena/live"
	"botarena/arena/text"
)

// Lines writes a line for each game that begins and for each that ends, until ctx
// is done or, where an event is named, its run ends. The error is from writing.
func Lines(ctx context.Context, w io.Writer, opt Options) error {
	defer opt.View.Attend()()
	ran := false
	var problem string
	events, over := map[string]live.Event{}, map[uint64]bool{}
	for {
		changed, now := opt.View.Changed(), opt.View.Snapshot()
		if p := opt.View.Problems(); len(p) > 0 && p[0] != problem {
			problem = p[0]
			if _, err := fmt.Fprintf(w, "! %s\n", text.Escape(problem)); err != nil {
				return err
			}
		}
		known := over
		over = map[uint64]bool{}
		for i := range now.Games {
			g := &now.Games[i]
			if opt.Event != "" && g.Event != opt.Event {
				continue
			}
			before, begun := known[g.ID]
			over[g.ID] = g.Over
			if begun && before == g.Over {
				continue
			}
			if err := tellGame(w, g); err != nil {
				return err
			}
		}
		for _, e := range now.Events {
			if opt.Event != "" && e.Name != opt.Event || events[e.Name] == e {
				continue
			}
			events[e.Name], ran = e, ran || e.Running
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

// tellGame writes that a game begins, or how it ended.
func tellGame(w io.Writer, g *live.Game) (err error) {
	name := fmt.Sprintf("%s/%d: %s - %s", text.Escape(g.Event), g.Number, text.Escape(g.First), text.Escape(g.Second))
	if g.Over {
		_, err = fmt.Fprintf(w, "%s:%s, %d plies\n", name, ended(&g.Game), max(g.Plies, len(g.Moves)))
	} else {
		_, err = fmt.Fprintf(w, "%s: begins\n", name)
	}
	return err
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
