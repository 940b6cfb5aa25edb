package config_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/config"
)

func TestRegisteredBotReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := botOf(t, "mine")
		data := config.EncodeBot(b)
		if !json.Valid(data) {
			t.Fatalf("no JSON: %s", data)
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

// The very bytes that versions before the form had a number wrote.
func TestRegisteredBotOfOldVersions(t *testing.T) {
	for data, want := range map[string]arena.Bot{
		`{"Name":"mine","Builtin":"","Command":["python3","-u","first_bot.py"],"Args":null,"Dir":"/home/me","Env":["A=b c"],"Build":null,"Options":[{"Name":"Hash","Value":"64"}],"Protocol":"auto","Threads":2,"Limits":{"Memory":5,"Processes":0,"CPUTime":1000000000,"FileSize":0},"Sandbox":"strict","Restart":"every-game","Version":"1.2","Clock":{"Move":0,"Base":60000000000,"Increment":1000000000,"Moves":40,"Nodes":0,"Depth":0,"Margin":50000000},"Seed":0,"Fingerprint":""}`: {
			Command: []string{"python3", "-u", "first_bot.py"}, Dir: "/home/me", Env: []string{"A=b c"},
			Options: []arena.Option{{Name: "Hash", Value: "64"}}, Protocol: "auto", Threads: 2, Limits: arena.Limits{Memory: 5, CPUTime: time.Second},
			Sandbox: "strict", SandboxRead: []string{"."}, Restart: "every-game", Version: "1.2",
			Clock: &arena.TimeControl{Base: time.Minute, Increment: time.Second, Moves: 40, Margin: 50 * time.Millisecond},
		},
		`{"Name":"shallow","Builtin":"minimax","Command":null,"Args":null,"Dir":"","Env":null,"Build":null,"Options":null,"Protocol":"auto","Threads":1,"Limits":{"Memory":0,"Processes":0,"CPUTime":0,"FileSize":0},"Sandbox":"none","Restart":"on-fault","Version":"","Clock":{"Move":0,"Base":0,"Increment":0,"Moves":0,"Nodes":0,"Depth":2,"Margin":50000000},"Seed":0,"Fingerprint":""}`: {
			Builtin: "minimax", Protocol: "auto", Threads: 1, Sandbox: "none", Restart: "on-fault",
			Clock: &arena.TimeControl{Depth: 2, Margin: 50 * time.Millisecond},
		},
	} {
		got, err := config.DecodeBot([]byte(data))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %+v, %v\nwant %+v", data, got, err, want)
		}
	}
}

// The form is fixed: a renamed field of arena.Bot must not change it.
func TestRegisteredBotForm(t *testing.T) {
	b := config.DefaultBot()
	b.Name, b.Command, b.Options = "mine", []string{"./mine"}, []arena.Option{{Name: "Hash", Value: "64"}}
	b.Clock = &arena.TimeControl{Depth: 3}
	const want = `{"format":1,"command":["./mine"],"options":{"Hash":"64"},"protocol":"auto","threads":1,"sandbox":"none","restart":"on-fault","clock":{"depth":3,"margin":"0s"}}`
	if got := string(config.EncodeBot(b)); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	for data, want := range map[string]string{
		"":                               "read a registered bot",
		`{"format":2}`:                   "newer arena",
		`{"format":1,"comand":["x"]}`:    `did you mean "command"?`,
		`{"format":1,"threads":"a lot"}`: "threads: must be a whole number",
	} {
		if _, err := config.DecodeBot([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", data, err, want)
		}
	}
}
