package web

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/replay"
	"botarena/engine/draw"
	"botarena/engine/games"
)

// Each ply of a film has the pieces of its position, and what its last move touched.
func TestFilm(t *testing.T) {
	for _, name := range games.All().Names() {
		rules, err := games.All().Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		g := &arena.Game{Game: name, First: "a", Second: "b"}
		pos := rules.Start()
		for n := 0; n < 30 && !pos.Outcome().Over; n++ {
			legal := pos.Legal(nil)
			m := legal[n*7%len(legal)]
			g.Moves = append(g.Moves, arena.MoveRecord{Move: string(pos.AppendMove(nil, m)), Time: time.Second})
			pos.Play(m)
		}
		p, err := replay.New(rules, g, [2]arena.TimeControl{})
		if err != nil {
			t.Fatal(err)
		}
		html, err := film(p, name)
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string]string{}
		for _, m := range regexp.MustCompile(`<g class="pieces" id="(row-\d+)">(.*?)</g>(?:<g class="pieces" id|</defs>)`).FindAllStringSubmatch(strings.ReplaceAll(string(html), `<g class="pieces" id="row-`, `</defs><g class="pieces" id="row-`), -1) {
			rows[m[1]] = strings.TrimSuffix(m[2], "</g>")
		}
		sections := strings.Split(string(html), `<section class="film-ply"`)[1:]
		if len(sections) != len(p.Frames) {
			t.Fatalf("%s: %d plies of %d", name, len(sections), len(p.Frames))
		}
		for n, section := range sections {
			var b bytes.Buffer
			if err := draw.SVG(&b, p.Frames[n].Board, draw.Picture{Game: name, Embedded: true}); err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, m := range regexp.MustCompile(`<use href="#(row-\d+)"/>`).FindAllStringSubmatch(section, -1) {
				got += rows[m[1]]
			}
			if want := between(b.String(), `<g class="pieces">`, "</g>\n"); got != want {
				t.Errorf("%s: ply %d has the pieces\n%s\nnot\n%s", name, n, got, want)
			}
			if want := between(b.String(), `<g class="marks">`, "</g>"); !strings.Contains(section, want) {
				t.Errorf("%s: ply %d has not the marks %s", name, n, want)
			}
		}
		if size := len(html); size > 70*len(p.Frames)*len(strings.Split(rules.Start().String(), "/"))+40_000 {
			t.Errorf("%s: a film of %d plies has %d bytes", name, len(p.Frames), size)
		}
	}
}
