package config_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/config"
)

func TestRegisteredBotReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := botOf(t, "mine")
		data, err := config.EncodeBot(b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := config.DecodeBot(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		got.Name = "mine"
		if !sameEvent(arena.Event{Bots: []arena.Bot{got}}, arena.Event{Bots: []arena.Bot{b}}) {
			t.Fatalf("%s\ngot  %+v\nwant %+v", data, got, b)
		}
	})
}

func TestDecodeBotNamesProblems(t *testing.T) {
	for data, want := range map[string]string{
		"":                 "is empty",
		`{comand: [x]}`:    `did you mean "command"?`,
		`{threads: a lot}`: "threads: must be a whole number",
	} {
		if _, err := config.DecodeBot([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", data, err, want)
		}
	}
}
