package host

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"botarena/arena/exchange"
	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine"
)

// An Export is the archive of a league for its organiser.
type Export struct {
	Store   *store.Store
	Catalog engine.Catalog
	League  string
	Dir     string // of the host's files
}

// Write writes all to a folder, which is made: standings.csv, grades.csv, submissions.csv,
// games.csv, games.pgn, and a folder submissions with what was handed in. It returns the
// names of what it wrote.
func (x *Export) Write(ctx context.Context, to string) (names []string, err error) {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return nil, err
	}
	lb, err := leaderboard(ctx, x.Store, x.Catalog, x.League)
	var unknown *store.UnknownEventError
	if err != nil && !errors.As(err, &unknown) {
		return nil, err
	}
	subs, err := x.Store.Submissions(ctx, x.League, "")
	if err != nil {
		return nil, err
	}
	slices.Reverse(subs)
	teams, err := x.Store.Teams(ctx)
	if err != nil {
		return nil, err
	}
	put := func(name string, write func(io.Writer) error) {
		if err == nil {
			err = writeFile(filepath.Join(to, name), write)
		}
		if err == nil {
			names = append(names, name)
		}
	}
	put("submissions.csv", func(w io.Writer) error { return writeSubmissions(w, subs) })
	put("grades.csv", func(w io.Writer) error { return writeGrades(w, teams, subs, lb) })
	if lb != nil {
		put("standings.csv", func(w io.Writer) error { return lb.Table().Write(w, listing.CSV) })
		put("games.csv", func(w io.Writer) error { return x.games(ctx, exchange.NewCSV(w, false), false) })
		put("games.pgn", func(w io.Writer) error {
			return x.games(ctx, exchange.NewPGN(w, x.Catalog, exchange.PGNOptions{}), true)
		})
	}
	if err != nil {
		return names, err
	}
	for i := range subs {
		name := filepath.Join("submissions", subs[i].Team, strconv.Itoa(subs[i].Number)+"-"+subs[i].File)
		if err := x.archive(&subs[i], filepath.Join(to, name)); err != nil {
			return names, err
		}
	}
	if len(subs) > 0 {
		names = append(names, "submissions")
	}
	return names, nil
}

func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

func (x *Export) games(ctx context.Context, w exchange.Writer, moves bool) error {
	_, _, err := exchange.Export(ctx, x.Store, store.Filter{Event: x.League, Moves: moves}, w, moves)
	return err
}

// archive copies a submission's file.
func (x *Export) archive(sub *store.Submission, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	from, err := os.Open(filepath.Join(x.Dir, "files", sub.SHA256))
	if err != nil {
		return fmt.Errorf("number %d of %s: %w", sub.Number, sub.Team, err)
	}
	defer func() { _ = from.Close() }()
	return writeFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}

func writeRows(w io.Writer, rows [][]string) error {
	for _, row := range rows {
		for i, cell := range row { // a spreadsheet would reckon with what looks like a formula
			if cell != "" && slices.Contains([]byte("=+-@\t\r"), cell[0]) {
				if _, err := strconv.ParseFloat(cell, 64); err != nil {
					row[i] = "'" + cell
				}
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func writeSubmissions(w io.Writer, subs []store.Submission) error {
	rows := [][]string{{"team", "number", "received", "file", "size", "sha256", "language", "state", "refused_at", "reason", "bot", "changed"}}
	for i := range subs {
		s := &subs[i]
		rows = append(rows, []string{
			s.Team, strconv.Itoa(s.Number), s.Received.Format(time.RFC3339), s.File, strconv.FormatInt(s.Size, 10), s.SHA256, s.Language,
			s.State, string(s.Refused), s.Reason, s.Bot, s.Changed.Format(time.RFC3339),
		})
	}
	return writeRows(w, rows)
}

// writeGrades writes a row for each team: its place among the teams, 1 for the best, and
// what it comes from. A team without a bot that plays has no place.
func writeGrades(w io.Writer, teams []store.Team, subs []store.Submission, lb *standings.Leaderboard) error {
	type grade struct {
		handed, refused int
		bot, state      string
		place           int
		row             *standings.Row
	}
	grades, byBot := map[string]*grade{}, map[string]*grade{}
	for _, t := range teams {
		grades[t.Name] = &grade{}
	}
	for i := range subs {
		g := grades[subs[i].Team]
		g.handed++
		if subs[i].State == store.Refused {
			g.refused++
		}
		if subs[i].Bot != "" {
			g.bot, g.state = subs[i].Bot, subs[i].State
			byBot[g.bot] = g
		}
	}
	if lb != nil {
		place := 0
		for i := range lb.Bots {
			if g := byBot[lb.Bots[i].Bot]; g != nil && g.bot == lb.Bots[i].Bot {
				place++
				g.place, g.row = place, &lb.Bots[i]
			}
		}
	}
	rows := [][]string{{"team", "place", "bot", "state", "elo", "elo_error", "games", "points", "submissions", "refused"}}
	for _, t := range teams {
		g := grades[t.Name]
		row := []string{t.Name, "", g.bot, g.state, "", "", "", "", strconv.Itoa(g.handed), strconv.Itoa(g.refused)}
		if r := g.row; r != nil {
			row[1], row[6], row[7] = strconv.Itoa(g.place), strconv.Itoa(r.Games), strconv.FormatFloat(r.Points, 'f', -1, 64)
			if r.Elo != nil {
				row[4] = strconv.FormatFloat(*r.Elo, 'f', 1, 64)
			}
			if r.Error != nil {
				row[5] = strconv.FormatFloat(*r.Error, 'f', 1, 64)
			}
		}
		rows = append(rows, row)
	}
	return writeRows(w, rows)
}
