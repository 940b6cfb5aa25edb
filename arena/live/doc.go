// Package live publishes games in progress to watchers: pages, a terminal, another
// process.
//
// The side that plays has a [Hub]. A run of an event announces itself there, and its
// workers their games; a coordinator makes the same calls for workers on other
// machines:
//
//	hub := live.NewHub(time.Now)
//	run := hub.Run(live.Event{Name: "spring", Game: "chess", ...})
//	run.Progress(live.Progress{Planned: 12, Played: 3})
//	g := run.Begin(live.Game{Game: game, Clocks: clocks})
//	g.Moved(moves, at)   // after each ply, with all moves so far
//	run.End(&game)       // once its result is recorded, or it was void
//	run.Close()
//
// All methods may be called on nil, and do nothing then. Moved neither locks nor waits,
// and allocates only if the moves' array has grown: a game never waits for its
// watchers, which poll the hub some times a second.
//
// The side that watches has a [View], which merges the snapshots of all runs on one
// database, of this process and of others on this machine:
//
//	view := live.Watch(ctx, "results/arena.db", time.Now, nil)
//	for {
//		changed := view.Changed()
//		s := view.Snapshot()     // events, and games with all their moves
//		...
//		select { case <-changed: ...; case <-ctx.Done(): return }
//	}
//
// A snapshot holds everything, so a slow or absent watcher misses nothing that still
// matters, and nothing is queued for it. A watcher that waits for changes calls
// [View.Attend] first: a view that is not attended is up to a second late, and costs
// the runs nothing.
//
// # Across processes
//
// [Publish] makes a hub findable by every view of the same database: a file in a folder
// beside it (its name and "-live") has the address. The folder and its files are
// private to the user; both ends of a connection prove that they have read the file
// before anything else. The watcher requests each snapshot with a byte, at its own
// pace, and receives a line of JSON: all keys, the games that changed, and the moves
// that it lacks. A killed process leaves a stale file behind: views ignore it, and the
// next run removes it.
//
// The feed is for watching only: no result is taken from it. What is recorded is in
// the database, and a game is shown as over only when it is recorded.
package live
