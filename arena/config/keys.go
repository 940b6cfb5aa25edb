package config

import (
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
	"botarena/arena/rating"
)

// The largest values that make sense; beyond them a number is a slip.
const (
	maxBots    = 10_000
	maxItems   = 1000 // arguments, environment, options
	maxRounds  = 1_000_000
	maxPlies   = 1_000_000
	maxOpening = 1000 // plies
	maxSlots   = 4096
	maxCentis  = 1_000_000
	maxTestElo = 1000
)

// orders are the orders of a book's openings.
func orders() []string { return []string{"sequential", "shuffled"} }

// choosers are the ways to choose a ladder's next pair.
func choosers() []string { return []string{"information", "thompson"} }

// models are the units of a test's hypotheses.
func models() []string { return []string{string(rating.Normalized), string(rating.Logistic)} }

const (
	logNone     = "none"
	logProtocol = "protocol"
	autoWord    = "auto"
)

// A reader fills an event.
type reader struct {
	*decoder
	event    arena.Event
	folder   string
	known    Known
	resign   arena.Adjudication // as written; the keys decide
	draw     arena.Adjudication
	bots     []*bot
	options  []arena.Option
	limits   arena.Limits
	sandbox  arena.Sandbox
	restart  arena.Restart
	balanced arena.Balanced
	sprt     arena.SPRT
}

// A bot is an entry as written.
type bot struct {
	arena.Bot
	path   string
	clock  arena.TimeControl
	broken bool // no mapping, which is reported: nothing else to say of it
	// registered is the name under which the registry has it, "" for none.
	registered string
}

// Keys lists all keys that an event file may have, as paths without indexes,
// such as "bots.clock.move".
func Keys() []string {
	r := &reader{decoder: &decoder{}}
	var paths []string
	var walk func(prefix string, keys []key)
	walk = func(prefix string, keys []key) {
		for _, k := range keys {
			paths = append(paths, join(prefix, k.name))
			walk(join(prefix, k.name), k.sub)
		}
	}
	walk("", r.keys())
	return paths
}

func (r *reader) keys() []key {
	e := &r.event
	r.sandbox, r.restart = arena.SandboxNone, arena.RestartOnFault
	r.balanced, r.sprt = DefaultBalanced(), DefaultSPRT()
	return []key{
		{name: "event", read: r.textInto(&e.Name)},
		{name: "game", read: r.textInto(&e.Game)},
		{name: "format", read: enumInto(r.decoder, &e.Format, arena.Formats()...)},
		{name: "rounds", read: r.intInto(&e.Rounds, 1, maxRounds)},
		{name: "cycles", read: r.intInto(&e.Cycles, 1, 1000)},
		{name: "swap", read: r.boolInto(&e.Swap)},
		{name: "seed", read: r.uint64Into(&e.Seed)},
		{name: "openings", sub: []key{
			{name: "random", read: r.intInto(&e.Openings.Random, 0, maxOpening)},
			{name: "file", read: func(n *yaml.Node, path string) { r.file(n, path, &e.Openings.File) }},
			{name: "balanced", sub: []key{
				{name: "plies", read: r.intInto(&r.balanced.Plies, 1, maxOpening)},
				{name: "bot", read: r.textInto(&r.balanced.Bot)},
				{name: "depth", read: r.intInto(&r.balanced.Depth, 1, 100)},
				{name: "window", read: r.intInto(&r.balanced.Window, 0, maxCentis)},
				{name: "count", read: r.intInto(&r.balanced.Count, 1, 100_000)},
			}},
			{name: "order", read: enumInto(r.decoder, &e.Openings.Order, orders()...)},
			{name: "start", read: r.intInto(&e.Openings.Start, 1, maxRounds)},
		}},
		{name: "clock", sub: r.clockKeys(&e.Clock)},
		{name: "concurrency", read: r.concurrency},
		{name: "max_plies", read: r.intInto(&e.MaxPlies, 1, maxPlies)},
		{name: "bots", read: r.readBots, sub: r.botKeys(&bot{})},
		{name: "options", read: func(n *yaml.Node, path string) { r.options = r.readOptions(n, path) }},
		{name: "limits", sub: r.limitKeys(&r.limits)},
		{name: "sandbox", read: enumInto(r.decoder, &r.sandbox, arena.SandboxNone, arena.SandboxLimits, arena.SandboxStrict)},
		{name: "restart", read: enumInto(r.decoder, &r.restart, arena.RestartNever, arena.RestartOnFault, arena.RestartEvery)},
		{name: "gauntlet", sub: []key{
			{name: "challengers", read: r.intInto(&e.Gauntlet.Challengers, 1, maxBots)},
		}},
		{name: "knockout", sub: []key{
			{name: "third_place", read: r.boolInto(&e.Knockout.ThirdPlace)},
			{name: "tie_breaks", read: r.intInto(&e.Knockout.TieBreaks, 0, 1000)},
		}},
		{name: "ladder", sub: []key{
			{name: "games", read: r.intInto(&e.Ladder.Games, 1, 1_000_000_000)},
			{name: "time", read: r.durationInto(&e.Ladder.Time, 1)},
			{name: "width", read: r.floatInto(&e.Ladder.Width, 0.001)},
			{name: "choose", read: enumInto(r.decoder, &e.Ladder.Choose, choosers()...)},
		}},
		{name: "sprt", sub: []key{
			{name: "elo0", read: r.floatInto(&r.sprt.Elo0, -maxTestElo)},
			{name: "elo1", read: r.floatInto(&r.sprt.Elo1, -maxTestElo)},
			{name: "alpha", read: r.floatInto(&r.sprt.Alpha, 0)},
			{name: "beta", read: r.floatInto(&r.sprt.Beta, 0)},
			{name: "model", read: enumInto(r.decoder, &r.sprt.Model, models()...)},
		}},
		{name: "adjudicate", sub: []key{
			{name: "resign", sub: []key{
				{name: "score", read: r.intInto(&r.resign.ResignScore, 1, maxCentis)},
				{name: "moves", read: r.intInto(&r.resign.ResignMoves, 1, maxPlies)},
				{name: "both", read: r.boolInto(&r.resign.ResignBoth)},
			}},
			{name: "draw", sub: []key{
				{name: "score", read: r.intInto(&r.draw.DrawScore, 0, maxCentis)},
				{name: "moves", read: r.intInto(&r.draw.DrawMoves, 1, maxPlies)},
				{name: "from", read: r.intInto(&r.draw.DrawFrom, 0, maxPlies)},
			}},
		}},
		{name: "elo", sub: []key{
			{name: "start", read: r.floatInto(&e.Elo.Start, -1e9)},
			{name: "k", read: r.floatInto(&e.Elo.K0, 0)},
			{name: "k_min", read: r.floatInto(&e.Elo.KMin, 0)},
			{name: "n0", read: r.floatInto(&e.Elo.N0, 0.001)},
		}},
		{name: "pin", read: enumInto(r.decoder, &e.Pin, arena.PinAuto, arena.PinOn, arena.PinOff)},
		{name: "grace", read: r.durationInto(&e.Grace, 0)},
		{name: "log", read: func(n *yaml.Node, path string) {
			word := logNone
			enumInto(r.decoder, &word, logNone, logProtocol)(n, path)
			e.LogProtocol = word == logProtocol
		}},
	}
}

func (r *reader) clockKeys(c *arena.TimeControl) []key {
	return []key{
		{name: "move", read: r.durationInto(&c.Move, 1)},
		{name: "base", read: r.durationInto(&c.Base, 1)},
		{name: "increment", read: r.durationInto(&c.Increment, 0)},
		{name: "moves", read: r.intInto(&c.Moves, 1, maxPlies)},
		{name: "nodes", read: r.int64Into(&c.Nodes, 1, 1<<53)},
		{name: "depth", read: r.intInto(&c.Depth, 1, 1000)},
		{name: "margin", read: r.durationInto(&c.Margin, 0)},
	}
}

func (r *reader) limitKeys(l *arena.Limits) []key {
	return []key{
		{name: "memory", read: r.sizeInto(&l.Memory)},
		{name: "processes", read: r.intInto(&l.Processes, 1, maxPlies)},
		{name: "cpu_time", read: r.durationInto(&l.CPUTime, 1)},
		{name: "file_size", read: r.sizeInto(&l.FileSize)},
	}
}

func (r *reader) botKeys(b *bot) []key {
	return []key{
		{name: "name", read: r.textInto(&b.Name)},
		{name: "builtin", read: r.textInto(&b.Builtin)},
		{name: "command", read: func(n *yaml.Node, path string) { b.Command = r.command(n, path) }},
		{name: "registered", read: func(n *yaml.Node, path string) {
			if b.registered == "" {
				r.wrong(n, path, "must be the name of a registered bot, in the entry itself")
			}
		}},
		{name: "args", read: func(n *yaml.Node, path string) { b.Args = r.texts(n, path, "arguments") }},
		{name: "dir", read: func(n *yaml.Node, path string) { r.file(n, path, &b.Dir) }},
		{name: "env", read: func(n *yaml.Node, path string) { b.Env = r.env(n, path) }},
		{name: "build", read: func(n *yaml.Node, path string) { b.Build = r.command(n, path) }},
		{name: "options", read: func(n *yaml.Node, path string) { b.Options = r.readOptions(n, path) }},
		{name: "protocol", read: enumInto(r.decoder, &b.Protocol, arena.ProtocolAuto, arena.ProtocolUGI, arena.ProtocolUCI)},
		{name: "threads", read: r.intInto(&b.Threads, 1, maxSlots)},
		{name: "limits", sub: r.limitKeys(&b.Limits)},
		{name: "sandbox", read: enumInto(r.decoder, &b.Sandbox, arena.SandboxNone, arena.SandboxLimits, arena.SandboxStrict)},
		{name: "restart", read: enumInto(r.decoder, &b.Restart, arena.RestartNever, arena.RestartOnFault, arena.RestartEvery)},
		{name: "version", read: r.textInto(&b.Version)},
		{name: "clock", sub: r.clockKeys(&b.clock)},
		{name: "seed", read: r.intInto(&b.Seed, 1, maxBots)},
	}
}

func (r *reader) readBots(n *yaml.Node, path string) {
	r.list(n, path, "bots", maxBots, func(n *yaml.Node, path string) {
		b := &bot{Bot: DefaultBot(), path: path, broken: n.Kind != yaml.MappingNode}
		r.bots = append(r.bots, b)
		r.fromRegistry(n, path, b)
		r.mapping(n, path, r.botKeys(b))
	})
}

// fromRegistry fills in what the registry says of a bot, before the entry's own
// keys, wherever in it the name stands.
func (r *reader) fromRegistry(n *yaml.Node, path string, b *bot) {
	for i := 0; !b.broken && i+1 < len(n.Content); i += 2 {
		key, name := n.Content[i], n.Content[i+1]
		if key.Value != "registered" || name.Kind != yaml.ScalarNode || empty(name) || name.Value == "" {
			continue
		}
		b.registered, b.Name = name.Value, name.Value
		if r.known.Registered == nil {
			r.wrong(name, join(path, "registered"), "no registry of bots is at hand; enter it as command: or builtin:")
			return
		}
		found, err := r.known.Registered(name.Value)
		if err != nil {
			r.wrong(name, join(path, "registered"), "%v", err)
			return
		}
		b.Bot = found
		return
	}
}

func (r *reader) concurrency(n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode && n.Value == autoWord {
		r.event.Concurrency = 0
		return
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int" {
		r.intInto(&r.event.Concurrency, 1, maxSlots)(n, path)
		return
	}
	r.wrong(n, path, "must be auto or a number of games, not %s", kind(n))
}

// file reads a path, made absolute from the folder of the event file.
func (r *reader) file(n *yaml.Node, path string, p *string) {
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
	r.list(n, path, what, maxItems, func(n *yaml.Node, path string) {
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
		if words, err = split(line); err != nil {
			r.wrong(n, path, "%v", err)
			return nil
		}
	default:
		r.wrong(n, path, "must be a list or a string, not %s", kind(n))
		return nil
	}
	switch {
	case len(words) > maxItems:
		r.wrong(n, path, "has %d words; at most %d", len(words), maxItems)
	case len(words) == 0 || words[0] == "":
		r.wrong(n, path, "names no program")
	}
	return words
}

func (r *reader) env(n *yaml.Node, path string) []string {
	all := r.texts(n, path, `"NAME=VALUE"`)
	for _, kv := range all {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" {
			r.wrong(n, path, "%q must be NAME=VALUE", clip(kv))
		}
	}
	return all
}

func (r *reader) readOptions(n *yaml.Node, path string) []arena.Option {
	if n.Kind != yaml.MappingNode {
		r.wrong(n, path, "must be a mapping of names to values, not %s", kind(n))
		return nil
	}
	entries := r.entries(n, path, 0)
	if len(entries) > maxItems {
		r.wrong(n, path, "has %d options; at most %d", len(entries), maxItems)
		return nil
	}
	var options []arena.Option
	given := map[string]bool{} // in lower case
	for _, e := range entries {
		name, at := e.key.Value, join(path, clip(e.key.Value))
		if e.value.Kind != yaml.ScalarNode {
			r.wrong(e.value, at, "must be a single value, not %s", kind(e.value))
			continue
		}
		o := arena.Option{Name: name, Value: e.value.Value}
		if empty(e.value) {
			o.Value = "" // a button, or an empty text
		}
		// The name stands between the words "name" and "value" of a setoption line.
		switch words := strings.Fields(name); {
		case strings.Join(words, " ") != name || name == "" || !printable(name):
			r.wrong(e.key, at, "is no name of an option: words with one blank between them")
		case slices.Contains(words, "value"):
			r.wrong(e.key, at, "an option's name cannot have the word value in it")
		case !printable(o.Value):
			r.wrong(e.value, at, "an option's value is one printable line")
		case given[strings.ToLower(name)]:
			r.wrong(e.key, at, "given twice: names of options do not tell upper from lower case")
		default:
			given[strings.ToLower(name)] = true
			options = append(options, o)
		}
	}
	return options
}
