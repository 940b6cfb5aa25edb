package standings

import (
	"cmp"
	"fmt"
	"strconv"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/schedule"
	"botarena/arena/text"
)

// mostColumns is the widest cross-table that is printed unasked.
const mostColumns = 12

// Standings are the tables that people expect of an event's format before its
// leaderboard, which comes by itself. games are the event's where [NeedsGames]
// says so.
func Standings(event arena.Event, sel *Selection, games []arena.Game) ([]listing.Table, *Leaderboard, error) {
	lb, err := sel.Leaderboard(nil)
	if err != nil {
		return nil, nil, err
	}
	return StandingsOf(event, sel, lb, games), lb, nil
}

// StandingsOf is Standings where the leaderboard is there already.
func StandingsOf(event arena.Event, sel *Selection, lb *Leaderboard, games []arena.Game) []listing.Table {
	var tables []listing.Table
	switch event.Format {
	case arena.FormatKnockout:
		tables = append(tables, bracketTable(event, games))
	case arena.FormatSwiss:
		tables = append(tables, swissTable(event, games))
	case arena.FormatGauntlet:
		tables = append(tables, gauntletTable(event, sel))
	}
	if crosses(event) {
		order := Ranking(lb)
		if event.Format == arena.FormatSwiss { // its own order, which has the bots that had only byes
			order = nil
			for _, r := range schedule.Standings(event, games) {
				order = append(order, r.Bot)
			}
		}
		tables = append(tables, sel.Crosstable(lb, order).Table())
	}
	return tables
}

// NeedsGames reports whether the standings of an event are made of its games one
// by one.
func NeedsGames(event arena.Event) bool {
	return event.Format == arena.FormatKnockout || event.Format == arena.FormatSwiss
}

// crosses reports whether a cross-table belongs to the event's standings.
func crosses(event arena.Event) bool {
	switch event.Format {
	case arena.FormatRoundRobin, arena.FormatSwiss, arena.FormatLadder:
		return len(event.Bots) > 2 && len(event.Bots) <= mostColumns
	}
	return false
}

func swissTable(event arena.Event, games []arena.Game) listing.Table {
	t := listing.Table{
		Title: fmt.Sprintf("%s · standings after %s", event.Name, text.Plural(lastRound(games), "round")),
		Columns: []listing.Column{
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
	t.Notes = []string{"Ties are broken by Buchholz (the points of a bot's opponents), then Sonneborn-Berger (its results weighed by them)."}
	if len(event.Playing())%2 == 1 || len(event.Playing()) < len(event.Bots) {
		points := "a point"
		if event.Swap {
			points = "2 points"
		}
		t.Notes = append(t.Notes, "A round without an opponent, a bye, counts "+points+".")
	}
	return t
}

// gauntletTable is what each challenger did against each of the others.
func gauntletTable(event arena.Event, sel *Selection) listing.Table {
	t := listing.Table{
		Title: event.Name + " · challengers against the rest",
		Columns: []listing.Column{
			{Name: "Challenger", Left: true},
			{Name: "Opponent", Left: true},
			{Name: "Points"},
			{Name: "Games"},
			{Name: "Wins"},
			{Name: "Draws"},
			{Name: "Losses"},
			{Name: "Score"},
		},
	}
	var bots []string
	for _, b := range event.Bots {
		bots = append(bots, b.Name)
	}
	met := NewCrosstable(&sel.Counts, bots).Cells
	row := func(challenger, opponent string, m Meeting) {
		score := "-"
		if m.Games > 0 {
			score = fmt.Sprintf("%.1f%%", 100*m.Points/float64(m.Games))
		}
		t.Rows = append(t.Rows, []string{
			challenger, opponent, fmt.Sprintf("%g", m.Points), strconv.Itoa(m.Games),
			strconv.Itoa(m.Wins), strconv.Itoa(m.Draws), strconv.Itoa(m.Losses), score,
		})
	}
	challenges := event.Challengers()
	for i, c := range bots {
		if !challenges[i] {
			continue
		}
		if len(t.Rows) > 0 {
			t.Rows = append(t.Rows, make([]string, len(t.Columns)))
		}
		name := c
		var all Meeting
		for j, b := range bots {
			if challenges[j] {
				continue
			}
			var m Meeting
			if cell := met[i][j]; cell != nil {
				m = *cell
			}
			row(name, b, m)
			all = Meeting{
				Points: all.Points + m.Points, Games: all.Games + m.Games,
				Wins: all.Wins + m.Wins, Draws: all.Draws + m.Draws, Losses: all.Losses + m.Losses,
			}
			name = ""
		}
		row("", "all", all)
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

func bracketTable(event arena.Event, games []arena.Game) listing.Table {
	b := schedule.BracketOf(event, games)
	t := listing.Table{
		Title: event.Name + " · bracket",
		Columns: []listing.Column{
			{Name: "Stage", Left: true},
			{Name: "Bot", Left: true},
			{Name: "Opponent", Left: true},
			{Name: "Points"},
			{Name: "Tie-breaks"},
			{Name: "Winner", Left: true},
		},
	}
	add := func(stage string, m schedule.Match) {
		first, second := cmp.Or(m.First, "?"), cmp.Or(m.Second, "?")
		score, breaks := fmt.Sprintf("%g-%g", m.FirstPoints, m.SecondPoints), "-"
		switch {
		case m.Bye:
			second, score = "(bye)", "-"
		case m.TieBreaks > 0:
			breaks = strconv.Itoa(m.TieBreaks)
		}
		winner := cmp.Or(m.Winner, "?")
		if m.BySeed {
			winner += " (level: the better seed)"
		}
		t.Rows = append(t.Rows, []string{stage, first, second, score, breaks, winner})
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
