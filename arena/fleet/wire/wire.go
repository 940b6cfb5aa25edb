// Package wire is what coordinators and workers of a fleet say to each other: the
// subjects, the names of streams and buckets, and the messages. It knows no
// connection.
//
// # Subjects
//
// All begin with the version of the protocol; another version has others, so that
// old and new can share a cluster without seeing each other. What is said there is
// changed with the version only.
//
//	arena.v2.event.EVENT                what is played now, every second  core
//	arena.v2.job.CLASS.EVENT.UNIT       a unit of games to be played    stream arena_v2_jobs
//	arena.v2.result.WORKER.EVENT.UNIT   what became of units, UNIT      stream arena_v2_results
//	                                    the first of them
//	arena.v2.begun.WORKER.EVENT.UNIT    a worker plays this unit now    core
//	arena.v2.trouble.WORKER.EVENT       why a worker cannot play        core
//	arena.v2.live.WORKER.EVENT          games in progress, while watched core
//	arena.v2.cancel.EVENT               begin no more, or break off     core
//
// A worker writes to subjects with its own name only. EVENT is [Event.Token], of
// one coordinator and one configuration. Each event has one durable pull consumer
// of its jobs, of the name EVENT, and one of its results.
//
// # Messages
//
// A message is one JSON object, deflated where that is shorter: the first byte
// tells. Unknown members, a wrong version, trailing bytes and sizes beyond the
// limits below are errors. What is decoded is within the limits that the fields
// say, and nothing more is known of it: a result is refereed again before it is
// believed.
package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// Version is the protocol's.
const Version = 2

// Names of streams and buckets.
const (
	Jobs    = "arena_v2_jobs"    // stream: one message a subject, gone when it is acknowledged
	Results = "arena_v2_results" // stream: kept until they are recorded
	Workers = "arena_v2_workers" // key-value: who is there, by its own word; entries expire
	Files   = "arena_v2_files"   // objects: specs and bundles, named by their SHA-256
)

// Times of the protocol.
const (
	// Lease is how long a worker may be silent about a job before another one gets
	// it, Sign how often it gives a sign.
	Lease = 30 * time.Second
	Sign  = 10 * time.Second
	// Beat is how often an event is told of, and Silence after how long without
	// that it is taken to be over.
	Beat    = time.Second
	Silence = 20 * time.Second
	// Entry is how long a worker's entry stays without a new one.
	Entry = 15 * time.Second
)

const prefix = "arena.v2."

// EventSubject returns the subject of messages about an event.
func EventSubject(event string) string { return prefix + "event." + event }

// AllEvents returns those subjects.
func AllEvents() string { return prefix + "event.*" }

// JobSubject returns where a unit is published.
func JobSubject(class, event, unit string) string {
	return prefix + "job." + class + "." + event + "." + unit
}

// JobsOf returns the subjects of all jobs of an event.
func JobsOf(event string) string { return prefix + "job.*." + event + ".*" }

// AllJobs returns the subjects of the stream [Jobs].
func AllJobs() string { return prefix + "job.*.*.*" }

// ResultSubject returns where a worker publishes a [Batch], unit being that of its first
// result.
func ResultSubject(worker, event, unit string) string {
	return prefix + "result." + worker + "." + event + "." + unit
}

// ResultsOf returns the subjects of all results of an event.
func ResultsOf(event string) string { return prefix + "result.*." + event + ".*" }

// AllResults returns the subjects of the stream [Results].
func AllResults() string { return prefix + "result.*.*.*" }

// GivenBack is the body of a message about a unit that a worker plays no more; that
// of one that it has begun is empty.
const GivenBack = "given back"

// BegunSubject returns where a worker says that it has begun a unit, or given it back.
func BegunSubject(worker, event, unit string) string {
	return prefix + "begun." + worker + "." + event + "." + unit
}

// BegunOf returns those subjects of all workers.
func BegunOf(event string) string { return prefix + "begun.*." + event + ".*" }

// TroubleSubject returns where a worker says why it cannot play an event.
func TroubleSubject(worker, event string) string { return prefix + "trouble." + worker + "." + event }

// TroubleOf returns those subjects of all workers.
func TroubleOf(event string) string { return prefix + "trouble.*." + event }

// LiveSubject returns where a worker tells of its games in progress.
func LiveSubject(worker, event string) string { return prefix + "live." + worker + "." + event }

// LiveOf returns those subjects of all workers.
func LiveOf(event string) string { return prefix + "live.*." + event }

// CancelSubject returns the subject of messages that end an event.
func CancelSubject(event string) string { return prefix + "cancel." + event }

// AllWorkers returns the subjects of the workers' entries, which may be listened to
// without reading the bucket.
func AllWorkers() string { return "$KV." + Workers + ".*" }

// WorkerOf returns the worker's name in a subject that begins with it, "" if there
// is none.
func WorkerOf(subject string) string {
	parts := strings.Split(strings.TrimPrefix(subject, prefix), ".")
	if len(parts) < 3 || !strings.HasPrefix(subject, prefix) {
		return ""
	}
	return parts[1]
}

// WorkerSubjects returns the subjects that a worker of that name publishes to and
// subscribes to, JetStream's own among them: what a key of its own has to allow.
// Its inbox is InboxPrefix.
func WorkerSubjects(worker string) (publish, subscribe []string) {
	publish = []string{
		prefix + "result." + worker + ".>",
		prefix + "begun." + worker + ".>",
		prefix + "trouble." + worker + ".>",
		prefix + "live." + worker + ".>",
		"$KV." + Workers + "." + worker,
		"$JS.API.INFO",
		"$JS.API.STREAM.INFO.OBJ_" + Files,
		"$JS.API.STREAM.MSG.GET.OBJ_" + Files,
		"$JS.API.DIRECT.GET.OBJ_" + Files + ".>",
		"$JS.API.CONSUMER.CREATE.OBJ_" + Files + ".>",
		"$JS.API.CONSUMER.DELETE.OBJ_" + Files + ".>",
		"$JS.API.CONSUMER.INFO." + Jobs + ".*",
		"$JS.API.CONSUMER.MSG.NEXT." + Jobs + ".*",
		"$JS.ACK." + Jobs + ".>",
		"$JS.FC.>",
	}
	return publish, []string{InboxPrefix(worker) + ".>", prefix + "event.*", prefix + "cancel.*"}
}

// InboxPrefix returns where answers to a worker go.
func InboxPrefix(worker string) string { return "_INBOX_" + worker }

// maxToken is the longest token of a subject that is taken.
const maxToken = 64

// Token reports whether a text can be a worker's name: letters, digits, - and _,
// at most 64 of them.
func Token(text string) bool {
	if text == "" || len(text) > maxToken {
		return false
	}
	for _, c := range []byte(text) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// Sum returns the SHA-256 of data in hexadecimal digits.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// BundleName returns the object of a bundle.
func BundleName(id string) string { return "bundle." + id }

// SpecName returns the object of a spec of that SHA-256.
func SpecName(sum string) string { return "spec." + sum }

// Last returns the last token of a subject: a worker, an event or a unit.
func Last(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }
