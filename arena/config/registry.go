package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
)

// botFormat is the number of the form in which EncodeBot writes a bot.
const botFormat = 1

// EncodeBot writes a bot as the registry keeps it: JSON with the keys that event
// files have, and the number of this form as "format". Its name and its
// Fingerprint are left out: the registry has the one, and the other is no setting.
func EncodeBot(bot arena.Bot) []byte {
	t := tree{{"format", whole(botFormat)}}
	for _, f := range botTree(bot) {
		if f.key != "name" {
			t = append(t, f)
		}
	}
	return appendJSON(nil, t.block())
}

// appendJSON writes a node such that it can be read as YAML, too.
func appendJSON(b []byte, n *yaml.Node) []byte {
	switch n.Kind {
	case yaml.MappingNode:
		b = append(b, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendJSON(b, n.Content[i]), ':')
			b = appendJSON(b, n.Content[i+1])
		}
		return append(b, '}')
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, item := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	}
	switch n.ShortTag() {
	case "!!int", "!!float", "!!bool":
		return append(b, n.Value...)
	}
	b = append(b, '"')
	for _, r := range n.Value {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x2029 || r >= 0xfe00 && r <= 0xffff: // some of which YAML does not take
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}

// DecodeBot reads what [EncodeBot] wrote, and the form of before it had a number.
func DecodeBot(data []byte) (arena.Bot, error) {
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return arena.Bot{}, fmt.Errorf("read a registered bot: %w", err)
	}
	switch {
	case head.Format == 0:
		return decodeOldBot(data)
	case head.Format > botFormat:
		return arena.Bot{}, errors.New("a newer arena registered it; use that one")
	}
	r := shortReader()
	b := &bot{Bot: DefaultBot()}
	if root := r.parse(data); root != nil {
		form := key{name: "format", read: func(*yaml.Node, string) {}}
		r.mapping(root, "", append(r.botKeys(b), form))
	}
	if r.has("clock") {
		b.Clock = &b.clock
	}
	if len(r.problems) > 0 {
		return arena.Bot{}, newErrors("registered bot", r.problems)
	}
	return b.Bot, nil
}

// oldBot is the form without a number: the fields of arena.Bot as they were named
// then.
type oldBot struct {
	Builtin       string
	Command, Args []string
	Dir           string
	Env, Build    []string
	Options       []struct{ Name, Value string }
	Protocol      arena.Protocol
	Threads       int
	Limits        oldLimits
	Sandbox       arena.Sandbox
	SandboxRead   []string
	Restart       arena.Restart
	Version       string
	Clock         *oldClock
	Seed          int
	Replaces      []string
	Withdrawn     bool
}

type oldLimits struct {
	Memory    int64
	Processes int
	CPUTime   time.Duration
	FileSize  int64
}

type oldClock struct {
	Move, Base, Increment time.Duration
	Moves                 int
	Nodes                 int64
	Depth                 int
	Margin                time.Duration
}

func decodeOldBot(data []byte) (arena.Bot, error) {
	usual := DefaultBot()
	old := oldBot{Protocol: usual.Protocol, Threads: usual.Threads, Sandbox: usual.Sandbox, Restart: usual.Restart}
	if err := json.Unmarshal(data, &old); err != nil {
		return arena.Bot{}, fmt.Errorf("read a registered bot: %w", err)
	}
	b := arena.Bot{
		Builtin: old.Builtin, Command: old.Command, Args: old.Args, Dir: old.Dir, Env: old.Env, Build: old.Build,
		Protocol: old.Protocol, Threads: old.Threads, Limits: arena.Limits(old.Limits),
		Sandbox: old.Sandbox, SandboxRead: old.SandboxRead, Restart: old.Restart, Version: old.Version, Seed: old.Seed,
		Replaces: old.Replaces, Withdrawn: old.Withdrawn,
	}
	for _, o := range old.Options {
		b.Options = append(b.Options, arena.Option{Name: o.Name, Value: o.Value})
	}
	if old.Clock != nil {
		c := arena.TimeControl(*old.Clock)
		b.Clock = &c
	}
	if b.Sandbox == arena.SandboxStrict && b.SandboxRead == nil {
		b.SandboxRead = []string{"."} // registered when a strict sandbox showed all of the folder
	}
	return b, nil
}
