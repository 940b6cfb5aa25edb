package exchange

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/text"
)

// NotExported replaces what [Public] leaves out.
const NotExported = "not exported"

// Public returns an event without private settings: how its bots are started, and the
// paths of its files. It cannot be run again.
func Public(e arena.Event) arena.Event {
	bots := make([]arena.Bot, len(e.Bots))
	for i, b := range e.Bots {
		bots[i] = config.DefaultBot()
		bots[i].Name, bots[i].Version, bots[i].Seed, bots[i].Clock, bots[i].Threads = b.Name, b.Version, b.Seed, b.Clock, b.Threads
		bots[i].Command = []string{NotExported}
	}
	e.Bots = bots
	if e.Rules != nil {
		rules := config.DefaultRules()
		rules.Command, rules.Version = []string{NotExported}, e.Rules.Version
		e.Rules = &rules
	}
	if e.Openings.File != "" {
		e.Openings.File = NotExported
	}
	return e
}

// A File holds the contents of a file of JSON Lines, as [Inspect] found them.
type File struct {
	Events   []FileEvent
	Problems []*ParseError // none: the file can be imported
}

// A FileEvent is an event with games in a file.
type FileEvent struct {
	Event arena.Event // as the configuration says
	Line  int         // of its first game
	Games int

	entered     []arena.Bot // those that play, with fingerprints
	file        io.ReaderAt
	from, after int64 // bytes of its lines
	last        int   // number of its last game
}

// A ParseError reports where and why a file cannot be read.
type ParseError struct {
	File         string
	Line, Column int // from 1, the column in bytes; 0 if there is none to name
	Err          error
}

// Error returns "FILE:LINE:COLUMN: WHY", as far as the place is known.
// A reason that quotes much of the file is cut.
func (e *ParseError) Error() string {
	const most = 300
	why := text.Clip(e.Err.Error(), most)
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, why)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, why)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, why)
}

// Unwrap returns the reason.
func (e *ParseError) Unwrap() error { return e.Err }

// Inspect reads a file of JSON Lines and checks every game of it. each, which may be
// nil, is called for valid games and may return a further problem.
func Inspect(name string, file io.ReaderAt, size int64, c *Checker, each func(line int, g *Game) error) *File {
	if in, _, err := input(io.NewSectionReader(file, 0, size)); err == nil && sniff(in) == FormatPGN {
		return &File{Problems: []*ParseError{{File: name, Err: ErrPGN}}}
	}
	i := &inspection{name: name, file: file, checker: c, each: each, found: &File{}, lines: map[string]int{}}
	if err := lines(io.NewSectionReader(file, 0, size), i.line); err != nil {
		i.found.Problems = append(i.found.Problems, &ParseError{File: name, Err: err})
	}
	if len(i.found.Events) > 0 {
		i.event().after = size
	} else if len(i.found.Problems) == 0 {
		i.found.Problems = append(i.found.Problems, &ParseError{File: name, Err: errors.New("no games in it")})
	}
	return i.found
}

// ErrPGN reports that a file is PGN and not JSON Lines.
var ErrPGN = errors.New("it is PGN, which says who won, but not by which versions, and seldom how")

type inspection struct {
	name    string
	file    io.ReaderAt
	checker *Checker
	each    func(int, *Game) error
	found   *File
	lines   map[string]int // where each event begins
}

// event returns the event of the current lines.
func (i *inspection) event() *FileEvent { return &i.found.Events[len(i.found.Events)-1] }

func (i *inspection) line(number int, offset int64, text []byte) error {
	fail := func(err error) {
		i.found.Problems = append(i.found.Problems, &ParseError{File: i.name, Line: number, Err: err})
	}
	g, err := ParseLine(text)
	if err != nil {
		fail(err)
		return nil
	}
	before := len(i.found.Problems)
	for _, err := range i.checker.Check(g) {
		fail(err)
	}
	switch begun, ok := i.lines[g.Event]; {
	case !ok:
		if len(i.found.Events) > 0 {
			i.event().after = offset
		}
		i.lines[g.Event] = number
		event, err := settings(g)
		if err != nil {
			fail(err)
		}
		i.found.Events = append(i.found.Events, FileEvent{Event: event, Line: number, file: i.file, from: offset})
	case i.event().Event.Name != g.Event:
		fail(fmt.Errorf("event %q begins in line %d and ended before this line; keep an event's games together", g.Event, begun))
		return nil
	default:
		if g.Config != "" {
			fail(fmt.Errorf("config belongs in the first game of an event, line %d here", begun))
		}
		if g.Game.Game != i.event().Event.Game {
			fail(fmt.Errorf("event %q is of %s, not of %s", g.Event, i.event().Event.Game, g.Game.Game))
		}
	}
	e := i.event()
	if g.Number <= e.last {
		fail(fmt.Errorf("game %d of event %q stands after game %d: each once, in ascending order", g.Number, g.Event, e.last))
	}
	e.last = max(e.last, g.Number)
	e.Games++
	if err := e.enter(g); err != nil {
		fail(err)
	}
	if len(i.found.Problems) == before && i.each != nil {
		if err := i.each(number, g); err != nil {
			fail(err)
		}
	}
	return nil
}

// settings reads the configuration that the first game of an event carries. Along with
// an error it returns an event with the names in the game.
func settings(g *Game) (arena.Event, error) {
	named := arena.Event{Name: g.Event, Game: g.Game.Game}
	if g.Config == "" {
		return named, fmt.Errorf("the first game of event %q has no config; export the event again, or copy it from the line that had it", g.Event)
	}
	e, err := config.Decode([]byte(g.Config))
	if err != nil {
		return named, fmt.Errorf("config: %w", err)
	}
	if e.Name != g.Event || e.Game != g.Game.Game {
		return named, fmt.Errorf("config is of event %q of %s, the game of event %q of %s", e.Name, e.Game, g.Event, g.Game.Game)
	}
	return e, nil
}

// enter records the bots of a game; each may have one version only.
func (e *FileEvent) enter(g *Game) error {
	for side, name := range [2]string{g.First, g.Second} {
		v := g.Versions[side]
		at := arena.BotIndex(e.entered, name)
		if at < 0 {
			e.entered = append(e.entered, arena.Bot{Name: name, Fingerprint: v.Fingerprint, Version: v.Label})
			like := config.DefaultBot() // the configuration may know the bot by another name
			like.Name, like.Version, like.Command = name, v.Label, []string{NotExported}
			if err := like.Validate(arena.Known{}); err != nil {
				return fmt.Errorf("bot %q: %w", name, err)
			}
			continue
		}
		if b := e.entered[at]; b.Fingerprint != v.Fingerprint || b.Version != v.Label {
			return fmt.Errorf("bot %q has another fingerprint or label here than before in event %q", name, g.Event)
		}
	}
	return nil
}

// Config returns the canonical text of the event's configuration.
func (e *FileEvent) Config() ([]byte, error) { return config.Encode(Public(e.Event)) }

// Entered returns the event with the bots that play in the file, in the order of
// the configuration, and their fingerprints.
func (e *FileEvent) Entered() arena.Event {
	event := e.Event
	place := func(b arena.Bot) int {
		at := arena.BotIndex(e.Event.Bots, b.Name)
		if at < 0 {
			return len(e.Event.Bots) // a bot that has another name now
		}
		return at
	}
	event.Bots = slices.Clone(e.entered)
	slices.SortStableFunc(event.Bots, func(a, b arena.Bot) int { return cmp.Compare(place(a), place(b)) })
	return event
}

// Records reads the event's games again, under the name of the rules by which they were
// checked.
func (e *FileEvent) Records() iter.Seq2[*arena.Game, error] {
	return func(yield func(*arena.Game, error) bool) {
		read := 0
		err := lines(io.NewSectionReader(e.file, e.from, e.after-e.from), func(_ int, _ int64, text []byte) error {
			g, err := ParseLine(text)
			if err != nil {
				return err
			}
			g.Game.Game = e.Event.Game
			if read++; !yield(&g.Game, nil) {
				return errStopped
			}
			return nil
		})
		if err == nil && read != e.Games {
			err = fmt.Errorf("it has %d games now, and had %d: the file is being written to", read, e.Games)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// errStopped ends the reading when the consumer stops.
var errStopped = errors.New("stopped")
