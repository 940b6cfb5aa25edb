package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"

	"botarena/arena"
	"botarena/arena/exchange"
	"botarena/arena/gamelog"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/draw"
)

// gameFile answers with a file of a game.
func (s *Server) gameFile(write func(ctx context.Context, w io.Writer, s *Server, g *store.Game, r *http.Request) (kind, name string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), mostTime)
		defer cancel()
		g, err := s.gameOf(ctx, r.PathValue("id"))
		if err != nil {
			s.fail(w, r, err)
			return
		}
		var b bytes.Buffer
		kind, name, err := write(ctx, &b, s, g, r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		w.Header().Set("Cache-Control", s.keep())
		if name != "" {
			w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		}
		s.send(w, r, newAnswer(kind, b.Bytes()))
	}
}

func writePGN(ctx context.Context, w io.Writer, s *Server, g *store.Game, _ *http.Request) (kind, name string, err error) {
	if g.Result == arena.Unplayed {
		return "", "", notFound("This game has no result yet.")
	}
	_, settings, err := s.eventOf(ctx, g.Event)
	if err != nil {
		return "", "", err
	}
	out := text.NewWriter(w)
	pgn := exchange.NewPGN(out, s.catalog(), exchange.PGNOptions{Comments: true})
	described := &exchange.Game{Game: g.Game}
	settings = s.readable(settings)
	described.Describe(&settings)
	err = pgn.Write(described)
	var broken *engine.RulesError
	switch {
	case errors.As(err, &broken), errors.Is(err, errNoRules):
		return "", "", notFound("This game's rules are a program, which cannot be asked here.")
	case err != nil:
		return "", "", err
	}
	return "application/x-chess-pgn; charset=utf-8", fmt.Sprintf("game-%d.pgn", g.ID), errors.Join(pgn.Flush(), out.Flush())
}

func writeSVG(ctx context.Context, w io.Writer, s *Server, g *store.Game, r *http.Request) (kind, name string, err error) {
	_, settings, err := s.eventOf(ctx, g.Event)
	if err != nil {
		return "", "", err
	}
	p, unruled, err := s.replayOf(g, &settings)
	switch {
	case err != nil:
		return "", "", err
	case unruled != "":
		return "", "", notFound(unruled)
	}
	ply, err := plyOf(r.URL.Query().Get("ply"), len(p.Frames)-1)
	if err != nil {
		return "", "", err
	}
	err = draw.SVG(w, p.Frames[ply].Board, draw.Picture{
		Game: g.Game.Game, Flip: r.URL.Query().Get("flip") == "1",
		Title: text.Line(fmt.Sprintf("%s - %s, %s, after ply %d", g.First, g.Second, g.Game.Game, ply), 300), Desc: p.Frames[ply].Position,
	})
	return "image/svg+xml", fmt.Sprintf("game-%d-ply-%d.svg", g.ID, ply), err
}

func writeDialogue(_ context.Context, w io.Writer, s *Server, g *store.Game, r *http.Request) (kind, name string, err error) {
	const kindText = "text/plain; charset=utf-8"
	none := notFound("No dialogue of this game is kept.")
	if s.logDir() == "" {
		return "", "", none
	}
	f, err := os.Open(gamelog.Files(s.logDir(), g.Event, g.Number).Protocol)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", none
	}
	if err != nil {
		return "", "", err
	}
	defer func() { _ = f.Close() }()
	out := text.NewWriter(w)
	if asked := r.URL.Query().Get("ply"); asked != "" {
		ply, err := plyOf(asked, len(g.Moves))
		if err != nil {
			return "", "", err
		}
		lines, err := dialogueOf(f, &g.Game, ply)
		if err != nil {
			return "", "", err
		}
		for _, line := range lines {
			fmt.Fprintln(out, line)
		}
		return kindText, "", out.Flush()
	}
	if _, err := io.Copy(out, f); err != nil {
		return "", "", err
	}
	return kindText, "", out.Flush()
}

func writeStderr(ctx context.Context, w io.Writer, s *Server, g *store.Game, r *http.Request) (kind, name string, err error) {
	side := 0
	if r.URL.Query().Get("side") == "second" {
		side = 1
	}
	none := notFound("Nothing that this bot wrote to stderr is kept.")
	if s.logDir() == "" {
		v := visitorOf(r)
		own, err := s.ownsGame(ctx, &v, g, [2]string{g.First, g.Second}[side])
		if err != nil {
			return "", "", err
		}
		if !own || s.config.LogDir == "" {
			return "", "", none
		}
	}
	const most = 4 << 20
	words, err := tail(gamelog.Files(s.config.LogDir, g.Event, g.Number).Stderr[side], most)
	if err != nil {
		return "", "", err
	}
	if words == "" {
		return "", "", none
	}
	out := text.NewWriter(w)
	if _, err := io.WriteString(out, words); err != nil {
		return "", "", err
	}
	return "text/plain; charset=utf-8", "", out.Flush()
}
