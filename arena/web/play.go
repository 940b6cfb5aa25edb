package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"botarena/arena/casual"
	"botarena/arena/config"
	"botarena/arena/text"
	"botarena/engine"
)

// What a visitor may ask of a bot's time.
const (
	mostMove  = time.Minute
	mostBase  = time.Hour
	mostNodes = 100_000_000
	mostDepth = 60
)

// playPages are the games by hand, where bots are offered.
func (s *Server) playPages() []page {
	if s.config.Play == nil {
		return nil
	}
	return []page{
		{pattern: "/play", template: "play.html", load: loadPlay, live: true},
		{pattern: "/play/{table}", template: "byhand.html", load: loadTable, live: true},
	}
}

// playRoutes are what a visitor does.
func (s *Server) playRoutes() []route {
	if s.config.Play == nil {
		return nil
	}
	list := []route{
		{"POST /play", s.sitDown},
		{"GET /play/{table}/events", s.tableEvents},
	}
	for what, do := range map[string]func(context.Context, *casual.Table, *http.Request) error{
		"move": func(ctx context.Context, t *casual.Table, r *http.Request) error {
			return t.Move(ctx, strings.TrimSpace(r.FormValue("move")))
		},
		"hint":   func(ctx context.Context, t *casual.Table, _ *http.Request) error { return t.Hint(ctx) },
		"undo":   func(ctx context.Context, t *casual.Table, _ *http.Request) error { return t.Undo(ctx) },
		"resign": func(ctx context.Context, t *casual.Table, _ *http.Request) error { return t.Resign(ctx) },
		"away":   func(_ context.Context, t *casual.Table, _ *http.Request) error { t.Away(); return nil },
		"leave":  func(_ context.Context, t *casual.Table, _ *http.Request) error { t.Leave(); return nil },
	} {
		list = append(list, route{"POST /play/{table}/" + what, s.atTable(what, do)})
	}
	return list
}

// A playOffer is a bot to choose.
type playOffer struct {
	Index int
	Name  string
	About string
	Games []playGame
	Level *casual.Level
}

// A playGame is a game to choose, with the names of its sides.
type playGame struct {
	Name  string
	Sides [2]string
}

func loadPlay(_ context.Context, r *request) (*content, error) {
	var offers []playOffer
	for i := range r.config.Play.Offers {
		o := &r.config.Play.Offers[i]
		p := playOffer{Index: i, Name: o.Bot.Name, About: text.Line(o.Declared.Name, 80)}
		if l, ok := o.Level(); ok {
			p.Level = &l
		}
		for _, name := range r.config.Catalog.Names() {
			if g, err := r.config.Catalog.Lookup(name); err == nil && o.Plays(name) {
				p.Games = append(p.Games, playGame{name, g.SideNames()})
			}
		}
		offers = append(offers, p)
	}
	return &content{
		Title: "Play", Data: map[string]any{"Offers": offers, "Locked": r.config.Password != ""},
		Styles: []string{"board.css"},
	}, nil
}

// wish reads the form of a new game.
func (s *Server) wish(r *http.Request) (w casual.Wish, err error) {
	bad := func(format string, args ...any) (casual.Wish, error) {
		f := badRequest(fmt.Sprintf(format, args...))
		f.next = &crumb{"Choose again", "/play"}
		return w, f
	}
	if err := r.ParseForm(); err != nil {
		return bad("This form cannot be read.")
	}
	n, err := strconv.Atoi(r.PostFormValue("bot"))
	if err != nil || n < 0 || n >= len(s.config.Play.Offers) {
		return bad("There is no such bot to play against.")
	}
	offer := &s.config.Play.Offers[n]
	w.Offer, w.Level = n, strings.TrimSpace(r.PostFormValue("level"))
	if w.Game, err = s.config.Catalog.Lookup(strings.TrimSpace(r.PostFormValue("game"))); err != nil {
		return bad("%s.", upper(err.Error()))
	}
	if !offer.Plays(w.Game.Name()) {
		return bad("%s does not play %s.", offer.Bot.Name, w.Game.Name())
	}
	if position := strings.TrimSpace(r.PostFormValue("position")); position != "" {
		if w.Position, err = w.Game.Parse(position); err != nil {
			return bad("%s.", upper(err.Error()))
		}
		if w.Position.Outcome().Over {
			return bad("In this position the game is over already.")
		}
	}
	switch r.PostFormValue("side") {
	case "", "first":
	case "second":
		w.Person = engine.Second
	case "random":
		w.Person = engine.Side(s.config.Now().UnixNano() / 1000 & 1)
	default:
		return bad("The side is first, second or random.")
	}
	for i, name := range []string{"my-clock", "clock"} {
		value := strings.TrimSpace(r.PostFormValue(name))
		if value == "" {
			if i == 1 {
				value = "1s"
			} else {
				continue
			}
		}
		c, err := config.ParseClock(value)
		if err != nil {
			return bad("%s.", upper(err.Error()))
		}
		if c.Move > mostMove || c.Base > mostBase || c.Increment > mostMove || c.Nodes > mostNodes || c.Depth > mostDepth {
			return bad("That clock is too long: at most %v a move, %v in all, %d nodes, depth %d.", mostMove, mostBase, mostNodes, mostDepth)
		}
		if i == 0 && !c.Timed() {
			return bad("Your own clock needs a time, or none at all.")
		}
		w.Clocks[i] = c
	}
	return w, nil
}

// upper begins a sentence.
func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".")
}

// sitDown begins a game and leads to it.
func (s *Server) sitDown(w http.ResponseWriter, r *http.Request) {
	wish, err := s.wish(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	t, err := s.config.Play.Sit(wish)
	switch {
	case errors.Is(err, casual.ErrFull):
		w.Header().Set("Retry-After", "60")
		s.refuse(w, r, &failure{status: http.StatusTooManyRequests, what: "All boards are taken. Try again when somebody has left.", next: &crumb{"Back to the choice of bots", "/play"}})
	case err != nil:
		f := badRequest(upper(err.Error()) + ".")
		f.next = &crumb{"Choose again", "/play"}
		s.refuse(w, r, f)
	default:
		settle(r.Context(), t)
		http.Redirect(w, r, "/play/"+t.ID, http.StatusSeeOther)
	}
}

// settle waits a moment until the visitor can move or the game is ended, so that a page
// without a script shows the bot's answer. Between the last move and the end there is a
// time in which nobody is to move.
func settle(ctx context.Context, t *casual.Table) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for {
		changed := t.Changed()
		if s := t.State(); s.Ended != nil || s.Begun && len(s.Legal) > 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// table finds the game of an address.
func (s *Server) table(id string) (*casual.Table, error) {
	t := s.config.Play.Table(id)
	if t == nil {
		f := notFound("This game is not there any more.")
		f.next = &crumb{"Begin a new one", "/play"}
		return nil, f
	}
	return t, nil
}

// atTable answers to what a visitor does: a script with JSON, a form with the page.
func (s *Server) atTable(what string, do func(context.Context, *casual.Table, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		t, err := s.table(r.PathValue("table"))
		if err != nil {
			s.fail(w, r, err)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), 2*mostMove)
		defer cancel()
		err = do(ctx, t, r)
		said := ""
		var illegal *engine.MoveError
		switch {
		case errors.As(err, &illegal):
			said = upper(err.Error()) + "."
		case errors.Is(err, casual.ErrTurn):
			said = "It is not your turn."
		case errors.Is(err, casual.ErrOver):
			said = "The game is over."
		case err != nil:
			said = "The bot failed."
		}
		if strings.Contains(r.Header.Get("Accept"), "application/json") {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-store")
			_ = json.NewEncoder(w).Encode(map[string]string{"said": text.Line(said, 400)}) // the visitor has gone
			return
		}
		if what == "leave" {
			http.Redirect(w, r, "/play", http.StatusSeeOther)
			return
		}
		settle(ctx, t)
		url := "/play/" + t.ID
		if said != "" && illegal != nil {
			s.refuse(w, r, &failure{status: http.StatusBadRequest, what: said, next: &crumb{"Back to the game", url}})
			return
		}
		http.Redirect(w, r, url, http.StatusSeeOther)
	}
}
