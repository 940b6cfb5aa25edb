package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
)

// A Flag is a command-line flag for a setting of an event or a bot. It implements
// pflag.Value.
type Flag struct {
	Path    string // of the setting, such as "openings.order"
	Given   bool   // whether it was set
	setting arena.Setting
	text    string // as it was given
}

// NewFlag returns a flag for the setting at a path of the struct that of points to. It
// panics if there is none.
func NewFlag(of any, path string) *Flag {
	return &Flag{Path: path, setting: find(of, path)}
}

// find returns the setting at a path.
func find(of any, path string) arena.Setting {
	key, below, deeper := strings.Cut(path, ".")
	s, ok := arena.SettingOf(of, key)
	if !ok {
		panic("no setting " + path)
	}
	switch {
	case !deeper:
		return s
	case s.Value.Kind() == reflect.Pointer:
		return find(s.Value.Interface(), below)
	}
	return find(s.Value.Addr().Interface(), below)
}

// Set reads the setting from a line: a mapping is KEY=VALUE joined with commas, where a
// KEY alone is true; a list grows by one item each time. The error is a clock's or an
// *arena.InvalidError, with the keys below the flag's.
func (f *Flag) Set(line string) error {
	r := shortReader()
	v := f.setting.Value
	switch p := v.Addr().Interface().(type) {
	case *arena.TimeControl, **arena.TimeControl:
		c, err := ParseClock(line)
		if err != nil {
			return err
		}
		if one, ok := p.(*arena.TimeControl); ok {
			*one = c
		} else {
			v.Set(reflect.ValueOf(&c))
		}
	case *[]arena.Option:
		name, value, _ := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); name == "" {
			r.wrong(text(line), "", "names no option; write NAME=VALUE")
		}
		*p = append(*p, arena.Option{Name: name, Value: value})
	case *[]string:
		if f.setting.Is("command") {
			*p = r.command(text(line), "")
		} else {
			*p = append(*p, line)
		}
	default:
		v.SetZero()
		// A flag says by zero, and by no keys of a mapping, what a file leaves out.
		off := line == "" && v.Kind() == reflect.Struct || line == "0" && f.setting.Is("positive")
		if !off {
			r.value(f.node(line), "", &f.setting)
		}
	}
	f.Given, f.text = true, line
	if len(r.problems) == 0 {
		return nil
	}
	var invalid arena.InvalidError
	for _, p := range r.problems {
		invalid.Problems = append(invalid.Problems, arena.Problem{Field: p.Key, Why: p.Why})
	}
	return &invalid
}

// node returns the YAML node that stands for the line.
func (f *Flag) node(line string) *yaml.Node {
	if meant := arena.Meant(line); slices.Contains(f.setting.Words, meant) {
		line = meant
	}
	switch f.setting.Value.Kind() {
	case reflect.Struct:
		return short(line)
	case reflect.String:
		return text(line)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: line}
}

// String returns the line that was given, or the default of the setting.
func (f *Flag) String() string {
	if f.Given || f.setting.Key == "" { // pflag asks a zero Flag
		return f.text
	}
	v := f.setting.Value
	switch c, clock := v.Interface().(arena.TimeControl); {
	case clock:
		return FormatClock(c)
	case v.Kind() == reflect.Bool && len(f.setting.Words) > 0:
		return word(&f.setting)
	case v.IsZero() || v.Kind() == reflect.Struct || v.Kind() == reflect.Slice:
		return f.setting.Zero
	}
	return fmt.Sprint(v)
}

// Type returns the kind of value that the flag takes.
func (f *Flag) Type() string {
	v := f.setting.Value
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return "duration"
	case v.Kind() == reflect.Bool && len(f.setting.Words) == 0, v.CanInt(), v.CanUint(), v.CanFloat(), v.Kind() == reflect.String:
		return v.Kind().String()
	}
	return f.setting.Key
}

// Words returns the valid values of the setting; nil if it is not one of a few words.
func (f *Flag) Words() []string { return f.setting.Words }

// NoValue returns the value of the flag when given without one; "" if it needs one.
func (f *Flag) NoValue() string {
	v := f.setting.Value
	switch {
	case v.Kind() != reflect.Bool || v.Bool():
		return ""
	case len(f.setting.Words) > 0:
		return f.setting.Words[1]
	}
	return "true"
}

// Apply sets the same setting of another struct to the flag's value; of a mapping only
// the keys that are set.
func (f *Flag) Apply(to any) {
	at := find(to, f.Path).Value
	if _, clock := at.Interface().(arena.TimeControl); at.Kind() != reflect.Struct || clock {
		at.Set(f.setting.Value)
		return
	}
	below := arena.Settings(at.Addr().Interface())
	for i, s := range arena.Settings(f.setting.Value.Addr().Interface()) {
		if !s.Value.IsZero() {
			below[i].Value.Set(s.Value)
		}
	}
}

// theirKeys are keys of fastchess and cutechess, and of the protocols, and arena's.
func theirKeys() map[string]string {
	return map[string]string{"movecount": "moves", "movenumber": "from", "twosided": "both", "movetime": "move", "st": "move", "inc": "increment", "movestogo": "moves"}
}

func shortReader() *reader {
	return &reader{decoder: &decoder{at: map[string]*yaml.Node{}, left: maxNodes}}
}

// short parses the one-line mapping of a flag. It also reads keys of fastchess and
// cutechess, which are separated by blanks.
func short(line string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for part := range strings.SplitSeq(theirBlanks(line), ",") {
		key, value, given := strings.Cut(strings.TrimSpace(part), "=")
		if moves, err := strconv.ParseInt(value, 10, 32); key == "movenumber" && err == nil {
			value = strconv.FormatInt(2*moves, 10) // plies
		}
		if ours := theirKeys()[key]; ours != "" && given {
			key = ours
		}
		if !given {
			value = "true"
		}
		n.Content = append(n.Content, text(key), &yaml.Node{Kind: yaml.ScalarNode, Value: value})
	}
	return n
}

// theirBlanks replaces the blanks before further keys with commas.
func theirBlanks(line string) string {
	return regexp.MustCompile(` +([a-z]+=)`).ReplaceAllString(line, ",$1")
}
