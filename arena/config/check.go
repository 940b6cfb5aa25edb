package config

import (
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
	"botarena/arena/schedule"
)

// read fills the event from the root node. arena.Event's Validate checks the values;
// this package knows only the syntax: which keys go together, and what a missing key
// means. ok is false if there is no event to check.
func (r *reader) read(root *yaml.Node, file string) (ok bool) {
	root = value(root)
	r.Clock = arena.TimeControl{}
	r.Name = eventName(file)
	for i := 0; i+1 < len(root.Content); i += 2 { // before the bots, which may stand above it
		if root.Content[i].Value == "event" {
			r.Name = root.Content[i+1].Value
		}
	}
	all := r.top()
	if b := r.known.Block; b != nil {
		all = append(all, arena.Setting{Key: b.Key, Value: reflect.ValueOf(b.Into).Elem()})
	}
	r.mapping(root, "", all, r.value)
	if root.Kind != yaml.MappingNode || r.left < 0 {
		return false
	}
	if game, err := r.known.Catalog.Lookup(r.Game); err == nil && r.Rules == nil {
		r.Game = game.Name()
	}
	if !r.has("clock") {
		r.Clock = Default().Clock
	} else if !r.has("clock.margin") {
		r.Clock.Margin = defaultMargin
	}
	r.allBots()
	r.format()
	if r.Format == schedule.FormatTune && len(r.Bots) == 1 {
		r.Bots = schedule.TunedBots(r.Bots[0])
	}
	if e := &r.Elo; e.KMin > e.K0 && !r.has("elo.k_min") {
		e.KMin = e.K0
	}
	r.judge()
	return true
}

// judge adds the problems that Validate finds, with their places in the file. It leaves
// out those that follow from problems already reported.
func (r *reader) judge() {
	r.written = len(r.problems)
	err := schedule.Validate(&r.Event, r.known.Names())
	var problems []arena.Problem
	if errors.As(err, &r.invalid) {
		problems = r.invalid.Problems
	}
	if r.known.Problems != nil {
		problems = slices.Concat(problems, r.known.Problems(&r.Event))
	}
	problems = slices.Concat(problems, r.inBlock())
	told := map[arena.Problem]bool{}
	for _, p := range problems {
		if _, own, ok := strings.Cut(p.Field, "]."); ok && r.at[p.Field] == nil && r.at[own] != nil {
			p.Field = own // the bot has it from the event
		}
		if !told[p] && !r.follows(p.Field) {
			told[p] = true
			r.fail(p.Field, "%s", p.Why)
		}
	}
}

// inBlock returns what is wrong with the settings of the block.
func (r *reader) inBlock() (problems []arena.Problem) {
	b := r.known.Block
	if b == nil {
		return nil
	}
	var look func(path string, all []arena.Setting)
	look = func(path string, all []arena.Setting) {
		for _, s := range all {
			if s.Value.Kind() == reflect.Struct && s.Value.Type() != reflect.TypeFor[time.Time]() {
				look(join(path, s.Key), arena.Settings(s.Value.Addr().Interface()))
			} else if why := s.Problem(); why != "" {
				problems = append(problems, arena.Problem{Field: join(path, s.Key), Why: why})
			}
		}
	}
	look("", arena.Settings(b.Into))
	if b.Check != nil && len(problems) == 0 && r.written == 0 {
		problems = b.Check(&r.Event)
	}
	for i := range problems {
		problems[i].Field = strings.TrimSuffix(join(b.Key, problems[i].Field), ".")
	}
	return problems
}

// follows reports whether a problem of a field may follow from one that was reported in
// reading the file: of the same setting, above it or below it, or of the same clock.
func (r *reader) follows(field string) bool {
	below := func(path, of string) bool {
		return path == of || strings.HasPrefix(path, of+".") || strings.HasPrefix(path, of+"[")
	}
	clock := strings.HasSuffix(field[:max(0, strings.LastIndexByte(field, '.'))], "clock")
	return slices.ContainsFunc(r.problems[:r.written], func(p Problem) bool {
		switch {
		case p.Key == "":
			return false
		case clock && below(p.Key, field[:strings.LastIndexByte(field, '.')]):
			return true
		case field == "bots":
			return p.Key == field
		}
		return below(field, p.Key) || below(p.Key, field)
	})
}

// format checks that the settings of a format are written for that one.
func (r *reader) format() {
	if !r.has("rounds") {
		r.Rounds = schedule.UsualRounds(r.Format, len(r.bots))
	}
	for _, s := range r.top() {
		if r.has(s.Key) && !schedule.Has(r.Format, s.Key) {
			r.fail(s.Key, "goes with format %s only: this event's is %s, whose own settings are %s", strings.Join(schedule.Only(s.Key), ", "), r.Format, strings.Join(schedule.Settings(r.Format), ", "))
		}
	}
}

func (r *reader) allBots() {
	for _, b := range r.bots {
		if !b.broken {
			r.oneBot(b)
		}
		r.Bots = append(r.Bots, b.Bot)
	}
}

func (r *reader) oneBot(b *bot) {
	if b.Name == "" && !r.has(b.path+".name") {
		if b.Name = b.Builtin; b.Name == "" {
			b.Name = arena.NameOf(b.Command)
		}
	}
	r.program(b)
	if r.has(b.path + ".clock") {
		if b.Clock != nil && !r.has(b.path+".clock.margin") {
			b.Clock.Margin = r.Clock.Margin
		}
	}
	b.Options = r.allOptions(b.Options)
	// The registry says of a bot what its entry does not, then the event.
	usual := DefaultBot()
	if !r.has(b.path+".sandbox") && b.Sandbox == usual.Sandbox {
		b.Sandbox = r.All.Sandbox
	}
	// A strict sandbox shows the folder that the entry names, and other machines get it.
	if r.has(b.path+".dir") && !r.has(b.path+".sandbox_read") {
		b.SandboxRead = []string{"."}
	}
	if !r.has(b.path+".restart") && b.Restart == usual.Restart {
		b.Restart = r.All.Restart
	}
	for i, l := range arena.Settings(&b.Limits) {
		if l.Value.IsZero() {
			l.Value.Set(arena.Settings(&r.All.Limits)[i].Value)
		}
	}
}

// program resolves the path of a bot's program.
func (r *reader) program(b *bot) {
	builtin, command := r.has(b.path+".builtin"), r.has(b.path+".command")
	switch {
	case b.Registered != "" && (builtin || command):
		r.fail(b.path+".registered", "the registry says what this bot is; leave builtin and command out")
	case b.Registered != "" || builtin || !command:
	case !r.has(b.path + ".dir"):
		b.Dir = r.folder
	default:
		r.fromFolder(b.Command)
	}
}

// fromFolder replaces a program's path with that of a file in the event file's folder,
// if there is one.
func (r *reader) fromFolder(command []string) {
	if len(command) == 0 || r.known.IsFile == nil {
		return
	}
	if p := command[0]; filepath.Base(p) != p && !filepath.IsAbs(p) {
		if from := filepath.Join(r.folder, p); r.known.IsFile(from) {
			command[0] = from
		}
	}
}

// allOptions returns the event's options that the bot does not set, followed by its
// own.
func (r *reader) allOptions(own []arena.Option) []arena.Option {
	given := map[string]bool{}
	for _, o := range own {
		given[strings.ToLower(o.Name)] = true
	}
	var all []arena.Option
	for _, o := range r.All.Options {
		if !given[strings.ToLower(o.Name)] {
			all = append(all, o)
		}
	}
	return append(all, own...)
}
