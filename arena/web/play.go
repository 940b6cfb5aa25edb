package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"botarena/arena/casual"
	"botarena/arena/config"
	"botarena/arena/text"
	"botarena/engine"
)

// Limits of the thinking time that a visitor may choose for a bot.
const (
	mostMove  = time.Minute
	mostBase  = time.Hour
	mostNodes = 100_000_000
	mostDepth = 60
)

// playPages returns the pages of casual games, if bots are offered.
func (s *Server) playPages() []page {
	if s.config.Play == nil {
		return nil
	}
	return []page{
		{pattern: "/play", template: "play", load: loadPlay, live: true},
		{pattern: "/play/{table}", template: "casual", load: loadTable, live: true, query: "ply"},
	}
}

// playRoutes returns the routes of a visitor's actions.
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
	Games []string
	Level *casual.Level
	// For a refused form: the typed values, the reason, and a game that is not in the
	// list.
	Typed          url.Values
	Refused, Other string
}

// mostLevels is the maximum number of levels shown as a list; beyond it there is a
// number field.
const mostLevels = 30

// Levels returns the levels to choose from, the usual strength first; nil if they are
// too many.
func (o *playOffer) Levels() []choice {
	l := o.Level
	switch {
	case l == nil:
		return nil
	case l.Values != nil:
		list := []choice{}
		for _, v := range l.Values {
			list = append(list, choice{v, v})
		}
		return list
	case l.Max-l.Min >= mostLevels:
		return nil
	}
	list := []choice{{l.Default, "its usual strength"}}
	for n := l.Min; n <= l.Max; n++ {
		if v := strconv.FormatInt(n, 10); v != l.Default {
			list = append(list, choice{v, v})
		}
	}
	if len(list) > 1 {
		list[1].Text += ", the lowest"
		list[len(list)-1].Text += ", the highest"
	}
	return list
}

// Value returns the value typed into a field of a refused form, or else the default.
func (o *playOffer) Value(field, usual string) string {
	if o.Typed != nil {
		return o.Typed.Get(field)
	}
	return usual
}

func loadPlay(_ context.Context, r *request) (*content, error) {
	return r.playForm(nil, ""), nil
}

// playForm returns the page of bots to play against; with the form that was refused, and
// why, if typed is not nil.
func (s *Server) playForm(typed url.Values, refused string) *content {
	var offers []*playOffer
	for i := range s.config.Play.Offers {
		o := &s.config.Play.Offers[i]
		p := &playOffer{Index: i, Name: o.Bot.Name, About: text.Line(o.Declared.Name, 80)}
		if l, ok := o.Level(); ok {
			p.Level = &l
		}
		for _, name := range s.config.Catalog.Names() {
			if o.Declared.Plays(name) {
				p.Games = append(p.Games, name)
			}
		}
		if typed.Get("bot") == strconv.Itoa(i) {
			p.Typed, p.Refused = typed, refused
			if name := typed.Get("game"); name != "" && !slices.Contains(p.Games, name) {
				p.Other = name
			}
		}
		offers = append(offers, p)
	}
	if typed != nil && !slices.ContainsFunc(offers, func(o *playOffer) bool { return o.Typed != nil }) && len(offers) > 0 {
		offers[0].Refused = refused
	}
	return &content{
		Title: "Play", Data: map[string]any{"Offers": offers, "Locked": s.config.Password != ""},
		Styles: []string{"board.css"},
	}
}

// gameRequest reads the form of a new game. The error is for the visitor.
func (s *Server) gameRequest(r *http.Request) (w casual.Request, err error) {
	if err := r.ParseForm(); err != nil {
		return w, errors.New("this form cannot be read")
	}
	n, err := strconv.Atoi(r.PostFormValue("bot"))
	if err != nil || n < 0 || n >= len(s.config.Play.Offers) {
		return w, errors.New("there is no such bot to play against")
	}
	offer := &s.config.Play.Offers[n]
	w.Offer, w.Level = n, strings.TrimSpace(r.PostFormValue("level"))
	name := cmp.Or(strings.TrimSpace(r.PostFormValue("size")), strings.TrimSpace(r.PostFormValue("game")))
	if w.Game, err = s.config.Catalog.Lookup(name); err != nil {
		return w, err
	}
	if !offer.Declared.Plays(w.Game.Name()) {
		return w, fmt.Errorf("%s does not play %s", offer.Bot.Name, w.Game.Name())
	}
	if position := strings.TrimSpace(r.PostFormValue("position")); position != "" {
		if w.Position, err = w.Game.Parse(position); err != nil {
			return w, err
		}
		if w.Position.Outcome().Over {
			return w, errors.New("in this position the game is over already")
		}
	}
	switch r.PostFormValue("side") {
	case "", "first":
	case "second":
		w.Person = engine.Second
	case "random":
		w.Person = engine.Side(s.config.Now().UnixNano() / 1000 & 1)
	default:
		return w, errors.New("the side is first, second or random")
	}
	for i, name := range []string{"my-clock", "clock"} {
		value := strings.TrimSpace(r.PostFormValue(name))
		if value == "" {
			if i == 0 {
				continue
			}
			value = usualClock
		}
		c, err := config.ParseClock(value)
		if err != nil {
			return w, err
		}
		if c.Move > mostMove || c.Base > mostBase || c.Increment > mostMove || c.Nodes > mostNodes || c.Depth > mostDepth {
			return w, fmt.Errorf("that clock is too long: at most %v a move, %v in all, %d nodes, depth %d", mostMove, mostBase, mostNodes, mostDepth)
		}
		if i == 0 && !c.Timed() {
			return w, errors.New("your own clock needs a time, or none at all")
		}
		w.Clocks[i] = c
	}
	return w, nil
}

// usualClock is a bot's default time a move.
const usualClock = "1s"

// sentence makes a sentence of an error.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return upperFirst(strings.TrimSuffix(s, ".")) + "."
}

// upperFirst begins a text with a capital letter; the letter may be of any script.
func upperFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if first == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// refusePlay answers with the form as it was sent, and the reason of the refusal.
func (s *Server) refusePlay(w http.ResponseWriter, r *http.Request, status int, why string) {
	s.answerPage(w, r, status, "play", s.playForm(r.PostForm, why))
}

// sitDown begins a game and redirects to it.
func (s *Server) sitDown(w http.ResponseWriter, r *http.Request) {
	request, err := s.gameRequest(r)
	if err != nil {
		s.refusePlay(w, r, http.StatusBadRequest, sentence(err.Error()))
		return
	}
	t, err := s.config.Play.Sit(request)
	switch {
	case errors.Is(err, casual.ErrFull):
		w.Header().Set("Retry-After", "60")
		s.refusePlay(w, r, http.StatusTooManyRequests, "All boards are taken. Try again when somebody has left.")
	case err != nil:
		s.refusePlay(w, r, http.StatusBadRequest, sentence(err.Error()))
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

// table finds the casual game of an address.
func (s *Server) table(id string) (*casual.Table, error) {
	t := s.config.Play.Table(id)
	if t == nil {
		return nil, &failure{status: http.StatusNotFound, what: "This game is not there any more.", next: &crumb{"Begin a new one", "/play"}}
	}
	return t, nil
}

// atTable performs a visitor's action and answers it: a script with JSON, a form with
// the page.
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
			said = "“" + illegal.Move + "” cannot be played: " + illegal.Why + "."
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
