package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"botarena/arena"
	"botarena/arena/fleet/bundle"
)

// Limits of fields.
const (
	maxText    = 8 << 10 // bytes of a detail or another text
	maxWord    = 128     // bytes of a name, of a machine say
	maxOpening = 1000    // plies
	maxMoves   = 1_000_000
	maxGames   = 2 // of a unit
	maxMove    = 64
	maxBusy    = 1 << 16
	maxTime    = 1000 * 24 * time.Hour
)

// An Event is the entry of an event in progress.
type Event struct {
	Header
	Token string `json:"token"`
	Name  string `json:"name"`
	// Spec is the SHA-256 of its [Spec], which is the object [SpecName] names.
	Spec  string `json:"spec"`
	Class string `json:"class"` // what a worker must be able to do: see Class
	Lease int64  `json:"lease"` // ms until a silent worker's job goes to another one
	// Ending reports that no more jobs come.
	Ending bool `json:"ending,omitempty"`
	// Speed is that of the machine that runs the event, as in Worker.Speed; 0 if it was
	// not measured. Scale reports that clocks are multiplied by how much slower a
	// worker is.
	Speed float64 `json:"speed,omitempty"`
	Scale bool    `json:"scale,omitempty"`
	// Noise is the largest spread of speed at which a worker plays by time; 0 is no
	// bound.
	Noise float64 `json:"noise,omitempty"`
	// Watched reports that somebody watches the games in progress.
	Watched bool `json:"watched,omitempty"`
	// Barred holds the workers that get no games, with the reasons. One without a reason
	// plays the games that it has to their end: another event of this coordinator has it
	// for now.
	Barred map[string]string `json:"barred,omitempty"`
}

func (e *Event) check() error {
	switch {
	case !Token(e.Token) || !Token(e.Class):
		return errors.New("an event whose token or class is none")
	case len(e.Spec) != 64:
		return errors.New("an event without the SHA-256 of its spec")
	case e.Lease < 1 || e.Lease > maxTime.Milliseconds():
		return fmt.Errorf("an event with a lease of %d ms", e.Lease)
	case !(e.Speed >= 0) || !(e.Noise >= 0) || len(e.Barred) > maxBusy:
		return fmt.Errorf("an event of a machine with a speed of %v", e.Speed)
	}
	for _, why := range e.Barred {
		if err := text("a reason", why); err != nil {
			return err
		}
	}
	return text("event's name", e.Name)
}

// A Spec holds what a worker needs to play an event.
type Spec struct {
	Header
	// Config is the event's canonical text, as arena/config encodes it.
	Config string `json:"config"`
	// Bots holds the event's bots in its order.
	Bots []Bot `json:"bots"`
	// Rules describes how a worker obtains the rules program; nil if arena knows the
	// game.
	Rules *bundle.Source `json:"rules,omitempty"`
	// Tables identifies the exact tables that end games, "" for none: a worker refuses
	// to play with others.
	Tables string `json:"tables,omitempty"`
}

// A Bot describes how a worker obtains a bot.
type Bot struct {
	Name        string `json:"name"`
	Fingerprint string `json:"fingerprint"`
	// Source says whether the bot is built in, installed, or sent as a bundle.
	Source bundle.Source `json:"source"`
}

func (s *Spec) check() error {
	for i := range s.Bots {
		if err := s.Bots[i].Source.Check(); err != nil {
			return err
		}
	}
	if s.Rules == nil {
		return nil
	}
	return s.Rules.Check()
}

// A Job is a unit of games: the unplayed games of a pair.
type Job struct {
	Header
	Event string `json:"event"` // its token
	Unit  string `json:"unit"`
	Games []Game `json:"games"`
}

// A Game describes a game to be played.
type Game struct {
	Number   int      `json:"number"`
	Pair     int      `json:"pair"`
	First    string   `json:"first"`
	Second   string   `json:"second"`
	Opening  string   `json:"opening,omitempty"` // name
	Position string   `json:"position,omitempty"`
	Moves    []string `json:"moves,omitempty"` // of the opening
	// The options that both bots are set for this game alone, by name.
	FirstOptions  map[string]string `json:"first_options,omitempty"`
	SecondOptions map[string]string `json:"second_options,omitempty"`
}

// GameOf returns what a worker needs to know of a game.
func GameOf(g *arena.Game) Game {
	return Game{
		Number: g.Number, Pair: g.Pair, First: g.First, Second: g.Second,
		Opening: g.Opening.Name, Position: g.Opening.Position, Moves: g.Opening.Moves,
		FirstOptions: arena.OptionMap(g.Options[0]), SecondOptions: arena.OptionMap(g.Options[1]),
	}
}

// Unit returns the name of a unit of an event: equal for equal games, and for no
// others. Only the holder of the secret can make one, so a worker that names a unit was
// given it.
func Unit(secret []byte, event string, games []Game) string {
	var b strings.Builder
	for i := range games {
		g := &games[i]
		fmt.Fprintf(&b, "%d %q %q %q %q %q\n", g.Number, g.First, g.Second, g.Opening, g.Position, g.Moves)
		if len(g.FirstOptions)+len(g.SecondOptions) > 0 {
			fmt.Fprintf(&b, "%q %q\n", g.FirstOptions, g.SecondOptions) // in the order of names
		}
	}
	numbers := strconv.Itoa(games[0].Number)
	if len(games) > 1 {
		numbers += "-" + strconv.Itoa(games[len(games)-1].Number)
	}
	const digits = 12
	about := numbers + "_" + Sum([]byte(b.String()))[:digits]
	return about + "_" + mark(secret, event, about)
}

// Issued reports whether a unit's name was made with the secret.
func Issued(secret []byte, event, unit string) bool {
	i := strings.LastIndexByte(unit, '_')
	return i >= 0 && hmac.Equal([]byte(unit[i+1:]), []byte(mark(secret, event, unit[:i])))
}

func mark(secret []byte, event, about string) string {
	const bytes = 12
	h := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(h, "%s %s", event, about) // a hash takes all
	return hex.EncodeToString(h.Sum(nil)[:bytes])
}

func (j *Job) check() error {
	if !Token(j.Event) || !Token(j.Unit) || len(j.Games) < 1 || len(j.Games) > maxGames {
		return errors.New("a job without an event, a unit or games")
	}
	for i := range j.Games {
		g := &j.Games[i]
		if g.Number < 1 || g.Number > arena.MaxGames || g.Pair < 1 || g.First == "" || g.Second == "" || len(g.Moves) > maxOpening ||
			max(len(g.FirstOptions), len(g.SecondOptions)) > maxOpening {
			return fmt.Errorf("a job with a game that is none: number %d", g.Number)
		}
	}
	return nil
}

// Clip shortens a text to what a message takes.
func Clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}

// A Cancel tells workers that an event ends.
type Cancel struct {
	Header
	// Hard aborts the games in progress; else they may finish.
	Hard bool `json:"hard"`
}

func (*Cancel) check() error { return nil }

// MaxLive is the maximum number of live games in one message.
const MaxLive = 64

// A Live reports games in progress. It may be lost: the next one has all moves of a
// game again.
type Live struct {
	Header
	Games []LiveGame `json:"games"`
}

// A LiveGame is a game in progress, with its moves so far.
type LiveGame struct {
	Slot int `json:"slot"` // 0-based, of the worker
	Ended
}

func (l *Live) check() error {
	if len(l.Games) > MaxLive {
		return fmt.Errorf("%d games in progress in one message", len(l.Games))
	}
	for i := range l.Games {
		if g := &l.Games[i]; g.Slot < 0 || g.Slot > maxBusy {
			return fmt.Errorf("a game at slot %d", g.Slot)
		}
		if err := l.Games[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// A Trouble reports why a worker cannot play an event.
type Trouble struct {
	Header
	Why string `json:"why"`
}

func (t *Trouble) check() error {
	return text("trouble", t.Why)
}

// A Worker is a worker's entry, as the worker reports it.
type Worker struct {
	Header
	Name     string `json:"name"`
	Host     string `json:"host"`
	Platform string `json:"platform"` // GOOS-GOARCH
	Arena    string `json:"arena"`    // version of its arena
	Slots    int    `json:"slots"`
	Busy     int    `json:"busy"`
	Event    string `json:"event,omitempty"` // token of what it plays
	Games    int    `json:"games"`           // played since it joined
	Faults   int    `json:"faults"`          // of its own since then
	Joined   int64  `json:"joined"`          // microseconds since 1970 by its clock
	// Speed is in positions a second of one slot while all are busy, "" if that was
	// not measured; Spread that of the slots, as a share of it.
	Speed  string  `json:"speed,omitempty"`
	Spread float64 `json:"spread,omitempty"`
}

// Rate returns the speed as a number, 0 if it was not measured.
func (w *Worker) Rate() float64 {
	rate, err := strconv.ParseFloat(w.Speed, 64)
	if err != nil || !(rate > 0 && rate < math.MaxFloat64) {
		return 0
	}
	return rate
}

func (w *Worker) check() error {
	if !Token(w.Name) || w.Slots < 0 || w.Slots > maxBusy || w.Busy < 0 || w.Busy > w.Slots || w.Games < 0 || w.Faults < 0 || !(w.Spread >= 0) {
		return errors.New("a worker's entry whose name or numbers are none")
	}
	for _, s := range []string{w.Host, w.Platform, w.Arena, w.Event, w.Speed} {
		if len(s) > maxWord || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			return fmt.Errorf("a worker's entry with a text that is not a line of at most %d bytes", maxWord)
		}
	}
	return nil
}

func text(what, s string) error {
	if !utf8.ValidString(s) || len(s) > maxText || strings.ContainsRune(s, 0) {
		return fmt.Errorf("%s is no text of at most %d bytes", what, maxText)
	}
	return nil
}
