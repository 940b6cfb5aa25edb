package web_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/schedule"
	"botarena/arena/standings"
)

// spring is a record of a league that is half played: ann beat bea twice, once by
// a crash, and drew with cat.
func spring(t testing.TB) *record {
	r := newRecord(t)
	e := league("spring")
	games := append(meet(e, 1, "ann", "bea"), meet(e, 3, "ann", "cat")...)
	games = append(games, meet(e, 5, "bea", "cat")...)
	h := r.event(e, games...)
	r.finish(h, won(games[0], arena.FirstWins, r.now))
	crash := won(games[1], arena.SecondWins, r.now)
	crash.Reason, crash.Detail, crash.Blame = arena.Crash, "exit status 3", "bea"
	r.finish(h, crash)
	draw := won(games[2], arena.Draw, r.now)
	draw.Reason, draw.Detail = arena.MoveLimit, "100 plies"
	r.finish(h, draw)
	return r
}

func TestPages(t *testing.T) {
	w := spring(t).pages(nil)
	for url, want := range map[string][]string{
		"/":                             {"Here 3 bots have played 3 games in 1 event", "Being played", `href="/events/spring"`, "3 of 6 games", "<summary>Last faults"},
		"/events":                       {"spring", "breakthrough:5x5", "3 / 6", "state-running"},
		"/events/spring":                {"Standings", "Crosstable", "Next in the schedule", "exit status 3", "The configuration", "event: spring", `bot=ann&amp;against=bea"`},
		"/events/spring/games":          {"6 games", "not played yet 3", "crash of bea: exit status 3"},
		"/events/spring/games?faults=1": {"1 game: crash 1"},
		"/events/spring/games?bot=ann":  {"4 games"},
		"/events/spring/leaderboard":    {"Leaderboard of spring", "ann"},
		"/events/spring/crosstable":     {"2/2"},
		"/leaderboard":                  {"breakthrough:5x5"},
		"/leaderboard/breakthrough:5x5": {"rated together", "ann"},
		"/bots":                         {"ann", "bea", "cat", ">breakthrough:5x5<", `href="/bots?sort=elo"`},
		"/bots?q=BE":                    {"bea", "All bots"},
		"/bots?q=zz":                    {"No bot’s name has “zz” in it"},
		"/bots/bea":                     {"It lost 1 game by a crash", "exit status 3", "Rating over games", "1 of bea"},
		"/compare/ann/bea":              {"Pairs by points", "all games", "as white"},
		"/compare/bea/cat":              {"These two have not met"},
		"/api":                          {"/events/spring.json", "arena leaderboard --event EVENT"},
		"/events/spring/games?after=5":  {`rel="prev"`},
		"/events/spring/games?before=2": {"ann"},
		"/bots/ann":                     {"None on record", "By side", "Last games", `href="/games/3"`, "/events/spring/games?bot=ann"},
		"/events?all=1":                 {"spring"},
		"/rules":                        {`href="/rules/owlman"`},
		"/rules/owlman":                 {"<h1>Owlman</h1>", "<figure><svg", "<code>owlman:daybreak</code>", "<li>Doc himself"},
		"/events/spring/games?side=first&bot=bea&against=ann": {"1 game: crash 1"},
	} {
		text := read(t, w, url)
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q:\n%s", url, part, text)
			}
		}
		if strings.Contains(text, "ZgotmplZ") || strings.Contains(text, "<no value>") {
			t.Errorf("%s: the template made nonsense", url)
		}
	}
	for _, url := range []string{"/events/spirng", "/bots/amm", "/events/spring/games?bot=amn", "/compare/ann/be", "/leaderboard/breakthrogh:5x5", "/rules/owlmann"} {
		r := get(w, "GET", url)
		if text := body(t, r); r.StatusCode != http.StatusNotFound || !strings.Contains(text, "Did you mean") {
			t.Errorf("%s: %d, and suggests nothing:\n%s", url, r.StatusCode, text)
		}
	}
	if text := read(t, w, "/bots?sort=elo"); strings.Index(text, ">bea<") < strings.Index(text, ">ann<") {
		t.Errorf("bots are not in the order of their Elo:\n%s", text)
	}
	if text := body(t, get(w, "GET", "/sprt/spring")); !strings.Contains(text, "To the event spring") || strings.Contains(text, "Did you mean") {
		t.Errorf("the page of a test that is none does not lead to its event:\n%s", text)
	}
	for _, query := range []string{"after=x", "side=first", "side=third&bot=ann", "result=won", "result=2-0", "reason=boredom", "against=ann"} {
		if r := get(w, "GET", "/events/spring/games?"+query); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", query, r.StatusCode)
		}
	}
}

// What is not rated together stays out of a leaderboard, which says so, and out of the list
// of leaderboards; the list of bots counts all of a bot's games, as its own page does, and
// the live page the games that a test may have.
func TestTestsStayOutOfLeaderboards(t *testing.T) {
	r := spring(t)
	slow, trial := league("slow"), league("trial")
	slow.Clock.Move, trial.Game, trial.Format, trial.Bots = time.Hour, "breakthrough:6x6", schedule.FormatMatch, trial.Bots[:2]
	test := arena.Defaults[arena.SPRT]()
	trial.SPRT, trial.Rounds = &test, 9
	for _, e := range []arena.Event{slow, trial} {
		games := meet(e, 1, "ann", "bea")
		r.finish(r.event(e, games...), won(games[0], arena.FirstWins, r.now))
	}
	w := r.pages(nil)
	for url, want := range map[string]string{
		"/leaderboard.json":                  `[{"game":"breakthrough:5x5","events":1,"bots":3,"games":3}]`,
		"/leaderboard/breakthrough:6x6.json": `{"game":"breakthrough:6x6","left_out":["trial"],`,
		"/bots.json":                         `[{"bot":"ann","versions":1,"since":"2026-01-31T12:00:00Z","latest":"2026-01-31T12:00:00Z","games":5,`,
	} {
		var text bytes.Buffer
		if err := json.Compact(&text, []byte(body(t, get(w, "GET", url)))); err != nil || !strings.HasPrefix(text.String(), want) {
			t.Errorf("%s: %v, want %s:\n%s", url, err, want, &text)
		}
	}
	if text := read(t, w, "/leaderboard/breakthrough:6x6"); !strings.Contains(text, "Tests and tunings stay out: trial.") {
		t.Errorf("a game of tests alone:\n%s", text)
	}
	if text := read(t, w, "/events/trial/live"); !strings.Contains(text, "1 of 18 games played") { // two are planned
		t.Errorf("live:\n%s", text)
	}
}

// Pages have their data beside them.
func TestData(t *testing.T) {
	w := spring(t).pages(nil)
	for url, want := range map[string]string{
		"/index.json":                        `"running": [`,
		"/events.json":                       `"event": "spring"`,
		"/events/spring.json":                `"leaderboard": {`,
		"/events/spring/games.json?limit=2":  `"moves": [`,
		"/events/spring/games.json":          `"detail": "exit status 3"`,
		"/events/spring/leaderboard.json":    `"draw_rate"`,
		"/events/spring/crosstable.json":     `"as_first": {`,
		"/leaderboard.json":                  `"game": "breakthrough:5x5"`,
		"/leaderboard/breakthrough:5x5.json": `"los"`,
		"/bots.json":                         `"versions": 1`,
		"/bots/bea.json":                     `"crash": 1`,
		"/compare/ann/bea.json":              `"by_pairs"`,
		"/compare/ann/bea.json?event=spring": `"by_pairs"`,
	} {
		r := get(w, "GET", url)
		text := body(t, r)
		if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "application/json" || !json.Valid([]byte(text)) || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s, no %s:\n%s", url, r.StatusCode, r.Header.Get("Content-Type"), want, text)
		}
	}
	for url, want := range map[string]string{
		"/events.csv":                       "spring,breakthrough:5x5,round-robin,3,3,6,\"running, held by",
		"/events/spring.csv":                "rank,bot,points,",
		"/events/spring/games.csv":          "crash,exit status 3,bea,3",
		"/events/spring/crosstable.csv":     "rank,bot,opponent,games,points,wins,draws,losses",
		"/leaderboard/breakthrough:5x5.csv": "rank,bot,elo,",
		"/bots/bea.csv":                     "ann,breakthrough:5x5,2,0,0,2,0",
	} {
		r := get(w, "GET", url)
		if text := body(t, r); r.StatusCode != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s: %d, no %s:\n%s", url, r.StatusCode, want, text)
		}
	}
	r := get(w, "GET", "/api.json")
	if text := body(t, r); r.StatusCode != http.StatusNotFound || !strings.Contains(text, `{"error":`) {
		t.Errorf("data that there is not: %d %s", r.StatusCode, text)
	}
}

// The page of a gauntlet against the versions of one bot shows them in their order, as a
// table and drawn; that of other gauntlets does not.
func TestVersionsPage(t *testing.T) {
	r := newRecord(t)
	e := league("regress")
	e.Format = schedule.FormatGauntlet
	e.Openings.Policy = arena.PolicyPairing
	e.Bots[1].Withdrawn, e.Bots[2].Replaces = true, []string{"bea"}
	games := append(meet(e, 1, "ann", "bea"), meet(e, 3, "ann", "cat")...)
	h := r.event(e, games...)
	for i, result := range []arena.Result{arena.FirstWins, arena.Draw, arena.SecondWins, arena.Draw} {
		r.finish(h, won(games[i], result, r.now))
	}
	e = league("gauntlet")
	e.Format = schedule.FormatGauntlet
	r.event(e, meet(e, 1, "ann", "bea")...)
	w := r.pages(nil)
	text := read(t, w, "/events/regress")
	for _, part := range []string{"versions against ann", `<svg class="chart"`, "2026-01-31"} {
		if !strings.Contains(text, part) {
			t.Errorf("the page has no %q:\n%s", part, text)
		}
	}
	if text := read(t, w, "/events/gauntlet"); strings.Contains(text, "versions against") || !strings.Contains(text, "challengers against the rest") {
		t.Errorf("a gauntlet is taken for versions of one bot:\n%s", text)
	}
	var data struct{ Versions standings.Regression }
	if err := json.Unmarshal([]byte(read(t, w, "/events/regress.json")), &data); err != nil {
		t.Fatal(err)
	}
	if v := data.Versions.Versions; len(v) != 2 || v[0].Version != "bea" || v[0].Points != 0.5 || v[1].Version != "cat" || v[1].Points != 1.5 {
		t.Errorf("versions %+v", v)
	}
}
