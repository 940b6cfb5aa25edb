package web

import (
	"context"
	"slices"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine/nearest"
)

// comparison holds the results of two bots against each other.
type comparison struct {
	*standings.HeadToHead
	Events []string
	Table  listing.Table
	Names  [2]string // as pages know them
}

func loadCompare(ctx context.Context, r *request) (*content, error) {
	a, err := r.name("a")
	if err != nil {
		return nil, err
	}
	b, err := r.name("b")
	if err != nil {
		return nil, err
	}
	versions, err := r.versions(ctx)
	if err != nil {
		return nil, err
	}
	for _, bot := range []string{a, b} {
		var names []string
		for _, v := range versions {
			names = append(names, v.Bot)
		}
		if !slices.Contains(names, bot) {
			return nil, &store.UnknownBotError{Name: bot, Nearest: nearest.Of(bot, names)}
		}
	}
	if a == b {
		return nil, badRequest("A bot does not meet itself: name two.")
	}
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	in := func(e *store.Event, bot string) bool {
		return slices.ContainsFunc(e.Entries, func(n store.Entry) bool { return n.Name == bot })
	}
	only := r.query.Get("event")
	byGame := map[string]*arena.Counts{}
	where := map[string][]string{}
	var order []string
	for i := range events {
		e := &events[i]
		if only != "" && e.Name != only || only == "" && e.Archived || !in(e, a) || !in(e, b) {
			continue
		}
		c, err := r.config.Store.Counts(ctx, e.Name, "")
		if err != nil {
			return nil, err
		}
		openings, err := r.config.Store.Openings(ctx, e.Name, a, b)
		if err != nil {
			return nil, err
		}
		if byGame[e.Game] == nil {
			byGame[e.Game] = &arena.Counts{}
			order = append(order, e.Game)
		}
		all := byGame[e.Game]
		c.Openings = openings
		add(all, &c.Counts)
		if met(c.Endings, a, b) {
			where[e.Game] = append(where[e.Game], e.Name)
		}
	}
	d := map[string]any{"A": a, "B": b}
	list := []*standings.HeadToHead{}
	var shown []comparison
	for _, game := range order {
		if len(where[game]) == 0 {
			continue
		}
		h, err := standings.NewHeadToHead(byGame[game], a, b, game, standings.SideNames(r.config.Catalog, game))
		if err != nil {
			return nil, err
		}
		if in := where[game]; len(in) == 1 {
			sel, err := standings.Choose(ctx, r.config.Store, r.config.Catalog, in[0], "", "", &r.memory.recall("event "+in[0]).Follower)
			if err != nil {
				return nil, err
			}
			h.TakeEstimate(sel.Test)
			h.Withhold(sel.Failing)
		}
		list = append(list, h)
		t := h.Table()
		t.Notes = paragraphs(t.Notes)
		shown = append(shown, comparison{HeadToHead: h, Events: where[game], Table: t, Names: [2]string{a, b}})
	}
	d["Games"] = shown
	c := &content{Title: a + " against " + b, Crumbs: []crumb{{"Bots", "/bots"}, {a, botURL(a)}}, Data: d}
	if !r.site { // which has them in the data of its events
		c.JSON = list
	}
	return c, nil
}

func met(endings []arena.Ending, a, b string) bool {
	return slices.ContainsFunc(endings, func(n arena.Ending) bool {
		return n.Result != arena.Unplayed && (n.First.Name == a && n.Second.Name == b || n.First.Name == b && n.Second.Name == a)
	})
}

// add adds up counts of different events, with all versions of a bot taken together.
func add(to, c *arena.Counts) {
	one := func(bots ...*arena.BotVersion) {
		for _, b := range bots {
			b.Version = 1
		}
	}
	for _, n := range c.Endings {
		one(&n.First, &n.Second)
		to.Endings = append(to.Endings, n)
	}
	for _, n := range c.Pairs {
		one(&n.A, &n.B)
		to.Pairs = append(to.Pairs, n)
	}
	for _, n := range c.Repeats {
		one(&n.First, &n.Second)
		to.Repeats = append(to.Repeats, n)
	}
	for _, n := range c.Openings {
		one(&n.A, &n.B)
		to.Openings = append(to.Openings, n)
	}
}
