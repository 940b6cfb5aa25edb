package main

import (
	"fmt"
	"strconv"
	"time"

	"botarena/arena"
	"botarena/arena/report"
	"botarena/arena/schedule"
)

// mostColumns is the widest cross-table that is printed unasked.
const mostColumns = 12

// standings are the tables that people expect of an event's format, the
// leaderboard last.
func standings(event arena.Event, sel *selection) ([]report.Table, error) {
	lb, err := sel.leaderboard(nil)
	if err != nil {
		return nil, err
	}
	var tables []report.Table
	switch event.Format {
	case arena.KnockoutF:
		tables = append(tables, bracketTable(event, sel.games))
	case arena.Swiss:
		tables = append(tables, swissTable(event, sel.games))
	}
	if crosses(event) {
		bots := make([]string, len(lb.Bots))
		for i := range lb.Bots {
			bots[i] = lb.Bots[i].Bot
		}
		cross := report.NewCrosstable(sel.games, bots)
		cross.Event, cross.Game = lb.Event, lb.Game
		tables = append(tables, cross.Table())
	}
	return append(tables, lb.Table()), nil
}

// crosses tells whether a cross-table belongs to the event's standings.
func crosses(event arena.Event) bool {
	switch event.Format {
	case arena.RoundRobin, arena.Swiss:
		return len(event.Bots) > 2 && len(event.Bots) <= mostColumns
	}
	return false
}

func swissTable(event arena.Event, games []arena.Game) report.Table {
	t := report.Table{
		Title: fmt.Sprintf("%s · standings after %d rounds", event.Name, lastRound(games)),
		Columns: []report.Column{
			{Name: "#"},
			{Name: "Bot", Left: true},
			{Name: "Points"},
			{Name: "Buchholz"},
			{Name: "Sonneborn-Berger"},
			{Name: "Wins"},
			{Name: "Draws"},
			{Name: "Losses"},
			{Name: "Byes"},
		},
	}
	for _, r := range schedule.Standings(event, games) {
		t.Rows = append(t.Rows, []string{
			strconv.Itoa(r.Rank), r.Bot, fmt.Sprintf("%g", r.Points), fmt.Sprintf("%g", r.Buchholz), fmt.Sprintf("%g", r.SonnebornBerger),
			strconv.Itoa(r.Wins), strconv.Itoa(r.Draws), strconv.Itoa(r.Losses), strconv.Itoa(r.Byes),
		})
	}
	return t
}

func lastRound(games []arena.Game) int {
	last := 0
	for i := range games {
		if games[i].Result != arena.Unplayed {
			last = max(last, games[i].Round)
		}
	}
	return last
}

func bracketTable(event arena.Event, games []arena.Game) report.Table {
	b := schedule.BracketOf(event, games)
	t := report.Table{
		Title: event.Name + " · bracket",
		Columns: []report.Column{
			{Name: "Stage", Left: true},
			{Name: "First", Left: true},
			{Name: "Second", Left: true},
			{Name: "Score"},
			{Name: "Winner", Left: true},
		},
	}
	add := func(stage string, m schedule.Match) {
		second, score := m.Second, fmt.Sprintf("%g-%g", m.FirstPoints, m.SecondPoints)
		if m.Bye {
			second, score = "(bye)", "-"
		}
		winner := m.Winner
		if m.BySeed {
			winner += " (by seed)"
		}
		t.Rows = append(t.Rows, []string{stage, m.First, second, score, winner})
	}
	for _, s := range b.Stages {
		for _, m := range s.Matches {
			add(s.Name, m)
		}
	}
	if b.ThirdPlace != nil {
		add("third place", *b.ThirdPlace)
	}
	if b.Winner != "" {
		t.Notes = append(t.Notes, "Winner: "+b.Winner)
	}
	return t
}

// gamesAhead says how many games a schedule has.
func gamesAhead(event arena.Event, planned int, complete bool) string {
	total, exact := schedule.Total(event)
	switch {
	case complete:
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

// timeEstimate says how long an event may take, or nothing where no clock tells.
func timeEstimate(event arena.Event, planned int) string {
	total, _ := schedule.Total(event)
	total = max(total, planned)
	c := event.Clock
	var perGame time.Duration
	switch {
	case c.Move > 0:
		perGame = pliesAGame * c.Move
	case c.Base > 0:
		periods := 1
		if c.Moves > 0 {
			periods = 1 + pliesAGame/2/c.Moves
		}
		perGame = 2 * (time.Duration(periods)*c.Base + pliesAGame/2*c.Increment)
	default:
		return "No time estimate: the clock does not limit time."
	}
	at := "one game at a time"
	if event.Concurrency > 1 {
		perGame /= time.Duration(event.Concurrency)
		at = fmt.Sprintf("%d games at a time", event.Concurrency)
	}
	return fmt.Sprintf("Up to about %s, %s, if a game lasts %d plies.", roundTime(time.Duration(total)*perGame), at, pliesAGame)
}
