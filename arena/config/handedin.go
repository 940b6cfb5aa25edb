package config

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
)

// ReadHandedIn reads the text of a bot.yaml, in which those who hand in a bot say what the
// files beside it do not: some keys of a bot's entry in an event file, all of them
// optional. File is its name as problems should have it. The bot has no name, and no command
// where the file gives none. The error is *Errors.
func ReadHandedIn(data []byte, file string) (arena.Bot, error) {
	r := shortReader()
	b := DefaultBot()
	if len(data) <= maxSize && errors.Is(yaml.NewDecoder(bytes.NewReader(data)).Decode(&yaml.Node{}), io.EOF) {
		return b, nil // nothing but comments
	}
	if root := r.parse(data); root != nil {
		r.mapping(value(root), "", slices.DeleteFunc(arena.Settings(&b), func(s arena.Setting) bool { return !s.Is("team") }), r.value)
		r.judgeBot(b)
	}
	if len(r.problems) > 0 {
		return arena.Bot{}, newErrors(file, r.problems)
	}
	return b, nil
}

// judgeBot adds what the domain says against a bot that is to get a name, and perhaps a
// command.
func (r *reader) judgeBot(b arena.Bot) {
	r.written = len(r.problems)
	b.Name = "bot"
	if len(b.Command) == 0 {
		b.Command = []string{"bot"}
	}
	var invalid *arena.InvalidError
	if errors.As(b.Validate(arena.Known{}), &invalid) {
		for _, p := range invalid.Problems {
			if !r.follows(p.Field) {
				r.fail(p.Field, "%s", p.Why)
			}
		}
	}
}
