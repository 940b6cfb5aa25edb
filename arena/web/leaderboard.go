package web

import (
	"context"
	"html/template"
	"slices"

	"botarena/arena/standings"
	"botarena/arena/store"
)

// A boardLine is a game with a leaderboard, and what is rated together in it.
type boardLine struct {
	Game   string `json:"game"`
	Events int    `json:"events"`
	Bots   int    `json:"bots"`
	Games  int    `json:"games"` // with a result
}

func loadBoards(ctx context.Context, r *request) (*content, error) {
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	list, seen := []boardLine{}, map[string]bool{}
	for i := range events {
		game := events[i].Game
		if seen[game] {
			continue
		}
		seen[game] = true
		leagues, _ := standings.Leagues(events, game)
		if len(leagues) == 0 || leagues[0].Games == 0 {
			continue
		}
		l := boardLine{Game: game, Games: leagues[0].Games}
		bots := map[string]bool{}
		for j := range events {
			e := &events[j]
			if e.Played == 0 || !slices.Contains(leagues[0].Events, e.Name) {
				continue
			}
			l.Events++
			for _, b := range e.Entries {
				bots[b.Name] = true
			}
		}
		l.Bots = len(bots)
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b boardLine) int { return b.Games - a.Games })
	return &content{Title: "Leaderboards", JSON: list, Data: list}, nil
}

// mostHistoryDays is the number of days beyond which a history goes by weeks.
const mostHistoryDays = 60

// mostLines is the maximum number of distinguishable lines in a chart.
const mostLines = 7

func loadBoard(ctx context.Context, r *request) (*content, error) {
	name, err := r.name("game")
	if err != nil {
		return nil, err
	}
	k, err := r.board(ctx, name)
	if err != nil {
		return nil, err
	}
	sel, lb := &k.sel, k.lb
	if lb.Games == 0 && len(sel.Scope.LeftOut) == 0 {
		return nil, notFound("No finished game of this is on record.")
	}
	d := map[string]any{"Board": newBoard(k, "", r.rows(boardURL(name), len(lb.Bots))), "Game": sel.Game, "Lead": lb.Lead(true)}
	if len(lb.Bots) <= mostCrossed {
		d["Cross"] = newCross(k.cross(), "", namesOf(sel))
	}
	if d["History"], err = r.history(ctx, sel); err != nil {
		return nil, err
	}
	table := lb.Table()
	c := &content{
		Title: "Leaderboard of " + sel.Game, Crumbs: []crumb{{"Leaderboards", "/leaderboard"}}, Data: d, JSON: lb, CSV: &table,
	}
	return c, nil
}

// history draws the ratings of a game's best bots over time; "" if there is only one
// point.
func (r *request) history(ctx context.Context, sel *standings.Selection) (template.HTML, error) {
	counts, by, err := r.config.Store.Periods(ctx, sel.Scope.Events, "", mostHistoryDays)
	if err != nil || len(counts) == 0 {
		return "", err
	}
	h, err := sel.History(counts, string(by))
	if err != nil || len(h.Points) < 2 || by == store.ByEvent {
		return "", err
	}
	h.Bots = h.Bots[:min(len(h.Bots), mostLines)]
	return drawn(h.Chart())
}

// drawn returns a chart as an element of a page.
func drawn(c *standings.LineChart) (template.HTML, error) {
	return inPage(c.WriteInPage)
}
