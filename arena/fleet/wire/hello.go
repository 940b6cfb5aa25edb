package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A Hello is what coordinators and workers of all versions say of themselves, so that
// those that cannot play together can say so. It is never changed: members that are not
// known are left alone, unlike in all other messages.
type Hello struct {
	V     int    `json:"v"`     // version of the protocol
	Arena string `json:"arena"` // version of the program
	// Name is a worker's, or an event's for people.
	Name string `json:"name"`
	// Class is of an event of version 1, see answerClass.
	Class string `json:"class,omitempty"`
}

// answerClass is that of an event which only answers a worker of version 1.
const answerClass = "answer"

const (
	helloPrefix = "arena.hello."
	// Those that speak version 1 say no hello. Their own messages have its members.
	firstPrefix  = "arena.v1."
	firstWorkers = "$KV.arena_v1_workers."
)

// Encode writes the message.
func (h *Hello) Encode() ([]byte, error) {
	h.V = Version
	return encode(h)
}

// DecodeHello reads what somebody of any version says.
func DecodeHello(data []byte) (h Hello, err error) {
	plain, err := inflate(data, maxPlain)
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(plain, &h); err != nil {
		return h, fmt.Errorf("a hello that is no JSON object: %w", err)
	}
	switch {
	case h.V < 1:
		return h, fmt.Errorf("a hello of version %d of the protocol", h.V)
	case h.Class == answerClass:
		return h, errors.New("an answer to a worker of version 1")
	}
	if err := text("a version", h.Arena); err != nil {
		return h, err
	}
	return h, text("a name", h.Name)
}

// WorkerHello is where a worker says hello.
func WorkerHello(worker string) string { return helloPrefix + "worker." + worker }

// EventHello is where the coordinator of an event does.
func EventHello(event string) string { return helloPrefix + "event." + event }

// WorkerHellos are the subjects where workers of other versions are heard.
func WorkerHellos() []string { return []string{helloPrefix + "worker.*", firstWorkers + "*"} }

// EventHellos are the subjects where coordinators of other versions are heard.
func EventHellos() []string { return []string{helloPrefix + "event.*", firstPrefix + "event.*"} }

// Mismatch says why a worker and the coordinator of an event do not play together, and
// what to do, in words for both ends; "" where they speak the same version.
func Mismatch(worker, event Hello) string {
	older := "on the worker"
	switch {
	case worker.V == event.V:
		return ""
	case worker.V > event.V:
		older = "on that machine"
	}
	return fmt.Sprintf("worker %s speaks version %d of the fleet's protocol%s, the machine that runs %s version %d%s: install the newer arena %s",
		worker.Name, worker.V, of(worker), event.Name, event.V, of(event), older)
}

// of is the program of somebody, where it is known.
func of(h Hello) string {
	if h.Arena == "" {
		return ""
	}
	return " (arena " + h.Arena + ")"
}

// First answers a worker that speaks version 1, in its own words: it is told that the
// event gives it no games, and why.
func First(e Event, worker, why string) (subject string, data []byte, err error) {
	e.V, e.Class, e.Barred, e.Speed, e.Scale = 1, answerClass, map[string]string{worker: why}, 0, false
	data, err = encode(e)
	return firstPrefix + "event." + e.Token, data, err
}

// FirstTrouble tells a coordinator that speaks version 1 why a worker does not play.
func FirstTrouble(worker, event, why string) (subject string, data []byte, err error) {
	data, err = encode(Trouble{V: 1, Why: clip(why)})
	return firstPrefix + "trouble." + worker + "." + event, data, err
}

// Last is the last token of a subject: a worker, an event or a unit.
func Last(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }
