// Package fleet plays events on many machines, over NATS JetStream.
//
// A [Coordinator] makes the event.Workers of a run: it turns games into jobs in a
// queue, and referees results again before passing them on. A [Worker] takes jobs and
// plays them with the event.Workers of its own machine. The coordinator's own slots are
// a worker like any other, within its process.
//
// SQLite is the only record: the queue is rebuilt from it, and a result counts once it
// is recorded there. README.md explains the decisions, package wire the messages.
package fleet
