package arena

import (
	"maps"
	"slices"
	"strings"
)

// An Option is a name and a value for setoption.
type Option struct{ Name, Value string }

// OptionMap returns the values of options by name; nil without one.
func OptionMap(options []Option) map[string]string {
	if len(options) == 0 {
		return nil
	}
	values := make(map[string]string, len(options))
	for _, o := range options {
		values[o.Name] = o.Value
	}
	return values
}

// OptionList returns options in the order of their names; nil without one.
func OptionList(values map[string]string) []Option {
	var list []Option
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Option{name, values[name]})
	}
	return list
}

// OptionsText formats options on one line: "Margin=110 Reduce=150".
func OptionsText(options []Option) string {
	parts := make([]string, len(options))
	for i, o := range options {
		parts[i] = o.Name + "=" + o.Value
	}
	return strings.Join(parts, " ")
}
