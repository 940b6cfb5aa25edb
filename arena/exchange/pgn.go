package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/chess"
)

// width is the maximum length of a line of moves: PGN demands less than 80.
const width = 79

// PGNOptions selects how much is written of each game.
type PGNOptions struct {
	// Comments adds the bot's search facts to each move, "{+0.35/8 0.120s n=5012}":
	// score in pawns for the mover (or "+M3", mate in three moves), depth, time, nodes.
	// Moves of the opening have "{book}"; the last comment says how the game ended.
	Comments bool
	// Tags leaves out the moves, and the positions of games other than chess, for
	// programs that need only results and fail on moves that are not chess.
	Tags bool
	// Remark, if set, returns the comment of a move of the game, from 0 on, and its
	// numeric annotation glyph, 0 for none, in place of Comments.
	Remark func(ply int) (nag int, comment string)
}

// A PGN writes games as PGN.
type PGN struct {
	w       *bufio.Writer
	games   rulebook
	options PGNOptions
	column  int
	text    []byte
}

// NewPGN returns a writer of PGN.
func NewPGN(w io.Writer, catalog engine.Catalog, o PGNOptions) *PGN {
	return &PGN{w: bufio.NewWriter(w), games: newRulebook(catalog), options: o}
}

// Write writes one game. It is an error if it has no result, or where the
// rules refuse its moves.
func (p *PGN) Write(g *Game) error {
	game, err := p.games.lookup(g.Game.Game)
	if err == nil {
		err = p.game(game, g)
	}
	if err != nil {
		return fmt.Errorf("event %q, game %d: %w", g.Event, g.Number, err)
	}
	return nil
}

// Flush writes what is buffered.
func (p *PGN) Flush() error { return p.w.Flush() }

func (p *PGN) game(game engine.Game, g *Game) error {
	if _, ok := g.Result.Score(); !ok {
		return errors.New("it has no result")
	}
	pos, err := start(game, g.Opening)
	if err != nil {
		return err
	}
	p.tags(g, pos)
	p.column = 0
	if !p.options.Tags {
		if err := p.moves(pos, g); err != nil {
			return err
		}
	}
	p.word(string(g.Result))
	_, err = p.w.WriteString("\n\n")
	return err
}

func (p *PGN) moves(pos engine.Position, g *Game) error {
	number := firstNumber(pos)
	arena.Expect(pos, g.Opening.Moves, g.Moves, false)
	for i := range len(g.Opening.Moves) + len(g.Moves) {
		var text string
		played := i - len(g.Opening.Moves)
		if played < 0 {
			text = g.Opening.Moves[i]
		} else {
			text = g.Moves[played].Move
		}
		m, err := pos.ParseMove(text)
		if err != nil {
			return fmt.Errorf("ply %d: %w", i+1, err)
		}
		switch {
		case pos.Turn() == engine.First:
			p.word(strconv.Itoa(number) + ".")
		case i == 0:
			p.word(strconv.Itoa(number) + "...")
		}
		if _, ok := pos.(*chess.Position); ok {
			text = chess.SAN(pos, m)
		} else {
			p.text = pos.AppendMove(p.text[:0], m)
			text = string(p.text)
		}
		p.word(text)
		if p.options.Comments {
			nag, comment := 0, "book"
			switch {
			case played >= 0 && p.options.Remark != nil:
				nag, comment = p.options.Remark(played)
			case played >= 0:
				comment = remark(&g.Moves[played])
			}
			if nag > 0 {
				p.word("$" + strconv.Itoa(nag))
			}
			p.comment(comment)
		}
		if pos.Turn() == engine.Second {
			number++
		}
		pos.Play(m)
	}
	if p.options.Comments {
		p.comment(ending(&g.Game))
	}
	return nil
}

// firstNumber returns the number of the first move: that of the FEN, 1 in other games.
func firstNumber(pos engine.Position) int {
	if _, ok := pos.(*chess.Position); !ok {
		return 1
	}
	fields := strings.Fields(pos.String())
	n, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		return 1
	}
	return n
}

func (p *PGN) tags(g *Game, pos engine.Position) {
	date := "????.??.??"
	if !g.Start.IsZero() {
		date = g.Start.UTC().Format("2006.01.02")
	}
	p.tag("Event", g.Event)
	p.tag("Site", "?")
	p.tag("Date", date)
	p.tag("Round", strconv.Itoa(g.Round))
	p.tag("White", g.First)
	p.tag("Black", g.Second)
	p.tag("Result", string(g.Result))
	_, isChess := pos.(*chess.Position)
	switch {
	case !isChess:
		p.tag("Variant", g.Game.Game)
	case g.Game.Game != "chess":
		p.tag("Variant", "Chess960") // as the programs that read PGN know it
	}
	if g.Opening.Position != "" && (isChess || !p.options.Tags) {
		p.tag("SetUp", "1")
		p.tag("FEN", pos.String())
	}
	white, black := timeControl(g.Clocks[0]), timeControl(g.Clocks[1])
	if white == black {
		p.tag("TimeControl", white)
	} else {
		p.tag("TimeControl", "?")
		p.tag("WhiteTimeControl", white)
		p.tag("BlackTimeControl", black)
	}
	p.tag("Termination", termination(g.Reason))
	p.tag("PlyCount", strconv.Itoa(len(g.Opening.Moves)+len(g.Moves)))
	for side, color := range []string{"White", "Black"} {
		if name := g.Engines[side].Name; name != "" {
			p.tag(color+"Engine", name)
		}
		if options := g.Engines[side].Options; options != "" {
			p.tag(color+"Options", options)
		}
	}
	p.tag("GameId", g.Event+"/"+strconv.Itoa(g.Number))
	_ = p.w.WriteByte('\n') // a bufio.Writer keeps its error for Flush
}

func (p *PGN) tag(name, value string) {
	_, _ = p.w.WriteString(Tag(name, value) + "\n")
}

// Tag returns the line of a tag, without its end.
func Tag(name, value string) string {
	return "[" + name + ` "` + string(appendTagValue(nil, value)) + `"]`
}

// appendTagValue writes the inside of a PGN string, which is one line: quotes and
// backslashes are escaped, as PGN does.
func appendTagValue(dst []byte, value string) []byte {
	value = text.Escape(value)
	for i := range len(value) {
		if c := value[i]; c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, value[i])
	}
	return dst
}

// word writes a word of the moves, on a new line if this one is full.
func (p *PGN) word(s string) {
	switch {
	case p.column == 0:
	case p.column+1+len(s) > width:
		_ = p.w.WriteByte('\n')
		p.column = 0
	default:
		_ = p.w.WriteByte(' ')
		p.column++
	}
	_, _ = p.w.WriteString(s)
	p.column += len(s)
}

// comment writes a comment in braces, which may break between its words.
func (p *PGN) comment(s string) {
	words := strings.Fields(strings.NewReplacer("{", "(", "}", ")").Replace(s))
	for i, w := range words {
		w = text.Escape(w)
		if i == 0 {
			w = "{" + w
		}
		if i == len(words)-1 {
			w += "}"
		}
		p.word(w)
	}
}

// remark formats the search facts of a move: "+0.35/8 0.120s n=5012".
func remark(m *arena.MoveRecord) string {
	said := fmt.Sprintf("%.3fs", m.Time.Seconds())
	switch score := m.InPawns(); {
	case score != "":
		said = score + "/" + strconv.Itoa(m.Depth) + " " + said
	case m.Depth > 0:
		said += " d=" + strconv.Itoa(m.Depth)
	}
	if m.Nodes > 0 {
		said += " n=" + strconv.FormatInt(m.Nodes, 10)
	}
	return said
}

func ending(g *arena.Game) string {
	text := string(g.Reason)
	if g.Blame != "" {
		text += " of " + g.Blame
	}
	if g.Detail != "" {
		text += ": " + g.Detail
	}
	return text
}

// termination returns PGN's word for a reason.
func termination(r arena.Reason) string {
	switch r {
	case arena.MoveLimit, arena.Adjudicated, arena.ExactTables:
		return "adjudication"
	case arena.TimeForfeit:
		return "time forfeit"
	case arena.IllegalMove, arena.ProtocolError:
		return "rules infraction"
	case arena.Crash, arena.Stall:
		return "abandoned"
	case arena.Void:
		return "unterminated"
	}
	return "normal"
}

// timeControl writes a clock in PGN's words, in seconds. A fixed time a move is
// a control of one move: the standard has no nearer word.
func timeControl(c arena.TimeControl) string {
	seconds := func(d time.Duration) string {
		return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
	}
	text := ""
	switch {
	case c.Move > 0:
		return "1/" + seconds(c.Move)
	case c.Base > 0:
		if c.Moves > 0 {
			text = strconv.Itoa(c.Moves) + "/"
		}
		text += seconds(c.Base)
		if c.Increment > 0 {
			text += "+" + seconds(c.Increment)
		}
		return text
	case c.Nodes > 0 || c.Depth > 0:
		return "-"
	}
	return "?"
}
