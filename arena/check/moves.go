package check

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/protocol"
)

// broken returns the failure of a bot that did not do what every check needs.
func (r *run) broken(err error) outcome {
	var illegal *engine.MoveError
	var parse *protocol.ParseError
	switch {
	case errors.As(err, &illegal):
		if r.session != nil && r.session.SendsLegal() {
			return fail("answer with one of the moves of the last legal line, spelled as there", "%v", err)
		}
		return fail("`arena moves GAME --position P` lists the legal moves as they are spelled", "%v", err)
	case errors.As(err, &parse):
		return fail("answer with the line: bestmove MOVE", "%v", err)
	case errors.Is(err, arena.ErrTimeout):
		return fail("answer each request with one line, and flush stdout after it", "%v", err)
	case errors.Is(err, arena.ErrClosed):
		return fail("the program ended or closed its output; what it wrote to stderr may say why", "%v", err)
	case errors.Is(err, arena.ErrFlood), errors.Is(err, arena.ErrLineTooLong):
		var f *session.Fault
		if r.session != nil && errors.As(err, &f) {
			r.manners.breach(r.session, f.Err)
		}
		return fail("write short lines, and an info line now and then only", "%v", err)
	}
	return fail("", "%v", err)
}

// ask lets the bot think in a position and waits for its legal move. It first reads
// what the bot has written already, so that a surplus bestmove is not taken for the
// answer.
func (r *run) ask(path *session.Path, limits protocol.GoParams, within time.Duration) (session.Answer, error) {
	if err := r.session.Drain(r.ctx, 0); err != nil {
		return session.Answer{}, err
	}
	a, f := r.session.Ask(r.ctx, session.Question{Path: path, Limits: limits, Within: within})
	if f != nil {
		return a, illegalIn(path, f)
	}
	return a, nil
}

// move lets the bot move on a path. It replaces an illegal move, which another check
// reports, with a random one.
func (r *run) move(path *session.Path, limits protocol.GoParams, within time.Duration, random *rand.Rand) (session.Answer, error) {
	a, err := r.ask(path, limits, within)
	var illegal *engine.MoveError
	switch {
	case errors.As(err, &illegal), err == nil && a.Resign:
		playRandom(path, random)
		err = nil
	case err == nil:
		path.Play(a.Move)
	}
	return a, err
}

// illegalIn names the position of an illegal move.
func illegalIn(path *session.Path, f *session.Fault) error {
	if f.Reason == arena.IllegalMove {
		return fmt.Errorf("%w, in %s", f, path.Position)
	}
	return f
}

// firstMove asks for one move and listens before and after.
func (r *run) firstMove() outcome {
	s := r.session
	if err := s.NewGame(r.ctx, r.within(readyTime)); err != nil {
		return r.broken(err)
	}
	path := session.NewPath(r.report.Game)
	if err := s.Send(s.AppendSetup(nil, path), r.Now().Add(readyTime)); err != nil {
		return r.broken(err)
	}
	if err := s.Drain(r.ctx, listenTime); err != nil {
		return r.broken(err)
	}
	a, f := s.Ask(r.ctx, session.Question{Path: path, Limits: protocol.GoParams{MoveTime: time.Second}, Within: r.within(moveTime)})
	if f != nil {
		return r.broken(illegalIn(path, f))
	}
	before := s.Process.CPUTime()
	if err := s.Drain(r.ctx, listenTime); err != nil {
		return r.broken(fmt.Errorf("after its move, %w", err))
	}
	offTurn := s.Process.CPUTime() - before
	if err := s.Ready(r.ctx, r.within(readyTime)); err != nil {
		return r.broken(fmt.Errorf("after its move, %w", err))
	}
	if a.Resign {
		return warn("resign where the game is lost, not at its start", "it resigned at once")
	}
	// Collecting garbage and compiling take less, or not all of the time.
	if offTurn >= listenTime*4/5 {
		return warn("wait for the next line without computing: an event tells of bots that think while others are to move, unless it lets them (ponder: true)",
			"off-turn CPU: it used %.3f s in the %.3f s after its move", offTurn.Seconds(), listenTime.Seconds())
	}
	return pass("%s after %.3f s", a.Text, a.Time.Seconds())
}

// newGame begins games anew, also twice in a row and in the middle.
func (r *run) newGame() outcome {
	s := r.session
	random := r.random(NewGame)
	asked := 0
	for range 3 {
		for range 2 {
			if err := s.NewGame(r.ctx, r.within(readyTime)); err != nil {
				return r.broken(err)
			}
		}
		path := session.NewPath(r.report.Game)
		for range 2 {
			if path.Position.Outcome().Over {
				break
			}
			if _, err := r.ask(path, protocol.GoParams{MoveTime: 20 * time.Millisecond}, r.within(moveTime)); err != nil {
				return r.broken(err)
			}
			asked++
			playRandom(path, random)
		}
	}
	return pass("%d times, and %d moves between", 6, asked)
}

// promptly limits how long a bot may take to react to a line while it thinks.
const promptly = 500 * time.Millisecond

// think sets a fresh position up and sends go. It reports whether the bot still
// thinks a moment later.
func (r *run) think(limits protocol.GoParams) (thinking bool, err error) {
	if err := r.ready(); err != nil {
		return false, err
	}
	s := r.session
	if err := s.NewGame(r.ctx, r.within(readyTime)); err != nil {
		return false, err
	}
	if err := s.Start(r.ctx, session.NewPath(r.report.Game), limits, readyTime); err != nil {
		return false, err
	}
	if err := s.Drain(r.ctx, 2*listenTime); err != nil {
		return false, err
	}
	return s.Thinking(), nil
}

// readyThinking sends isready while the bot thinks.
func (r *run) readyThinking() outcome {
	const think = 2 * time.Second
	if r.report.Declared.Dialect == protocol.XBoard {
		return skip("in xboard, an engine that thinks may answer ping after its move")
	}
	thinking, err := r.think(protocol.GoParams{MoveTime: think})
	if err != nil {
		return r.broken(err)
	}
	s := r.session
	since := r.Now()
	early := s.Thinking()
	if err := s.Ready(r.ctx, r.within(think+readyTime)); err != nil {
		return r.broken(err)
	}
	took := r.Now().Sub(since)
	if !thinking {
		return pass("it answers go at once; readyok after %.3f s", took.Seconds())
	}
	if early && !s.Thinking() {
		if took <= promptly {
			return pass("it answers go soon; readyok after %.3f s", took.Seconds())
		}
		return warn("harmless in arena, which never asks then, but other programs do: read stdin while you think, in a thread of its own",
			"readyok came after bestmove, %.1f s after isready", took.Seconds())
	}
	s.Stop()
	if err := s.Await(r.ctx, protocol.BestMove, r.Now(), r.within(moveTime), "no bestmove after isready"); err != nil {
		return r.broken(err)
	}
	if took > promptly {
		return warn("answer isready at once, also while you think", "readyok after %.1f s", took.Seconds())
	}
	return pass("readyok after %.3f s, while it thinks", took.Seconds())
}

// stop interrupts two searches, one with a limit and one without.
func (r *run) stop() outcome {
	const long = 4 * time.Second
	const hint = "harmless in arena, which sends stop only to a bot that has lost on time, but other programs do: read stdin while you think"
	worst := time.Duration(0)
	for _, limits := range []protocol.GoParams{{MoveTime: long}, {Infinite: true}} {
		thinking, err := r.think(limits)
		if err != nil {
			return r.broken(err)
		}
		s := r.session
		since := r.Now()
		s.Stop()
		if !thinking {
			if err := s.Ready(r.ctx, r.within(readyTime)); err != nil { // a stop too much does no harm
				return r.broken(err)
			}
			continue
		}
		wait := r.within(long + 2*time.Second)
		err = s.Await(r.ctx, protocol.BestMove, since, wait, "no bestmove after stop")
		if errors.Is(err, arena.ErrTimeout) && s.Declared.Dialect == protocol.XBoard {
			r.close()
			return warn(hint, "it does not heed the line ?").quoting(s.since(r.mark)...)
		}
		if err != nil {
			return r.broken(err)
		}
		took := r.Now().Sub(since)
		if took > promptly {
			return warn(hint, "bestmove came %.1f s after stop", took.Seconds())
		}
		worst = max(worst, took)
	}
	if worst == 0 {
		return pass("it answers go at once: there is nothing to stop")
	}
	return pass("bestmove within %.3f s of stop", worst.Seconds())
}

// legalMoves asks for a move in many positions.
func (r *run) legalMoves() outcome {
	const budget = 8 * time.Second
	want := count(200, r.Quick)
	s := r.session
	start := r.Now()
	resigned, asked := 0, 0
	for path, begins := range r.positions() {
		if asked == want || r.Now().Sub(start) > budget {
			break
		}
		r.mark = s.mark()
		if begins {
			if err := s.NewGame(r.ctx, r.within(readyTime)); err != nil {
				return r.broken(err)
			}
		}
		a, err := r.ask(path, protocol.GoParams{MoveTime: 10 * time.Millisecond}, r.within(moveTime))
		if err != nil {
			return r.broken(fmt.Errorf("position %d: %w", asked+1, err))
		}
		asked++
		if a.Resign {
			resigned++
		}
	}
	took := r.Now().Sub(start)
	more := ""
	if resigned > 0 {
		more = fmt.Sprintf("; it resigned in %d of them", resigned)
	}
	switch {
	case asked < want:
		return warn("heed movetime: it was 10 ms", "%d of %d positions in %.1f s%s", asked, want, took.Seconds(), more)
	case resigned == asked:
		return warn("resign where the game is lost only", "%d positions%s", asked, more)
	}
	return pass("in %d positions of random games%s", asked, more)
}

// random returns a source of random numbers for one check.
func (r *run) random(check string) *rand.Rand {
	var stream uint64
	for _, c := range []byte(check) {
		stream = stream*131 + uint64(c)
	}
	return rand.New(rand.NewPCG(r.Seed, stream))
}

func playRandom(path *session.Path, random *rand.Rand) {
	if moves := path.Position.Legal(nil); len(moves) > 0 {
		path.Play(moves[random.IntN(len(moves))])
	}
}

// positions returns the positions of random games: with all moves from the start, as a
// position alone, and as a position with some moves. begins reports that it is the
// first of its game.
func (r *run) positions() iter.Seq2[*session.Path, bool] {
	return func(yield func(*session.Path, bool) bool) {
		random := r.random(LegalMoves)
		shape := 0
		for {
			path := session.NewPath(r.report.Game)
			var since *session.Path
			begins := true
			for !path.Position.Outcome().Over && len(path.Moves) < path.Position.Game().MaxPlies() {
				if since == nil || random.IntN(8) == 0 {
					since = path.Bare()
					since.Position = path.Position.Clone()
				}
				if random.IntN(3) == 0 {
					given := path
					switch shape % 3 {
					case 1:
						given = path.Bare()
					case 2:
						given = since
					}
					shape++
					if !yield(given, begins) {
						return
					}
					begins = false
				}
				before := len(path.Moves)
				playRandom(path, random)
				text := path.Moves[before]
				m, err := since.Position.ParseMove(text)
				if err != nil { // a rule that looks beyond since, such as repetition
					since = nil
					continue
				}
				since.Play(m)
			}
		}
	}
}

// quit ends the session with quit.
func (r *run) quit() outcome {
	s := r.session
	deadline := r.Now().Add(r.within(quitTime))
	since := r.Now()
	const hint = "end the program when the line quit comes; arena kills a bot that stays"
	err := s.Quit()
	for err == nil {
		if _, err = s.Receive(deadline); err == nil && r.Now().After(deadline) {
			err = arena.ErrTimeout
		}
		var parse *protocol.ParseError
		if errors.As(err, &parse) {
			err = nil
		}
	}
	took := r.Now().Sub(since)
	var o outcome
	switch {
	case errors.Is(err, arena.ErrTimeout):
		o = fail(hint, "it still runs %v after quit", quitTime)
	case s.Process.Alive():
		o = fail(hint, "it closed its output at quit, but lives on")
	case s.Process.ExitStatus() != "exit status 0":
		o = warn("end with exit status 0", "it ended with %s after %.3f s", s.Process.ExitStatus(), took.Seconds())
	default:
		o = pass("it ends after %.3f s", took.Seconds())
	}
	o.quote = s.since(r.mark)
	r.close()
	o.stderr = s.stderr.Lines(lastWords)
	return o
}

// endOfInput closes the bot's stdin.
func (r *run) endOfInput() outcome {
	s := r.session
	since := r.Now()
	err := s.Process.End(quitTime)
	took := r.Now().Sub(since)
	status := s.Process.ExitStatus()
	var o outcome
	switch {
	case err != nil:
		o = fail("let no process that the bot started outlive it", "%v", err)
	case took >= quitTime || strings.HasPrefix(status, "killed by signal: killed"):
		o = fail("end the program when reading stdin answers its end: where arena is killed, nothing else tells the bot", "it still ran %v after its stdin was closed, and was killed", quitTime)
	default:
		o = pass("it ends after %.3f s (%s)", took.Seconds(), status)
	}
	o.quote = s.since(r.mark)
	o.stderr = s.stderr.Lines(lastWords)
	r.session = nil // it has ended
	return o
}
