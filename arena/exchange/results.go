package exchange

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"botarena/arena/rating"
	"botarena/arena/rating/sprt"
	"botarena/arena/text"
)

// A ResultsReader gathers the results of the games of one or more files, as the
// package comment says. It keeps counts, not games: a million games of the same
// players take no more room than a thousand. The zero value is ready to use.
type ResultsReader struct {
	// Pairs joins games to pairs, as the package comment says.
	Pairs bool
	// Format is the format of all files; "" recognises each file's.
	Format Format
	// Strict makes a game of a PGN file that cannot be read an error.
	Strict bool
	// Skip, if it is not nil, is called with the reason for each skipped game.
	Skip func(*ParseError)

	Skipped    int // games of PGN files that could not be read
	Unfinished int // games skipped: the result is *
	SelfPlay   int // games skipped: a player against itself

	// Links are the versions of bots that follow each other, after Results.
	Links []rating.Link

	players players
	single  counts        // games that depend on no other
	groups  map[group]int // how often games came that depend on each other and are alike
	played  []int32       // players in the order of their first games
	has     []bool        // whether a player is one of them
}

// group is games of two players that depend on each other: one game, or a pair.
type group struct {
	a, b              int32          // players, a < b
	asFirst, asSecond sprt.Trinomial // of a, where it moved first and where b did
}

// add adds a game to the group.
func (g *group) add(first int32, score rating.Score) {
	if first == g.a {
		g.asFirst[score]++
	} else {
		g.asSecond[score.Swap()]++
	}
}

// Read reads one file, whose name is for messages and whose extension tells the format
// (.pgn, .csv, .jsonl, .ndjson or .json, and .gz after it); with another extension the
// first character does: "[" before a letter, ";" and "%" begin PGN, "{" and other "["
// JSON Lines, others CSV. Files compressed by gzip are unpacked. The error is a
// *ParseError or one of the file's own.
func (r *ResultsReader) Read(name string, from io.Reader) error {
	s := sink{reader: r, name: name, open: map[openPair]group{}}
	err := s.read(from)
	for _, g := range s.open {
		r.count(g)
	}
	var parse *ParseError
	if err != nil && !errors.As(err, &parse) {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return err
}

// Results returns what was read, to be rated. Call it once, at the end: only then
// is it known who played against itself.
func (r *ResultsReader) Results() (*rating.Results, error) {
	var results rating.Results
	names, links := r.players.names()
	r.Links = links
	for _, i := range r.played {
		results.Enter(names[i])
	}
	if err := r.addSingle(&results, names); err != nil {
		return nil, err
	}
	groups := make([]group, 0, len(r.groups))
	for g := range r.groups {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, group.compare)
	for _, g := range groups {
		times := r.groups[g]
		a, b := names[g.a], names[g.b]
		if a == b {
			r.SelfPlay += times * (total(g.asFirst) + total(g.asSecond))
			continue
		}
		if err := results.AddGroup(rating.Group{A: a, B: b, AsFirst: g.asFirst, AsSecond: g.asSecond, Times: times}); err != nil {
			return nil, err
		}
	}
	return &results, nil
}

// addSingle adds the games that depend on no other.
func (r *ResultsReader) addSingle(results *rating.Results, names []string) error {
	for _, c := range r.single.sorted() {
		a, b, score := c.game()
		if names[a] == names[b] {
			r.SelfPlay += c.times
			continue
		}
		var one sprt.Trinomial
		one[score] = 1
		if err := results.AddGroup(rating.Group{A: names[a], B: names[b], AsFirst: one, Times: c.times}); err != nil {
			return err
		}
	}
	return nil
}

func (g group) compare(h group) int {
	return cmp.Or(cmp.Compare(g.a, h.a), cmp.Compare(g.b, h.b), slices.Compare(g.asFirst[:], h.asFirst[:]), slices.Compare(g.asSecond[:], h.asSecond[:]))
}

func total(t sprt.Trinomial) int { return t[rating.Loss] + t[rating.Draw] + t[rating.Win] }

func (r *ResultsReader) count(g group) {
	if r.groups == nil {
		r.groups = map[group]int{}
	}
	r.groups[g]++
}

// sink receives the games of one file from the format's reader.
type sink struct {
	reader *ResultsReader
	name   string
	open   map[openPair]group // pairs that more games may belong to
	twos   bool               // a pair is complete with one game from either side, and has no more
}

// openPair identifies a pair of a file.
type openPair struct {
	a, b int32 // players, a < b
	key  string
}

// maxEntry is the maximum length in bytes of an entry's texts, which are kept until the
// end.
const maxEntry = 16 << 10

// An entry holds the data of one game that rating needs, as written in its file.
type entry struct {
	who                 [2]player
	event, pair, result string
}

// field returns the field for a member or a column of that name, nil if rating does not
// need it.
func (e *entry) field(name string) *string {
	switch name {
	case "first", "white":
		return &e.who[0].name
	case "second", "black":
		return &e.who[1].name
	case "first_fingerprint":
		return &e.who[0].fingerprint
	case "second_fingerprint":
		return &e.who[1].fingerprint
	case "first_version":
		return &e.who[0].version
	case "second_version":
		return &e.who[1].version
	case "result":
		return &e.result
	case "pair":
		return &e.pair
	case "event":
		return &e.event
	}
	return nil
}

func (s *sink) read(from io.Reader) error {
	in, format, err := open(s.name, from, s.reader.Format)
	if err != nil {
		return err
	}
	switch format {
	case FormatPGN:
		s.twos = true
		return s.pgn(in)
	case FormatJSONL:
		return s.jsonl(in)
	}
	return s.csv(in)
}

func (s *sink) fail(line, column int, format string, args ...any) error {
	return &ParseError{File: s.name, Line: line, Column: column, Err: fmt.Errorf(format, args...)}
}

// enter records that a player has a game.
func (r *ResultsReader) enter(player int32) {
	if int(player) >= len(r.has) {
		r.has = append(r.has, make([]bool, len(r.players.list)-len(r.has))...)
	}
	if !r.has[player] {
		r.has[player] = true
		r.played = append(r.played, player)
	}
}

// take adds a game. Points are valid results except in PGN. The error concerns its
// result.
func (s *sink) take(e *entry) error {
	texts := len(e.event) + len(e.pair)
	for side := range e.who {
		texts += len(e.who[side].name) + len(e.who[side].fingerprint) + len(e.who[side].version)
	}
	if texts > maxEntry {
		return fmt.Errorf("names, event and pair have %d bytes; at most %d are kept of a game", texts, maxEntry)
	}
	first, second := s.reader.players.of(e.who[0]), s.reader.players.of(e.who[1])
	score, played, err := result(e.result, !s.twos)
	switch {
	case err != nil:
		return err
	case !played:
		s.reader.Unfinished++
		return nil
	}
	s.reader.enter(first)
	s.reader.enter(second)
	if !s.reader.Pairs || e.pair == "" && !s.twos {
		s.reader.single.add(first, second, score)
		return nil
	}
	single := group{a: min(first, second), b: max(first, second)}
	single.add(first, score)
	at := openPair{single.a, single.b, e.event + "\x00" + e.pair}
	g, ok := s.open[at]
	switch {
	case !ok:
		s.open[at] = single
	case !s.twos:
		g.add(first, score)
		s.open[at] = g
	case (total(g.asFirst) > 0) == (first == g.a): // from the same side: the other one goes alone
		s.reader.count(g)
		s.open[at] = single
	default:
		g.add(first, score)
		s.reader.count(g)
		delete(s.open, at)
	}
	return nil
}

// result reads a result; ok is false for an unfinished game.
func result(word string, points bool) (score rating.Score, ok bool, err error) {
	switch word {
	case "1-0":
		return rating.Win, true, nil
	case "0-1":
		return rating.Loss, true, nil
	case "1/2-1/2", "1/2", "\u00bd-\u00bd":
		return rating.Draw, true, nil
	case "*":
		return 0, false, nil
	}
	if points {
		switch word {
		case "1", "1.0":
			return rating.Win, true, nil
		case "0", "0.0":
			return rating.Loss, true, nil
		case "0.5", ".5":
			return rating.Draw, true, nil
		}
	}
	return 0, false, fmt.Errorf("result %q: want 1-0, 0-1, 1/2-1/2 or *", text.Clip(word, 60))
}
