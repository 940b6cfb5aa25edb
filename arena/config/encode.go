package config

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
	"botarena/arena/schedule"
)

// Encode writes the event as a file that [Decode] and [Read] read back: every
// setting that matters to its format, defaults included, in one fixed order, so
// that equal events have equal texts. A bot's Fingerprint is no setting and is
// left out. The event must be a valid one, as Read returns it or built on
// [Default] and [DefaultBot].
func Encode(event arena.Event) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(eventTree(event).block()); err != nil {
		return nil, fmt.Errorf("write event %q: %w", event.Name, err)
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("write event %q: %w", event.Name, err)
	}
	return b.Bytes(), nil
}

// Decode reads what [Encode] wrote. It accepts any names of games and built-in bots,
// since they may have gone since. An invalid event is returned with its
// *arena.InvalidError.
func Decode(data []byte) (arena.Event, error) {
	r := readAll(data, "stored event", "", Known{})
	if r.written > 0 {
		return arena.Event{}, newErrors("stored event", r.problems[:r.written])
	}
	if r.invalid != nil {
		return r.Event, r.invalid
	}
	return r.Event, nil
}

// A tree is a mapping to be written, its keys in order.
type tree []field

type field struct {
	key   string
	value *yaml.Node
}

// put sets the value of an existing key.
func (t tree) put(key string, value *yaml.Node) {
	t[slices.IndexFunc(t, func(f field) bool { return f.key == key })].value = value
}

// get returns the value of a key, nil if it is missing.
func (t tree) get(key string) *yaml.Node {
	if i := slices.IndexFunc(t, func(f field) bool { return f.key == key }); i >= 0 {
		return t[i].value
	}
	return nil
}

func (t tree) block() *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range t {
		n.Content = append(n.Content, text(f.key), f.value)
	}
	return n
}

func (t tree) flow() *yaml.Node {
	n := t.block()
	n.Style = yaml.FlowStyle
	return n
}

// flowOrNone returns the tree as a mapping in flow style, nil if it is empty.
func (t tree) flowOrNone() *yaml.Node {
	if len(t) == 0 {
		return nil
	}
	return t.flow()
}

// text returns a scalar that is read back as text whatever it looks like.
func text(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	if strings.Contains(s, "\n") {
		n.Style = yaml.DoubleQuotedStyle // a block would not stand in a flow
	}
	return n
}

func texts(list []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, s := range list {
		n.Content = append(n.Content, text(s))
	}
	return n
}

// eventTree returns the event as written in a file, without the settings of other
// formats.
func eventTree(e arena.Event) tree {
	t := settingsTree(arena.Settings(&e), func(s *arena.Setting) bool { return schedule.Has(e.Format, s.Key) })
	if e.Rules != nil {
		t.put("game", tree{{"name", text(e.Game)}, {"rules", rulesTree(*e.Rules).flow()}}.flow())
	}
	return t
}

func rulesTree(b arena.Bot) tree {
	return settingsTree(rulesSettings(&b), func(s *arena.Setting) bool {
		return s.Key != "sandbox_read" || len(b.SandboxRead) > 0 || b.Sandbox == arena.SandboxStrict
	})
}

func botTree(b arena.Bot) tree {
	return settingsTree(arena.Settings(&b), func(s *arena.Setting) bool {
		return s.Key != "sandbox_read" || len(b.SandboxRead) > 0 || b.Sandbox == arena.SandboxStrict || b.Dir != ""
	})
}

// settingsTree returns the settings that keep accepts, except empty ones and those that
// their tags leave out.
func settingsTree(all []arena.Setting, keep func(*arena.Setting) bool) tree {
	var t tree
	for _, s := range all {
		if (keep == nil || keep(&s)) && s.Shown() && s.Goes(all) {
			if n := node(&s); n != nil {
				t = append(t, field{s.Key, n})
			}
		}
	}
	return t
}

// node returns the value of a setting; nil if it holds nothing.
func node(s *arena.Setting) *yaml.Node {
	v := s.Value
	if v.IsZero() && s.Zero != "" {
		return text(s.Zero)
	}
	switch list := v.Interface().(type) {
	case time.Duration:
		return text(list.String())
	case []string:
		if len(list) == 0 && s.Is("omit") {
			return nil
		}
		return texts(list)
	case []arena.Bot:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, b := range list {
			n.Content = append(n.Content, botTree(b).block())
		}
		return n
	case []arena.Param:
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for i := range list {
			n.Content = append(n.Content, settingsTree(arena.Settings(&list[i]), nil).flow())
		}
		return n
	case []arena.Option:
		var t tree
		for _, o := range list {
			t = append(t, field{o.Name, text(o.Value)})
		}
		return t.flowOrNone()
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return settingsTree(arena.Settings(v.Interface()), nil).flowOrNone()
	case reflect.Struct:
		return settingsTree(arena.Settings(v.Addr().Interface()), nil).flowOrNone()
	case reflect.String:
		return text(v.String())
	case reflect.Bool:
		if len(s.Words) > 0 {
			return text(word(s))
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(v)}
	case reflect.Float64:
		f := v.Float()
		if f == 0 {
			f = 0 // of either sign
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(f, 'g', -1, 64)}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: fmt.Sprint(v)}
}

// word returns the word for the value of a bool with words.
func word(s *arena.Setting) string {
	if s.Value.Bool() {
		return s.Words[1]
	}
	return s.Words[0]
}
