package main

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/engine/nearest"
)

// A settingFlag describes a flag that gives a setting of an event or of a bot.
type settingFlag struct {
	path  string // of the setting, such as "openings.order"
	name  string // "order", or "game g" with a letter; "" for the last key of the path
	usage string
}

// settingFlags maps names to flags that give settings.
type settingFlags map[string]*config.Flag

// add registers flags for settings of the struct that of points to, which has their
// defaults.
func (s settingFlags) add(cmd *cobra.Command, of any, list ...settingFlag) {
	for _, l := range list {
		name, short, _ := strings.Cut(l.name, " ")
		if name == "" {
			name = strings.ReplaceAll(l.path[strings.LastIndexByte(l.path, '.')+1:], "_", "-")
		}
		value := config.NewFlag(of, l.path)
		cmd.Flags().VarPF(value, name, short, l.usage).NoOptDefVal = value.NoValue()
		if words := value.Words(); len(words) > 0 {
			complete(cmd, name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
		}
		s[name] = value
	}
}

// apply sets the settings of another struct to the flags' values.
func (s settingFlags) apply(to any) {
	for _, f := range s {
		if f.Given {
			f.Apply(to)
		}
	}
}

// named returns the flag that gives a setting, with the keys below it: "--resign score";
// "" if there is none.
func (s settingFlags) named(path string) string {
	for name, f := range s {
		if below, ok := strings.CutPrefix(path, f.Path); ok && (below == "" || below[0] == '.') {
			return "--" + name + strings.ReplaceAll(below, ".", " ")
		}
	}
	return ""
}

// settingAnnotation marks the flags that are settings.
const settingAnnotation = "arena_setting"

// settingsFile is the name of the settings file in the current folder.
const settingsFile = "arena.yaml"

// asSettings marks flags as settings, which variables and the settings file may give as
// well: preferences of a user, not the subject of one call.
func asSettings(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, settingAnnotation, nil); err != nil {
			panic(err) // no such flag
		}
		f := flags.Lookup(name)
		f.Usage += " [" + settingVariable(name) + "]"
	}
}

func isSetting(f *pflag.Flag) bool {
	_, ok := f.Annotations[settingAnnotation]
	return ok
}

// settingVariable returns the environment variable of a flag.
func settingVariable(flag string) string {
	return "ARENA_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// settings sets the command's setting flags that were not given: ARENA_* over
// arena.yaml over defaults. It returns the path of the database.
func (a *app) settings(cmd *cobra.Command) (db string, err error) {
	file := viper.New()
	file.SetConfigFile(settingsFile)
	if err := file.ReadInConfig(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", usagef("%s: %w", settingsFile, err)
	}
	if err := knownSettings(file); err != nil {
		return "", err
	}
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if failed != nil || !isSetting(f) || given(cmd, f) {
			return
		}
		from, value := settingVariable(f.Name), a.getenv(settingVariable(f.Name))
		if value == "" && file.IsSet(f.Name) {
			from, value = settingsFile+": "+f.Name, file.GetString(f.Name)
			if value == "" {
				failed = usagef("%s: write it on one line, as --%s takes it", from, f.Name)
				return
			}
		}
		if value == "" {
			return
		}
		if err := f.Value.Set(value); err != nil {
			failed = usagef("%s %q: %w; it is as --%s", from, value, err, f.Name)
		}
	})
	return cmd.Flag("db").Value.String(), failed
}

// withDB returns the --db flag to be appended to a printed command; "" for the default
// database.
func withDB(db string) string {
	if db == defaultDB() {
		return ""
	}
	return " --db " + shellquote.Join(db)
}

// given reports whether the command line has a flag, or one that excludes it.
func given(cmd *cobra.Command, f *pflag.Flag) bool {
	if f.Changed {
		return true
	}
	found := false
	cmd.Flags().Visit(func(other *pflag.Flag) {
		for _, group := range other.Annotations[exclusive] {
			found = found || slices.Contains(f.Annotations[exclusive], group)
		}
	})
	return found
}

// knownSettings returns an error if the settings file has a key that is not a setting
// of any command.
func knownSettings(file *viper.Viper) error {
	keys := file.AllKeys()
	if len(keys) == 0 {
		return nil
	}
	names := settingNames((&app{}).rootCommand())
	for _, key := range keys {
		key, _, _ = strings.Cut(key, ".")
		if slices.Contains(names, key) {
			continue
		}
		return usagef("%s: unknown setting %q; %s", settingsFile, key, nearest.Hint(key, names, "there are "+strings.Join(names, ", ")))
	}
	return nil
}

// settingNames lists the settings of a command and those below it.
func settingNames(cmd *cobra.Command) []string {
	var names []string
	add := func(f *pflag.Flag) {
		if isSetting(f) {
			names = append(names, f.Name)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	for _, sub := range cmd.Commands() {
		names = append(names, settingNames(sub)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// parseClock parses a clock of a flag.
func parseClock(text string) (arena.TimeControl, error) {
	c, err := config.ParseClock(text)
	return c, usageError(err)
}
