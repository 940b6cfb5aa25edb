// Package live is what happens in the games in the air, for whoever watches:
// pages, a terminal, another process.
//
// The side that plays has a [Hub]. A run of an event announces itself there, and
// its workers their games; a worker on another machine is told of by whoever
// hears from it, by the same calls:
//
//	hub := live.NewHub(time.Now)
//	run := hub.Run(live.Event{Name: "spring", Game: "chess", ...})
//	run.Progress(live.Progress{Planned: 12, Played: 3})
//	g := run.Begin(live.Game{Game: game, Clocks: clocks})
//	g.Moved(moves, at)   // after each ply, with all moves so far
//	run.End(&game)       // once its result is recorded, or it was void
//	run.Close()
//
// All of that may be called on nil, and does nothing then. Moved neither locks nor
// waits, and allocates where the moves' array has grown alone: nobody who watches
// is ever waited for, since nobody is told. Watchers look, some times a second.
//
// The side that watches has a [View], which merges what all runs on one database
// do, of this process and of others on this machine:
//
//	view := live.Watch(ctx, "results/arena.db", live.Options{Now: time.Now})
//	d := view.Since(0, live.Filter{})     // all there is: events, games with their moves
//	for {
//		changed := view.Changed()
//		d = view.Since(d.To, live.Filter{Event: "spring"})  // what came since; maybe nothing
//		...                                  // d.Reset: forget what you have first
//		select { case <-changed: ...; case <-ctx.Done(): return }
//	}
//
// Whoever waits for changes for long calls [View.Attend] first: what nobody attends
// to is a second late, and costs the runs nothing.
//
// A view is state with numbers: each change has one, and Since(n) returns what
// differs from the state at n, however long ago that was. So a watcher that was
// away, or is slow, is sent what it lacks, all moves of the games in the air
// included, and nothing piles up for it. A [Track] plays a game's moves, for
// positions and clocks.
//
// # Across processes
//
// [Publish] makes a hub findable by every view of the same database: a file in a
// folder beside it (its name and "-live"), which says where to ask. The folder and
// what is in it are the user's alone; both ends prove that they have read the file
// before either says more. A process that is killed leaves a file behind that
// nobody answers for: views ignore it, and the next run removes it.
//
// The feed is for eyes: no result is taken from it. What is recorded is in the
// database, and a game is told to be over only when it is recorded.
package live
