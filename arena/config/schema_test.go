package config

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
	"botarena/arena/schedule"
)

const schemaFile = "../../configs/schema/event.json"

type object = map[string]any

// The schema of event files that editors read, configs/schema/event.json, has all keys of
// event files, with their values, ranges and defaults. UPDATE_SCHEMA=1 writes it anew.
func TestEventSchema(t *testing.T) {
	b := schemaBuilder{about: comments(t)}
	top := b.mapping("", new(file).top())
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = "An event of arena"
	top["required"] = []string{"game", "bots"}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(top); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_SCHEMA") != "" {
		if err := os.WriteFile(schemaFile, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(schemaFile)
	if err != nil || !bytes.Equal(kept, text.Bytes()) {
		t.Errorf("%s differs from the keys of event files (%v): UPDATE_SCHEMA=1 go test ./arena/config -run TestEventSchema writes it anew; look at what is lost", schemaFile, err)
	}
}

// comments returns what the reference says of each key behind it, by the key's path.
func comments(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../configs/reference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var root yaml.Node
	shown := regexp.MustCompile(`(?m)^# ( *[a-z0-9_]+:)`).ReplaceAll(text, []byte("$1"))
	if err := yaml.Unmarshal(shown, &root); err != nil {
		t.Fatal(err)
	}
	about := map[string]string{}
	var walk func(prefix string, n *yaml.Node)
	walk = func(prefix string, n *yaml.Node) {
		if n.Kind == yaml.SequenceNode {
			for _, item := range n.Content {
				walk(prefix, item)
			}
		}
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			path := join(prefix, key.Value)
			comment, _, _ := strings.Cut(value.LineComment+key.LineComment, "\n")
			if about[path] == "" {
				about[path] = strings.TrimRight(strings.TrimPrefix(comment, "# "), ",:;")
			}
			walk(path, value)
		}
	}
	walk("", root.Content[0])
	return about
}

type schemaBuilder struct{ about map[string]string }

// mapping returns the schema of a mapping that may have those settings.
func (b schemaBuilder) mapping(path string, all []arena.Setting) object {
	properties, needed := object{}, []string{}
	for i := range all {
		s := &all[i]
		at := join(path, s.Key)
		value := b.value(at, s)
		if about := b.about[strings.TrimPrefix(at, "bots.")]; about != "" && b.about[at] == "" {
			value["description"] = about
		} else if b.about[at] != "" {
			value["description"] = b.about[at]
		}
		properties[s.Key] = value
		if s.Is("needed") {
			needed = append(needed, s.Key)
		}
	}
	m := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(needed) > 0 {
		m["required"] = needed
	}
	return m
}

// value returns the schema of a setting's value: see reader.value.
func (b schemaBuilder) value(at string, s *arena.Setting) object {
	text := object{"type": []string{"string", "number"}} // a name may look like a number
	list := object{"type": "array", "items": text}
	of := func(v reflect.Value) []arena.Setting { return arena.Settings(v.Addr().Interface()) }
	if at == "format" {
		return object{"enum": schedule.Formats(), "default": s.Default}
	}
	switch s.Value.Addr().Interface().(type) {
	case *[]arena.Bot:
		return object{"type": "array", "items": b.mapping("bots", arena.Settings(new(bot)))}
	case *[]arena.Option:
		return object{"type": "object", "additionalProperties": object{"type": []string{"string", "number", "boolean", "null"}}}
	case *arena.TimeControl:
		return object{"anyOf": []object{{"type": "string"}, b.mapping(at, of(s.Value))}}
	case **arena.TimeControl:
		return object{"anyOf": []object{{"type": "string"}, b.mapping("clock", arena.Settings(new(arena.TimeControl)))}}
	case *arena.Bot:
		return object{"anyOf": []object{{"type": "string"}, list, b.mapping(at, rulesSettings(new(arena.Bot)))}}
	case *[]string:
		if s.Is("command") || s.Key == "replaces" {
			return object{"anyOf": []object{text, list}}
		}
		return list
	case *string:
		if at == "game" {
			return object{"anyOf": []object{text, b.mapping(at, arena.Settings(new(game)))}}
		}
	}
	switch kind := s.Value.Kind(); {
	case kind == reflect.Pointer:
		return b.mapping(at, arena.Settings(reflect.New(s.Value.Type().Elem()).Interface()))
	case kind == reflect.Struct:
		return b.mapping(at, of(s.Value))
	}
	return b.scalar(s, text)
}

// scalar returns the schema of a word, a number or a time.
func (b schemaBuilder) scalar(s *arena.Setting, text object) object {
	o := object{}
	least, most, bounded := s.Range()
	switch {
	case len(s.Words) > 0:
		o["enum"] = s.Words
	case s.Value.Kind() == reflect.String:
		o = text
	case s.Value.Kind() == reflect.Bool:
		o["type"] = "boolean"
	case s.Value.Type() == reflect.TypeFor[time.Duration](): // text with a unit, or 0
		o["type"] = []string{"string", "number"}
	case s.Is("size"):
		o["type"] = []string{"string", "integer"}
	default:
		o["type"] = "integer"
		if s.Value.CanFloat() {
			o["type"] = "number"
		}
		if bounded {
			o["minimum"], o["maximum"] = least, most
		}
	}
	if s.Default != "" {
		s.SetDefault()
		if o["default"] = s.Value.Interface(); s.Value.Type() == reflect.TypeFor[time.Duration]() {
			o["default"] = s.Default
		}
	}
	if s.Zero != "" && len(s.Words) == 0 {
		return object{"anyOf": []object{{"const": s.Zero}, o}}
	}
	return o
}
