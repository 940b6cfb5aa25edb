package process

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"botarena/arena"
)

// MarkVariable is the environment variable that marks a bot and all its
// descendants: "RUN.N", the run's id and the bot's number in that run.
const MarkVariable = "ARENA_BOT"

// The default limits of what a bot may send.
const (
	DefaultMaxLine   = 64 << 10 // bytes of a line
	DefaultFloodCap  = 16 << 20 // bytes for one request
	DefaultStderrCap = 1 << 20  // bytes of stderr that are kept
	// DefaultProcesses is the default limit of processes and threads in a strict
	// sandbox: without one a bot could fork until the machine stalls.
	DefaultProcesses = 256
	DefaultTmp       = 64 << 20 // bytes of a strict sandbox's /tmp
)

// A Config describes the machine to a Starter.
type Config struct {
	// RunID marks this run's bots: letters, digits and "-", unlike that of any
	// other arena alive on the machine.
	RunID string
	// Environ is the environment that bots inherit ("K=V"); programs are looked up in
	// its PATH.
	Environ []string
	// Home is the user's home directory, which a strict sandbox must not show;
	// "" for none.
	Home string
	// Now is the machine's clock, with a monotonic reading as time.Now gives.
	Now func() time.Time
}

// check returns an error if the configuration is invalid.
func (c Config) check() error {
	if c.RunID == "" || strings.Trim(c.RunID, idLetters) != "" {
		return fmt.Errorf("run id %q: use letters, digits and \"-\"", c.RunID)
	}
	if c.Now == nil {
		return fmt.Errorf("run %s: no clock given", c.RunID)
	}
	return nil
}

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"

// path returns the PATH of the environment.
func (c Config) path() string { return lookupEnv(c.Environ, "PATH") }

// lookupEnv returns the value of the last entry of that name, "" without one.
func lookupEnv(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// join returns an environment with more entries, of which the last of a name counts:
// programs take the first that they find.
func join(environ, added []string) []string {
	named := map[string]bool{}
	var all []string
	for _, entry := range slices.Backward(slices.Concat(environ, added)) {
		if name, _, _ := strings.Cut(entry, "="); !named[name] {
			named[name] = true
			all = append(all, entry)
		}
	}
	slices.Reverse(all)
	return all
}

// A Spec describes how to start a bot.
type Spec struct {
	// Command is the program and its arguments. A program without a slash is looked up
	// in Dir, then in PATH; a relative path is relative to Dir.
	Command []string
	// Dir is the working directory, absolute. A strict sandbox shows only what Command
	// names in it, and all of it if Show has ".".
	Dir string
	// Env is added to the Starter's environment ("K=V"). Only the bot gets it, not the
	// programs that confine it.
	Env []string
	// Limits apply to the bot in every sandbox.
	Limits arena.Limits
	// Sandbox selects how far the bot is isolated; "" is arena.SandboxNone.
	Sandbox arena.Sandbox
	// CPUs pins the bot, all its threads and children, to these; nil for no pinning.
	CPUs []int
	// Stderr gets the bot's stderr, up to StderrCap bytes (0: DefaultStderrCap) and
	// then a line that says so; the rest is read and dropped, so that the bot never
	// blocks. Nil drops all. See Process.SetStderr.
	Stderr    io.Writer
	StderrCap int64
	// MaxLine is the longest line in bytes that the bot may send (0: DefaultMaxLine).
	MaxLine int
	// FloodCap is the maximum number of bytes that it may send between two Resets (0:
	// DefaultFloodCap).
	FloodCap int64
	// Show lists files and folders that a strict sandbox shows, read-only, beside
	// the program, what it needs of its installation, and what its arguments name:
	// relative to Dir, "~/" being Config.Home.
	Show []string
	// Within, if it is not nil, marks the program as a stranger's: of the user's files
	// a strict sandbox shows only these folders, and the programs of PATH that start
	// it, with their installations. Nothing else that Command, Show or a file in these
	// folders names is shown.
	Within []string
	// Tools names programs of PATH that a strict sandbox shows as well, with their
	// installations, such as a compiler.
	Tools []string
	// Tmp is the size in bytes of a strict sandbox's own /tmp (0: DefaultTmp).
	Tmp int64

	merged bool // what it writes to stdout goes where its stderr does
}

// withDefaults sets zero fields to their defaults and checks the others.
func (s Spec) withDefaults() (Spec, error) {
	if len(s.Command) == 0 || s.Command[0] == "" {
		return s, fmt.Errorf("no command to start; give the program and its arguments")
	}
	s.StderrCap, s.MaxLine, s.FloodCap = cmp.Or(s.StderrCap, DefaultStderrCap), cmp.Or(s.MaxLine, DefaultMaxLine), cmp.Or(s.FloodCap, DefaultFloodCap)
	for _, entry := range s.Env {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || name == "" || strings.ContainsRune(entry, 0) {
			return s, fmt.Errorf("environment entry %q is not a name and a value; write NAME=VALUE", entry)
		}
		if strings.HasPrefix(name, MarkVariable) {
			return s, fmt.Errorf("environment entry %q: names that begin with %s are arena's own; choose another one", entry, MarkVariable)
		}
	}
	l := s.Limits
	if l.Memory < 0 || l.Processes < 0 || l.CPUTime < 0 || l.FileSize < 0 {
		return s, fmt.Errorf("a limit is negative; 0 is no limit")
	}
	switch s.Sandbox {
	case "":
		s.Sandbox = arena.SandboxNone
	case arena.SandboxNone:
	case arena.SandboxLimits:
		if l == (arena.Limits{}) {
			return s, fmt.Errorf("sandbox %q without a limit; set at least one of memory, processes, cpu_time, file_size", s.Sandbox)
		}
	case arena.SandboxStrict:
		s.Limits.Processes, s.Tmp = cmp.Or(l.Processes, DefaultProcesses), cmp.Or(s.Tmp, DefaultTmp)
	default:
		return s, fmt.Errorf("unknown sandbox %q; use none, limits or strict", s.Sandbox)
	}
	return s, nil
}

// Platform returns the platform that arena was built for, as GOOS/GOARCH.
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// SpecOf returns the Spec of a bot on this platform. A built-in bot is the program
// self, an absolute path, with the arguments "bot NAME" and the bot's own; without a
// folder it runs in that of self.
func SpecOf(bot arena.Bot, self string) Spec {
	command, dir := slices.Concat(bot.Command, bot.Args), bot.Dir
	if bot.Builtin != "" {
		if bot.Within != nil {
			bot.Within = append(slices.Clip(bot.Within), self)
		}
		command = slices.Concat([]string{self, "bot", bot.Builtin}, bot.Args)
		if dir == "" {
			dir = filepath.Dir(self)
		}
	}
	return Spec{
		Command: command, Dir: dir, Env: bot.Env,
		Limits: bot.Limits, Sandbox: bot.Sandbox, Show: bot.SandboxRead, Within: bot.Within,
	}
}
