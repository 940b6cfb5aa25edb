package arena

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Setting is a field of an [Event], or of what it holds, that event files can set.
// The field's tags are all that package config and Validate know of it:
//
//	key:"name,option,..."   its key in event files, and the options below
//	default:"10s"           its value where a file does not have the key
//	range:"1..4096"         the least and the greatest value of a number or a time
//	words:"auto on off"     the words that it may be; of a bool: what false and true are called
//	zero:"auto"             the word for the zero value, which is outside of range
//	with:"file balanced"    the settings beside it of which one has to be set
//
// The options of a key:
//
//	aside      it does not alter games: no change of the event
//	command    a program and its arguments: a list, or one string
//	needed     a mapping must have it
//	omit       left out when an event is written, where it is zero; a struct is then
//	           "off", and has its defaults only where the key is given
//	path       a path from the file's folder
//	positive   zero means "not set", which a file says by leaving the key out; omit
//	program    no change where the bot's fingerprint is the same
//	rules      a setting of rules programs, too
//	size       a number of bytes
//	team       a setting that those who hand in a bot may set, in its bot.yaml
//	usual      left out when an event is written, where it is the default
type Setting struct {
	Key     string
	Value   reflect.Value // of the field
	Default string
	Words   []string
	Zero    string
	With    []string

	bounds  string
	options []string
}

// Settings returns the settings of a struct, which v points to, in order.
func Settings(v any) []Setting { return settings(reflect.ValueOf(v).Elem()) }

func settings(v reflect.Value) []Setting {
	var all []Setting
	for tag, at := range keyed(v) {
		all = append(all, newSetting(tag, at))
	}
	return all
}

// SettingOf returns the setting with a key of the struct that v points to; ok is false if
// there is none. It reads the tags of that one alone, where [Settings] reads all: each start
// of the program looks up a hundred of them for its flags.
func SettingOf(v any, key string) (s Setting, ok bool) {
	for tag, at := range keyed(reflect.ValueOf(v).Elem()) {
		if name, _, _ := strings.Cut(tag.Get("key"), ","); name == key {
			return newSetting(tag, at), true
		}
	}
	return Setting{}, false
}

// keyed returns the fields of a struct, and of those embedded in it, that have a key, with
// their tags.
func keyed(v reflect.Value) iter.Seq2[reflect.StructTag, reflect.Value] {
	return func(yield func(reflect.StructTag, reflect.Value) bool) {
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Anonymous {
				for tag, at := range keyed(v.Field(i)) {
					if !yield(tag, at) {
						return
					}
				}
			} else if field.Tag.Get("key") != "" && !yield(field.Tag, v.Field(i)) {
				return
			}
		}
	}
}

func newSetting(tag reflect.StructTag, at reflect.Value) Setting {
	key, options, _ := strings.Cut(tag.Get("key"), ",")
	return Setting{
		Key: key, Value: at, Default: tag.Get("default"),
		Words: strings.Fields(tag.Get("words")), Zero: tag.Get("zero"),
		With:   strings.Fields(tag.Get("with")),
		bounds: tag.Get("range"), options: strings.Split(options, ","),
	}
}

// Is reports whether the setting has the given option.
func (s *Setting) Is(option string) bool { return slices.Contains(s.options, option) }

// Range returns the least and the greatest value of a number or a time, in nanoseconds;
// ok is false if there are none.
func (s *Setting) Range() (least, most float64, ok bool) {
	from, to, ok := strings.Cut(s.bounds, "..")
	if !ok {
		return 0, 0, false
	}
	return number(from), number(to), true
}

// Goes reports whether the setting is compatible with those of all that are set.
func (s *Setting) Goes(all []Setting) bool {
	return len(s.With) == 0 || slices.ContainsFunc(all, func(t Setting) bool {
		return slices.Contains(s.With, t.Key) && !t.Value.IsZero()
	})
}

// Shown reports whether the setting is written when its event is.
func (s *Setting) Shown() bool {
	none := s.Value.IsZero() && (s.Is("omit") || s.Is("positive"))
	usual := s.Is("usual") && fmt.Sprint(s.Value) == s.Default
	return !none && !usual
}

// Defaults returns a struct of settings with their defaults.
func Defaults[T any]() (v T) {
	SetDefaults(&v)
	return v
}

// SetDefaults sets all settings of the struct that v points to to their defaults.
func SetDefaults(v any) { setDefaults(reflect.ValueOf(v).Elem()) }

func setDefaults(v reflect.Value) {
	for _, s := range settings(v) {
		s.SetDefault()
	}
}

// SetDefault sets the setting to its default; of a struct that is on by default, all of
// its settings.
func (s *Setting) SetDefault() {
	v := s.Value
	v.SetZero()
	switch {
	case v.Kind() == reflect.Struct && !s.Is("omit"):
		setDefaults(v)
	case s.Default == "":
	case v.Kind() == reflect.String:
		v.SetString(s.Default)
	case v.Kind() == reflect.Bool:
		v.SetBool(s.Default == "true")
	case v.CanFloat():
		v.SetFloat(number(s.Default))
	default:
		v.SetInt(int64(number(s.Default)))
	}
}

// number reads a number or a time of a tag.
func number(text string) float64 {
	if d, err := time.ParseDuration(text); err == nil {
		return float64(d)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("arena: a tag has no number: " + text)
	}
	return f
}

// Problem returns what is wrong with the value by itself, or "". Structs and lists as a
// whole are checked by their owners.
func (s *Setting) Problem() string {
	v := s.Value
	switch {
	case v.IsZero() && (s.Zero != "" || s.Is("positive")):
	case v.Kind() == reflect.String && len(s.Words) > 0:
		return NotOneOf(v.String(), s.Words)
	case v.Kind() == reflect.String:
		return wrongText(v.String())
	case s.bounds == "":
	case v.CanFloat():
		least, most, _ := strings.Cut(s.bounds, "..")
		if f := v.Float(); !(f >= number(least) && f <= number(most)) { // NaN is not
			return fmt.Sprintf("%g is out of range; from %g to %g", f, number(least), number(most))
		}
	case v.CanInt():
		least, most, _ := strings.Cut(s.bounds, "..")
		switch n := v.Int(); {
		case n > int64(number(most)):
			return fmt.Sprintf("%v is out of range; at most %v", v, s.show(most))
		case n < int64(number(least)):
			return fmt.Sprintf("%v is too small; at least %v", v, s.show(least))
		}
	}
	return ""
}

// show returns a bound as values of the setting are written.
func (s *Setting) show(bound string) any {
	if s.Value.Type() == reflect.TypeFor[time.Duration]() {
		return time.Duration(number(bound))
	}
	return bound
}
