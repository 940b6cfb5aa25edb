package submission

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/text"
	"botarena/engine/nearest"
)

// The regular expressions of Java that planJava looks for.
var (
	mainMethod  = regexp.MustCompile(`\bstatic\s+(final\s+)?void\s+main\s*\(`)
	javaPackage = regexp.MustCompile(`(?m)^\s*package\s+([\w.]+)\s*;`)
	javaClass   = regexp.MustCompile(`\b(?:class|record|enum|interface)\s+(\w+)`)
)

// mainClass returns the full name of the class with the main method: the one that the file
// is named after, or the last one that begins before that method.
func mainClass(source, stem string) string {
	name := stem
	before := source[:mainMethod.FindStringIndex(source)[0]]
	found := javaClass.FindAllStringSubmatch(before, -1)
	if len(found) > 0 && !slices.ContainsFunc(found, func(m []string) bool { return m[1] == stem }) {
		name = found[len(found)-1][1]
	}
	if m := javaPackage.FindStringSubmatch(source); m != nil {
		name = m[1] + "." + name
	}
	return name
}

// settingsFile is the name of the file with a team's own build and start commands.
const settingsFile = "bot.yaml"

// Plan finds out how the files in the folder dir, which Unpack made, become a bot. It
// starts nothing. The error is a *RefusedError, or the disk's.
func (b *Builder) Plan(dir string) (Plan, error) {
	plan, err := b.plan(dir)
	return plan, refusing(err)
}

func (b *Builder) plan(dir string) (Plan, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Plan{}, err
	}
	defer func() { _ = root.Close() }()
	own, err := readSettings(root)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Build: own.Build, Command: own.Command, Protocol: own.Protocol, Options: own.Options}
	of, err := b.sourcesIn(root)
	if err != nil && (p.Command == nil || of != nil || !errors.As(err, new(invalid))) {
		return Plan{}, err
	}
	if of != nil {
		p.Language = of.language.name
	}
	if p.Command == nil {
		build, command, err := of.language.plan(of, b.tools[of.language.name])
		if err != nil {
			return Plan{}, err
		}
		if p.Command = command; p.Build == nil {
			p.Build = build
		} else if build != nil {
			return Plan{}, wrong("%s has a build and no command; add the command that starts what it builds, such as command: ./bot", settingsFile)
		}
	}
	if err := staysInside(p); err != nil {
		return Plan{}, err
	}
	if p.Build != nil {
		return p, nil
	}
	return p, b.starts(dir, p.Command)
}

// readSettings reads bot.yaml, if there is one.
func readSettings(root *os.Root) (arena.Bot, error) {
	f, err := root.Open(settingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := root.Stat("bot.yml"); err == nil {
			return arena.Bot{}, wrong("bot.yml is not read; call it %s", settingsFile)
		}
		return config.DefaultBot(), nil
	}
	if err != nil {
		return arena.Bot{}, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return arena.Bot{}, cmp.Or(err, wrong("%s is a folder; it is a file with settings of the bot", settingsFile))
	}
	const most = 64 << 10
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return arena.Bot{}, err
	}
	if len(data) > most {
		return arena.Bot{}, wrong("%s is larger than 64 KiB; it has a command, a build, a protocol and options", settingsFile)
	}
	bot, err := config.ReadHandedIn(data, settingsFile)
	if problems := new(config.Errors); errors.As(err, &problems) {
		return bot, invalid(problems.Error())
	}
	return bot, err
}

// staysInside refuses commands that name files outside of the folder, which the sandbox
// would not show.
func staysInside(p Plan) error {
	for key, words := range map[string][]string{"command": p.Command, "build": p.Build} {
		for _, word := range words {
			if filepath.IsAbs(word) || strings.HasPrefix(word, "/") || slices.Contains(strings.Split(word, "/"), "..") {
				return wrong("%s: %s: %q leads out of the folder; name files from its top, and programs of the host by name, such as python3", settingsFile, key, text.Clip(word, 60))
			}
		}
	}
	return nil
}

// starts returns an error if a command cannot be started in the folder.
func (b *Builder) starts(dir string, command []string) error {
	bot := arena.Bot{Command: command, Dir: dir}
	_, err := process.ProgramOf(&bot, b.config.Path)
	var missing *process.NotFoundError
	var not *process.NotExecutableError
	switch {
	case errors.As(err, &missing):
		hint := "build it, or name one that is there"
		if missing.Nearest != "" {
			hint = fmt.Sprintf("did you mean %q?", missing.Nearest)
		}
		return wrong("%s: command: there is no program %q in the folder or on this host; %s", settingsFile, text.Clip(missing.Program, 60), hint)
	case errors.As(err, &not):
		return wrong("%s: command: %s %s; %s", settingsFile, text.Clip(command[0], 60), not.Why, not.Hint)
	case err != nil:
		return err
	}
	script := arena.ProgramOf(command)
	if _, err := os.Stat(filepath.Join(dir, script)); script != command[0] && errors.Is(err, fs.ErrNotExist) {
		return wrong("%s: command: there is no %q in the folder; %s", settingsFile, text.Clip(script, 60), nearest.Hint(script, namesIn(dir), "name a file that is there"))
	}
	return nil
}

// namesIn lists the names in a folder.
func namesIn(dir string) []string {
	entries, _ := os.ReadDir(dir) // for a hint
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// sourcesIn returns the sources in a folder, of the language that they tell.
func (b *Builder) sourcesIn(root *os.Root) (*sources, error) {
	files := map[string][]string{} // by language
	err := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == "node_modules" {
			return fs.SkipDir
		}
		for _, l := range known() {
			if err == nil && e.Type().IsRegular() && slices.Contains(l.endings, strings.ToLower(path.Ext(name))) {
				files[l.name] = append(files[l.name], name)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var found []*sources
	for _, l := range known() {
		s := newSources(root, &l, files[l.name])
		switch {
		case s.top == nil && !s.marked() && (l.name != "java" || s.all == nil):
		case l.name == "cpp" && len(found) > 0: // its compiler takes the files in C as well
			s.top = slices.Concat(s.top, found[0].top)
			found[0] = s
		default:
			found = append(found, s)
		}
	}
	return b.choose(found)
}

func newSources(root *os.Root, l *language, all []string) *sources {
	s := &sources{
		language: l, all: all,
		has:  func(name string) bool { _, err := root.Stat(name); return err == nil },
		read: func(name string) string { return head(root, name) },
	}
	for _, at := range []string{".", "src"} {
		for _, file := range all {
			if path.Dir(file) == at {
				s.top = append(s.top, file)
			}
		}
		if s.top != nil {
			break
		}
	}
	return s
}

// marked reports whether there is a file that identifies a program in the language.
func (s *sources) marked() bool {
	return s.language.name == "rust" && s.has("Cargo.toml") || s.language.name == "go" && s.has("go.mod")
}

// choose returns the sources in the language of the bot: the only one, or the one whose main
// file is named so.
func (b *Builder) choose(found []*sources) (*sources, error) {
	if len(found) > 1 {
		var titles []string
		for _, s := range found {
			titles = append(titles, s.language.title)
		}
		found = slices.DeleteFunc(found, func(s *sources) bool {
			return !s.marked() && !slices.ContainsFunc(s.top, func(file string) bool {
				return slices.Contains([]string{"bot", "main"}, strings.ToLower(stem(file)))
			})
		})
		if len(found) != 1 {
			return nil, wrong("it has sources in %s; call the main file bot, with its language's ending, or say in %s how the bot is started, such as command: python3 my_bot.py", list(titles), settingsFile)
		}
	}
	if len(found) == 0 {
		return nil, wrong("there is no source file at its top; this host takes %s", b.taken())
	}
	s := found[0]
	if b.tools[s.language.name] == nil {
		return s, wrong("its sources are in %s, which this host does not take; it takes %s", s.language.title, b.taken())
	}
	return s, nil
}

// taken lists the languages with the endings of their files, in words.
func (b *Builder) taken() string {
	var all []string
	for _, l := range b.languages {
		all = append(all, fmt.Sprintf("%s (%s)", l.Title, l.Endings[0]))
	}
	return list(all)
}

// list joins words for a sentence.
func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// head returns the beginning of a file, "" if it cannot be read.
func head(root *os.Root, name string) string {
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	text, _ := io.ReadAll(io.LimitReader(f, 256<<10))
	return string(text)
}
