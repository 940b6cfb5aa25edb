package config_test

import (
	"errors"
	"reflect"
	"testing"

	"botarena/arena"
	"botarena/arena/config"
)

func TestReadHandedIn(t *testing.T) {
	t.Parallel()
	with := func(change func(*arena.Bot)) arena.Bot {
		b := config.DefaultBot()
		change(&b)
		return b
	}
	for text, want := range map[string]arena.Bot{
		"":                    with(func(*arena.Bot) {}),
		"# nothing to say\n":  with(func(*arena.Bot) {}),
		"protocol: uci\n":     with(func(b *arena.Bot) { b.Protocol = arena.ProtocolUCI }),
		"command: ./bot -x 1": with(func(b *arena.Bot) { b.Command = []string{"./bot", "-x", "1"} }),
		"build: make\ncommand: [java, -cp, 'my classes', Main]\noptions: {Hash: 16, Book: \"\"}": with(func(b *arena.Bot) {
			b.Build, b.Command = []string{"make"}, []string{"java", "-cp", "my classes", "Main"}
			b.Options = []arena.Option{{Name: "Hash", Value: "16"}, {Name: "Book"}}
		}),
	} {
		got, err := config.ReadHandedIn([]byte(text), "bot.yaml")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestReadHandedInProblems(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"comand: ./bot":                  `bot.yaml:1:1: comand: unknown key; did you mean "command"?`,
		"command: ./bot\nsandbox: none":  `bot.yaml:2:1: sandbox: unknown key; known keys: command, build, options, protocol`,
		"env: [A=b]":                     `bot.yaml:1:1: env: unknown key; known keys: command, build, options, protocol`,
		"dir: ..":                        `bot.yaml:1:1: dir: unknown key; known keys: command, build, options, protocol`,
		"protocol: ugy":                  `bot.yaml:1:11: protocol: "ugy" is not known; did you mean "ugi"?`,
		"command: [\"\"]":                `bot.yaml:1:1: command: names no program`,
		"command:":                       `bot.yaml:1:1: command: has no value; leave the key out for its default`,
		"options: {name value: 1}":       `bot.yaml:1:11: options.name value: an option's name cannot have the word value in it`,
		"- a":                            `bot.yaml:1:1: must be a mapping with keys like command, build, options, not a list`,
		"command: a\ncommand: b":         `bot.yaml:2:1: command: given twice`,
		"a: b: c":                        `bot.yaml: not YAML: mapping values are not allowed in this context`,
		"command: \"a\nb: c":             `bot.yaml:2: not YAML: found unexpected end of stream`,
		"command: a\n---\nprotocol: ugi": `bot.yaml:2:1: a second document begins here; one file holds one event`,
	} {
		_, err := config.ReadHandedIn([]byte(text), "bot.yaml")
		var problems *config.Errors
		if !errors.As(err, &problems) || err.Error() != want {
			t.Errorf("%q:\n%v\nwant\n%s", text, err, want)
		}
	}
}

// Any text is read, or refused with places, and what is read is a bot that may enter.
func FuzzReadHandedIn(f *testing.F) {
	for _, text := range []string{"command: ./bot\nbuild: make all\noptions: {Hash: 16}\nprotocol: uci", "command: [a, &b x, *b]", "<<: {command: x}", "\xef\xbb\xbfcommand: x", "options: {a: 1, A: 2}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := config.ReadHandedIn(data, "bot.yaml")
		if err != nil {
			var problems *config.Errors
			if !errors.As(err, &problems) || len(problems.Problems) == 0 {
				t.Fatalf("%v, want *Errors", err)
			}
			return
		}
		b.Name = "x"
		if len(b.Command) == 0 {
			b.Command = []string{"x"}
		}
		if err := b.Validate(arena.Known{}); err != nil {
			t.Fatal(err)
		}
	})
}
