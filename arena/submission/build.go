package submission

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/engine/nearest"
)

// New returns a Builder after it has tried what it needs: the sandbox, unless all teams are
// trusted, and the compiler or interpreter of each language, inside of it. The error says
// what is missing: the sandbox, or all languages, or one that the configuration names.
func New(ctx context.Context, c Config) (*Builder, error) {
	b := &Builder{config: c, tools: map[string][]string{}}
	b.config.Limits = c.Limits.orDefault()
	if !c.Trusted {
		if _, err := b.run(ctx, process.Task{Spec: process.Spec{Command: []string{"true"}, Dir: string(filepath.Separator)}, Timeout: probeTime}); err != nil {
			return nil, fmt.Errorf("what strangers hand in is built and played in a strict sandbox, and this machine has none: %w", err)
		}
	}
	var names, missing []string
	for _, l := range known() {
		names = append(names, l.name)
		if c.Languages != nil && !slices.Contains(c.Languages, l.name) {
			continue
		}
		found, err := b.find(ctx, l)
		if err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", l.title, err))
			continue
		}
		b.languages = append(b.languages, found)
	}
	for _, name := range c.Languages {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("unknown language %q; %s", name, nearest.Hint(name, names, "one of "+strings.Join(names, ", ")))
		}
	}
	if c.Languages != nil && len(missing) > 0 || len(b.languages) == 0 {
		return nil, fmt.Errorf("bots cannot be made here in %s; install what is missing, or leave the language out", strings.Join(missing, ", "))
	}
	return b, nil
}

// probeTime limits how long a compiler may take to print its version.
const probeTime = 20 * time.Second

// find returns a language with the programs that it needs, tested in the sandbox of
// builds.
func (b *Builder) find(ctx context.Context, l language) (Language, error) {
	var tools []string
	for _, names := range l.tools {
		i := slices.IndexFunc(names, func(name string) bool {
			_, err := process.FindProgram(name, string(filepath.Separator), b.config.Path)
			return err == nil
		})
		if i < 0 {
			return Language{}, fmt.Errorf("no %s in PATH", names[0])
		}
		tools = append(tools, names[i])
	}
	if runtime.GOOS == "windows" && l.name != "python" && l.name != "javascript" {
		return Language{}, errors.New("nothing is compiled on Windows")
	}
	said, err := b.run(ctx, process.Task{Spec: process.Spec{Command: []string{tools[0], l.asks}, Dir: string(filepath.Separator), Tools: tools}, Timeout: probeTime})
	if err != nil {
		return Language{}, fmt.Errorf("%s %s: %w", tools[0], l.asks, err)
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	if l.name == "javascript" {
		version = "Node.js " + version // it says its number alone
	}
	b.tools[l.name] = tools
	return Language{Name: l.name, Title: l.title, Version: strings.TrimSpace(version), Endings: l.endings}, nil
}

// run runs a task with the isolation of strangers' programs.
func (b *Builder) run(ctx context.Context, t process.Task) ([]byte, error) {
	t.CPUs = b.config.CPUs
	if !b.config.Trusted {
		t.Sandbox = arena.SandboxStrict
		t.Within = []string{}
		for _, shown := range t.Show {
			if !filepath.IsAbs(shown) {
				shown = filepath.Join(t.Dir, shown)
			}
			t.Within = append(t.Within, shown)
		}
	}
	return b.config.Starter.Run(ctx, t)
}

// recipe copies the files of the folder in which it is started to a place where a build
// may write, builds there, and writes what there is then to stdout as an archive. Caches
// lie beside the copy, and what was cached before or could be fetched is out of reach.
const recipe = `set -e
umask 022
work=$1
seed=$2
shift 2
mkdir "$work/bot" "$work/home" "$work/temp"
cp -RP . "$work/bot"
cd "$work/bot"
export HOME="$work/home" TMPDIR="$work/temp" LC_ALL=C.UTF-8
export GOCACHE="$work/home/go-build" GOPATH="$work/home/go" GOFLAGS="-buildvcs=false -trimpath" GOPROXY=off GOTOOLCHAIN=local GOTELEMETRY=off
export CARGO_HOME="$work/home/cargo" CARGO_TARGET_DIR="$work/home/target" CARGO_NET_OFFLINE=true
[ -z "$seed" ] || cp -RP "$seed" "$GOCACHE"
nice -n 5 "$@" >&2
cd "$work/bot"
exec tar -cf - .
`

// Build builds the files in the folder dir, which stays as it is, into the folder to, which
// appears as a whole and replaces one that is there; where there is nothing to build, to is
// not made. It returns the bot that is started in the one or the other, shut in as a
// stranger's unless all teams are trusted, and the last 64 KiB that the build wrote. The
// caller sets the bot's Name, Limits and Version (the hash of what was handed in, since a
// command does not name all of its files). The error is a *RefusedError, ctx's, or
// one of the machine's.
func (b *Builder) Build(ctx context.Context, dir, to string, plan Plan) (bot arena.Bot, log string, err error) {
	bot = config.DefaultBot()
	bot.Command, bot.Protocol, bot.Options, bot.Dir = plan.Command, plan.Protocol, plan.Options, dir
	if plan.Build != nil {
		bot.Dir = to
		var seed string
		if seed, err = b.seed(ctx, plan.Language); err == nil {
			log, err = b.build(ctx, dir, to, seed, plan.Build)
		}
		if err == nil && bot.Command == nil {
			bot.Command, err = onlyProgram(to)
		}
		if err == nil {
			err = b.starts(to, bot.Command)
		}
	}
	if !b.config.Trusted {
		bot.Sandbox, bot.SandboxRead, bot.Within = arena.SandboxStrict, []string{"."}, []string{bot.Dir}
	}
	err = refusing(err)
	if refused := new(RefusedError); errors.As(err, &refused) {
		refused.Log = log
	}
	return bot, log, err
}

// build runs a build and unpacks what it leaves, while it writes it.
func (b *Builder) build(ctx context.Context, dir, to, seed string, command []string) (log string, err error) {
	work := "/tmp"
	if b.config.Trusted {
		if work, err = os.MkdirTemp("", "build-"); err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	}
	var said []byte
	err = place(to, func(root *os.Root) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		out, in := io.Pipe()
		t := newTree(ctx, root, b.config.Limits)
		unpacked := make(chan error, 1)
		go func() {
			err := t.built(out)
			if err != nil {
				cancel() // there is no sense in building on
			}
			_ = out.CloseWithError(cmp.Or(err, io.ErrClosedPipe))
			unpacked <- err
		}()
		var runErr error
		said, runErr = b.run(ctx, b.task(dir, work, seed, command, in))
		_ = in.Close()
		unpackErr := <-unpacked
		return b.outcome(runErr, unpackErr, said)
	})
	return strings.ToValidUTF8(string(said), "\uFFFD"), err
}

// task returns the task of a build.
func (b *Builder) task(dir, work, seed string, command []string, output io.Writer) process.Task {
	limits := b.config.Limits
	t := process.Task{
		Spec: process.Spec{
			Command: slices.Concat([]string{"/bin/sh", "-c", recipe, "build", work, seed}, command), Dir: dir, Show: []string{"."}, Tmp: limits.Disk,
		},
		Timeout: limits.Time, Output: output,
	}
	if seed != "" {
		t.Show = append(t.Show, seed)
	}
	for _, l := range b.languages {
		t.Tools = append(t.Tools, b.tools[l.Name]...)
	}
	if !b.config.Trusted {
		t.Limits = arena.Limits{Memory: limits.Memory, Processes: limits.Processes, FileSize: limits.Disk}
	}
	return t
}

// built unpacks the result of a build, and reads the rest of its output, so that the
// build can end.
func (t *tree) built(r io.Reader) error {
	if err := t.tarFrom(r); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	return t.finish()
}

// outcome returns the result of a build, by how it ended and by its files.
func (b *Builder) outcome(run, unpack error, said []byte) error {
	limits := b.config.Limits
	failed := new(process.TaskError)
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(said, []byte(w)) })
	}
	switch {
	case run != nil && !errors.As(run, &failed) && !errors.Is(run, context.Canceled):
		return run
	case failed.Timeout > 0:
		return wrong("the build took longer than %v and was ended; let it do less, or hand in what takes so long as a file", failed.Timeout)
	case failed.Status == "" && errors.As(unpack, new(invalid)):
		return wrong("after the build, %v", unpack)
	case failed.Status == "":
		return cmp.Or(unpack, run)
	case says("No space left on device", "no space left on device") || strings.Contains(failed.Status, "file size"):
		return wrong("the build writes more than %s, its caches included; let it write less", humanize.IBytes(uint64(limits.Disk)))
	case says("Resource temporarily unavailable", "resource temporarily unavailable", "Cannot fork", "cannot fork"):
		return wrong("the build failed (%s), since it starts more than %d processes and threads; let it do one thing after the other", failed.Status, limits.Processes)
	case says("GOPROXY=off", "missing go.sum entry", "no required module provides", "--offline", "offline mode", "resolve host", "name resolution"):
		return wrong("the build failed (%s), since it asks for something from the network, which it has not; put what it needs into the archive, such as by go mod vendor or cargo vendor", failed.Status)
	case says("Cannot allocate memory", "cannot allocate memory", "out of memory", "memory exhausted", "MemoryError", "OutOfMemoryError"):
		return wrong("the build failed (%s), since it needs more than %s of memory; let it need less", failed.Status, humanize.IBytes(uint64(limits.Memory)))
	}
	return wrong("the build failed (%s); its log says why: correct that, and try it with the same commands where you work", failed.Status)
}

// onlyProgram returns the command of the only program that a build put into bin.
func onlyProgram(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "bin"))
	if err != nil || len(entries) == 0 {
		return nil, wrong("the build made no program; add one to the package")
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) > 1 && !slices.Contains(names, program) {
		return nil, wrong("the build made several programs (%s); call the bot's %s", strings.Join(names, ", "), program)
	}
	if len(names) > 1 {
		return []string{"./bin/" + program}, nil
	}
	return []string{"./bin/" + names[0]}, nil
}
