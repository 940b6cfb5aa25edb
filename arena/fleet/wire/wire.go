// Package wire defines the protocol between the coordinators and workers of a fleet:
// subjects, names of streams and buckets, and messages. It opens no connection.
//
// # Subjects
//
// All begin with the version of the protocol, so that old and new versions can share a
// cluster without seeing each other. Any change of a message needs a new version.
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
// A message is one JSON object, deflated where that is shorter: the first byte tells.
// Unknown members, a wrong version, trailing bytes and sizes beyond the limits below
// are errors. A decoded message is within the limits of its fields, and nothing more:
// the coordinator referees a result again before recording it.
package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// Version is the version of the protocol.
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
	// Lease is how long a worker may be silent about a job before another one gets it,
	// Sign the interval of its signs of life.
	Lease = 30 * time.Second
	Sign  = 10 * time.Second
	// Beat is the interval at which an event is announced, and Silence how long after
	// the last announcement workers take it to be over.
	Beat    = time.Second
	Silence = 20 * time.Second
	// Entry is the lifetime of a worker's entry.
	Entry = 15 * time.Second
)

const prefix = "arena.v2."

// Any stands for every name in a subject, which is a wildcard then.
const Any = "*"

// EventSubject returns the subject of messages about an event.
func EventSubject(event string) string { return prefix + "event." + event }

// JobSubject returns the subject of a unit's job.
func JobSubject(class, event, unit string) string {
	return prefix + "job." + class + "." + event + "." + unit
}

// ResultSubject returns the subject of a worker's [Batch] whose first result is that of
// unit.
func ResultSubject(worker, event, unit string) string {
	return prefix + "result." + worker + "." + event + "." + unit
}

// GivenBack is the body of a "begun" message that returns a unit; for a unit that was
// begun the body is empty.
const GivenBack = "given back"

// BegunSubject returns the subject of the message that a worker has begun a unit, or
// given it back.
func BegunSubject(worker, event, unit string) string {
	return prefix + "begun." + worker + "." + event + "." + unit
}

// TroubleSubject returns the subject of a worker's [Trouble].
func TroubleSubject(worker, event string) string { return prefix + "trouble." + worker + "." + event }

// LiveSubject returns the subject of a worker's [Live] messages.
func LiveSubject(worker, event string) string { return prefix + "live." + worker + "." + event }

// CancelSubject returns the subject of messages that end an event.
func CancelSubject(event string) string { return prefix + "cancel." + event }

// WorkerSubject returns the subject of a worker's entry, for subscribing without reading
// the bucket.
func WorkerSubject(worker string) string { return "$KV." + Workers + "." + worker }

// WorkerOf returns the worker's name in a subject that begins with it, "" if there
// is none.
func WorkerOf(subject string) string {
	parts := strings.Split(strings.TrimPrefix(subject, prefix), ".")
	if len(parts) < 3 || !strings.HasPrefix(subject, prefix) {
		return ""
	}
	return parts[1]
}

// WorkerSubjects returns the subjects that a worker of that name publishes and
// subscribes to, JetStream's own among them: its key must allow these. Its inbox is
// InboxPrefix.
func WorkerSubjects(worker string) (publish, subscribe []string) {
	publish = []string{
		prefix + "result." + worker + ".>",
		prefix + "begun." + worker + ".>",
		prefix + "trouble." + worker + ".>",
		prefix + "live." + worker + ".>",
		WorkerSubject(worker),
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

// InboxPrefix returns the prefix of a worker's inboxes.
func InboxPrefix(worker string) string { return "_INBOX_" + worker }

// maxToken is the longest accepted token of a subject.
const maxToken = 64

// Token reports whether text can be a worker's name: letters, digits, - and _, at most
// 64 of them.
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

// BundleName returns the name of a bundle's object.
func BundleName(id string) string { return "bundle." + id }

// SpecName returns the name of the object of the spec with that SHA-256.
func SpecName(sum string) string { return "spec." + sum }

// Last returns the last token of a subject: a worker, an event or a unit.
func Last(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }
