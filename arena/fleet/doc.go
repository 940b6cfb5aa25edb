// Package fleet plays one event on many machines, over NATS JetStream.
//
// A [Coordinator] makes the event.Workers of a run: games that are given to it
// become jobs in a queue, results are refereed again and handed on. A [Worker] takes
// jobs and plays them with the event.Workers of its own machine. The
// coordinator's own slots are a worker like any other, within its process.
//
// SQLite is the only record: the queue is rebuilt from it, and a result counts once
// it is there, once. README.md explains the decisions; package
// wire what goes over the connection.
package fleet
