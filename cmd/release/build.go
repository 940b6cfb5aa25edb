package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A target is a platform that arena is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// program is the name of arena's file.
func (t target) program() string {
	if t.os == "windows" {
		return "arena.exe"
	}
	return "arena"
}

func allTargets() []string {
	return []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}
}

func parseTargets(names string) (targets []target, err error) {
	for name := range strings.SplitSeq(names, ",") {
		if !slices.Contains(allTargets(), name) {
			return nil, fmt.Errorf("unknown target %q; there are %s", name, strings.Join(allTargets(), ", "))
		}
		system, arch, _ := strings.Cut(name, "/")
		targets = append(targets, target{system, arch})
	}
	return targets, nil
}

// A release is what is made of a commit.
type release struct {
	root, out       string
	url, maintainer string
	say             io.Writer

	version, commit string
	time            time.Time // of the commit
	work            string    // a folder for what is needed on the way
	made            []string  // names of artefacts
}

// newRelease looks at the commit that is checked out.
func newRelease(ctx context.Context, root string, dirty bool) (*release, error) {
	r := &release{root: root, say: io.Discard}
	changes, err := r.command(ctx, root, nil, "git", "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if len(changes) > 0 && !dirty {
		return nil, fmt.Errorf("there are changes that are not committed: commit them, or add -dirty for a trial\n%s", changes)
	}
	head, err := r.command(ctx, root, nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return nil, err
	}
	commit, stamp, _ := strings.Cut(strings.TrimSpace(string(head)), " ")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the time of commit %s: %w", commit, err)
	}
	r.commit, r.time = commit, time.Unix(seconds, 0).UTC()
	if r.work, err = os.MkdirTemp("", "arena-release-"); err != nil {
		return nil, err
	}
	if r.version, err = r.asked(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *release) close() { _ = os.RemoveAll(r.work) }

// native is arena for this machine, which knows its version, manual pages and completions.
func (r *release) native() string { return filepath.Join(r.work, target{os: runtime.GOOS}.program()) }

// asked builds arena for this machine and returns the version that it says it is.
func (r *release) asked(ctx context.Context) (string, error) {
	err := r.build(ctx, target{runtime.GOOS, runtime.GOARCH}, r.native(), "-s -w")
	if err != nil {
		return "", err
	}
	said, err := r.command(ctx, r.work, nil, r.native(), "version", "--json")
	if err != nil {
		return "", err
	}
	var v struct{ Version, Revision string }
	if err := json.Unmarshal(said, &v); err != nil {
		return "", fmt.Errorf("arena version --json: %w", err)
	}
	if !strings.HasPrefix(r.commit, v.Revision) || v.Revision == "" {
		return "", fmt.Errorf("arena says that it is of commit %q, not %s: the linker has not set main.commit", v.Revision, r.commit)
	}
	return v.Version, nil
}

// build builds arena for a platform, in the same way whatever the environment says.
func (r *release) build(ctx context.Context, t target, to, link string) error {
	overlay, err := r.withoutMethods(ctx)
	if err != nil {
		return err
	}
	env := []string{
		"GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off", "GODEBUG=", "GOFIPS140=off",
	}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-overlay", overlay, "-ldflags", link + " -buildid= -X main.commit=" + r.commit}
	for _, modules := range compact() {
		args = append(args, "-gcflags="+modules+"=-l")
	}
	_, err = r.command(ctx, r.root, env, "go", append(args, "-o", to, "./cmd/arena")...)
	return err
}

// compact are the modules whose functions are not copied to where they are called: large
// ones that no game, no search and no page waits for.
func compact() []string {
	return []string{
		"github.com/nats-io/...", "github.com/klauspost/...", "github.com/olekukonko/...", "github.com/charmbracelet/...", "charm.land/...",
		"github.com/pelletier/go-toml/...", "go.yaml.in/yaml/...",
	}
}

// Go's linker keeps every exported method of every type that is used if anything looks for
// methods by a name that it cannot know. In arena only the templates of pages do, which
// call functions alone (see arena/web/functions.go). Without that one line the program is
// a seventh smaller.
const (
	looksForMethods = "if method := ptr.MethodByName(fieldName); method.IsValid() {"
	looksForNone    = "if method := (reflect.Value{}); method.IsValid() {"
)

// withoutMethods returns an overlay for the go command in which templates find no methods.
func (r *release) withoutMethods(ctx context.Context) (string, error) {
	overlay := filepath.Join(r.work, "overlay.json")
	if _, err := os.Stat(overlay); err == nil {
		return overlay, nil
	}
	root, err := r.command(ctx, r.root, nil, "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "text", "template", "exec.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), looksForMethods); n != 1 {
		return "", fmt.Errorf("%s has changed: it looks for methods in %d places, not in one; look at what it does now", source, n)
	}
	changed := filepath.Join(r.work, "exec.go")
	listed, err := json.Marshal(map[string]any{"Replace": map[string]string{source: changed}})
	return overlay, errors.Join(err,
		os.WriteFile(changed, []byte(strings.Replace(string(text), looksForMethods, looksForNone, 1)), 0o666),
		os.WriteFile(overlay, listed, 0o666))
}

// command runs a program and returns what it printed.
func (r *release) command(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out.Bytes(), said.Bytes())
	}
	return out.Bytes(), nil
}
