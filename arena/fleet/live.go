package fleet

import (
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena"
	"botarena/arena/fleet/wire"
	"botarena/arena/live"
	"botarena/arena/replay"
)

// movesEvery is the interval at which a worker sends the moves of watched games.
const movesEvery = 250 * time.Millisecond

// tellMoves sends the moves of this worker's games, while somebody watches the event.
func (a *attendance) tellMoves(ctx context.Context, event string, hub *live.Hub) {
	tick := time.NewTicker(movesEvery)
	defer tick.Stop()
	var told map[int]int // plies told by number
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		a.mu.Lock()
		h := a.events[event]
		watched := h != nil && h.Watched
		a.mu.Unlock()
		if !watched {
			told = nil
			continue
		}
		now := map[int]int{}
		var message wire.Live
		send := func() {
			if len(message.Games) > 0 {
				publish(a.Conn, wire.LiveSubject(a.Name, event), &message)
			}
			message.Games = nil
		}
		for _, g := range hub.InProgress() {
			now[g.Number] = len(g.Moves)
			if before, known := told[g.Number]; known && before == len(g.Moves) {
				continue
			}
			if message.Games = append(message.Games, wire.LiveGame{Slot: g.Slot, Ended: wire.EndedOf(&g.Game)}); len(message.Games) == wire.MaxLive {
				send()
			}
		}
		send()
		told = now
	}
}

// broadcast is the state of a worker's game that is passed on to watchers.
type broadcast struct {
	about   live.Game
	playing *live.Playing
	track   *replay.Replay
	moves   []arena.MoveRecord
}

// onLive handles a worker's message about its games in progress. It is for watching
// only: impossible moves are dropped, and the result corrects the rest.
func (f *fleet) onLive(msg *nats.Msg) {
	worker := wire.WorkerOf(msg.Subject)
	if f.work.Feed == nil || f.revoked(worker) || f.isBarred(worker) {
		return
	}
	l, err := wire.Decode[wire.Live](msg.Data)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range l.Games {
		o := f.open[l.Games[i].Number]
		if o == nil || o.unit.begun != "" && o.unit.begun != worker {
			continue
		}
		g := o.game
		if err := l.Games[i].Fill(&g); err == nil {
			f.follow(o, worker, l.Games[i].Slot, g.Moves)
		}
	}
}

// follow publishes the moves of a game so far to watchers; mu is held.
func (f *fleet) follow(o *openGame, worker string, slot int, moves []arena.MoveRecord) {
	if o.broadcast == nil || o.broadcast.about.Worker != worker || !begins(moves, o.broadcast.moves) {
		g := o.game
		g.Worker = worker
		if m := f.workers[worker]; m != nil {
			slot += m.first
			if f.event.Scale && m.entry.Rate() > 0 {
				g.Factor = f.Speed.Speed / m.entry.Rate()
			}
		}
		about := live.Game{Game: g, Clocks: f.work.Event.Clocks(&g), Slot: slot, Worker: worker}
		track, err := replay.Begin(f.work.Game, &g, about.Clocks)
		if err != nil {
			o.broadcast = nil
			return
		}
		o.broadcast = &broadcast{about: about, track: track, playing: f.work.Feed.Begin(about)}
	}
	o.broadcast.add(moves[len(o.broadcast.moves):], f.Now())
}

// add publishes further moves up to the first impossible one.
func (w *broadcast) add(moves []arena.MoveRecord, now time.Time) {
	for _, m := range moves {
		if w.track.Outcome().Over || w.track.Play(m) != nil {
			break
		}
		w.moves = append(w.moves, m)
	}
	w.playing.Moved(w.moves, now)
}

// begins reports whether moves has the prefix some.
func begins(moves, some []arena.MoveRecord) bool {
	return len(moves) >= len(some) && slices.EqualFunc(moves[:len(some)], some, func(a, b arena.MoveRecord) bool { return a.Move == b.Move })
}

// correct publishes the true moves of a game that has a result; mu is held.
func (f *fleet) correct(o *openGame, g *arena.Game) {
	if o.broadcast == nil || g.Reason == arena.Void || begins(g.Moves, o.broadcast.moves) {
		return
	}
	f.work.Feed.Begin(o.broadcast.about).Moved(g.Moves, f.Now())
}

// withdraw tells watchers that a worker does not play a unit's games any more; mu is
// held.
func (f *fleet) withdraw(u *unit) {
	for _, n := range u.numbers {
		if o := f.open[n]; o != nil && o.unit == u && o.broadcast != nil {
			g := o.game
			g.Reason, g.Detail = arena.Void, "given back"
			f.work.Feed.End(&g)
			o.broadcast = nil
		}
	}
}
