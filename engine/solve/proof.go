package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/dustin/go-humanize"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
	"botarena/engine/breakthrough/proof"
	"botarena/engine/solve/file"
)

// A prover is the Solver that proves who wins a board of Breakthrough from its start.
type prover struct {
	dir   Dir
	game  *breakthrough.Game
	proof *proof.Proof // nil if it is not there
}

// proof reads the proof of a board, and checks only its checksum.
func (d Dir) proof(g *breakthrough.Game) (*prover, error) {
	p := &prover{dir: d, game: g}
	data, err := os.ReadFile(p.path())
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	p.proof, err = proof.Read(data)
	switch {
	case errors.Is(err, file.ErrVersion):
		return p, nil
	case err == nil && (p.proof.Cols != g.Cols() || p.proof.Rows != g.Rows()):
		err = file.Damaged("it is another board's")
	}
	if err != nil {
		return nil, damaged(p.path(), err)
	}
	return p, nil
}

func (p *prover) path() string { return p.dir.boardFile(p.game, ".proof") }

func (p *prover) Close() {}

// provedPlies is the number of plies before the end at which a proof stops and the
// checker searches itself: that is still cheap, and two plies more would halve the
// file.
const provedPlies = 3

func (p *prover) Solve(ctx context.Context, o Options) error {
	if p.proof != nil {
		return nil
	}
	s, err := exact.NewProver(p.game, o.Bytes)
	if err != nil {
		return err
	}
	return p.dir.compute(ctx, task{
		name: p.game.Name(), done: "proved", path: p.path(), kept: trimmed(p.path(), ".search"),
		run: func(ctx context.Context, fo file.Options) (io.WriterTo, error) {
			p.proof, err = s.Prove(ctx, p.game, provedPlies, fo)
			return p.proof, err
		},
	}, o)
}

// there returns an error if there is no proof.
func (p *prover) there() error {
	if p.proof == nil {
		return missing("there is no proof of %s in %s; `arena solve %[1]s` finds one", p.game.Name(), p.dir)
	}
	return nil
}

// Verify replays the proof by the rules alone.
func (p *prover) Verify(ctx context.Context, o Options, say func(string)) error {
	if p.proof == nil {
		return missing("there is no proof of %s in %s; `arena solve %[1]s --proof` finds one", p.game.Name(), p.dir)
	}
	due := every(o.Now, 5*time.Second)
	done, err := p.proof.Check(ctx, func(c proof.Checked) {
		if due() {
			fmt.Fprintf(o.Log, "%s: %s of %s answers replayed\n", p.game.Name(), humanize.Comma(int64(c.Answers)), humanize.Comma(int64(p.proof.Answers())))
		}
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%s: %w; delete it, and it is searched for again", p.path(), err)
	}
	say(fmt.Sprintf("%s: %s, the %s player, wins: %s answers replayed against every move, %s positions searched %d plies deep", p.game.Name(),
		p.game.SideNames()[p.proof.Winner], nth(p.proof.Winner), humanize.Comma(int64(done.Answers)), humanize.Comma(int64(done.Leaves)), p.proof.Plies))
	return nil
}

func (p *prover) Value(pos engine.Position) (Value, error) {
	if err := p.there(); err != nil {
		return unknown(), err
	}
	winner := p.proof.Side(pos.(*breakthrough.Position))
	if winner == engine.NoSide {
		return unknown(), &MissingError{Proved: true, What: fmt.Sprintf(
			"the proof of %s in %s does not have %s: it has what comes up while its winner plays by it", p.game.Name(), p.dir, pos)}
	}
	return Value{Winner: winner}, nil
}

// A ProofReport describes the proof of a board, for JSON.
type ProofReport struct {
	Game    string `json:"game"`
	Winner  string `json:"winner"` // of the game from its start
	Answers int    `json:"answers"`
	Bytes   Bytes  `json:"bytes"`
	File    string `json:"file"`
}

func (p *prover) Report() (Report, error) {
	if err := p.there(); err != nil {
		return Report{}, err
	}
	r := ProofReport{p.game.Name(), p.game.SideNames()[p.proof.Winner], p.proof.Answers(), size(p.path()), p.path()}
	return Report{
		JSON: r, Title: r.Game + " · proved",
		Columns: []string{"Winner", "Answers", "Size"},
		Rows:    [][]any{{r.Winner, uint64(r.Answers), r.Bytes}},
		Notes: []string{
			fmt.Sprintf("Answers: the winner's moves against all of the other side's, one a position, up to reflection; a win within %d plies needs none.", p.proof.Plies),
			"Proof: " + r.File + " (--verify replays it)",
		},
		Answer: whoWins(p.game, p.proof.Winner),
	}, nil
}
