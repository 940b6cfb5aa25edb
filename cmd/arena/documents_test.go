package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	linkTarget   = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w+)\(`)
	testPattern  = regexp.MustCompile(`-(?:run|bench) '?([\w|$^()?.-]+)`)
	testPackage  = regexp.MustCompile(`\./[\w./]+`)
	testName     = regexp.MustCompile("`((?:Test|Benchmark)\\w+)`")
	commandLine  = regexp.MustCompile(`(?m)^arena .*`)
	quoted       = regexp.MustCompile(`"[^"]*"`)
	inCode       = regexp.MustCompile("`(arena [^`]+)`")
)

// Links in Markdown files lead to files of the project; tests and benchmarks that they
// name exist in the packages that the same command names; and the arena commands that they
// show have the subcommands and flags shown.
func TestDocuments(t *testing.T) {
	t.Parallel()
	project := filepath.Join("..", "..")
	documents, tests := map[string]string{}, map[string][]string{} // tests by folder
	err := filepath.WalkDir(project, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if name := entry.Name(); !strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if strings.HasSuffix(path, ".md") {
			documents[path] = string(data)
		}
		for _, m := range testFunction.FindAllStringSubmatch(string(data), -1) {
			tests[filepath.Dir(path)] = append(tests[filepath.Dir(path)], m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range documents {
		for _, m := range linkTarget.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.Contains(m[1], ": ") { // elsewhere, or a position to draw
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s: a link leads nowhere: %v", path, err)
			}
		}
		for _, m := range testName.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(tests[filepath.Dir(path)], m[1]) {
				t.Errorf("%s: %s is no test beside it", path, m[1])
			}
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, "go test") {
				checkTestLine(t, path, line, project, tests)
			}
		}
		lines := commandLine.FindAllString(text, -1)
		for _, m := range inCode.FindAllStringSubmatch(text, -1) {
			lines = append(lines, m[1])
		}
		for _, line := range lines {
			checkArenaLine(t, path, line)
		}
	}
}

// checkTestLine checks that each pattern of a go test command matches a test or benchmark
// in the packages that the line names.
func checkTestLine(t *testing.T, path, line, project string, tests map[string][]string) {
	t.Helper()
	var names []string
	for _, folder := range testPackage.FindAllString(line, -1) {
		below, all := strings.CutSuffix(folder, "/...")
		below = filepath.Join(project, below)
		for dir, list := range tests {
			if dir == below || all && strings.HasPrefix(dir, below) {
				names = append(names, list...)
			}
		}
	}
	for _, m := range testPattern.FindAllStringSubmatch(line, -1) {
		if m[1] == "xxx" || m[1] == "^$" || m[1] == "-" {
			continue
		}
		for _, part := range strings.Split(m[1], "|") {
			pattern, err := regexp.Compile(part)
			if err == nil && !slices.ContainsFunc(names, pattern.MatchString) {
				t.Errorf("%s: nothing is called %s in %q", path, part, strings.TrimSpace(line))
			}
		}
	}
}

// checkArenaLine checks that the command of an arena command line exists, with its flags.
func checkArenaLine(t *testing.T, path, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, "#")
	line, _, _ = strings.Cut(line, " -- ")
	line = quoted.ReplaceAllString(line, "bot")
	words := strings.Fields(line)[1:]
	cmd, rest, err := (&app{out: io.Discard, err: io.Discard}).commandOf(words).Find(words)
	if err != nil {
		t.Errorf("%s: %s: %v", path, line, err)
		return
	}
	for _, word := range rest {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		long, short := strings.HasPrefix(word, "--"), len(word) == 2 && word[0] == '-'
		if name == "help" || !long && !short {
			continue
		}
		if long && cmd.Flag(name) == nil || short && cmd.Flags().ShorthandLookup(name) == nil && cmd.InheritedFlags().ShorthandLookup(name) == nil {
			t.Errorf("%s: %s has no %s", path, cmd.CommandPath(), word)
		}
	}
}
