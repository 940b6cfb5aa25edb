package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"botarena/arena"
)

// ProgramOf returns the absolute path of the program that a bot's command starts. The
// errors are those of FindProgram, and a *NotExecutableError for an interpreter without
// a script.
func ProgramOf(bot *arena.Bot, path string) (string, error) {
	command := slices.Concat(bot.Command, bot.Args)
	if len(command) == 0 || command[0] == "" {
		return "", fmt.Errorf("bot %q has no command; give the program and its arguments", bot.Name)
	}
	file, err := FindProgram(command[0], bot.Dir, path)
	if err != nil {
		return "", err
	}
	if script := interprets(file); script != "" && !slices.ContainsFunc(command[1:], tellsScript) {
		return "", &NotExecutableError{
			Path: file, Why: "is an interpreter without a script",
			Hint: fmt.Sprintf("name the script (command: %s %s)", command[0], script),
		}
	}
	return file, nil
}

// tellsScript reports whether an interpreter's argument is a script or announces one.
func tellsScript(argument string) bool {
	return !strings.HasPrefix(argument, "-") || strings.HasPrefix(argument, "-c") || strings.HasPrefix(argument, "-m") ||
		strings.HasPrefix(argument, "-e") || strings.HasPrefix(argument, "--eval")
}

// interprets returns example arguments with which a well-known interpreter, of any
// version, is given a script; "" for other programs.
func interprets(program string) string {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(program)), ".exe")
	switch strings.TrimRight(name, "0123456789.-") {
	case "python", "pypy":
		return "my_bot.py"
	case "node", "nodejs":
		return "my_bot.js"
	case "java":
		return "-jar my_bot.jar"
	case "ruby":
		return "my_bot.rb"
	case "perl":
		return "my_bot.pl"
	case "lua":
		return "my_bot.lua"
	case "sh", "bash", "dash", "zsh":
		return "my_bot.sh"
	}
	return ""
}

// missingScript returns the script that a command gives a well-known interpreter, if it
// does not exist; "" otherwise.
func missingScript(bot *arena.Bot, program string) string {
	for _, argument := range slices.Concat(bot.Command, bot.Args)[1:] {
		if strings.HasPrefix(argument, "-") {
			if argument != "-jar" && tellsScript(argument) {
				return "" // the rest is the script's
			}
			continue
		}
		if ext := filepath.Ext(interprets(program)); ext == "" || filepath.Ext(argument) != ext {
			continue
		}
		if _, err := os.Stat(inDir(bot.Dir, argument)); errors.Is(err, fs.ErrNotExist) {
			return argument
		}
		return ""
	}
	return ""
}

// Problems returns what an event names that is missing on this machine or cannot be
// started: folders, scripts, the book of openings, files that are not programs. missing
// lists absent programs, which may be built or installed later. path is the PATH for
// programs, home the user's home folder.
func Problems(e *arena.Event, path, home string) (problems, missing []arena.Problem) {
	add := func(field, why string, args ...any) {
		problems = append(problems, arena.Problem{Field: field, Why: fmt.Sprintf(why, args...)})
	}
	of := func(field string, b *arena.Bot) {
		if info, err := os.Stat(b.Dir); b.Dir != "" && (err != nil || !info.IsDir()) {
			add(field+".dir", "no folder %s; create it or correct the path", b.Dir)
			return
		}
		for i, entry := range b.SandboxRead {
			file := entry
			if rest, ok := strings.CutPrefix(entry, "~"); ok && home != "" && (rest == "" || rest[0] == '/') {
				file = home + rest
			}
			if _, err := os.Stat(inDir(b.Dir, file)); errors.Is(err, fs.ErrNotExist) {
				add(fmt.Sprintf("%s.sandbox_read[%d]", field, i), "%q does not exist; correct it; paths are relative to the bot's dir", entry)
			}
		}
		if len(b.Build) > 0 {
			return
		}
		var none *NotExecutableError
		var lost *NotFoundError
		switch program, err := ProgramOf(b, path); {
		case errors.As(err, &none):
			add(field+".command", "%v", err)
		case errors.As(err, &lost):
			missing = append(missing, arena.Problem{Field: field + ".command", Why: fmt.Sprintf("no program %q on this machine yet; build or install it before the event", lost.Program)})
		case err == nil:
			if script := missingScript(b, program); script != "" {
				add(field+".command", "no script %q in %s; correct the path", script, b.Dir)
			}
		}
	}
	for i := range e.Bots {
		if b := &e.Bots[i]; b.Builtin == "" && !b.Withdrawn {
			of(fmt.Sprintf("bots[%d]", i), b)
		}
	}
	if e.Rules != nil {
		of("game.rules", e.Rules)
	}
	if book := e.Openings.File; book != "" {
		if info, err := os.Stat(book); err != nil {
			add("openings.file", "no file %s; correct the path", book)
		} else if info.IsDir() {
			add("openings.file", "%s is a folder; name a book in it", book)
		}
	}
	return problems, missing
}
