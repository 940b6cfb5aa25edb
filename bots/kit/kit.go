// Package kit makes a bot from one Go function: the kit speaks the protocol, keeps the
// position and computes how long to think; the function picks a move.
//
//	func main() {
//		err := kit.Run(kit.Bot{
//			Name:  "my first",
//			Games: games.All(),
//			Choose: func(t *kit.Turn) engine.Move {
//				moves := t.Position.Legal(nil)
//				return moves[t.Rand.IntN(len(moves))]
//			},
//		}, os.Stdin, os.Stdout, time.Now)
//		if err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//	}
//
// The function runs while the kit goes on reading: isready is answered at once, and
// Turn.Stop reports when to answer. If the event lets bots ponder, the function also
// runs while the opponent is to move, and its answer is kept until its turn. The kit
// speaks both dialects, UGI and UCI, and answers queries: any such bot can be used by
// programs that know no rules (cutegames), and as the rules program of its games.
package kit

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"botarena/engine"
	"botarena/protocol"
)

// A Bot is a program for the arena.
type Bot struct {
	Name   string
	Author string
	// Games holds the games that the bot plays.
	Games engine.Catalog
	// Own, if set, is the only game that the bot plays, under any name, in place of
	// Games: see [NewGame]. Such a bot can be the rules program of its game.
	Own engine.Game
	// Game names the game that is played until arena sets another; "" is the first of
	// Games.
	Game string
	// Options holds the options to declare besides Seed and the choice of the game;
	// read them with Turn.Option.
	Options []protocol.Option
	// NewGame, if set, is called before each game: forget the last one.
	NewGame func()
	// Choose returns a legal move of the turn's position, which is not over; the zero
	// Move resigns. If it is nil, any legal move is played.
	Choose func(*Turn) engine.Move
}

// SeedOption is the option that seeds Turn.Rand. Arena sets it before each game.
const SeedOption = "Seed"

// Run speaks the protocol on in and out until quit or the end of the input, both of
// which return nil. The error is from reading or writing, or names an invalid request
// of the arena.
func Run(bot Bot, in io.Reader, out io.Writer, now func() time.Time) error {
	game, err := firstGame(&bot)
	if err != nil {
		return fmt.Errorf("bot %s: %w", bot.Name, err)
	}
	if bot.Choose == nil {
		bot.Choose = AnyMove
	}
	s := &session{
		bot: bot, out: out, now: now, game: game, seed: 1,
		options: map[string]string{},
		lines:   make(chan request, 16),
		done:    make(chan struct{}),
	}
	s.stop = sync.NewCond(&s.mu)
	for _, o := range bot.Options {
		s.options[o.Name] = o.Default
	}
	s.newGame()
	go s.read(protocol.NewReader(in))
	defer close(s.done)
	return s.serve()
}

// firstGame returns the game that a bot plays by default.
func firstGame(bot *Bot) (engine.Game, error) {
	if bot.Own != nil {
		return bot.Own, nil
	}
	if len(bot.Games) == 0 {
		return nil, errors.New("it plays no game: give it Games, or one of its Own")
	}
	if bot.Game == "" {
		bot.Game = bot.Games.Names()[0]
	}
	return bot.Games.Lookup(bot.Game)
}

// AnyMove chooses any legal move of a turn.
func AnyMove(t *Turn) engine.Move {
	moves := t.Position.Legal(nil)
	return moves[t.Rand.IntN(len(moves))]
}

// A request is one line, or the error that ended the input.
type request struct {
	line []byte
	err  error
}

type session struct {
	bot     Bot
	now     func() time.Time
	game    engine.Game
	pos     engine.Position
	begin   string   // where pos begins: a fen, "" for the game's own start
	played  []string // the moves from there to pos
	foreign bool     // the bot has had pos in its hands
	bad     error    // why the last position line could not be read; told when it matters
	seed    uint64
	rand    *rand.Rand
	options map[string]string
	dialect protocol.Dialect
	lines   chan request
	done    chan struct{} // closed when nobody takes lines any more
	buffer  []byte
	legal   []engine.Move // of a query
	words   []byte
	line    []byte // the moves that the bot expects, where it is to ponder

	mu       sync.Mutex // guards what reading and thinking share
	out      io.Writer
	asked    int        // go lines read
	answered int        // go lines answered
	stopped  int        // go lines that have to be answered at once
	hits     int        // go lines whose clock runs: ponderhit has come
	hitAt    time.Time  // when the last of them began to run
	stop     *sync.Cond // stopped has grown
}

// read passes lines on, and answers those that cannot wait for the end of a search.
func (s *session) read(r *protocol.Reader) {
	for {
		line, err := r.ReadLine()
		req := request{err: err}
		quit := err != nil
		if err == nil {
			req.line = append([]byte(nil), line...)
			msg, parseErr := protocol.ParseFromArena(req.line)
			quit = msg.Kind == protocol.Quit
			if parseErr == nil && s.urgent(msg.Kind) {
				continue
			}
		}
		if quit {
			s.stopAll()
		}
		select {
		case s.lines <- req:
		case <-s.done:
			return
		}
		if quit && !errors.Is(err, protocol.ErrLineTooLong) {
			return
		}
	}
}

// urgent handles a line that concerns a running search.
func (s *session) urgent(kind protocol.ArenaKind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	thinking := s.asked > s.answered
	switch {
	case kind == protocol.Go:
		s.asked++
	case kind == protocol.Stop:
		s.stopped = s.asked
		s.stop.Broadcast()
		return true
	case kind == protocol.PonderHit:
		s.hits, s.hitAt = s.asked, s.now()
		s.stop.Broadcast()
		return true
	case kind == protocol.IsReady && thinking:
		s.buffer = protocol.AppendReadyOK(s.buffer[:0])
		_, _ = s.out.Write(s.buffer) // a broken pipe shows at the next answer
		return true
	}
	return false
}

func (s *session) stopAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = s.asked
	s.stop.Broadcast()
}

func (s *session) serve() error {
	for req := range s.lines {
		switch {
		case errors.Is(req.err, io.EOF):
			return s.bad
		case req.err != nil:
			return fmt.Errorf("read from the arena: %w", req.err)
		}
		msg, err := protocol.ParseFromArena(req.line)
		if err != nil {
			return err
		}
		if msg.Kind == protocol.Quit {
			return s.bad
		}
		if err := s.handle(msg); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) handle(msg protocol.ArenaMessage) error {
	switch msg.Kind {
	case protocol.Hello:
		s.dialect = msg.Dialect
		return s.write(s.declarations)
	case protocol.SetOption:
		return s.setOption(string(msg.Name), string(msg.Value))
	case protocol.IsReady:
		return s.write(protocol.AppendReadyOK)
	case protocol.NewGame:
		s.newGame()
	case protocol.Position:
		s.bad = s.setPosition(msg)
	case protocol.Query:
		return s.answer(msg)
	case protocol.Go:
		if s.bad != nil {
			return s.bad
		}
		return s.think(msg.Go)
	}
	return nil
}

// write sends lines in one piece.
func (s *session) write(appendTo func([]byte) []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buffer = appendTo(s.buffer[:0])
	if _, err := s.out.Write(s.buffer); err != nil {
		return fmt.Errorf("write to the arena: %w", err)
	}
	return nil
}

func (s *session) declarations(dst []byte) []byte {
	dst = protocol.AppendID(dst, "name", s.bot.Name)
	dst = protocol.AppendID(dst, "author", s.bot.Author)
	for _, o := range s.declared() {
		dst = protocol.AppendOption(dst, o)
	}
	return protocol.AppendOK(dst, s.dialect)
}

// declared lists the options. The game is a string, not a combo, since boards of
// any size have too many names to list. A game of the bot's own is played under any
// name.
func (s *session) declared() protocol.Options {
	var list protocol.Options
	if s.bot.Own == nil {
		list = protocol.Options{{Name: s.dialect.VariantOption(), Type: protocol.String, Default: s.bot.Game}}
	}
	return append(append(list, protocol.Options{
		{Name: SeedOption, Type: protocol.Spin, Default: "1", Min: 0, Max: 1 << 53},
		{Name: protocol.PonderOption, Type: protocol.Check, Default: "false"},
	}...), s.bot.Options...)
}

func (s *session) setOption(name, value string) error {
	name, value, err := s.declared().Resolve(name, value)
	if err != nil {
		return err
	}
	switch name {
	case s.dialect.VariantOption():
		game, err := s.bot.Games.Lookup(value)
		if err != nil {
			return err
		}
		s.game = game
		s.newGame()
	case SeedOption:
		if s.seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			return fmt.Errorf("option %s: %w", name, err)
		}
		s.rand = rand.New(rand.NewPCG(s.seed, 0))
	default:
		s.options[name] = value
	}
	return nil
}

func (s *session) newGame() {
	s.setStart("", s.game.Start())
	s.rand = rand.New(rand.NewPCG(s.seed, 0))
	if s.bot.NewGame != nil {
		s.bot.NewGame()
	}
}

// setPosition plays the moves of a position line. If only queries came since the last
// one, it keeps the common moves.
func (s *session) setPosition(msg protocol.ArenaMessage) error {
	if string(msg.FEN) != s.begin || s.foreign {
		pos := s.game.Start()
		if len(msg.FEN) > 0 {
			var err error
			if pos, err = s.game.Parse(string(msg.FEN)); err != nil {
				return err
			}
		}
		s.setStart(string(msg.FEN), pos)
	}
	n := 0
	for text := range strings.FieldsSeq(string(msg.Moves)) {
		if n < len(s.played) && s.played[n] == text {
			n++
			continue
		}
		s.back(n)
		m, err := s.pos.ParseMove(text)
		if err != nil {
			return fmt.Errorf("position: %w", err)
		}
		s.pos.Play(m)
		s.played = append(s.played, strings.Clone(text))
		n++
	}
	s.back(n)
	return nil
}

// setStart begins anew at a position; text is its fen, "" for the game's own start.
func (s *session) setStart(text string, pos engine.Position) {
	s.begin, s.pos, s.played, s.foreign = text, pos, s.played[:0], false
}

// back takes back all but the first n moves.
func (s *session) back(n int) {
	for len(s.played) > n {
		s.pos.Undo()
		s.played = s.played[:len(s.played)-1]
	}
}

func (s *session) think(limits protocol.GoParams) error {
	s.mu.Lock()
	number := s.answered + 1
	s.mu.Unlock()
	s.foreign = true
	turn := &Turn{
		Position: s.pos,
		Depth:    int(min(limits.Depth, 1<<30)),
		Nodes:    limits.Nodes,
		Budget:   budget(limits, s.pos.Turn()),
		Rand:     s.rand,
		options:  s.options,
		now:      s.now,
		start:    s.now(),
		stopped: func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.stopped >= number
		},
		info: func(info protocol.Info) {
			_ = s.write(func(dst []byte) []byte { return protocol.AppendInfo(dst, info) }) // shows at bestmove
			if s.options[protocol.PonderOption] == "true" && len(info.PV) > 0 && info.MultiPV <= 1 {
				s.line = append(s.line[:0], info.PV...)
			}
		},
	}
	s.line = s.line[:0]
	if limits.Ponder {
		turn.hit = func() (time.Time, bool) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.hitAt, s.hits >= number
		}
	}
	turn.Clock = limits.MoveTime == 0 && turn.Budget > 0
	turn.Infinite = limits.Infinite
	move := ""
	if !s.pos.Outcome().Over {
		if m := s.bot.Choose(turn); m != 0 {
			move = string(s.pos.AppendMove(nil, m))
		}
	}
	if turn.failed != nil {
		return turn.failed
	}
	if limits.Infinite || limits.Ponder { // the answer belongs after stop or ponderhit, however soon it was found
		s.mu.Lock()
		for s.stopped < number && (limits.Infinite || s.hits < number) {
			s.stop.Wait()
		}
		s.mu.Unlock()
	}
	expected := ""
	if words := strings.Fields(string(s.line)); len(words) > 1 && words[0] == move {
		expected = words[1]
	}
	err := s.write(func(dst []byte) []byte { return protocol.AppendBestMove(dst, move, expected) })
	s.mu.Lock()
	s.answered++
	s.mu.Unlock()
	return err
}

// budget returns the time to spend on a move: a share of the clock, less a reserve for
// communication.
func budget(limits protocol.GoParams, turn engine.Side) time.Duration {
	if t := limits.MoveTime; t > 0 {
		return t - min(max(t/20, time.Millisecond), 20*time.Millisecond, t/2)
	}
	clock := limits.Clocks[turn]
	if !clock.Known {
		return 0
	}
	const usualMoves = 25 // that a game is taken to last from anywhere
	moves := time.Duration(usualMoves)
	if limits.MovesToGo > 0 {
		moves = min(moves, time.Duration(limits.MovesToGo))
	}
	share := clock.Time/moves + clock.Inc*3/4
	share = min(share, clock.Time*8/10)
	return max(share-min(share/10, 10*time.Millisecond), 500*time.Microsecond)
}
