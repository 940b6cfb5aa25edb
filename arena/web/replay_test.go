package web_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/gamelog"
	"botarena/arena/web"
	"botarena/engine/games"
)

// played makes a record of one random game, of at most so many plies.
func played(t testing.TB, game string, plies int, change func(*arena.Game)) *record {
	t.Helper()
	r := newRecord(t)
	e := league("spring")
	e.Game = game
	e.Clock = arena.TimeControl{Base: time.Minute, Increment: time.Second}
	games := meet(e, 1, "ann", "bea")[:1]
	h := r.event(e, games...)
	g := games[0]
	g.Result, g.Reason, g.Detail, g.Start = arena.FirstWins, arena.WinByRule, "reached home row", r.now
	g.Moves = randomMoves(t, game, plies)
	g.Plies = len(g.Moves)
	if change != nil {
		change(&g)
	}
	r.finish(h, g)
	return r
}

// randomMoves plays a random game, the same one each time.
func randomMoves(t testing.TB, name string, plies int) []arena.MoveRecord {
	t.Helper()
	game, err := games.All().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	pos := game.Start()
	random := rand.New(rand.NewPCG(1, 4))
	var list []arena.MoveRecord
	for i := range plies {
		legal := pos.Legal(nil)
		if len(legal) == 0 {
			break
		}
		m := legal[random.IntN(len(legal))]
		list = append(list, arena.MoveRecord{
			Move: string(pos.AppendMove(nil, m)), Time: time.Duration(100+i) * time.Millisecond,
			Depth: 5 + i%3, Nodes: 1000, HasScore: true, Score: (i*37)%200 - 100,
		})
		pos.Play(m)
	}
	return list
}

// Without a script, links lead through all plies, and each shows its position.
func TestReplayStepsByLinks(t *testing.T) {
	for _, game := range []string{"outwit", "owlman"} {
		t.Run(game, func(t *testing.T) {
			r := played(t, game, 12, nil)
			h := r.pages(nil)
			links := regexp.MustCompile(`data-go="(\w+)" data-ply-link href="([^"]+)"`)
			url, seen := "/games/1?ply=0", map[string]bool{}
			for ply := range 13 {
				page := read(t, h, url)
				if want := fmt.Sprintf(`data-field="ply">%d<`, ply); !strings.Contains(page, want) {
					t.Fatalf("%s is not ply %d", url, ply)
				}
				position := regexp.MustCompile(`data-position>([^<]+)<`).FindStringSubmatch(page)[1]
				if seen[position] {
					t.Errorf("ply %d shows the position of an earlier one", ply)
				}
				seen[position] = true
				to := map[string]string{}
				for _, m := range links.FindAllStringSubmatch(page, -1) {
					to[m[1]] = m[2]
				}
				if to["first"] != "?ply=0" || to["last"] != "?ply=12" || to["prev"] != fmt.Sprintf("?ply=%d", max(0, ply-1)) {
					t.Errorf("ply %d: links %v", ply, to)
				}
				url = "/games/1" + to["next"]
			}
		})
	}
}

// A page of a game of 300 plies weighs little, with all that it loads.
func TestReplayWeight(t *testing.T) {
	const most = 60_000 // bytes
	h := played(t, "chess", 300, nil).pages(nil)
	packed := func(url string) int {
		resp := get(h, "GET", url, "Accept-Encoding", "gzip")
		return len(body(t, resp))
	}
	page := read(t, h, "/games/1")
	if strings.Count(page, "<tr data-ply=") < 250 {
		t.Fatalf("only %d plies were played", strings.Count(page, "<tr data-ply="))
	}
	total := packed("/games/1")
	files := regexp.MustCompile(`"(/assets/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(files) < 5 {
		t.Fatalf("the page loads %v", files)
	}
	for _, m := range files {
		total += packed(m[1])
	}
	t.Logf("%d bytes", total)
	if total > most {
		t.Errorf("the page and what it loads weigh %d bytes, over %d", total, most)
	}
}

// What a bot says is text on the page, in the data of its script, and in files.
func TestReplayOfStrangers(t *testing.T) {
	const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'` + "\x1b[31m\u202e"
	r := played(t, "breakthrough:5x5", 3, func(g *arena.Game) {
		g.Reason, g.Detail, g.Blame = arena.Crash, hostile, "bea"
	})
	logs := filepath.Join(filepath.Dir(r.path), "logs")
	files := gamelog.Files(logs, "spring", 1)
	for _, f := range []string{files.Protocol, files.Stderr[1]} {
		write(t, f, "0.1 > bea: go\n0.2 < bea: "+hostile+strings.Repeat("x", 10_000)+"\n")
	}
	h := r.pages(func(c *web.Config) { c.LogDir = logs })
	page := read(t, h, "/games/1?ply=1")
	for _, bad := range []string{"<script>alert", "<img", "\x1b", "\u202e"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	if n := strings.Count(page, "&lt;/script&gt;"); n < 3 {
		t.Errorf("the words are shown %d times", n)
	}
	for url, kind := range map[string]string{
		"/games/1/dialogue.txt": "text/plain; charset=utf-8", "/games/1/dialogue.txt?ply=1": "text/plain; charset=utf-8",
		"/games/1/stderr.txt?side=second": "text/plain; charset=utf-8", "/games/1/game.pgn": "application/x-chess-pgn; charset=utf-8",
		"/games/1/board.svg?ply=2": "image/svg+xml", "/games/1.json": "application/json",
	} {
		resp := get(h, "GET", url)
		text := body(t, resp)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != kind {
			t.Errorf("%s: status %d, %s", url, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
		if strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%s contains what a terminal obeys", url)
		}
	}
}

// A fault is drawn on the side that failed, as the move that it did not make.
func TestReplayOfFault(t *testing.T) {
	h := played(t, "breakthrough:5x5", 3, func(g *arena.Game) {
		g.Result, g.Reason, g.Detail, g.Blame = arena.FirstWins, arena.Crash, "exit status 3", "bea"
	}).pages(nil)
	page := read(t, h, "/games/1")
	for _, want := range []string{
		`<tr class="fault"><td></td><th scope="row" colspan="4"><span class="disc disc-1" aria-hidden="true"></span>no move: crash</th></tr>`,
		`data-field="now-1">no move: crash<`, `<svg viewBox="0 0 4 100"`, `class="mark-fault" d="M3.5 0`, `"nomove":{"side":1,`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if regexp.MustCompile(`<tr data-ply="3" class="fault"`).MatchString(page) {
		t.Error("the fault is drawn on the other side's last move")
	}
}

// A board of a game whose rules are not here is text, with its blanks.
func TestReplayOfText(t *testing.T) {
	r := newRecord(t)
	e := league("spring")
	rules := config.DefaultRules()
	rules.Command, e.Rules, e.Game = []string{"./hex"}, &rules, "hex@0123456789ab"
	games := meet(e, 1, "ann", "bea")
	r.finish(r.event(e, games...), won(games[0], arena.FirstWins, r.now))
	if page := read(t, r.pages(nil), "/games/1"); !strings.Contains(page, ">no board without its rules<") || strings.Contains(page, `\u00a0`) {
		t.Error("the text of a board is not as it is")
	}
}

// What there is not is not found, what is wrong is said to be, and the data beside
// the page is the game as arena exports it, with its positions.
func TestReplayAddresses(t *testing.T) {
	h := played(t, "chess", 6, nil).pages(nil)
	for url, want := range map[string]int{
		"/games/2": 404, "/games/0": 404, "/games/01": 404, "/games/x": 404, "/games/99999999999999999999": 404,
		"/games/1?ply=-1": 400, "/games/1?ply=x": 400, "/games/1?ply=99": 200, "/games/1?flip=1": 200,
		"/games/1/dialogue.txt": 404, "/games/1/stderr.txt": 404, "/games/1/board.svg?ply=x": 400, "/games/2/game.pgn": 404,
	} {
		if got := get(h, "GET", url).StatusCode; got != want {
			t.Errorf("%s: status %d, want %d", url, got, want)
		}
	}
	var game struct {
		ID     int64
		Event  string
		Result string
		Moves  []struct{ Move string }
		States []struct {
			Ply      int
			Position string
			Clock    [2]float64 `json:"clock_seconds"`
		}
	}
	if err := json.Unmarshal([]byte(read(t, h, "/games/1.json")), &game); err != nil {
		t.Fatal(err)
	}
	if game.ID != 1 || game.Event != "spring" || game.Result != "1-0" || len(game.Moves) != 6 || len(game.States) != 7 {
		t.Errorf("%+v", game)
	}
	if s := game.States[2]; s.Ply != 2 || s.Clock != [2]float64{60.9, 60.899} || !strings.Contains(s.Position, " w ") {
		t.Errorf("ply 2 is %+v", s)
	}
}
