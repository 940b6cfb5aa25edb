package protocol

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"botarena/engine/nearest"
)

// An OptionType is the type of an option's values.
type OptionType uint8

// The types of options.
const (
	Check  OptionType = iota // true or false
	Spin                     // an integer within bounds
	Combo                    // one of a list of texts
	Button                   // no value: setting it does something
	String                   // any text
)

func optionTypes() []string { return []string{"check", "spin", "combo", "button", "string"} }

// String returns the word after "type".
func (t OptionType) String() string {
	if words := optionTypes(); int(t) < len(words) {
		return words[t]
	}
	return fmt.Sprintf("OptionType(%d)", uint8(t))
}

// An Option is an option that a bot declares.
type Option struct {
	Name    string
	Type    OptionType
	Default string   // "" also where none was given
	Min     int64    // of a spin; math.MinInt64 without one
	Max     int64    // of a spin; math.MaxInt64 without one
	Vars    []string // of a combo
}

// An OptionError explains why an option cannot be set.
type OptionError struct {
	Name    string
	Value   string
	Why     string
	Nearest string // the name or value to write instead, "" if nothing is near
}

// Error names the option, the reason and what to write instead.
func (e *OptionError) Error() string {
	text := fmt.Sprintf("option %q: %s", e.Name, e.Why)
	if e.Nearest != "" {
		text += fmt.Sprintf("; did you mean %q?", e.Nearest)
	}
	return text
}

// Check reports whether the option takes that value. The error is an
// *OptionError.
func (o Option) Check(value string) error {
	_, err := o.canonical(value)
	return err
}

// canonical returns the value as the option declares it.
func (o Option) canonical(value string) (string, error) {
	fail := func(nearest, format string, args ...any) (string, error) {
		return "", &OptionError{Name: o.Name, Value: value, Why: fmt.Sprintf(format, args...), Nearest: nearest}
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
		return fail("", "the value %q contains a control character", value)
	}
	switch o.Type {
	case Check:
		switch lower := strings.ToLower(value); lower {
		case "true", "false":
			return lower, nil
		case "yes", "on", "1":
			return fail("true", "%q is neither true nor false", value)
		case "no", "off", "0":
			return fail("false", "%q is neither true nor false", value)
		}
		return fail("", "%q is neither true nor false", value)
	case Spin:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return fail("", "%q is not an integer %s", value, o.bounds())
		}
		if n < o.Min || n > o.Max {
			return fail("", "%s is out of range; use an integer %s", value, o.bounds())
		}
		return strconv.FormatInt(n, 10), nil
	case Combo:
		if slices.Contains(o.Vars, value) {
			return value, nil
		}
		if i := slices.IndexFunc(o.Vars, func(v string) bool { return strings.EqualFold(v, value) }); i >= 0 {
			return o.Vars[i], nil
		}
		if near := nearest.Of(value, o.Vars); near != "" {
			return fail(near, "%q is not one of its values", value)
		}
		return fail("", "%q is not one of its values; they are %s", value, list(o.Vars))
	case Button:
		if value != "" {
			return fail("", "a button takes no value, not %q", value)
		}
	}
	return value, nil
}

func (o Option) bounds() string {
	switch {
	case o.Min == math.MinInt64 && o.Max == math.MaxInt64:
		return "of 64 bits"
	case o.Min == math.MinInt64:
		return fmt.Sprintf("up to %d", o.Max)
	case o.Max == math.MaxInt64:
		return fmt.Sprintf("from %d", o.Min)
	}
	return fmt.Sprintf("from %d to %d", o.Min, o.Max)
}

// Options holds the options that a bot declares.
type Options []Option

// Find returns the option of that name, in any case of letters.
func (o Options) Find(name string) (Option, bool) {
	for _, option := range o {
		if option.Name == name {
			return option, true
		}
	}
	i := slices.IndexFunc(o, func(option Option) bool { return strings.EqualFold(option.Name, name) })
	if i < 0 {
		return Option{}, false
	}
	return o[i], true
}

// Resolve returns name and value in the bot's own spelling. The error is an
// *OptionError if the bot has no option of that name, or if it does not take that
// value.
func (o Options) Resolve(name, value string) (declaredName, declaredValue string, err error) {
	option, ok := o.Find(name)
	if !ok {
		names := make([]string, len(o))
		for i := range o {
			names[i] = o[i].Name
		}
		e := &OptionError{Name: name, Value: value, Why: "the bot declares no such option", Nearest: nearest.Of(name, names)}
		switch {
		case len(o) == 0:
			e.Why = "the bot declares no options"
		case e.Nearest == "":
			e.Why += "; it declares " + list(names)
		}
		return "", "", e
	}
	value, err = option.canonical(value)
	return option.Name, value, err
}

// list joins names for a message, without the tail of a very long list.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// AppendOption appends an option line.
func AppendOption(dst []byte, o Option) []byte {
	dst = append(dst, "option name "...)
	dst = appendText(dst, o.Name)
	dst = append(dst, " type "...)
	dst = append(dst, o.Type.String()...)
	if o.Type != Button && (o.Default != "" || o.Type == String) {
		dst = append(dst, " default "...)
		dst = appendValue(dst, o.Default)
	}
	if o.Type == Spin {
		if o.Min != math.MinInt64 {
			dst = strconv.AppendInt(append(dst, " min "...), o.Min, 10)
		}
		if o.Max != math.MaxInt64 {
			dst = strconv.AppendInt(append(dst, " max "...), o.Max, 10)
		}
	}
	if o.Type == Combo {
		for _, v := range o.Vars {
			dst = appendValue(append(dst, " var "...), v)
		}
	}
	return append(dst, '\n')
}

const empty = "<empty>"

func appendValue(dst []byte, value string) []byte {
	if value == "" {
		return append(dst, empty...)
	}
	return appendText(dst, value)
}

func value(text []byte) string {
	if string(text) == empty {
		return ""
	}
	return string(text)
}

// parseOption reads what follows the word option.
func parseOption(s *scanner) *Option {
	if string(s.word()) != "name" {
		s.fail(`"name" must follow "option"`)
		return nil
	}
	o := &Option{Min: math.MinInt64, Max: math.MaxInt64}
	o.Name = string(s.until(func(w []byte) bool { return string(w) == "type" }))
	if o.Name == "" {
		s.fail("the option has no name")
		return nil
	}
	if string(s.word()) != "type" {
		s.fail("the option has no type")
		return nil
	}
	i := slices.Index(optionTypes(), string(s.word()))
	if i < 0 {
		s.fail("the type is none of check, spin, combo, button, string")
		return nil
	}
	t := OptionType(i)
	o.Type = t
	for w := s.word(); len(w) > 0; w = s.word() {
		switch string(w) {
		case "default":
			switch t {
			case String:
				o.Default = value(s.rest())
			case Spin:
				if n, ok := s.number("default"); ok {
					o.Default = strconv.FormatInt(n, 10)
				}
			default:
				o.Default = value(s.until(optionWord))
			}
		case "min":
			if n, ok := s.number("min"); ok {
				o.Min = n
			}
		case "max":
			if n, ok := s.number("max"); ok {
				o.Max = n
			}
		case "var":
			o.Vars = append(o.Vars, value(s.until(optionWord)))
		}
	}
	if t == Spin && o.Min > o.Max {
		s.at = 0
		s.fail("min is greater than max")
	}
	if s.err != nil {
		return nil
	}
	return o
}

func optionWord(w []byte) bool {
	switch string(w) {
	case "default", "min", "max", "var":
		return true
	}
	return false
}
