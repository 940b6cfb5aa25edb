package config

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
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

// Decode reads what [Encode] wrote. It takes the names of games and built-in
// bots as they are, since they may have gone since. Older versions recorded events
// that are not valid: such a one is returned with its *arena.InvalidError.
func Decode(data []byte) (arena.Event, error) {
	r := readAll(data, "stored event", "", Known{})
	if r.written > 0 {
		return arena.Event{}, newErrors("stored event", r.problems[:r.written])
	}
	if r.invalid != nil {
		return r.event, r.invalid
	}
	return r.event, nil
}

// A tree is a mapping to be written, its keys in order.
type tree []field

type field struct {
	key   string
	value *yaml.Node
}

func (t *tree) add(key string, value *yaml.Node) { *t = append(*t, field{key, value}) }

// set adds the key unless the value is zero.
func set[T comparable](t *tree, key string, v T, node func(T) *yaml.Node) {
	var zero T
	if v != zero {
		t.add(key, node(v))
	}
}

// get returns the value of a key, nil without one.
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

// text is a scalar that stays a text whatever it looks like.
func text(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	if strings.Contains(s, "\n") {
		n.Style = yaml.DoubleQuotedStyle // a block would not stand in a flow
	}
	return n
}

func word[T ~string](s T) *yaml.Node { return text(string(s)) }

func plain(s, tag string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: s}
}

func whole[T int | int64 | uint64](v T) *yaml.Node { return plain(fmt.Sprint(v), "!!int") }

func float(v float64) *yaml.Node {
	if v == 0 {
		v = 0 // of either sign
	}
	return plain(strconv.FormatFloat(v, 'g', -1, 64), "")
}

func boolean(v bool) *yaml.Node           { return plain(strconv.FormatBool(v), "!!bool") }
func duration(v time.Duration) *yaml.Node { return text(v.String()) }

func texts(list []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, s := range list {
		n.Content = append(n.Content, text(s))
	}
	return n
}

// eventTree is the event as a file says it.
func eventTree(e arena.Event) tree {
	var t tree
	t.add("event", text(e.Name))
	if e.Rules == nil {
		t.add("game", text(e.Game))
	} else {
		t.add("game", tree{{"name", text(e.Game)}, {"rules", rulesTree(*e.Rules).flow()}}.flow())
	}
	t.add("format", word(e.Format))
	if e.Format != arena.FormatLadder {
		t.add("rounds", whole(e.Rounds))
	}
	switch e.Format {
	case arena.FormatRoundRobin:
		t.add("cycles", whole(e.Cycles))
	case arena.FormatGauntlet:
		t.add("gauntlet", tree{{"challengers", whole(e.Gauntlet.Challengers)}}.flow())
	case arena.FormatKnockout:
		t.add("knockout", tree{
			{"third_place", boolean(e.Knockout.ThirdPlace)},
			{"tie_breaks", whole(e.Knockout.TieBreaks)},
		}.flow())
	case arena.FormatLadder:
		var l tree
		set(&l, "games", e.Ladder.Games, whole)
		set(&l, "time", e.Ladder.Time, duration)
		set(&l, "width", e.Ladder.Width, float)
		l.add("choose", text(e.Ladder.Choose))
		t.add("ladder", l.flow())
	}
	if e.SPRT != nil {
		t.add("sprt", tree{
			{"elo0", float(e.SPRT.Elo0)},
			{"elo1", float(e.SPRT.Elo1)},
			{"alpha", float(e.SPRT.Alpha)},
			{"beta", float(e.SPRT.Beta)},
			{"model", text(e.SPRT.Model)},
		}.flow())
	}
	t.add("swap", boolean(e.Swap))
	t.add("seed", whole(e.Seed))
	if o := openingsTree(e.Openings); len(o) > 0 {
		t.add("openings", o.flow())
	}
	t.add("clock", clockTree(e.Clock).flow())
	if e.Concurrency == 0 {
		t.add("concurrency", text(autoWord))
	} else {
		t.add("concurrency", whole(e.Concurrency))
	}
	set(&t, "max_plies", e.MaxPlies, whole)
	if a := adjudicationTree(e.Adjudicate); len(a) > 0 {
		t.add("adjudicate", a.flow())
	}
	t.add("elo", tree{
		{"start", float(e.Elo.Start)},
		{"k", float(e.Elo.K0)},
		{"k_min", float(e.Elo.KMin)},
		{"n0", float(e.Elo.N0)},
	}.flow())
	t.add("pin", word(e.Pin))
	t.add("grace", duration(e.Grace))
	set(&t, "handshake", e.Handshake, duration)
	if e.MaxFaults != Default().MaxFaults {
		t.add("max_faults", whole(e.MaxFaults))
	}
	if e.Ponder {
		t.add("ponder", boolean(e.Ponder))
	}
	if e.Suspend {
		t.add("suspend", boolean(e.Suspend))
	}
	set(&t, "league", e.League, text)
	set(&t, "scale", e.Scale, word)
	if e.LogProtocol {
		t.add("log", text(logProtocol))
	} else {
		t.add("log", text(logNone))
	}
	bots := &yaml.Node{Kind: yaml.SequenceNode}
	for _, b := range e.Bots {
		bots.Content = append(bots.Content, botTree(b).block())
	}
	t.add("bots", bots)
	return t
}

func rulesTree(b arena.Bot) tree {
	t := tree{{"command", texts(b.Command)}}
	set(&t, "dir", b.Dir, text)
	if len(b.Env) > 0 {
		t.add("env", texts(b.Env))
	}
	if o := optionsTree(b.Options); len(o) > 0 {
		t.add("options", o.flow())
	}
	if l := limitsTree(b.Limits); len(l) > 0 {
		t.add("limits", l.flow())
	}
	t.add("sandbox", word(b.Sandbox))
	if len(b.SandboxRead) > 0 || b.Sandbox == arena.SandboxStrict {
		t.add("sandbox_read", texts(b.SandboxRead))
	}
	set(&t, "version", b.Version, text)
	return t
}

func optionsTree(options []arena.Option) tree {
	var t tree
	for _, option := range options {
		t.add(option.Name, text(option.Value))
	}
	return t
}

func limitsTree(l arena.Limits) tree {
	var t tree
	set(&t, "memory", l.Memory, whole)
	set(&t, "processes", l.Processes, whole)
	set(&t, "cpu_time", l.CPUTime, duration)
	set(&t, "file_size", l.FileSize, whole)
	return t
}

func openingsTree(o arena.Openings) tree {
	var t tree
	switch {
	case o.File != "":
		t.add("file", text(o.File))
		if o.SHA256 != "" {
			t.add("sha256", text(o.SHA256))
		}
	case o.Balanced != nil:
		t.add("balanced", tree{
			{"plies", whole(o.Balanced.Plies)},
			{"bot", text(o.Balanced.Bot)},
			{"depth", whole(o.Balanced.Depth)},
			{"window", whole(o.Balanced.Window)},
			{"count", whole(o.Balanced.Count)},
		}.flow())
	default:
		set(&t, "random", o.Random, whole)
		return t
	}
	t.add("order", text(o.Order))
	t.add("start", whole(o.Start))
	if o.Plies > 0 {
		t.add("plies", whole(o.Plies))
	}
	return t
}

func clockTree(c arena.TimeControl) tree {
	var t tree
	set(&t, "move", c.Move, duration)
	set(&t, "base", c.Base, duration)
	set(&t, "increment", c.Increment, duration)
	set(&t, "moves", c.Moves, whole)
	set(&t, "nodes", c.Nodes, whole)
	set(&t, "depth", c.Depth, whole)
	t.add("margin", duration(c.Margin))
	return t
}

func adjudicationTree(a arena.Adjudication) tree {
	var t tree
	if a.ResignScore > 0 {
		t.add("resign", tree{
			{"score", whole(a.ResignScore)},
			{"moves", whole(a.ResignMoves)},
			{"both", boolean(a.ResignBoth)},
		}.flow())
	}
	if a.DrawMoves > 0 {
		t.add("draw", tree{
			{"score", whole(a.DrawScore)},
			{"moves", whole(a.DrawMoves)},
			{"from", whole(a.DrawFrom)},
		}.flow())
	}
	if a.Tables {
		t.add("tables", boolean(true))
	}
	return t
}

func botTree(b arena.Bot) tree {
	var t tree
	t.add("name", text(b.Name))
	set(&t, "builtin", b.Builtin, text)
	if b.Builtin == "" {
		t.add("command", texts(b.Command))
	}
	if len(b.Args) > 0 {
		t.add("args", texts(b.Args))
	}
	set(&t, "dir", b.Dir, text)
	if len(b.Env) > 0 {
		t.add("env", texts(b.Env))
	}
	if len(b.Build) > 0 {
		t.add("build", texts(b.Build))
	}
	if o := optionsTree(b.Options); len(o) > 0 {
		t.add("options", o.flow())
	}
	t.add("protocol", word(b.Protocol))
	t.add("threads", whole(b.Threads))
	if l := limitsTree(b.Limits); len(l) > 0 {
		t.add("limits", l.flow())
	}
	t.add("sandbox", word(b.Sandbox))
	if len(b.SandboxRead) > 0 || b.Sandbox == arena.SandboxStrict || b.Dir != "" {
		t.add("sandbox_read", texts(b.SandboxRead))
	}
	t.add("restart", word(b.Restart))
	set(&t, "fleet", b.Travel, word)
	set(&t, "version", b.Version, text)
	if b.Clock != nil {
		t.add("clock", clockTree(*b.Clock).flow())
	}
	set(&t, "seed", b.Seed, whole)
	if len(b.Replaces) > 0 {
		t.add("replaces", texts(b.Replaces))
	}
	set(&t, "withdrawn", b.Withdrawn, boolean)
	return t
}
