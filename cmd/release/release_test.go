package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var building sync.Mutex // once for all tests

var built *release

func TestMain(m *testing.M) {
	code := m.Run()
	if built != nil {
		built.close()
	}
	os.Exit(code)
}

// commit returns a release of the commit that is checked out, as it lies here.
func commit(t *testing.T) *release {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	if built == nil {
		root, err := project()
		must(t, err)
		built, err = newRelease(t.Context(), root, true)
		must(t, err)
		built.url, built.maintainer = exampleURL, "Some Body <somebody@example.org>"
	}
	copied := *built
	copied.out = t.TempDir()
	return &copied
}

// The pages need no methods of what they show: their tests pass on a program that cannot
// find them, as releases are.
func TestPagesNeedNoMethods(t *testing.T) {
	t.Parallel()
	r := commit(t)
	overlay, err := r.withoutMethods(t.Context())
	must(t, err)
	_, err = r.command(t.Context(), r.root, []string{"GOFLAGS="}, "go", "test", "-trimpath", "-overlay", overlay, "./arena/web")
	must(t, err)
}

// The program has 35 MB at most, and tells its version within 15 ms on a machine that has
// the time for it.
func TestProgramIsSmallAndQuick(t *testing.T) {
	r := commit(t)
	info, err := os.Stat(r.native())
	must(t, err)
	if info.Size() > 35_000_000 {
		t.Errorf("it has %d bytes: -sizes tells what is in it", info.Size())
	}
	const within, tries = 15 * time.Millisecond, 200
	least := time.Hour
	for n := 0; n < tries && least > within; n++ {
		began := time.Now()
		_, err := r.command(t.Context(), r.root, nil, r.native(), "version")
		must(t, err)
		least = min(least, time.Since(began))
	}
	if least > within {
		t.Errorf("it takes %v to start: GODEBUG=inittrace=1 arena version tells why", least)
	}
}

// The list of components has every module that go version -m tells of the program.
func TestComponentsAreComplete(t *testing.T) {
	t.Parallel()
	r := commit(t)
	text, err := r.components(r.native(), target{runtime.GOOS, runtime.GOARCH})
	must(t, err)
	var listed struct {
		Version  string `json:"spdxVersion"`
		Packages []struct {
			ID, Name string
			Version  string `json:"versionInfo"`
			Comment  string
		}
		Relationships []struct{ RelatedSpdxElement string }
	}
	must(t, json.Unmarshal(text, &listed))
	has := map[string]bool{}
	for _, p := range listed.Packages {
		has[p.Name+" "+p.Version+" "+strings.TrimPrefix(p.Comment, "go.sum ")] = true
	}
	said, err := r.command(t.Context(), r.root, nil, "go", "version", "-m", r.native())
	must(t, err)
	modules := regexp.MustCompile(`(?m)^\tdep\t(\S+)\t(\S+)\t(\S+)$`).FindAllStringSubmatch(string(said), -1)
	if len(modules) < 40 || listed.Version != "SPDX-2.3" || len(listed.Relationships) != len(listed.Packages) {
		t.Errorf("%d modules, %s, %d relations of %d components", len(modules), listed.Version, len(listed.Relationships), len(listed.Packages))
	}
	for _, m := range modules {
		if !has[m[1]+" "+m[2]+" "+m[3]] {
			t.Errorf("%s is not listed", m[0])
		}
	}
}

// An image is what its digests say, and its program runs without rights.
func TestImage(t *testing.T) {
	t.Parallel()
	r := commit(t)
	program := []byte("a program")
	packed, err := r.image(target{"linux", "amd64"}, program)
	must(t, err)
	files := untar(t, bytes.NewReader(packed))
	blob := func(d string) []byte {
		content, ok := files["blobs/sha256/"+strings.TrimPrefix(d, "sha256:")]
		if !ok || digest(content) != d {
			t.Fatalf("there is no blob %s, or it has another digest", d)
		}
		return content
	}
	var index, manifest struct {
		Manifests, Layers []descriptor
		Config            descriptor
	}
	must(t, json.Unmarshal(files["index.json"], &index))
	must(t, json.Unmarshal(blob(index.Manifests[0].Digest), &manifest))
	var config struct {
		Architecture string
		Config       struct {
			User       string
			Entrypoint []string
		}
		Rootfs struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	must(t, json.Unmarshal(blob(manifest.Config.Digest), &config))
	z, err := gzip.NewReader(bytes.NewReader(blob(manifest.Layers[0].Digest)))
	must(t, err)
	bare, err := io.ReadAll(z)
	must(t, err)
	if digest(bare) != config.Rootfs.DiffIDs[0] {
		t.Error("the layer is not what the configuration says")
	}
	inside := untar(t, bytes.NewReader(bare))
	if c := config.Config; c.User != "65532:65532" || config.Architecture != "amd64" || !bytes.Equal(inside[strings.TrimPrefix(c.Entrypoint[0], "/")], program) {
		t.Errorf("%+v", config)
	}
}

func untar(t *testing.T, from io.Reader) map[string][]byte {
	t.Helper()
	files, last := map[string][]byte{}, ""
	for r := tar.NewReader(from); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must(t, err)
		if h.Name <= last {
			t.Errorf("%s stands behind %s", h.Name, last)
		}
		last = h.Name
		files[h.Name], err = io.ReadAll(r)
		must(t, err)
	}
}

// Manifests of package managers name each archive with its sum, and are what they are to be
// in form.
func TestManifests(t *testing.T) {
	t.Parallel()
	r := commit(t)
	r.url = "https://example.org/files"
	sums := map[string]int{} // how often each is to be named
	for _, name := range allTargets() {
		of := strings.ReplaceAll(name, "/", "-") + ".tar.gz"
		if strings.HasPrefix(name, "windows") {
			of = strings.ReplaceAll(name, "/", "-") + ".zip"
		}
		must(t, r.write(r.name(of), func() ([]byte, error) { return []byte(name), nil }))
		sum, err := r.sum(r.name(of))
		must(t, err)
		sums[r.url+"/"+r.name(of)], sums[sum] = 1, 1
		if strings.HasPrefix(name, "windows") {
			sums[r.url+"/"+r.name(of)], sums[sum] = 2, 2
		}
	}
	must(t, r.manifests())
	all := ""
	for _, name := range []string{"arena.rb", "arena.json", "botarena.arena.yaml", "botarena.arena.locale.en-US.yaml", "botarena.arena.installer.yaml"} {
		text, err := os.ReadFile(filepath.Join(r.out, name))
		must(t, err)
		var value any
		switch filepath.Ext(name) {
		case ".json":
			must(t, json.Unmarshal(text, &value))
		case ".yaml":
			must(t, yaml.Unmarshal(text, &value))
		}
		if !bytes.Contains(text, []byte(r.version)) {
			t.Errorf("%s does not name the version", name)
		}
		all += strings.ToLower(string(text))
	}
	for text, want := range sums {
		if got := strings.Count(all, text); got != want {
			t.Errorf("%s is there %d times, not %d", text, got, want)
		}
	}
}

// A signature is good for the checksums that were signed with the key, and for nothing else.
func TestSignature(t *testing.T) {
	t.Parallel()
	r := commit(t)
	must(t, r.write("some-artefact", func() ([]byte, error) { return []byte("content"), nil }))
	must(t, r.checksums())
	public, private, err := minisign.GenerateKey(rand.Reader)
	must(t, err)
	key := filepath.Join(t.TempDir(), "arena.key")
	encrypted, err := minisign.EncryptKey("secret", private)
	must(t, err)
	must(t, os.WriteFile(key, encrypted, 0o600))
	if err := r.sign(key, "wrong"); err == nil || !strings.Contains(err.Error(), "MINISIGN_PASSWORD") {
		t.Errorf("a wrong password: %v", err)
	}
	must(t, r.sign(key, "secret"))
	sums, err := os.ReadFile(filepath.Join(r.out, checksumsName))
	must(t, err)
	signature, err := os.ReadFile(filepath.Join(r.out, checksumsName+".minisig"))
	must(t, err)
	if !minisign.Verify(public, sums, signature) {
		t.Error("a good signature is refused")
	}
	if minisign.Verify(public, append(slices.Clone(sums), '\n'), signature) {
		t.Error("changed checksums are taken")
	}
	other, _, err := minisign.GenerateKey(rand.Reader)
	must(t, err)
	if minisign.Verify(other, sums, signature) {
		t.Error("another key is taken")
	}
}

// All sample events are as the schema of events says; what arena refuses the schema
// refuses, too.
func TestEventsFitTheirSchema(t *testing.T) {
	t.Parallel()
	root, err := project()
	must(t, err)
	compiler := jsonschema.NewCompiler()
	schema, err := compiler.Compile(filepath.Join(root, "configs", "schema", "event.json"))
	must(t, err)
	league, err := compiler.Compile(filepath.Join(root, "configs", "schema", "league.json"))
	must(t, err)
	samples, err := filepath.Glob(filepath.Join(root, "configs", "*.yaml"))
	must(t, err)
	read := func(text []byte) error {
		var event any
		must(t, yaml.Unmarshal(text, &event))
		return schema.Validate(event)
	}
	events := 0
	for _, name := range samples {
		text, err := os.ReadFile(name)
		must(t, err)
		events++
		if filepath.Base(name) == "league.yaml" {
			var file any
			must(t, yaml.Unmarshal(text, &file))
			if err := league.Validate(file); err != nil || read(text) == nil {
				t.Errorf("%s: %v; or it is taken for an event", name, err)
			}
			continue
		}
		if err := read(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// The reference shows the other choices as comments.
		if filepath.Base(name) == "reference.yaml" {
			for _, choice := range []string{"game: {name: hex, rules: [python3, hex_rules.py]}", "clock: 10s+100ms", "concurrency: 4", "sprt: {elo1: 3}"} {
				key, _, _ := strings.Cut(choice, ":")
				var event map[string]any
				must(t, yaml.Unmarshal(text, &event))
				var other map[string]any
				must(t, yaml.Unmarshal([]byte(choice), &other))
				event[key] = other[key]
				if err := schema.Validate(event); err != nil {
					t.Errorf("%s: %v", choice, err)
				}
			}
		}
	}
	if events < 5 {
		t.Errorf("only %d events were read", events)
	}
	for _, wrong := range []string{
		"bots: [{builtin: random}]",
		"{game: chess, bots: [{builtin: random}], rouds: 3}",
		"{game: chess, bots: [{builtin: random}], rounds: 0}",
		"{game: chess, bots: [{builtin: random, sandbox: loose}]}",
		"{game: chess, bots: [{builtin: random}], format: league}",
		"{game: chess, bots: [{builtin: random}], clock: {moves: 40, bse: 10s}}",
	} {
		if read([]byte(wrong)) == nil {
			t.Errorf("the schema takes %s", wrong)
		}
	}
}

// What commands print with --json, of a database with everything in it, is as the schema of
// outputs says.
func TestOutputsFitTheirSchema(t *testing.T) {
	t.Parallel()
	r := commit(t)
	dir := t.TempDir()
	league := "game: breakthrough:5x5\nclock: {nodes: 20}\nrounds: 2\nlog: protocol\nopenings: {random: 2}\nbots: [{name: a, builtin: random}, {name: b, builtin: greedy}, {builtin: minimax}]\n"
	must(t, os.WriteFile(filepath.Join(dir, "league.yaml"), []byte(league), 0o666))
	must(t, os.WriteFile(filepath.Join(dir, "book.txt"), []byte("a2a3\nb2b3\n"), 0o666))
	must(t, os.WriteFile(filepath.Join(dir, "results.csv"), []byte("first,second,result\na,b,1-0\nb,a,1/2-1/2\n"), 0o666))
	must(t, os.WriteFile(filepath.Join(dir, "points.jsonl"), []byte(`{"values": {"Margin": 80}}`), 0o666))
	arena := func(line string) []byte {
		out, err := r.command(t.Context(), dir, []string{"XDG_CACHE_HOME=" + dir, "XDG_STATE_HOME=" + dir}, "sh", "-c", r.native()+" "+line+" <points.jsonl")
		if err != nil && !strings.Contains(line, "--max-pairs") { // such a test ends undecided
			t.Fatal(err)
		}
		return out
	}
	for _, line := range []string{
		"run league.yaml -q", "bots add mine -- " + r.native() + " bot greedy", "games void league/2 --reason test",
		"match random greedy -g breakthrough:5x5 -n 2 -q -c nodes=1 --event m", "host teams add owls",
	} {
		arena(line)
	}
	compiler := jsonschema.NewCompiler()
	file := filepath.Join(r.root, "configs", "schema", "outputs.json")
	checked := map[string]bool{}
	for _, line := range []string{
		"analyse league/1", "bots", "bots bench random -g breakthrough:5x5", "bots list", "check random --quick --game breakthrough:5x5", "crosstable", "datagen random -g breakthrough:5x5 --games 2 -c nodes=1 -q --output data.txt", "doctor", "events", "fleet audit", "fleet list",
		"games", "games voided", "history", "host teams list", "history a", "leaderboard", "leaderboard --event m", "match random greedy -g breakthrough:5x5 -n 1 -q -c nodes=1",
		"moves breakthrough:5x5", "openings check book.txt --game breakthrough", "openings list book.txt --game breakthrough", "perft breakthrough:5x5 2 --divide", "queue",
		"race random a=greedy b=greedy -g breakthrough:5x5 --max-pairs 2 -c nodes=1 -q", "rate results.csv", "regress greedy --against random -g breakthrough:5x5 -n 1 -c nodes=1 -q", "rules", "rules owlman", "run league.yaml -q", "show league/1", "solve breakthrough:4x4", "sprt new=random old=random -g breakthrough:5x5 --max-pairs 2 -c nodes=1 -q",
		"sprt calc --pairs 1,20,50,25,2", "sprt plan --elo 5", "tune --param Margin minimax -g breakthrough:5x5 --games 8 -c nodes=5 -q",
		"tune ask minimax --param Margin", "tune tell minimax --param Margin -g breakthrough:5x5 -c nodes=5", "version",
	} {
		words := strings.Fields(line)
		name := words[0]
		if strings.HasPrefix(line, "host teams list") {
			name = line
		}
		for _, group := range []string{"bots", "fleet", "games", "openings", "sprt", "tune"} {
			if words[0] == group && len(words) > 1 && regexp.MustCompile(`^[a-z]+$`).MatchString(words[1]) {
				name = group + " " + words[1]
			}
		}
		schema, err := compiler.Compile(file + "#/$defs/" + strings.ReplaceAll(name, " ", "%20"))
		must(t, err)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(arena(line + " --json")))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("arena %s --json: %v", line, err)
		}
		checked[name] = true
	}
	lines, err := compiler.Compile(file + "#/$defs/export%20--format%20jsonl")
	must(t, err)
	for line := range bytes.Lines(arena("export --format jsonl")) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		must(t, err)
		must(t, lines.Validate(value))
	}
	text, err := os.ReadFile(file)
	must(t, err)
	var all struct {
		Defs map[string]any `json:"$defs"`
	}
	must(t, json.Unmarshal(text, &all))
	for name := range all.Defs {
		ofCommand := !strings.Contains(name, ".") && !strings.Contains(name, "--") && strings.ToLower(name) == name && !slices.Contains([]string{"state", "outcome", "worth", "probed"}, name)
		elsewhere := []string{"bots check", "host final", "queue wait", "submit"} // it is check; they need a league that has closed, and one that is hosted
		if ofCommand && !checked[name] && !slices.Contains(elsewhere, name) {
			t.Errorf("no output of arena %s was checked", name)
		}
	}
}

// Units start commands that there are, with flags that they have, and name manual pages of
// the package.
func TestUnits(t *testing.T) {
	t.Parallel()
	r := commit(t)
	units, err := embedded.ReadDir("files/usr/lib/systemd/system")
	must(t, err)
	common, err := r.common(t.Context())
	must(t, err)
	for _, u := range units {
		text, err := embedded.ReadFile("files/usr/lib/systemd/system/" + u.Name())
		must(t, err)
		start := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/arena (\S+) .*$`).FindSubmatch(text)
		page := regexp.MustCompile(`(?m)^Documentation=man:(\S+)\(1\)$`).FindSubmatch(text)
		if start == nil || page == nil || !slices.ContainsFunc(common, func(f file) bool { return f.name == "man/"+string(page[1])+".1" }) {
			t.Errorf("%s starts nothing, or names no manual page", u.Name())
			continue
		}
		help, err := r.command(t.Context(), r.root, nil, r.native(), string(start[1]), "--help")
		must(t, err)
		for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAll(append(start[0], regexp.MustCompile(`(?m)^.*OPTIONS=.*$`).Find(text)...), -1) {
			if !bytes.Contains(help, flag) {
				t.Errorf("%s: arena %s has no flag %s", u.Name(), start[1], flag)
			}
		}
	}
	if len(units) != 3 {
		t.Errorf("there are %d units", len(units))
	}
}

// The name of a symbol tells its module.
func TestModuleOf(t *testing.T) {
	t.Parallel()
	modules := []string{"example.org/a/v2", "example.org/a", "botarena"}
	for name, want := range map[string]string{
		"example.org/a/v2/x.(*T).F": "example.org/a/v2", "example.org/a.F": "example.org/a", "botarena/arena/web.f": "botarena", "main.f": "botarena",
		"net/http.Get": "net", "go:func.*": "tables of types and functions", "type:.eq.example.org/a.T": "example.org/a",
	} {
		if got := moduleOf(name, modules); got != want {
			t.Errorf("moduleOf(%q) = %q, want %q", name, got, want)
		}
	}
	sizes := moduleSizes("  4a0 120 T main.f\n  500 30 D main.x\n  600 99999999 D main.zeros\nnonsense\n", modules)
	if got := fmt.Sprint(sizes); got != "map[botarena:{120 30}]" {
		t.Error(got)
	}
}
