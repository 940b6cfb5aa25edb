package config

import (
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
)

const (
	logNone     = "none"
	logProtocol = "protocol"
	autoWord    = "auto"
	travelUsual = "bundle"
	scaleUsual  = "none"
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

	written int                 // problems that are not the domain's
	invalid *arena.InvalidError // the domain's; nil for none
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

func (r *reader) keys() []key {
	e := &r.event
	r.sandbox, r.restart = arena.SandboxNone, arena.RestartOnFault
	r.balanced, r.sprt = DefaultBalanced(), DefaultSPRT()
	return []key{
		{name: "event", read: r.textInto(&e.Name)},
		{name: "game", read: r.game, sub: r.gameKeys()},
		{name: "format", read: wordInto(r.decoder, &e.Format)},
		{name: "rounds", read: intInto(r.decoder, &e.Rounds, zeroCounts)},
		{name: "cycles", read: intInto(r.decoder, &e.Cycles, zeroCounts)},
		{name: "swap", read: r.boolInto(&e.Swap)},
		{name: "seed", read: r.uint64Into(&e.Seed)},
		{name: "openings", sub: []key{
			{name: "random", read: intInto(r.decoder, &e.Openings.Random, zeroCounts)},
			{name: "file", read: func(n *yaml.Node, path string) { r.file(n, path, &e.Openings.File) }},
			{name: "sha256", read: r.textInto(&e.Openings.SHA256)},
			{name: "balanced", sub: []key{
				{name: "plies", read: intInto(r.decoder, &r.balanced.Plies, zeroCounts)},
				{name: "bot", read: r.textInto(&r.balanced.Bot)},
				{name: "depth", read: intInto(r.decoder, &r.balanced.Depth, zeroCounts)},
				{name: "window", read: intInto(r.decoder, &r.balanced.Window, zeroCounts)},
				{name: "count", read: intInto(r.decoder, &r.balanced.Count, zeroCounts)},
			}},
			{name: "order", read: wordInto(r.decoder, &e.Openings.Order)},
			{name: "start", read: intInto(r.decoder, &e.Openings.Start, zeroCounts)},
			{name: "plies", read: intInto(r.decoder, &e.Openings.Plies, zeroUnset)},
		}},
		{name: "clock", read: r.clock(&e.Clock), sub: r.clockKeys(&e.Clock)},
		{name: "concurrency", read: r.concurrency},
		{name: "max_plies", read: intInto(r.decoder, &e.MaxPlies, zeroUnset)},
		{name: "bots", read: r.readBots, sub: r.botKeys(&bot{})},
		{name: "options", read: func(n *yaml.Node, path string) { r.options = r.readOptions(n, path) }},
		{name: "limits", sub: r.limitKeys(&r.limits)},
		{name: "sandbox", read: wordInto(r.decoder, &r.sandbox)},
		{name: "restart", read: wordInto(r.decoder, &r.restart)},
		{name: "gauntlet", sub: []key{
			{name: "challengers", read: intInto(r.decoder, &e.Gauntlet.Challengers, zeroCounts)},
		}},
		{name: "knockout", sub: []key{
			{name: "third_place", read: r.boolInto(&e.Knockout.ThirdPlace)},
			{name: "tie_breaks", read: intInto(r.decoder, &e.Knockout.TieBreaks, zeroCounts)},
		}},
		{name: "ladder", sub: []key{
			{name: "games", read: intInto(r.decoder, &e.Ladder.Games, zeroUnset)},
			{name: "time", read: r.durationInto(&e.Ladder.Time, zeroUnset)},
			{name: "width", read: r.floatInto(&e.Ladder.Width, zeroUnset)},
			{name: "choose", read: wordInto(r.decoder, &e.Ladder.Choose)},
		}},
		{name: "sprt", sub: []key{
			{name: "elo0", read: r.floatInto(&r.sprt.Elo0, zeroCounts)},
			{name: "elo1", read: r.floatInto(&r.sprt.Elo1, zeroCounts)},
			{name: "alpha", read: r.floatInto(&r.sprt.Alpha, zeroCounts)},
			{name: "beta", read: r.floatInto(&r.sprt.Beta, zeroCounts)},
			{name: "model", read: wordInto(r.decoder, &r.sprt.Model)},
		}},
		{name: "adjudicate", sub: []key{
			{name: "resign", sub: []key{
				{name: "score", read: intInto(r.decoder, &r.resign.ResignScore, zeroUnset)},
				{name: "moves", read: intInto(r.decoder, &r.resign.ResignMoves, zeroUnset)},
				{name: "both", read: r.boolInto(&r.resign.ResignBoth)},
			}},
			{name: "draw", sub: []key{
				{name: "score", read: intInto(r.decoder, &r.draw.DrawScore, zeroCounts)},
				{name: "moves", read: intInto(r.decoder, &r.draw.DrawMoves, zeroUnset)},
				{name: "from", read: intInto(r.decoder, &r.draw.DrawFrom, zeroCounts)},
			}},
			{name: "tables", read: r.boolInto(&e.Adjudicate.Tables)},
		}},
		{name: "elo", sub: []key{
			{name: "start", read: r.floatInto(&e.Elo.Start, zeroCounts)},
			{name: "k", read: r.floatInto(&e.Elo.K0, zeroCounts)},
			{name: "k_min", read: r.floatInto(&e.Elo.KMin, zeroCounts)},
			{name: "n0", read: r.floatInto(&e.Elo.N0, zeroCounts)},
		}},
		{name: "pin", read: wordInto(r.decoder, &e.Pin)},
		{name: "grace", read: r.durationInto(&e.Grace, zeroCounts)},
		{name: "handshake", read: r.durationInto(&e.Handshake, zeroUnset)},
		{name: "max_faults", read: intInto(r.decoder, &e.MaxFaults, zeroCounts)},
		{name: "ponder", read: r.boolInto(&e.Ponder)},
		{name: "suspend", read: r.boolInto(&e.Suspend)},
		{name: "league", read: r.textInto(&e.League)},
		{name: "scale", read: usualWord(r.decoder, &e.Scale, scaleUsual)},
		{name: "log", read: func(n *yaml.Node, path string) {
			s, ok := r.text(n, path)
			if ok && s != logNone && s != logProtocol {
				r.wrong(n, path, "%q is not known; one of %s, %s", clip(s), logNone, logProtocol)
			}
			e.LogProtocol = s == logProtocol
		}},
	}
}

// game reads the name of a game that arena knows, or a name and the program that
// knows its rules.
func (r *reader) game(n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode {
		r.textInto(&r.event.Game)(n, path)
		return
	}
	r.mapping(n, path, r.gameKeys())
	if n.Kind == yaml.MappingNode && !r.has(path+".rules") {
		r.fail(path, "needs rules: the program that knows them; a game that arena knows is named alone, as in game: breakthrough")
	}
}

func (r *reader) gameKeys() []key {
	return []key{
		{name: "name", read: r.textInto(&r.event.Game)},
		{name: "rules", read: r.rules, sub: r.rulesKeys(&arena.Bot{})},
	}
}

// rules reads the program that knows the rules of a game: a command, or a mapping.
func (r *reader) rules(n *yaml.Node, path string) {
	b := DefaultRules()
	r.event.Rules = &b
	if n.Kind == yaml.MappingNode {
		r.mapping(n, path, r.rulesKeys(&b))
	} else {
		b.Command = r.command(n, path)
	}
	switch {
	case !r.has(path + ".dir"):
		b.Dir = r.folder
	case b.Sandbox == arena.SandboxStrict && !r.has(path+".sandbox_read"):
		b.SandboxRead = []string{"."}
	}
}

func (r *reader) rulesKeys(b *arena.Bot) []key {
	return []key{
		{name: "command", read: func(n *yaml.Node, path string) { b.Command = r.command(n, path) }},
		{name: "dir", read: func(n *yaml.Node, path string) { r.file(n, path, &b.Dir) }},
		{name: "env", read: func(n *yaml.Node, path string) { b.Env = r.texts(n, path, `"NAME=VALUE"`) }},
		{name: "options", read: func(n *yaml.Node, path string) { b.Options = r.readOptions(n, path) }},
		{name: "limits", sub: r.limitKeys(&b.Limits)},
		{name: "sandbox", read: wordInto(r.decoder, &b.Sandbox)},
		{name: "sandbox_read", read: func(n *yaml.Node, path string) { b.SandboxRead = r.texts(n, path, "files and folders") }},
		{name: "version", read: r.textInto(&b.Version)},
	}
}

// clock reads a time control: a mapping, or a text as flags name it.
func (r *reader) clock(c *arena.TimeControl) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if n.Kind != yaml.ScalarNode {
			r.mapping(n, path, r.clockKeys(c))
			return
		}
		read, margin, err := parseClock(n.Value)
		if err != nil {
			r.wrong(n, path, "%v", err)
			return
		}
		if *c = read; margin {
			r.at[join(path, "margin")] = r.at[path]
		}
	}
}

func (r *reader) clockKeys(c *arena.TimeControl) []key {
	return []key{
		{name: "move", read: r.durationInto(&c.Move, zeroUnset)},
		{name: "base", read: r.durationInto(&c.Base, zeroUnset)},
		{name: "increment", read: r.durationInto(&c.Increment, zeroCounts)},
		{name: "moves", read: intInto(r.decoder, &c.Moves, zeroUnset)},
		{name: "nodes", read: intInto(r.decoder, &c.Nodes, zeroUnset)},
		{name: "depth", read: intInto(r.decoder, &c.Depth, zeroUnset)},
		{name: "margin", read: r.durationInto(&c.Margin, zeroCounts)},
	}
}

func (r *reader) limitKeys(l *arena.Limits) []key {
	return []key{
		{name: "memory", read: r.sizeInto(&l.Memory)},
		{name: "processes", read: intInto(r.decoder, &l.Processes, zeroUnset)},
		{name: "cpu_time", read: r.durationInto(&l.CPUTime, zeroUnset)},
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
		{name: "env", read: func(n *yaml.Node, path string) { b.Env = r.texts(n, path, `"NAME=VALUE"`) }},
		{name: "build", read: func(n *yaml.Node, path string) { b.Build = r.command(n, path) }},
		{name: "options", read: func(n *yaml.Node, path string) { b.Options = r.readOptions(n, path) }},
		{name: "protocol", read: wordInto(r.decoder, &b.Protocol)},
		{name: "threads", read: intInto(r.decoder, &b.Threads, zeroCounts)},
		{name: "limits", sub: r.limitKeys(&b.Limits)},
		{name: "sandbox", read: wordInto(r.decoder, &b.Sandbox)},
		{name: "sandbox_read", read: func(n *yaml.Node, path string) { b.SandboxRead = r.texts(n, path, "files and folders") }},
		{name: "restart", read: wordInto(r.decoder, &b.Restart)},
		{name: "fleet", read: usualWord(r.decoder, &b.Travel, travelUsual)},
		{name: "version", read: r.textInto(&b.Version)},
		{name: "clock", read: r.clock(&b.clock), sub: r.clockKeys(&b.clock)},
		{name: "seed", read: intInto(r.decoder, &b.Seed, zeroUnset)},
		{name: "replaces", read: func(n *yaml.Node, path string) {
			if n.Kind == yaml.ScalarNode {
				if s, ok := r.text(n, path); ok {
					b.Replaces = []string{s}
				}
				return
			}
			b.Replaces = r.texts(n, path, "names of bots")
		}},
		{name: "withdrawn", read: r.boolInto(&b.Withdrawn)},
	}
}

func (r *reader) readBots(n *yaml.Node, path string) {
	r.list(n, path, "bots", func(n *yaml.Node, path string) {
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
		intInto(r.decoder, &r.event.Concurrency, zeroUnset)(n, path)
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
	r.list(n, path, what, func(n *yaml.Node, path string) {
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
		if words, err = SplitCommand(line); err != nil {
			r.wrong(n, path, "%v", err)
			return nil
		}
	default:
		r.wrong(n, path, "must be a list or a string, not %s", kind(n))
		return nil
	}
	if len(words) == 0 {
		r.wrong(n, path, "names no program")
	}
	return words
}

func (r *reader) readOptions(n *yaml.Node, path string) []arena.Option {
	if n.Kind != yaml.MappingNode {
		r.wrong(n, path, "must be a mapping of names to values, not %s", kind(n))
		return nil
	}
	var options []arena.Option
	for _, e := range r.entries(n, path, 0) {
		name := e.key.Value
		at := join(path, clip(name))
		r.at[at] = e.key
		if e.value.Kind != yaml.ScalarNode {
			r.wrong(e.value, at, "must be a single value, not %s", kind(e.value))
			continue
		}
		o := arena.Option{Name: name, Value: e.value.Value}
		if empty(e.value) {
			o.Value = "" // a button, or an empty text
		}
		options = append(options, o)
	}
	return options
}
