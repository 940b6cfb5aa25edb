package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/bots/builtin"
	"botarena/engine/nearest"
)

// botHelp explains how a bot is named on a command line.
const botHelp = `A bot is a registered bot's name, a built-in bot's name, a program or script
(./mybot, first_bot.py), or a quoted command line ("python3 my_bot.py --deep").
NAME=BOT enters it under another name.`

// resolveBot returns the bot that one word of a command line names: a bot registered in
// s (which may be nil), a built-in one, a program or script, or a quoted command line;
// NAME=BOT gives it another name. A script that cannot be started by itself is run by
// its interpreter, which is reported on stderr. The error suggests the nearest existing
// name.
func (a *app) resolveBot(ctx context.Context, s *store.Store, arg string) (arena.Bot, error) {
	if name, rest, ok := namedBot(arg); ok {
		b, err := a.resolveBot(ctx, s, rest)
		b.Name = name
		return b, err
	}
	if s != nil {
		b, err := event.Registered(ctx, s, arg)
		if err == nil || !is[*store.UnknownBotError](err) {
			return b, err
		}
	}
	if slices.Contains(builtin.Names(), arg) {
		b := config.DefaultBot()
		b.Name, b.Builtin = arg, arg
		return b, nil
	}
	words := []string{arg}
	if strings.ContainsFunc(arg, unicode.IsSpace) && !isFile(arg) {
		var err error
		if words, err = splitCommand(arg); err != nil {
			return arena.Bot{}, err
		}
	}
	b, err := a.resolveCommand(words)
	var missing *process.NotFoundError
	if len(words) == 1 && errors.As(err, &missing) {
		return b, usageError(a.unknownBot(ctx, s, arg, missing))
	}
	return b, err
}

// resolveCommand returns the bot for a program and its arguments, looked up from the
// current folder, then in PATH.
func (a *app) resolveCommand(args []string) (arena.Bot, error) {
	if len(args) == 0 || args[0] == "" {
		return arena.Bot{}, usagef("no bot is named; name a built-in bot (%s), a program or a quoted command line", strings.Join(builtin.Names(), ", "))
	}
	dir, err := os.Getwd()
	if err != nil {
		return arena.Bot{}, fmt.Errorf("find the current folder: %w", err)
	}
	b := config.DefaultBot()
	b.Command, b.Dir = slices.Clone(args), dir
	b.Name = arena.NameOf(args)
	if with := arena.Interpreter(args[0]); with != nil && isFile(args[0]) && !startsItself(args[0]) {
		b.Command = slices.Concat(with, args)
		fmt.Fprintf(a.err, "%s does not start by itself; it is run as: %s\n", args[0], strings.Join(b.Command, " "))
	}
	if _, err := process.ProgramOf(&b, a.getenv("PATH")); err != nil {
		return arena.Bot{}, usageError(err)
	}
	return b, nil
}

// resolveArgs returns the bot that the arguments of a command for one bot name:
// one argument as resolveBot reads it, several as a command line.
func (a *app) resolveArgs(cmd *cobra.Command, args []string) (arena.Bot, error) {
	if len(args) > 1 {
		return a.resolveCommand(args)
	}
	s, err := a.openRegistry(cmd)
	if err != nil {
		return arena.Bot{}, err
	}
	if s != nil {
		defer func() { _ = s.Close() }()
	}
	return a.resolveBot(cmd.Context(), s, args[0])
}

// openRegistry opens the database for the names of registered bots; nil if there is
// none yet.
func (a *app) openRegistry(cmd *cobra.Command) (*store.Store, error) {
	s, err := a.openRead(cmd)
	if errors.Is(err, store.ErrNoDatabase) { // a match may be what creates it
		return nil, nil
	}
	return s, err
}

// namedBot splits NAME=BOT.
func namedBot(arg string) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(arg, "=")
	if !ok || rest == "" || name == "" || isFile(arg) {
		return "", "", false
	}
	bad := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`/\"'`, r) }
	return name, rest, !strings.ContainsFunc(name, bad)
}

// unknownBot returns the error for a word that names no bot, with suggestions.
func (a *app) unknownBot(ctx context.Context, s *store.Store, arg string, missing *process.NotFoundError) error {
	names := builtin.Names()
	if s != nil {
		registered, err := s.Registry(ctx)
		if err != nil {
			return err
		}
		for i := range registered {
			names = append(names, registered[i].Name)
		}
	}
	file := missing.Nearest
	if file != "" {
		if strings.HasPrefix(arg, "./") {
			file = "./" + file
		}
		names = append(names, file)
	}
	if near := cmp.Or(nearest.Of(arg, names), file); near != "" {
		return fmt.Errorf("unknown bot %q; did you mean %q?", arg, near)
	}
	return fmt.Errorf("unknown bot %q: neither a registered or built-in bot (%s) nor a program here or in PATH", arg, strings.Join(builtin.Names(), ", "))
}

// startsItself reports whether the system starts a script without being told its
// interpreter: it is executable and its first line names one.
func startsItself(file string) bool {
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS == "windows" || info.Mode()&0o111 == 0 {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	defer func() { _ = f.Close() }()
	var head [2]byte
	n, _ := f.Read(head[:])
	return string(head[:n]) == "#!"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// splitCommand splits a quoted command line as event files do.
func splitCommand(line string) ([]string, error) {
	words, err := config.SplitCommand(line)
	if err != nil {
		return nil, usagef("command %q: %w", line, err)
	}
	return words, nil
}
