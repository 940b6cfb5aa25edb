package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botarena/arena/store"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

// completions completes the values of flags by the noun in their help, and arguments by
// their words in the usage, of a command and those below it, in the ways of completed.
func completions(cmd *cobra.Command, ways map[string]cobra.CompletionFunc) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		noun, _ := pflag.UnquoteUsage(f)
		if f.Name == "event" {
			noun = f.Name
		}
		how := ways[strings.ToUpper(noun)]
		if _, exists := cmd.GetFlagCompletionFunc(f.Name); how != nil && !exists {
			complete(cmd, f.Name, how)
		}
	})
	if words := strings.Fields(cmd.Use)[1:]; cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = byUsage(words, ways)
	}
	for _, sub := range cmd.Commands() {
		completions(sub, ways)
	}
}

// byUsage completes arguments by the words of a usage: EVENT BOT... has events, then bots.
func byUsage(words []string, ways map[string]cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(words) == 0 || len(args) >= len(words) && !strings.Contains(words[len(words)-1], "...") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		word := words[min(len(args), len(words)-1)]
		word, _, _ = strings.Cut(strings.Trim(word, "[]."), "|")
		word = strings.TrimRight(word, ".]")
		if how := ways[cmd.CommandPath()+" "+word]; how != nil {
			return how(cmd, args, typed)
		}
		if how := ways[word]; how != nil {
			return how(cmd, args, typed)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completed returns the completion functions of the words of usages. A word after a
// command's name has a meaning of its own there.
func (a *app) completed() map[string]cobra.CompletionFunc {
	files := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	folders := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	yaml := cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt)
	ofGames := cobra.FixedCompletions(games.All().Names(), cobra.ShellCompDirectiveNoFileComp)
	events, recorded := a.fromRecord(eventNames), a.fromRecord(gameNames)
	registered, workers := a.fromRecord(registeredNames), a.fromRecord(workerNames)
	bots := func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		names, _ := registered(cmd, args, typed)
		return append(names, builtin.Names()...), cobra.ShellCompDirectiveDefault // or a file
	}
	return map[string]cobra.CompletionFunc{
		"GAME": ofGames, "EVENT": events, "EVENT/NUMBER": recorded,
		"BOT": bots, "A": bots, "B": bots, "C": bots,
		"CONFIG": yaml, "LEAGUE.yaml": yaml, "FILE": files, "ARGUMENT": files, "PROGRAM": files, "COMMAND": files,
		"DIR": folders, "FOLDER": folders,
		"arena config validate FILE": yaml, "arena config show FILE": yaml,
		"arena show GAME": recorded, "arena analyse GAME": recorded,
		"arena bot NAME": cobra.FixedCompletions(builtin.Names(), cobra.ShellCompDirectiveNoFileComp), "arena fleet revoke NAME": workers,
		"arena bots retire NAME": registered, "arena bots update NAME": registered, "arena bots rename OLD": registered,
	}
}

// fromRecord completes by names in the database, if there is one. Each may be followed
// by a tab and a description.
func (a *app) fromRecord(names func(ctx context.Context, s *store.Store, typed string) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		s, err := a.openRegistry(cmd)
		if err != nil || s == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer func() { _ = s.Close() }()
		list, err := names(cmd.Context(), s, typed)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		list = slices.DeleteFunc(list, func(name string) bool {
			name, _, _ = strings.Cut(name, "\t")
			return slices.Contains(args, name)
		})
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// eventNames lists events, the latest first.
func eventNames(ctx context.Context, s *store.Store, _ string) (names []string, err error) {
	list, err := s.Events(ctx)
	for _, e := range slices.Backward(list) {
		names = append(names, fmt.Sprintf("%s\t%s, %d of %d games", e.Name, e.Game, e.Played, e.Games))
	}
	return names, err
}

// gameNames lists events with a slash, and after EVENT/ the games of that event.
func gameNames(ctx context.Context, s *store.Store, typed string) (names []string, err error) {
	const most = 100
	event, _, named := strings.Cut(typed, "/")
	if !named {
		list, err := s.Events(ctx)
		for _, e := range slices.Backward(list) {
			names = append(names, e.Name+"/")
		}
		return names, err
	}
	lines, err := s.Games(ctx, store.Filter{Event: event, Last: most})
	for _, g := range slices.Backward(lines) {
		names = append(names, fmt.Sprintf("%s/%d\t%s – %s %s", g.Event, g.Number, g.First, g.Second, g.Result))
	}
	return names, err
}

func registeredNames(ctx context.Context, s *store.Store, _ string) (names []string, err error) {
	list, err := s.Registry(ctx)
	for _, r := range list {
		names = append(names, r.Name+"\tregistered")
	}
	return names, err
}

func workerNames(ctx context.Context, s *store.Store, _ string) (names []string, err error) {
	list, err := s.Workers(ctx)
	for i := range list {
		names = append(names, list[i].Name)
	}
	return names, err
}
