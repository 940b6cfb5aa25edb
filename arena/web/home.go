package web

import (
	"context"
	"errors"
	"html/template"
	"slices"

	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine"
)

// Limits of the lists on the first page.
const (
	latestEvents   = 10
	latestGames    = 10
	latestFaults   = 6
	mostInProgress = 8 // boards, of all events
)

// runningEvent is an event in progress.
type runningEvent struct {
	standings.EventLine
	Total      int    `json:"total"`          // games to expect
	Percent    int    `json:"percent"`        // of them that are played
	Left       string `json:"left,omitempty"` // time, as far as it can be told
	Leader     string `json:"leader,omitempty"`
	InProgress int    `json:"in_air"` // games, as far as they are told of
}

// homeJSON holds the data of the first page.
type homeJSON struct {
	Running []runningEvent        `json:"running"`
	Events  []standings.EventLine `json:"events"` // others, the latest first
	Games   []standings.GameLine  `json:"games"`  // the last results
	Faults  []standings.GameLine  `json:"faults"`
}

type homeData struct {
	homeJSON
	Tiles   []gridTile
	Symbols template.HTML // of the pieces
	One     string        // the event, where one alone is being played
	Leaders []leader
	Bots    int
	Played  int // games of all events
	All     int // events
	Play    bool
}

// leader names who leads an event that is not in progress.
type leader struct {
	standings.EventLine
	Leader string
}

// The events for which the first page shows leaders: rating more bots takes a while.
const (
	mostLeaders    = 3
	mostLeaderBots = 100
)

func loadHome(ctx context.Context, r *request) (*content, error) {
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	d := &homeData{homeJSON: homeJSON{Running: []runningEvent{}, Events: []standings.EventLine{}, Games: []standings.GameLine{}, Faults: []standings.GameLine{}}}
	slices.Reverse(events)
	bots := map[string]bool{}
	for i := range events {
		e := &events[i]
		l := r.line(e)
		switch {
		case l.Holder != "":
			running, err := r.running(ctx, e, l)
			if err != nil {
				return nil, err
			}
			d.Running = append(d.Running, *running)
		case !l.Archived && len(d.Events) < latestEvents:
			d.Events = append(d.Events, l)
		}
		if e.Archived || e.Played == 0 {
			continue
		}
		d.All++
		d.Played += e.Played
		for _, b := range e.Entries {
			bots[b.Name] = true
		}
		if l.Holder == "" && len(d.Leaders) < mostLeaders && len(e.Entries) <= mostLeaderBots {
			st, err := r.ranked(ctx, e.Name)
			if err != nil {
				return nil, err
			}
			if said := st.lead(); said != "" {
				d.Leaders = append(d.Leaders, leader{l, said})
			}
		}
		// Those of the latest events: of others nobody asks here.
		for _, list := range []struct {
			to     *[]standings.GameLine
			most   int
			filter store.Filter
		}{
			{&d.Games, latestGames, store.Filter{Event: e.Name, Played: true}},
			{&d.Faults, latestFaults, store.Filter{Event: e.Name, Faults: true}},
		} {
			if list.filter.Last = list.most - len(*list.to); list.filter.Last <= 0 || i >= 3*latestEvents {
				continue
			}
			games, err := r.games(ctx, list.filter)
			if err != nil {
				return nil, err
			}
			slices.Reverse(games)
			*list.to = append(*list.to, games...)
		}
	}
	d.Bots, d.Play = len(bots), r.config.Play != nil
	c := &content{JSON: &d.homeJSON, Data: d, Follow: "?"}
	if err := r.boards(d); err != nil {
		return nil, err
	}
	if len(d.Tiles) > 0 {
		c.Styles = []string{"pieces.css", "board.css"}
	}
	return c, nil
}

// running returns an event's progress.
func (r *request) running(ctx context.Context, e *store.Event, l standings.EventLine) (*runningEvent, error) {
	st, err := r.ranked(ctx, e.Name)
	if err != nil {
		return nil, err
	}
	out := &runningEvent{EventLine: l, Leader: st.lead(), Total: l.Games}
	out.Percent, out.Left = r.howFar(e, l)
	return out, nil
}

// boards draws the games in progress, as many as there is room for.
func (r *request) boards(d *homeData) error {
	if r.config.Live == nil || r.site {
		return nil
	}
	var games []string
	for i := range d.Running {
		run := &d.Running[i]
		tiles, playing, err := r.tiles(run.Name, run.Game, mostInProgress-len(d.Tiles))
		if err != nil {
			return err
		}
		run.InProgress = playing
		if d.Tiles = append(d.Tiles, tiles...); len(tiles) > 0 {
			games = append(games, run.Game)
		}
	}
	if len(d.Running) == 1 {
		d.One = d.Running[0].Name
	}
	var err error
	d.Symbols, err = symbolsOf(games...)
	return err
}

// tiles draws the games in progress of an event, as many as there is room for, and
// counts them all. A game whose rules are not available has no board.
func (r *request) tiles(event, game string, most int) (list []gridTile, playing int, err error) {
	if r.config.Live == nil || r.site {
		return nil, 0, nil
	}
	rules, unknown := r.rules(game)
	now := r.config.Live.Snapshot()
	for _, g := range now.Of(event) {
		if g.Over || unknown != nil {
			continue
		}
		playing++
		if len(list) >= most {
			continue
		}
		tile, err := tileOf(rules, &g, g.Clocks)
		var broken *engine.RulesError
		if errors.As(err, &broken) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		list = append(list, tile)
	}
	return list, playing, nil
}
