package submission

import (
	"cmp"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/process"
)

// Limits bound a submission; a field that is zero is that of [DefaultLimits].
type Limits struct {
	Size      int64         // bytes of all files together, as unpacked and as built
	Files     int           // files, folders and links, likewise
	Time      time.Duration // of the build
	Memory    int64         // bytes of data of each process of the build
	Processes int           // processes and threads of the build
	Disk      int64         // bytes that the build may write, caches included; they lie in memory
}

// DefaultLimits returns limits that admit a neural network and the caches of a usual
// compiler.
func DefaultLimits() Limits {
	return Limits{Size: 256 << 20, Files: 20_000, Time: 2 * time.Minute, Memory: 2 << 30, Processes: 256, Disk: 1 << 30}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	return Limits{
		Size: cmp.Or(l.Size, d.Size), Files: cmp.Or(l.Files, d.Files), Time: cmp.Or(l.Time, d.Time),
		Memory: cmp.Or(l.Memory, d.Memory), Processes: cmp.Or(l.Processes, d.Processes), Disk: cmp.Or(l.Disk, d.Disk),
	}
}

// A RefusedError reports that a submission cannot become a bot.
type RefusedError struct {
	Reason string // a sentence for whoever handed it in, which says what to do
	Log    string // what the build wrote last; "" for none

	why invalid
}

// Error returns the reason as errors have it, not as a sentence.
func (e *RefusedError) Error() string { return cmp.Or(string(e.why), e.Reason) }

// A Language is one that bots may be written in on this machine.
type Language struct {
	Name    string   // as a league's settings name it: python, javascript, c, cpp, go, rust, java
	Title   string   // as people write it: Python, C++
	Version string   // what its compiler or interpreter says of itself, such as "Python 3.11.7"
	Endings []string // of source files, such as ".py"
}

// A Plan describes how the files of a submission become a bot.
type Plan struct {
	Language string   // name of the Language; "" if bot.yaml names a command and no source tells it
	Build    []string // command that builds it; nil for nothing to build
	// Command starts it in its folder; nil for the only program that the build puts into
	// the folder bin.
	Command  []string
	Protocol arena.Protocol
	Options  []arena.Option
}

// A Config describes the machine to a Builder.
type Config struct {
	Starter *process.Starter
	Path    string // PATH
	// Languages are the names of those that are taken; nil for all that are installed.
	Languages []string
	Limits    Limits
	// Cache is a folder of the Builder's own, absolute, for what makes builds quick; "" for
	// none.
	Cache string
	// Trusted builds and runs bots without a sandbox, where the organiser trusts all teams.
	Trusted bool
	CPUs    []int // on which builds run; nil is any
}

// A Builder makes bots of submissions on one machine. Its methods may be called from
// several goroutines.
type Builder struct {
	config    Config
	languages []Language
	tools     map[string][]string // the programs of each of the languages
	seeding   sync.Mutex
}

// Languages lists the languages that are taken, in the order of their titles.
func (b *Builder) Languages() []Language { return b.languages }
