package check

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/protocol"
)

// handshake greets the process that was just started.
func (r *run) handshake() outcome {
	start := r.Now()
	err := r.greet()
	took := r.Now().Sub(start)
	if err != nil {
		hint := "answer the line ugi (or uci) with id lines, option lines and ugiok (uciok), and flush stdout after each line"
		var f *session.Fault
		if errors.As(err, &f) && f.Reason == arena.Crash {
			hint = "the program has to stay and read its stdin; start it by hand and type ugi"
			if !r.session.Process.Alive() && r.session.Process.ExitStatus() != "exit status 0" {
				hint = "the program failed by itself: what it wrote to stderr says why; start it by hand to see it"
			}
		}
		return fail(hint, "%v", err)
	}
	d := &r.session.Declared
	r.report.Declared = *d
	what := fmt.Sprintf("%s, %d options, after %.3f s", d.Dialect, len(d.Options), took.Seconds())
	switch {
	case d.Name == "":
		return warn("say \"id name ...\" before "+d.Dialect.String()+"ok", "no id name; %s", what)
	case took > r.hello()/2:
		return warn("load what takes long when isready comes", "%s; an event waits %v", what, r.hello())
	case d.Author != "":
		return pass("%q by %q: %s", d.Name, d.Author, what)
	}
	return pass("%q: %s", d.Name, what)
}

// options judges the declarations, and sets each option to its own default.
func (r *run) options() outcome {
	s := r.session
	if len(s.Declared.Options) == 0 && len(s.Declared.Problems) == 0 {
		return pass("none declared")
	}
	problems := slices.Clone(s.Declared.Problems)
	seen := map[string]bool{}
	deadline := r.Now().Add(r.within(10 * time.Second))
	set := 0
	for _, o := range s.Declared.Options {
		if p := declarationProblem(o); p != "" {
			problems = append(problems, p)
		}
		if lower := strings.ToLower(o.Name); seen[lower] {
			problems = append(problems, fmt.Sprintf("option %q is declared twice", o.Name))
		} else {
			seen[lower] = true
		}
		if o.Type == protocol.Button || o.Check(o.Default) != nil || r.Now().After(deadline) {
			continue
		}
		mark := s.mark()
		if err := s.SetOption(r.ctx, o, o.Default, r.within(readyTime)); err != nil {
			out := fail("setoption with the default of an option must change nothing; then answer isready", "option %q set to its own default %q: %v", o.Name, o.Default, err)
			if o.Type == protocol.String { // often a path; no event sends what its entry does not name
				out.status = Warn
			}
			out.quote = s.since(mark)
			// The next checks need a process, this time without these lines.
			if r.open() != nil || r.greet() != nil {
				out.detail += "; and it does not start again"
			}
			out.stderr = s.stderr.Lines(lastWords)
			return out
		}
		set++
	}
	if len(problems) > 0 {
		return warn("see the grammar of option lines: `go doc botarena/protocol`", "%s", strings.Join(problems[:min(len(problems), mostExamples)], "; ")).
			quoting(s.optionLines()...)
	}
	return pass("%d declared, %d set to their defaults", len(s.Declared.Options), set)
}

// declarationProblem describes what is wrong with a declaration, "" if nothing is.
func declarationProblem(o protocol.Option) string {
	switch o.Type {
	case protocol.Check:
		if o.Default != "" && o.Default != "true" && o.Default != "false" {
			return fmt.Sprintf("option %q: the default %q is neither true nor false", o.Name, o.Default)
		}
	case protocol.Spin:
		if o.Default != "" && o.Check(o.Default) != nil {
			return o.Check(o.Default).Error() + " (its own default)"
		}
	case protocol.Combo:
		if len(o.Vars) == 0 {
			return fmt.Sprintf("option %q: a combo without var", o.Name)
		}
		if o.Default != "" && !slices.Contains(o.Vars, o.Default) {
			return fmt.Sprintf("option %q: the default %q is not among its var", o.Name, o.Default)
		}
	}
	return ""
}

// game sets the game to be played and the options of the bot's entry.
func (r *run) game() outcome {
	game, why, err := r.Game, "as asked for", error(nil)
	if game == nil {
		game, why, err = session.ChooseGame(&r.session.Declared, r.Catalog)
	}
	if err != nil {
		return fail("name one of arena's games as the default or as a var of the option, or choose with --game", "%v", err).
			quoting(r.session.optionLines()...)
	}
	r.report.Game = game
	s := r.session
	if err := r.configure(game); err != nil {
		var wrong *session.OptionsError
		if errors.As(err, &wrong) {
			return fail("choose another game with --game, or correct the options of the bot's entry", "%v", err).quoting(s.optionLines()...)
		}
		return fail("answer isready with readyok after the options are set", "%v", err)
	}
	legal := "it is to know the rules"
	if s.SendsLegal() {
		legal = "it is sent the legal moves"
	}
	return pass("%s (%s); %s", game.Name(), why, legal)
}

// sameSeed plays the same moves twice from one seed.
func (r *run) sameSeed() outcome {
	o, ok := r.session.Declared.SeedOption()
	if !ok {
		return skip("it declares no option Seed")
	}
	seed := strconv.FormatInt(max(o.Min, min(o.Max, 42)), 10)
	var games [2][]string
	for i := range games {
		if i > 0 {
			r.close()
			if err := r.ready(); err != nil {
				return r.broken(err)
			}
		}
		s := r.session
		err := s.SetOption(r.ctx, o, seed, r.within(readyTime))
		if err == nil {
			err = s.NewGame(r.ctx, r.within(readyTime))
		}
		if err != nil {
			return r.broken(err)
		}
		path := session.NewPath(r.report.Game)
		for !path.Position.Outcome().Over && len(path.Moves) < 8 {
			a, err := r.ask(path, protocol.GoParams{Depth: 2, Nodes: 200}, r.within(3*time.Second))
			if errors.Is(err, arena.ErrTimeout) {
				return skip("it does not heed depth and nodes, and what depends on time cannot be compared")
			}
			if err != nil {
				return r.broken(err)
			}
			if a.Resign {
				break
			}
			path.Play(a.Move)
		}
		games[i] = path.Moves
	}
	if !slices.Equal(games[0], games[1]) {
		return warn("seed all random numbers from the option Seed at each new game, and nothing from time or addresses: then games can be repeated",
			"Seed %s gave %s, then %s", seed, strings.Join(games[0], " "), strings.Join(games[1], " "))
	}
	return pass("Seed %s gives the same %d moves twice", seed, len(games[0]))
}
