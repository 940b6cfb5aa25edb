package rules_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"botarena/arena/rules"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine"
	"botarena/engine/games"
)

// A fake is a rules program as a function: it answers by the rules of a game that
// arena knows, unless spoil does so instead.
type fake struct {
	game  engine.Game
	pos   engine.Position
	only  []string // the optional queries that it answers; nil for all
	asked int      // queries so far
	bad   string   // why the last position line could not be read
	// spoil answers a line itself, where it returns true.
	spoil func(f *fake, b *sessiontest.Bot, line string) bool
}

func (f *fake) answer(b *sessiontest.Bot, line string) {
	if strings.HasPrefix(line, "query") {
		f.asked++
	}
	if f.spoil != nil && f.spoil(f, b, line) {
		return
	}
	first, rest, _ := strings.Cut(line, " ")
	switch first {
	case "ugi":
		b.Say(0, "id name fake")
		b.Say(0, "ugiok")
	case "isready":
		b.Say(0, "readyok")
	case "position":
		f.set(rest)
	case "query":
		for _, text := range f.response(rest) {
			b.Say(0, "response %s", text)
		}
	}
}

func (f *fake) set(rest string) {
	f.bad = ""
	at, moves, _ := strings.Cut(rest, " moves ")
	f.pos = f.game.Start()
	if fen, ok := strings.CutPrefix(at, "fen "); ok {
		pos, err := f.game.Parse(fen)
		if err != nil {
			f.bad = err.Error()
			return
		}
		f.pos = pos
	}
	for text := range strings.FieldsSeq(moves) {
		m, err := f.pos.ParseMove(text)
		if err != nil {
			f.bad = err.Error()
			return
		}
		f.pos.Play(m)
	}
}

func (f *fake) response(query string) []string {
	if f.bad != "" {
		return []string{"invalid " + f.bad}
	}
	out := f.pos.Outcome()
	fact, argument, _ := strings.Cut(query, " ")
	switch fact {
	case "gameover":
		return []string{fmt.Sprint(out.Over)}
	case "p1turn":
		return []string{fmt.Sprint(f.pos.Turn() == engine.First)}
	case "result":
		switch {
		case !out.Over:
			return []string{"none"}
		case out.Winner == engine.NoSide:
			return []string{"draw"}
		}
		return []string{fmt.Sprintf("p%dwin", out.Winner+1)}
	case "moves":
		var list []string
		for _, m := range f.pos.Legal(nil) {
			list = append(list, string(f.pos.AppendMove(nil, m)))
		}
		return []string{strings.Join(list, " ")}
	}
	if f.only != nil && !strings.Contains(" "+strings.Join(f.only, " ")+" ", " "+fact+" ") {
		return nil // as a program that knows UGI's queries only
	}
	switch fact {
	case "fen":
		return []string{f.pos.String()}
	case "reason":
		return []string{out.Reason}
	case "sides":
		sides := f.game.SideNames()
		return []string{sides[0] + " " + sides[1]}
	case "maxplies":
		return []string{fmt.Sprint(f.game.MaxPlies())}
	case "symmetric":
		return []string{fmt.Sprint(f.game.Symmetric())}
	case "board":
		b := f.pos.Board()
		var rows []string
		for row := range b.Rows {
			line := strings.Repeat(" ", row) // as of Hex
			for _, c := range b.Cells[row*b.Cols : (row+1)*b.Cols] {
				line += " " + string(rune(max(c.Piece, '.')))
			}
			rows = append(rows, line)
		}
		return rows
	case "why":
		if _, err := f.pos.ParseMove(argument); err != nil {
			return []string{"a reason"}
		}
	}
	return []string{"unknown"}
}

// open opens the game that the fake knows.
func (f *fake) open(t *testing.T) (*rules.Game, *sessiontest.Bot, error) {
	t.Helper()
	if f.game == nil {
		var err error
		if f.game, err = games.All().Lookup("breakthrough:4x5"); err != nil {
			t.Fatal(err)
		}
	}
	b := &sessiontest.Bot{Clock: sessiontest.NewClock(), Answer: f.answer}
	game, err := rules.Open(t.Context(), rules.Config{
		Name: "tiny", Command: "fake", Print: "0123456789abcdef", Now: b.Clock.Now,
		Start: func(_ context.Context, stderr *session.Tail) (session.Process, error) {
			_, err := stderr.Write([]byte("fake: hello\n"))
			return b, err
		},
	})
	return game, b, err
}

func starter(b *sessiontest.Bot) session.Start {
	return func(context.Context, *session.Tail) (session.Process, error) { return b, nil }
}
