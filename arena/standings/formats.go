package standings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"botarena/arena/listing"
	"botarena/arena/rating/race"
	"botarena/arena/schedule"
)

// mostColumns is the number of bots up to which a crosstable is printed by default.
const mostColumns = 12

// Tables returns the tables that an event's format shows before its leaderboard: the
// matches of a knockout, the verdicts of a race, the versions of a regression, the results
// of each challenger, or a crosstable if it is narrow.
func (s *Selection) Tables(lb *Leaderboard) []listing.Table {
	if s.Event == nil {
		return nil
	}
	if r, err := s.Regression(); err == nil && r != nil { // the leaderboard has the same error
		return []listing.Table{r.Table()}
	}
	n := len(s.Config.Bots)
	switch {
	case s.Tuning != nil:
		return []listing.Table{s.Tuning.Table()}
	case lb.Bracket != nil:
		return []listing.Table{bracketTable(s.Event.Name, lb.Bracket)}
	case lb.Race != nil:
		return []listing.Table{raceTable(s.Event.Name, lb.Race)}
	case schedule.Challengers(s.Config) != nil:
		return []listing.Table{gauntletTable(s)}
	case n > 2 && n <= mostColumns:
		return []listing.Table{s.Crosstable(lb).Table()}
	}
	return nil
}

// gauntletTable returns the results of each challenger against each of the others.
func gauntletTable(sel *Selection) listing.Table {
	event := &sel.Config
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
			{Name: "Score", As: listing.Percent},
		},
	}
	var bots []string
	for _, b := range event.Bots {
		bots = append(bots, b.Name)
	}
	met := NewCrosstable(&sel.Counts, bots).Cells
	row := func(challenger, opponent string, m Meeting) {
		t.Rows = append(t.Rows, []any{challenger, opponent, m.Points, m.Games, m.Wins, m.Draws, m.Losses, m.Share()})
	}
	challenges := schedule.Challengers(*event)
	for i, c := range bots {
		if !challenges[i] {
			continue
		}
		if len(t.Rows) > 0 {
			t.Rows = append(t.Rows, make([]any, len(t.Columns)))
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
			all.Tally = all.Plus(m.Tally)
			name = ""
		}
		row("", "all", all)
	}
	return t
}

func bracketTable(event string, b *schedule.Bracket) listing.Table {
	t := listing.Table{
		Title: event + " · bracket",
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
		t.Rows = append(t.Rows, []any{stage, first, second, score, breaks, winner})
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

// raceTable returns the verdict on each candidate of a race, those that are in first.
func raceTable(event string, r *schedule.Race) listing.Table {
	t := listing.Table{
		Title: event + " · race against " + r.Base,
		Columns: []listing.Column{
			{Name: "Candidate", Left: true},
			{Name: "Verdict", Left: true},
			{Name: "Pairs"},
			{Name: "LLR"},
			{Name: "Lower", Data: true},
			{Name: "Upper", Data: true},
			{Name: "Why", Left: true},
		},
		Notes: wrap("", r.Promise()),
	}
	for _, state := range []race.State{race.Accepted, race.Running, race.Eliminated, race.Withdrawn} {
		list := slices.DeleteFunc(slices.Clone(r.Candidates), func(v schedule.RaceVerdict) bool { return v.State != state })
		if state == race.Eliminated { // the last first
			slices.SortStableFunc(list, func(a, b schedule.RaceVerdict) int { return b.Pairs - a.Pairs })
		}
		for _, v := range list {
			llr := listing.Cell{Text: fmt.Sprintf("%+.2f (%+.2f, %+.2f)", v.LLR, v.Lower, v.Upper), Value: v.LLR}
			t.Rows = append(t.Rows, []any{v.Bot, string(v.State), v.Pairs, llr, v.Lower, v.Upper, v.Why})
		}
	}
	t.Notes = append(t.Notes, r.Sentence())
	return t
}
