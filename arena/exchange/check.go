package exchange

import (
	"fmt"

	"botarena/arena"
	"botarena/engine"
)

// A Checker checks games against the rules.
type Checker struct {
	games rulebook
	text  []byte
}

// maxFingerprint is the longest fingerprint in bytes; those of arena have 64.
const maxFingerprint = 200

// NewChecker returns a checker that knows the games of a catalog.
func NewChecker(catalog engine.Catalog) *Checker { return &Checker{games: newRulebook(catalog)} }

// Check replays the game and returns everything that is wrong: moves that the rules
// refuse, a result, reason or blame that does not fit the final position, a wrong
// number of plies, missing members.
func (c *Checker) Check(g *Game) []error {
	var found []error
	fail := func(format string, args ...any) { found = append(found, fmt.Errorf(format, args...)) }
	switch {
	case g.Event == "":
		fail("event is missing")
	case g.First == "" || g.Second == "":
		fail("first or second is missing")
	case g.First == g.Second:
		fail("%q plays against itself", g.First)
	}
	if g.Number < 1 || g.Round < 1 || g.Pair < 1 {
		fail("number, round and pair count from 1")
	}
	for side, v := range g.Versions {
		if n := len(v.Fingerprint); n == 0 || n > maxFingerprint {
			fail("%s_fingerprint has %d letters; want 1 to %d", [2]string{"first", "second"}[side], n, maxFingerprint)
		}
	}
	if g.Result == arena.Unplayed || g.Reason == arena.Void {
		fail("a game that was not played to an end; only games with a result can be imported")
	} else if err := g.Validate(); err != nil {
		found = append(found, err)
	}
	game, err := c.games.lookup(g.Game.Game)
	if err != nil {
		return append(found, err)
	}
	if plain := arena.PlainName(g.Game.Game); game.Name() != g.Game.Game && (plain == g.Game.Game || plain != arena.PlainName(game.Name())) {
		fail("game %q is written %q", g.Game.Game, game.Name())
	}
	// A draw there is older than the rule that such a game has none.
	if at, _ := arena.AtLimit(game, 0); g.Reason == arena.MoveLimit && g.Result != arena.Draw && g.Result != at {
		fail("a game of %s that ended by %s cannot be %s", game.Name(), g.Reason, g.Result)
	}
	if err := c.replay(game, &g.Game); err != nil {
		found = append(found, err)
	}
	return found
}

// replay plays the moves, and compares the end with the rules.
func (c *Checker) replay(game engine.Game, g *arena.Game) error {
	pos, err := start(game, g.Opening)
	if err != nil {
		return err
	}
	arena.Expect(pos, g.Opening.Moves, g.Moves, false)
	for i, text := range g.Opening.Moves {
		if err := c.play(pos, text); err != nil {
			return fmt.Errorf("opening, move %d: %w", i+1, err)
		}
	}
	for i, m := range g.Moves {
		if out := pos.Outcome(); out.Over {
			return fmt.Errorf("ply %d: %s: the game was over before it (%s)", i+1, m.Move, out.Reason)
		}
		if err := c.play(pos, m.Move); err != nil {
			return fmt.Errorf("ply %d: %w", i+1, err)
		}
	}
	out := pos.Outcome()
	byRule := g.Reason == arena.WinByRule || g.Reason == arena.DrawByRule
	switch {
	case out.Over && g.Result != arena.ResultFor(out.Winner):
		return fmt.Errorf("the rules end this game with %s (%s), not with %q", arena.ResultFor(out.Winner), out.Reason, g.Result)
	case out.Over && !byRule:
		return fmt.Errorf("the rules end this game (%s), but the reason is %q", out.Reason, g.Reason)
	case !out.Over && byRule:
		return fmt.Errorf("the reason is %q, but after these %d moves the rules do not end the game", g.Reason, len(g.Moves))
	case g.Reason == arena.Resign && g.Result != arena.ResultFor(pos.Turn().Other()):
		return fmt.Errorf("%s was to move and so can only have resigned, but the result is %s", game.SideNames()[pos.Turn()], g.Result)
	}
	return nil
}

// play makes a move, which must be written as the record writes it.
func (c *Checker) play(pos engine.Position, text string) error {
	m, err := pos.ParseMove(text)
	if err != nil {
		return err
	}
	if c.text = pos.AppendMove(c.text[:0], m); string(c.text) != text {
		return fmt.Errorf("%q is written %s here", text, c.text)
	}
	pos.Play(m)
	return nil
}
