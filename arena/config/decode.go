package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v3"

	"botarena/arena"
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

func (d *decoder) problem(p Problem) {
	if d.left >= 0 {
		d.problems = append(d.problems, p)
	}
}

// wrong reports a problem of the value n at path.
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

// spend counts a visited node, and returns false after maxNodes.
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

// mapping reads the mapping n, which may set those settings: it calls read for each
// that is given.
func (d *decoder) mapping(n *yaml.Node, path string, all []arena.Setting, read func(n *yaml.Node, path string, s *arena.Setting)) {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Key
	}
	if n.Kind != yaml.MappingNode {
		d.wrong(n, path, "must be a mapping with keys like %s, not %s", strings.Join(names[:min(3, len(names))], ", "), kind(n))
		return
	}
	for _, e := range d.entries(n, path, 0) {
		at := join(path, e.key.Value)
		i := slices.Index(names, e.key.Value)
		if i < 0 {
			hint := "known keys: " + strings.Join(names, ", ")
			near := theirKeys()[e.key.Value]
			if !slices.Contains(names, near) {
				near = nearest.Of(e.key.Value, names)
			}
			if near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			if at == "host" {
				hint = "it makes the file a league's, which `arena host FILE` plays"
			}
			d.wrong(e.key, join(path, clip(e.key.Value)), "unknown key; %s", hint)
			continue
		}
		d.at[at] = e.key
		if e.value.Kind == yaml.ScalarNode && !empty(e.value) {
			d.at[at] = e.value // what is wrong is the value
		}
		if empty(e.value) {
			d.wrong(e.key, at, "has no value; leave the key out for its default")
		} else {
			read(e.value, at, &all[i])
		}
	}
	var missing []string
	for _, s := range all {
		if s.Is("needed") && !d.has(join(path, s.Key)) {
			missing = append(missing, s.Key)
		}
	}
	if len(missing) > 0 {
		d.fail(path, "needs %s", strings.Join(missing, " and "))
	}
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

// scalar reads the value of a setting that is one word, number or time.
func (d *decoder) scalar(n *yaml.Node, path string, s *arena.Setting) {
	v := s.Value
	switch {
	case s.Zero != "" && n.Kind == yaml.ScalarNode && n.Value == s.Zero:
		v.SetZero()
	case v.Kind() == reflect.String:
		if text, ok := d.text(n, path); ok {
			v.SetString(text)
		}
	case v.Kind() == reflect.Bool && len(s.Words) > 0:
		if text, ok := d.text(n, path); ok && !slices.Contains(s.Words, text) {
			d.wrong(n, path, "%q is not known; one of %s", clip(text), strings.Join(s.Words, ", "))
		} else {
			v.SetBool(text == s.Words[1])
		}
	case v.Kind() == reflect.Bool:
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(v.Addr().Interface()) != nil {
			d.wrong(n, path, "must be true or false, not %s", kind(n))
		}
	case v.Type() == reflect.TypeFor[time.Duration]():
		d.duration(n, path, s)
	case s.Is("size"):
		size, err := humanize.ParseBytes(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || size > math.MaxInt64 {
			d.wrong(n, path, "must be a size such as 512MB or 1GiB, not %s", kind(n))
		} else if v.SetInt(int64(size)); size < 1 {
			d.wrong(n, path, "must be more than nothing; leave the key out for no limit")
		}
	default:
		d.number(n, path, s)
	}
}

func (d *decoder) number(n *yaml.Node, path string, s *arena.Setting) {
	v, tag := s.Value, n.ShortTag()
	fresh := reflect.New(v.Type())
	what := "a whole number"
	whole := tag == "!!int"
	if v.CanFloat() {
		what, whole = "a number", whole || tag == "!!float"
	} else if s.Zero != "" {
		what = s.Zero + " or a number"
	}
	switch {
	case n.Kind != yaml.ScalarNode || !whole:
		d.wrong(n, path, "must be %s, not %s", what, kind(n))
	case n.Decode(fresh.Interface()) != nil:
		d.wrong(n, path, "%s is out of range", clip(n.Value))
	case fresh.Elem().IsZero() && s.Zero != "":
		d.wrong(n, path, "%s is too small; at least 1, or %s", clip(n.Value), s.Zero)
	case fresh.Elem().IsZero() && s.Is("positive"):
		d.wrong(n, path, "%s is too small; leave the key out for none", clip(n.Value))
	default:
		v.Set(fresh.Elem())
	}
}

// duration reads a time with its unit.
func (d *decoder) duration(n *yaml.Node, path string, s *arena.Setting) {
	if n.Kind != yaml.ScalarNode {
		d.wrong(n, path, "must be a time such as 100ms or 2m30s, not %s", kind(n))
		return
	}
	v, err := time.ParseDuration(strings.ReplaceAll(n.Value, " ", ""))
	_, bare := strconv.ParseFloat(n.Value, 64)
	switch {
	case err != nil && bare == nil:
		d.wrong(n, path, "%s has no unit; write %sms or %ss", clip(n.Value), clip(n.Value), clip(n.Value))
	case err != nil:
		d.wrong(n, path, "%q is no time; write it like 100ms, 10s, 2m30s or 48h", clip(n.Value))
	case s.Is("positive") && v <= 0:
		d.wrong(n, path, "%s is too short; more than nothing", n.Value)
	default:
		s.Value.SetInt(int64(v))
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
