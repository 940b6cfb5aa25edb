// Package process starts, limits, watches and ends the bots' programs.
//
// A [Starter] belongs to one run of arena. It starts each bot in a session of
// its own, marked in its environment ([MarkVariable]), and returns a [Process],
// which is an [arena.Link]: lines in and out with absolute deadlines and capped
// bytes. [Process.End] ends a bot and whatever it left behind; [Starter.Close]
// does so for all.
//
// No bot outlives arena. On Linux, the kernel kills a bot when arena dies
// (PR_SET_PDEATHSIG); its descendants become children of arena, a child subreaper, and
// are ended with their bot; if arena itself is killed, a watchdog
// ([Starter.StartWatchdog], [RunWatchdog]) ends the marked ones.
//
// What a platform cannot do (limits, sandbox, pinning, watchdog outside Linux)
// is an [*UnsupportedError] when asked for, never ignored.
package process
