package config

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
)

// ParseAdjudication reads the settings of adjudicate.resign and adjudicate.draw as
// flags write them: KEY=VALUE joined with commas, where a KEY alone is true, such
// as "score=500,moves=3,both" and "score=10,moves=8,from=40"; "" is off. The error
// is an *arena.InvalidError.
func ParseAdjudication(resign, draw string) (arena.Adjudication, error) {
	r := shortReader()
	var a arena.Adjudication
	for _, s := range arena.Settings(&a) {
		if line := map[string]string{"resign": resign, "draw": draw}[s.Key]; line != "" {
			r.value(short(adjudication(line)), "adjudicate."+s.Key, &s)
		}
	}
	return a, r.shortErr()
}

// adjudication returns a line of fastchess or cutechess in arena's keys, as near as they
// come. The keys may have blanks between them there.
func adjudication(line string) string {
	parts := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' })
	for i, part := range parts {
		key, value, given := strings.Cut(part, "=")
		if n, err := strconv.ParseInt(value, 10, 32); key == "movenumber" && err == nil {
			value = strconv.FormatInt(2*n, 10) // plies
		}
		if ours := theirKeys()[key]; ours != "" && given {
			parts[i] = ours + "=" + value
		}
	}
	return strings.Join(parts, ",")
}

// theirKeys are keys of fastchess and cutechess, and arena's.
func theirKeys() map[string]string {
	return map[string]string{"movecount": "moves", "movenumber": "from", "twosided": "both"}
}

// ParseLimits reads the settings of limits as a flag writes them, such as
// "memory=512MB,cpu_time=1h". The error is an *arena.InvalidError.
func ParseLimits(text string) (arena.Limits, error) {
	r := shortReader()
	var l arena.Limits
	r.fields(short(text), "limits", &l)
	return l, r.shortErr()
}

func shortReader() *reader {
	return &reader{decoder: &decoder{at: map[string]*yaml.Node{}, left: maxNodes}}
}

// short returns the mapping that a flag writes on one line.
func short(line string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for part := range strings.SplitSeq(line, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			value = "true"
		}
		n.Content = append(n.Content, text(strings.TrimSpace(key)), &yaml.Node{Kind: yaml.ScalarNode, Value: strings.TrimSpace(value)})
	}
	return n
}

// shortErr returns the problems by their keys: a flag has no lines.
func (r *reader) shortErr() error {
	if len(r.problems) == 0 {
		return nil
	}
	var invalid arena.InvalidError
	for _, p := range r.problems {
		invalid.Problems = append(invalid.Problems, arena.Problem{Field: p.Key, Why: p.Why})
	}
	return &invalid
}
