package config

import (
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
)

// A reader fills an event from a file's nodes.
type reader struct {
	*decoder
	file
	folder string
	known  Known
	bots   []*bot

	written int                 // problems that are not the domain's
	invalid *arena.InvalidError // the domain's; nil for none
}

// file is the content of an event file: the event, and settings for all bots that have
// none of their own.
type file struct {
	arena.Event
	All forAll
}

type forAll struct {
	Options []arena.Option `key:"options"`
	Limits  arena.Limits   `key:"limits"`
	Sandbox arena.Sandbox  `key:"sandbox" default:"none"`
	Restart arena.Restart  `key:"restart" default:"on-fault"`
}

// A bot is an entry of an event file.
type bot struct {
	arena.Bot
	Registered string `key:"registered"` // the name under which the registry has it, "" for none
	path       string
	broken     bool // no mapping, which is reported: nothing else to say of it
}

// A game is a file's entry for a game whose rules are a program.
type game struct {
	Name  string    `key:"name"`
	Rules arena.Bot `key:"rules,needed"`
}

// top lists the settings of a whole file.
func (f *file) top() []arena.Setting {
	return append(arena.Settings(&f.Event), arena.Settings(&f.All)...)
}

// fields reads a mapping into the settings of the struct that into points to.
func (r *reader) fields(n *yaml.Node, path string, into any) {
	r.mapping(n, path, arena.Settings(into), r.value)
}

// value reads the value of a setting, whatever its type.
func (r *reader) value(n *yaml.Node, path string, s *arena.Setting) {
	switch p := s.Value.Addr().Interface().(type) {
	case *[]arena.Bot:
		r.readBots(n, path)
	case *[]arena.Option:
		*p = r.readOptions(n, path)
	case *[]arena.Param:
		*p = nil
		r.list(n, path, "parameters", func(n *yaml.Node, path string) {
			one := arena.Defaults[arena.Param]()
			r.fields(n, path, &one)
			*p = append(*p, one)
		})
	case *arena.TimeControl:
		r.clock(n, path, p)
	case **arena.TimeControl:
		*p = &arena.TimeControl{}
		r.clock(n, path, *p)
	case *arena.Bot:
		r.rules(n, path, p)
	case *time.Time:
		*p = r.moment(n, path)
	case *[]string:
		switch {
		case s.Is("command"):
			*p = r.command(n, path)
		case s.Key == "replaces" && n.Kind == yaml.ScalarNode:
			if name, ok := r.text(n, path); ok {
				*p = []string{name}
			}
		default:
			*p = r.texts(n, path, "texts")
		}
	case *string:
		switch {
		case s.Key == "registered":
			if *p == "" {
				r.wrong(n, path, "must be the name of a registered bot, in the entry itself")
			}
		case path == "game" && n.Kind != yaml.ScalarNode:
			r.ownGame(n, path)
		case s.Is("path"):
			r.path(n, path, p)
		default:
			r.scalar(n, path, s)
		}
	default:
		switch s.Value.Kind() {
		case reflect.Pointer:
			s.Value.Set(reflect.New(s.Value.Type().Elem()))
			arena.SetDefaults(s.Value.Interface())
			r.fields(n, path, s.Value.Interface())
		case reflect.Struct:
			if s.Is("omit") {
				arena.SetDefaults(s.Value.Addr().Interface())
			}
			r.fields(n, path, s.Value.Addr().Interface())
		default:
			r.scalar(n, path, s)
		}
	}
}

// moment reads a date with its time and zone.
func (r *reader) moment(n *yaml.Node, path string) time.Time {
	text, ok := r.text(n, path)
	if !ok {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		r.wrong(n, path, "%q is no moment; write it like 2026-12-01T23:59:00+01:00, or with Z for UTC", clip(text))
	}
	return at
}

// ownGame reads a name and the program that knows the rules.
func (r *reader) ownGame(n *yaml.Node, path string) {
	g := game{Rules: DefaultRules()}
	r.fields(n, path, &g)
	r.Game = g.Name
	if r.has(path + ".rules") {
		r.Rules = &g.Rules
	}
}

// rules reads the program that knows the rules of a game: a command, or a mapping.
func (r *reader) rules(n *yaml.Node, path string, b *arena.Bot) {
	if n.Kind == yaml.MappingNode {
		r.mapping(n, path, rulesSettings(b), r.value)
	} else {
		b.Command = r.command(n, path)
	}
	switch {
	case !r.has(path + ".dir"):
		b.Dir = r.folder
	case b.Sandbox == arena.SandboxStrict && !r.has(path+".sandbox_read"):
		b.SandboxRead = []string{"."}
	}
}

func rulesSettings(b *arena.Bot) []arena.Setting {
	return slices.DeleteFunc(arena.Settings(b), func(s arena.Setting) bool { return !s.Is("rules") })
}

// clock reads a time control: a mapping, or a text as flags name it.
func (r *reader) clock(n *yaml.Node, path string, c *arena.TimeControl) {
	*c = arena.TimeControl{}
	if n.Kind != yaml.ScalarNode {
		r.fields(n, path, c)
		return
	}
	read, margin, err := parseClock(n.Value)
	if err != nil {
		r.wrong(n, path, "%v", err)
		return
	}
	if *c = read; margin {
		r.at[join(path, "margin")] = r.at[path]
	}
}

func (r *reader) readBots(n *yaml.Node, path string) {
	r.list(n, path, "bots", func(n *yaml.Node, path string) {
		b := &bot{Bot: DefaultBot(), path: path, broken: n.Kind != yaml.MappingNode}
		r.bots = append(r.bots, b)
		r.fromRegistry(n, path, b)
		r.fields(n, path, b)
	})
}

// fromRegistry fills in a bot's registered settings before the entry's own keys,
// wherever the name stands in it.
func (r *reader) fromRegistry(n *yaml.Node, path string, b *bot) {
	for i := 0; !b.broken && i+1 < len(n.Content); i += 2 {
		key, name := n.Content[i], n.Content[i+1]
		if key.Value != "registered" || name.Kind != yaml.ScalarNode || empty(name) || name.Value == "" {
			continue
		}
		b.Registered, b.Name = name.Value, name.Value
		if r.known.Registered == nil {
			r.wrong(name, join(path, "registered"), "no registry of bots is at hand; enter it as command: or builtin:")
			return
		}
		found, err := r.known.Registered(r.Name, name.Value)
		if err != nil {
			r.wrong(name, join(path, "registered"), "%v", err)
			return
		}
		b.Bot = found
		return
	}
}

// path reads a path, made absolute from the folder of the event file.
func (r *reader) path(n *yaml.Node, path string, p *string) {
	s, ok := r.text(n, path)
	switch {
	case !ok:
	case s == "":
		r.wrong(n, path, "is an empty path")
	case filepath.IsAbs(s) || r.folder == "":
		*p = s
	default:
		*p = filepath.Join(r.folder, s)
	}
}

func (r *reader) texts(n *yaml.Node, path, what string) []string {
	var all []string
	r.list(n, path, what, func(n *yaml.Node, path string) {
		if s, ok := r.text(n, path); ok {
			all = append(all, s)
		}
	})
	return all
}

// command reads a program and its arguments, as a list or as one string.
func (r *reader) command(n *yaml.Node, path string) []string {
	var words []string
	switch n.Kind {
	case yaml.SequenceNode:
		words = r.texts(n, path, "a program and its arguments")
	case yaml.ScalarNode:
		line, ok := r.text(n, path)
		if !ok {
			return nil
		}
		var err error
		if words, err = SplitCommand(line); err != nil {
			r.wrong(n, path, "%v", err)
			return nil
		}
	default:
		r.wrong(n, path, "must be a list or a string, not %s", kind(n))
		return nil
	}
	if len(words) == 0 {
		r.wrong(n, path, "names no program")
	}
	return words
}

func (r *reader) readOptions(n *yaml.Node, path string) []arena.Option {
	if n.Kind != yaml.MappingNode {
		r.wrong(n, path, "must be a mapping of names to values, not %s", kind(n))
		return nil
	}
	var options []arena.Option
	for _, e := range r.entries(n, path, 0) {
		name := e.key.Value
		at := join(path, clip(name))
		r.at[at] = e.key
		if e.value.Kind != yaml.ScalarNode {
			r.wrong(e.value, at, "must be a single value, not %s", kind(e.value))
			continue
		}
		o := arena.Option{Name: name, Value: e.value.Value}
		if empty(e.value) {
			o.Value = "" // a button, or an empty text
		}
		options = append(options, o)
	}
	return options
}
