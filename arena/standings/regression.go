package standings

import (
	"time"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
)

// A Regression shows the versions of a bot over time, each by its games against one fixed
// opponent.
type Regression struct {
	Event    string              `json:"event"`
	Game     string              `json:"game"`
	Against  string              `json:"against"`
	Versions []RegressionVersion `json:"versions"` // in the order in which they entered
}

// A RegressionVersion is one version of the bot.
type RegressionVersion struct {
	Version string    `json:"version"`
	Created time.Time `json:"created"` // when it was first seen
	arena.Tally
	// Comparison is against the fixed opponent, by pairs if there are any.
	sprt.Comparison
	// Change is the difference in Elo from the version before, nil of the first one, and
	// where the games of both do not determine it.
	Change *sprt.Difference `json:"change"`
}

// Regresses reports whether the event is a gauntlet in which one bot plays against the
// versions of another, each of which replaced those before, from the same openings.
func (s *Selection) Regresses() bool {
	challenges := schedule.Challengers(s.Config)
	if s.Event == nil || len(challenges) < 2 || !challenges[0] || s.Config.Openings.Policy != arena.PolicyPairing {
		return false
	}
	for i := 1; i < len(challenges); i++ {
		if challenges[i] || len(s.Config.Bots[i].Replaces) == 0 && i > 1 {
			return false
		}
	}
	return true
}

// Regression returns the versions of an event that Regresses; nil of other events.
func (s *Selection) Regression() (*Regression, error) {
	if !s.Regresses() {
		return nil, nil
	}
	bots := s.Config.Bots
	r := &Regression{Event: s.Event.Name, Game: s.Game, Against: bots[0].Name, Versions: []RegressionVersion{}}
	created := map[string]time.Time{}
	for _, e := range s.Event.Entries {
		created[e.Name] = e.Created
	}
	for i, b := range bots[1:] {
		h, err := NewHeadToHead(&s.Counts, b.Name, bots[0].Name, s.Game, s.Sides)
		if err != nil {
			return nil, err
		}
		v := RegressionVersion{Version: b.Name, Created: created[b.Name].UTC(), Tally: h.Tally, Comparison: h.Comparison()}
		if i > 0 {
			v.Change = sprt.Change(r.Versions[i-1].Comparison, v.Comparison)
		}
		r.Versions = append(r.Versions, v)
	}
	return r, nil
}

// Table returns a row for each version.
func (r *Regression) Table() listing.Table {
	t := listing.Table{
		Title: r.title(),
		Columns: []listing.Column{
			{Name: "Version", Left: true},
			{Name: "Date", Left: true},
			{Name: "Games"},
			{Name: "Score", As: listing.Percent},
			{Name: "Elo", As: listing.Signed},
			{Name: "±", Key: "elo_error", As: listing.Whole},
			{Name: "Change", As: listing.Signed},
			{Name: "±", Key: "change_error", As: listing.Whole},
			{Name: "LOS", As: listing.Percent},
		},
		Notes: []string{"Elo is against " + r.Against + ", with the change from the version before; ±: 95 % interval.", "LOS: likelihood of superiority over the version before."},
	}
	for i := range r.Versions {
		v := &r.Versions[i]
		row := []any{v.Version, v.Created.Format(time.DateOnly), v.Games, nil, v.Elo, v.EloError, nil, nil, nil}
		if v.Games > 0 {
			row[3] = v.Share()
		}
		if c := v.Change; c != nil {
			row[6], row[7], row[8] = c.Elo, c.Error, c.LOS
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (r *Regression) title() string { return r.Event + " · versions against " + r.Against }

// Chart returns the Elo of each version with its interval.
func (r *Regression) Chart() *Chart {
	c := &Chart{Title: r.title() + " · Elo"}
	for i := range r.Versions {
		v := &r.Versions[i]
		b := Bar{Name: v.Version, Elo: v.Elo, Low: v.Low, High: v.High} // a perfect score has a bound alone
		if v.Elo != nil && v.EloError != nil {
			low, high := *v.Elo-*v.EloError, *v.Elo+*v.EloError
			b.Low, b.High = &low, &high
		}
		c.Bars = append(c.Bars, b)
	}
	return c
}
