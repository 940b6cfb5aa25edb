package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"botarena/arena/listing"
	"botarena/arena/live"
	"botarena/arena/live/screen"
	"botarena/arena/rules"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/games"
)

func (a *app) watchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "watch [EVENT]",
		Short: "Follow games in progress, in the terminal",
		Long: `Follow the games that "arena run", "match" and "sprt" are playing on this
machine, begun before or after: boards, clocks and scores, and the standings.
EVENT is the event to show; by default it is whichever is being played. Watching
costs the games nothing that can be measured, and ends with q; the games go on.

It takes the whole terminal, at any size. Keys: arrows choose a board, enter
shows one with its moves, f turns the boards round, s shows the standings, e
hides scores, tab is the next event, ? helps, q quits. All can be read without
colour (NO_COLOR).

Where the output is no terminal it is lines: one for each game that begins or
ends. It ends with the event's run where EVENT is named, else with Ctrl-C.

"arena serve" shows the same in a browser.`,
		Example: `  arena watch
  arena watch spring
  arena watch --db league.db
  arena watch spring > games.log             one line for each game, until the run ends`,
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := a.settings(cmd)
			if err != nil {
				return err
			}
			return a.watch(cmd.Context(), db, strings.Join(args, ""))
		},
	}
}

// watch shows the games in progress on a database.
func (a *app) watch(ctx context.Context, db, event string) error {
	ctx, cancel := context.WithCancel(ctx)
	look := &looker{app: a, db: db}
	defer func() { _ = look.close() }()
	if event != "" {
		s, err := look.open(ctx)
		if err != nil {
			cancel()
			return err
		}
		if _, err := s.Event(ctx, event); err != nil {
			cancel()
			return err
		}
	}
	opt := screen.Options{
		View: live.Watch(ctx, db, a.now, nil), Catalog: games.All(), Rules: look.rules, Now: a.now, Event: event,
		Color: a.getenv("NO_COLOR") == "", Standings: look.standings,
		Waiting: fmt.Sprintf("Nothing is being played on %s.\nStart something there, such as `arena run CONFIG`, and it shows here.", text.Escape(db)),
	}
	defer func() {
		cancel()
		<-opt.View.Stopped()
	}()
	if _, terminal := a.terminal(a.out); terminal && a.getenv("TERM") != "dumb" {
		return a.watchScreen(ctx, opt)
	}
	return a.watchLines(ctx, opt, look)
}

// watchScreen takes the terminal.
func (a *app) watchScreen(ctx context.Context, opt screen.Options) error {
	defer opt.View.Attend()()
	p := tea.NewProgram(screen.New(ctx, opt), tea.WithContext(ctx), tea.WithInput(a.in), tea.WithOutput(bare(a.out)), tea.WithEnvironment(a.environ))
	_, err := p.Run()
	if errors.Is(err, tea.ErrInterrupted) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("watch in this terminal: %w; with its output piped, arena watch writes lines", err)
	}
	return nil
}

// watchLines writes lines until it is interrupted.
func (a *app) watchLines(ctx context.Context, opt screen.Options, look *looker) error {
	ctx, stop := a.untilInterrupt(ctx)
	defer stop()
	if opt.Event != "" {
		over, err := look.over(ctx, opt.Event)
		if err != nil || over != "" {
			if over != "" {
				fmt.Fprintln(a.out, over)
			}
			return err
		}
	} else {
		fmt.Fprintf(a.err, "arena: following the games on %s; Ctrl-C ends it\n", look.db)
	}
	return screen.Lines(ctx, a.out, opt)
}

// A looker reads standings from a database that may not exist yet.
type looker struct {
	read standings.Follower
	*app
	db string

	mu    sync.Mutex // programs are started beside all else
	store *store.Store
	known *rules.Catalog
}

func (l *looker) open(ctx context.Context) (*store.Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.store == nil {
		s, err := store.OpenRead(ctx, l.db, l.now)
		if err != nil {
			return nil, err
		}
		l.store = s
	}
	return l.store, nil
}

func (l *looker) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.store == nil {
		return nil
	}
	return l.store.Close()
}

// rules returns a game whose rules are a program. An error is shown in place of its
// board.
func (l *looker) rules(ctx context.Context, game string) (engine.Game, error) {
	s, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = l.rulesOf(ctx, s.Events, io.Discard)
	}
	return l.known.Open(game)
}

// over returns a line that an event is finished, "" if it is not.
func (l *looker) over(ctx context.Context, event string) (string, error) {
	s, err := l.open(ctx)
	if err != nil {
		return "", err
	}
	e, err := s.Event(ctx, event)
	if err != nil || e.State != store.Finished {
		return "", err
	}
	return fmt.Sprintf("%s: finished, all %s are played; `arena leaderboard --event` shows how it ended", e.Name, text.Plural(e.Games, "game")), nil
}

// standings returns an event's standings, the leaderboard first.
func (l *looker) standings(ctx context.Context, event string) ([]string, error) {
	if _, err := os.Stat(l.db); err != nil {
		return nil, nil //nolint:nilerr // there is none yet: nothing to show
	}
	s, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	sel, err := standings.Choose(ctx, s, games.All(), event, "", "", &l.read)
	if errors.Is(err, standings.ErrNoEvents) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	board, err := sel.Leaderboard()
	if err != nil {
		return nil, err
	}
	tables := sel.Tables(board)
	if len(board.Bots) > 0 {
		tables = slices.Insert(tables, 0, brief(board.Table()))
	}
	var out bytes.Buffer
	for i, t := range tables {
		if i > 0 {
			out.WriteByte('\n')
		}
		if err := t.Write(&out, listing.Text); err != nil {
			return nil, err
		}
	}
	return strings.Split(strings.TrimRight(out.String(), "\n"), "\n"), nil
}

// brief returns a leaderboard with only the columns for the places and their certainty,
// to fit beside the boards.
func brief(t listing.Table) listing.Table {
	const mostName = 24
	short := listing.Table{Title: t.Title, Rows: make([][]any, len(t.Rows))}
	for c, column := range t.Columns {
		switch column.Name {
		case "#", "Bot", "Elo", "±", "Games", "Score":
		default:
			continue
		}
		short.Columns = append(short.Columns, column)
		for r, row := range t.Rows {
			cell := row[c]
			if column.Left {
				cell = text.Line(column.Text(cell), mostName)
			}
			short.Rows[r] = append(short.Rows[r], cell)
		}
	}
	return short
}
