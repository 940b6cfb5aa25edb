package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/listing"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// dryRun prints what is to be played of an event, and plays nothing.
func (a *app) dryRun(ctx context.Context, e arena.Event, db string, extend bool) error {
	st := &stage{logs: logDir(db), books: bookDir(db)}
	var err error
	if st.store, err = store.OpenRead(ctx, db, a.now, a.tellStore()); err != nil && !errors.Is(err, store.ErrNoDatabase) {
		return err
	}
	defer func() { _ = st.Close() }()
	if e.Rules != nil {
		if st.starter, st.watchdog, err = a.newStarter(); err != nil {
			return err
		}
	}
	t := a.tournament(st)
	t.Observe = func(u event.Update) {
		if u.Kind == event.Searching {
			tellSearch(a.err, *u.Search)
		}
	}
	preview, err := t.Preview(ctx, e, event.Options{Extend: extend})
	if err != nil {
		return playError(err)
	}
	table := listing.Table{
		Title: fmt.Sprintf("%s · %s · %s", e.Name, e.Game, e.Format),
		Columns: []listing.Column{
			{Name: "No"},
			{Name: "Round"},
			{Name: "Pair"},
			{Name: "First", Left: true},
			{Name: "Second", Left: true},
			{Name: "Opening", Left: true},
		},
	}
	for i := range preview.Games {
		g := &preview.Games[i]
		table.Rows = append(table.Rows, []string{
			fmt.Sprint(g.Number), fmt.Sprint(g.Round), fmt.Sprint(g.Pair), g.First, g.Second,
			strings.TrimSpace(g.Opening.Name + " " + standings.OpeningText(g.Opening)),
		})
	}
	if more := preview.Left - len(preview.Games); more > 0 {
		table.Notes = append(table.Notes, fmt.Sprintf("Only the next %d games are listed; %d follow.", len(preview.Games), more))
	}
	if preview.Played > 0 {
		table.Notes = append(table.Notes, fmt.Sprintf("%d games are played already and stay.", preview.Played))
	}
	if preview.Played > 0 && preview.Complete {
		table.Notes = append(table.Notes, fmt.Sprintf("%d games left.", preview.Left))
	} else {
		table.Notes = append(table.Notes, gamesAhead(e, preview))
	}
	switch n := preview.Openings; {
	case n == 0 || preview.Pairs <= n:
	case n == 1:
		table.Notes = append(table.Notes, "There is one opening: from pair 2 on it comes again.")
	default:
		table.Notes = append(table.Notes, fmt.Sprintf("There are %d openings: from pair %d on they come again.", n, n+1))
	}
	if preview.Left > 0 || !preview.Complete {
		table.Notes = append(table.Notes, timeEstimate(e, preview, gamesAtOnce(e)))
	}
	return table.Write(a.out, listing.Text)
}

// gamesAtOnce is how many games run plays at once.
func gamesAtOnce(e arena.Event) int {
	if e.Concurrency > 0 {
		return e.Concurrency
	}
	threads := 1
	for _, b := range e.Bots {
		threads = max(threads, b.Threads)
	}
	cpus, err := process.CPUs()
	if err != nil {
		return 1 // as run does where the platform does not tell
	}
	return max(1, process.Cores(cpus)/threads)
}

func totalAfter(e arena.Event, preview event.Preview) (games int, exact bool) {
	return schedule.TotalAfter(e, preview.Played+preview.Left, preview.Rounds)
}

// gamesAhead says how many games a schedule has.
func gamesAhead(e arena.Event, preview event.Preview) string {
	planned := preview.Played + preview.Left
	total, exact := totalAfter(e, preview)
	switch {
	case preview.Complete:
		return fmt.Sprintf("%d games.", planned)
	case total == 0:
		return fmt.Sprintf("%d games first; the results decide what follows, without a limit.", planned)
	case exact:
		return fmt.Sprintf("%d games first, %d in all; the results decide who plays.", planned, total)
	}
	return fmt.Sprintf("%d games first, about %d in all; the results decide.", planned, total)
}

// pliesAGame is what a time estimate takes a game to last; the truth depends on
// the game and the bots.
const pliesAGame = 60

// timeEstimate says how long an event may take at most, so many games at
// once, as far as its clocks tell.
func timeEstimate(e arena.Event, preview event.Preview, atOnce int) string {
	total, _ := totalAfter(e, preview)
	if limit := e.Ladder.Time; e.Format == arena.FormatLadder && limit > 0 {
		return fmt.Sprintf("No more games after %s of play.", roundTime(limit))
	}
	if total == 0 && e.Format == arena.FormatLadder {
		return "No time estimate: nothing limits the number of games."
	}
	left := preview.Left
	if !preview.Complete {
		left = max(left, total-preview.Played)
	}
	var sum time.Duration // of what each bot may use in a game
	for _, b := range e.Bots {
		c := e.Clock
		if b.Clock != nil {
			c = *b.Clock
		}
		const moves = pliesAGame / 2
		switch {
		case c.Move > 0:
			sum += moves * c.Move
		case c.Base > 0:
			periods := 1
			if c.Moves > 0 {
				periods = 1 + (moves-1)/c.Moves
			}
			sum += time.Duration(periods)*c.Base + moves*c.Increment
		default:
			return "No time estimate: not every bot's clock limits time."
		}
	}
	perGame := 2 * sum / time.Duration(len(e.Bots))
	at := "one game at a time"
	if atOnce > 1 {
		at = fmt.Sprintf("%d games at a time", atOnce)
	}
	return fmt.Sprintf("Up to about %s, %s, if a game lasts %d plies.", roundTime(time.Duration(left)*perGame/time.Duration(atOnce)), at, pliesAGame)
}
