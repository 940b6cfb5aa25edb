package config_test

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
	"botarena/arena/config"
	"botarena/arena/host"
	"botarena/arena/schedule"
)

type object = map[string]any

// The schemas that editors read, in configs/schema, have all keys of event files and of
// files of leagues, with their values, ranges and defaults. UPDATE_SCHEMA=1 writes them anew.
func TestEventSchema(t *testing.T) {
	t.Parallel()
	for name, title := range map[string]string{"event": "An event of arena", "league": "A league that arena hosts"} {
		b := schemaBuilder{about: comments(t, "reference")}
		top := b.mapping("", config.EventSettings())
		if name == "league" {
			b = schemaBuilder{about: comments(t, "league")}
			top["properties"].(object)["host"] = b.mapping("host", arena.Settings(new(host.Settings)))
		}
		top["title"] = title
		top["$schema"], top["required"] = "https://json-schema.org/draft/2020-12/schema", []string{"game", "bots"}
		compareSchema(t, "../../configs/schema/"+name+".json", top)
	}
}

func compareSchema(t *testing.T, name string, schema object) {
	t.Helper()
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_SCHEMA") != "" {
		if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(kept, text.Bytes()) {
		t.Errorf("%s differs from the keys of files (%v): UPDATE_SCHEMA=1 go test ./arena/config -run TestEventSchema writes it anew; look at what is lost", name, err)
	}
}

func dotted(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

// comments returns what a sample in configs says of each key behind it, by the key's path.
func comments(t *testing.T, sample string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../configs/" + sample + ".yaml")
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
			path := dotted(prefix, key.Value)
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
		at := dotted(path, s.Key)
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
		return object{"type": "array", "items": b.mapping("bots", config.BotSettings())}
	case *[]arena.Param:
		return object{"type": "array", "items": b.mapping(at, arena.Settings(new(arena.Param)))}
	case *[]arena.Option:
		return object{"type": "object", "additionalProperties": object{"type": []string{"string", "number", "boolean", "null"}}}
	case *arena.TimeControl:
		return object{"anyOf": []object{{"type": "string"}, b.mapping(at, of(s.Value))}}
	case **arena.TimeControl:
		return object{"anyOf": []object{{"type": "string"}, b.mapping("clock", arena.Settings(new(arena.TimeControl)))}}
	case *arena.Bot:
		return object{"anyOf": []object{{"type": "string"}, list, b.mapping(at, config.RulesSettings())}}
	case *[]string:
		if s.Is("command") || s.Key == "replaces" {
			return object{"anyOf": []object{text, list}}
		}
		return list
	case *string:
		if at == "game" {
			return object{"anyOf": []object{text, b.mapping(at, config.GameSettings())}}
		}
	}
	switch kind := s.Value.Kind(); {
	case s.Value.Type() == reflect.TypeFor[time.Time]():
		return object{"type": "string"}
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
