package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v3"

	shown "botarena/arena/text"
	"botarena/engine/nearest"
)

// maxNodes bounds the work on one file: aliases can make a small file large.
const maxNodes = 1_000_000

// A decoder walks YAML nodes and collects problems.
type decoder struct {
	problems []Problem
	at       map[string]*yaml.Node // key path -> the node of the key, or of the list item
	left     int                   // nodes that may still be visited
}

// A key is one that a mapping may have.
type key struct {
	name string
	read func(n *yaml.Node, path string)
	sub  []key // the keys of its value where that is a mapping; without read it is read as one
}

func (d *decoder) problem(p Problem) {
	if d.left >= 0 {
		d.problems = append(d.problems, p)
	}
}

// wrong reports a problem of the value n of the key at path.
func (d *decoder) wrong(n *yaml.Node, path, format string, args ...any) {
	d.problem(Problem{Line: n.Line, Column: n.Column, Key: path, Why: fmt.Sprintf(format, args...)})
}

// fail reports a problem of the key at path, at its place or that of the nearest
// enclosing one that is in the file.
func (d *decoder) fail(path, format string, args ...any) {
	p := Problem{Line: 1, Column: 1, Key: path, Why: fmt.Sprintf(format, args...)}
	for at := path; at != ""; {
		if n := d.at[at]; n != nil {
			p.Line, p.Column = n.Line, n.Column
			break
		}
		at = at[:max(0, strings.LastIndexAny(at, ".["))]
	}
	d.problem(p)
}

// has reports whether the file has the key.
func (d *decoder) has(path string) bool { return d.at[path] != nil }

// spend counts a visited node, and returns false once there were too many.
func (d *decoder) spend(n *yaml.Node) bool {
	if d.left == 0 {
		// Nothing that was read so far is worth a word beside this.
		d.problems = nil
		d.wrong(n, "", "the aliases of this file unfold to too much")
		d.left = -1
	}
	if d.left < 0 {
		return false
	}
	d.left--
	return true
}

// value follows aliases.
func value(n *yaml.Node) *yaml.Node {
	// An alias refers to an anchor, never to another alias.
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

type entry struct{ key, value *yaml.Node }

// entries returns the keys of a mapping with those merged in by "<<", which give
// way to the mapping's own. Depth bounds merges that contain themselves.
func (d *decoder) entries(n *yaml.Node, path string, depth int) []entry {
	const maxDepth = 16
	var own, merged []entry
	have := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], value(n.Content[i+1])
		if !d.spend(k) {
			return nil
		}
		if k.ShortTag() == "!!merge" {
			from := []*yaml.Node{v}
			if v.Kind == yaml.SequenceNode {
				from = v.Content
			}
			for _, m := range from {
				if m = value(m); m.Kind != yaml.MappingNode || depth == maxDepth {
					d.wrong(k, path, "<< takes a mapping to merge, such as *anchor")
					continue
				}
				merged = append(merged, d.entries(m, path, depth+1)...)
			}
			continue
		}
		k = value(k)
		if k.Kind != yaml.ScalarNode {
			d.wrong(k, path, "a key is a word, not %s", kind(k))
			continue
		}
		if have[k.Value] {
			d.wrong(k, join(path, k.Value), "given twice")
			continue
		}
		have[k.Value] = true
		own = append(own, entry{k, v})
	}
	for _, e := range merged {
		if !have[e.key.Value] {
			have[e.key.Value] = true
			own = append(own, e)
		}
	}
	return own
}

// mapping reads the mapping n, which may have the given keys.
func (d *decoder) mapping(n *yaml.Node, path string, keys []key) {
	if n.Kind != yaml.MappingNode {
		names := make([]string, len(keys))
		for i, k := range keys {
			names[i] = k.name
		}
		d.wrong(n, path, "must be a mapping with keys like %s, not %s", strings.Join(names[:min(3, len(names))], ", "), kind(n))
		return
	}
	for _, e := range d.entries(n, path, 0) {
		at := join(path, e.key.Value)
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == e.key.Value })
		if i < 0 {
			d.unknown(e.key, path, keys)
			continue
		}
		d.at[at] = e.key
		if e.value.Kind == yaml.ScalarNode && !empty(e.value) {
			d.at[at] = e.value // what is wrong is the value
		}
		switch k := keys[i]; {
		case empty(e.value):
			d.wrong(e.key, at, "has no value; leave the key out for its default")
		case k.read != nil:
			k.read(e.value, at)
		default:
			d.mapping(e.value, at, k.sub)
		}
	}
}

func (d *decoder) unknown(n *yaml.Node, path string, keys []key) {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	where := "unknown key"
	if near := nearest.Of(n.Value, names); near != "" {
		d.wrong(n, join(path, clip(n.Value)), "%s; did you mean %q?", where, near)
		return
	}
	d.wrong(n, join(path, clip(n.Value)), "%s; known keys: %s", where, strings.Join(names, ", "))
}

// list calls read for each item.
func (d *decoder) list(n *yaml.Node, path, what string, read func(n *yaml.Node, path string)) {
	if n.Kind != yaml.SequenceNode {
		d.wrong(n, path, "must be a list of %s, not %s", what, kind(n))
		return
	}
	for i, item := range n.Content {
		if !d.spend(item) {
			return
		}
		at := fmt.Sprintf("%s[%d]", path, i)
		d.at[at] = item
		read(value(item), at)
	}
}

// text reads a scalar as it is written: a name may look like a number.
func (d *decoder) text(n *yaml.Node, path string) (string, bool) {
	if n.Kind != yaml.ScalarNode || empty(n) {
		d.wrong(n, path, "must be a text, not %s", kind(n))
		return "", false
	}
	if strings.ContainsRune(n.Value, 0) {
		d.wrong(n, path, "holds a null character")
		return "", false
	}
	return n.Value, true
}

func (d *decoder) textInto(p *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if s, ok := d.text(n, path); ok {
			*p = s
		}
	}
}

func (d *decoder) boolInto(p *bool) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(p) != nil {
			d.wrong(n, path, "must be true or false, not %s", kind(n))
		}
	}
}

// A zero says what the domain means by a zero of a setting.
type zero bool

// The zeros: one that is a value like others, and one that means "not set", which
// is said by leaving the key out.
const (
	zeroCounts zero = true
	zeroUnset  zero = false
)

func intInto[T int | int64](d *decoder, p *T, z zero) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		var v T
		switch {
		case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int":
			d.wrong(n, path, "must be a whole number, not %s", kind(n))
		case n.Decode(&v) != nil:
			d.wrong(n, path, "%s is out of range", clip(n.Value))
		case z == zeroUnset && v <= 0:
			d.wrong(n, path, "%d is too small; at least 1", v)
		default:
			*p = v
		}
	}
}

func (d *decoder) uint64Into(p *uint64) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
			d.wrong(n, path, "must be a whole number, not %s", kind(n))
		} else if n.Decode(p) != nil {
			d.wrong(n, path, "%s is out of range; from 0 to %d", clip(n.Value), uint64(math.MaxUint64))
		}
	}
}

func (d *decoder) floatInto(p *float64, z zero) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		var v float64
		tag := n.ShortTag()
		switch {
		case n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" || n.Decode(&v) != nil:
			d.wrong(n, path, "must be a number, not %s", kind(n))
		case z == zeroUnset && v <= 0:
			d.wrong(n, path, "%s is out of range; more than 0", clip(n.Value))
		default:
			*p = v
		}
	}
}

// durationInto reads a time with its unit.
func (d *decoder) durationInto(p *time.Duration, z zero) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if n.Kind != yaml.ScalarNode {
			d.wrong(n, path, "must be a time such as 100ms or 2m30s, not %s", kind(n))
			return
		}
		v, err := time.ParseDuration(strings.ReplaceAll(n.Value, " ", ""))
		if _, bare := strconv.ParseFloat(n.Value, 64); bare == nil && err != nil {
			d.wrong(n, path, "%s has no unit; write %sms or %ss", clip(n.Value), clip(n.Value), clip(n.Value))
			return
		}
		switch {
		case err != nil:
			d.wrong(n, path, "%q is no time; write it like 100ms, 10s, 2m30s or 48h", clip(n.Value))
		case z == zeroUnset && v <= 0:
			d.wrong(n, path, "%s is too short; more than nothing", n.Value)
		default:
			*p = v
		}
	}
}

// sizeInto reads a number of bytes with an optional unit.
func (d *decoder) sizeInto(p *int64) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		v, err := humanize.ParseBytes(n.Value)
		switch {
		case n.Kind != yaml.ScalarNode || err != nil || v > math.MaxInt64:
			d.wrong(n, path, "must be a size such as 512MB or 1GiB, not %s", kind(n))
		case v < 1:
			d.wrong(n, path, "must be more than nothing; leave the key out for no limit")
		default:
			*p = int64(v)
		}
	}
}

// wordInto reads a word of which there are few: the domain knows which.
func wordInto[T ~string](d *decoder, p *T) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if s, ok := d.text(n, path); ok {
			*p = T(s)
		}
	}
}

// usualWord reads a word of which one is the usual, and the domain's zero.
func usualWord[T ~string](d *decoder, p *T, usual string) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if s, ok := d.text(n, path); ok && s != usual {
			*p = T(s)
		}
	}
}

func empty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// kind names what a node is, for a message.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		switch n.ShortTag() {
		case "!!null":
			return "empty"
		case "!!int", "!!float":
			return "the number " + clip(n.Value)
		case "!!bool":
			return clip(n.Value)
		}
		return fmt.Sprintf("the text %q", clip(n.Value))
	}
	return "an alias"
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// clip shortens a long text for a message.
func clip(s string) string { return shown.Clip(s, 60) }
