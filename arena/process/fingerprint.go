package process

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"botarena/arena"
)

// Hashes holds the hashes of files, by path. Fingerprints that are taken at one time with the
// same Hashes read a file that several bots have once.
type Hashes map[string]string

// Fingerprint is [Hashes.Fingerprint] of a single bot.
func Fingerprint(bot arena.Bot, path, builtinVersion string) (string, error) {
	return Hashes{}.Fingerprint(bot, path, builtinVersion)
}

// Fingerprint identifies this version of a bot: 64 hexadecimal digits of
// SHA-256 over the contents of its executable (found in path as FindProgram
// does), its arguments, the contents of the files among them (also behind a
// "=", as in --net=FILE), its added environment, its options in their order with the
// contents of the files that they name (EvalFile and the like) and its version text.
// A built-in bot's executable is arena itself, which changes with every build: its name and builtinVersion stand for it.
//
// The bot's location (Dir, and the folders in the names of files among its arguments
// and options), its limits, sandbox, clock and cores do not count: a moved folder is
// not a new bot. Folders among the arguments count by name only. The error is from
// ProgramOf or from reading a file.
func (h Hashes) Fingerprint(bot arena.Bot, path, builtinVersion string) (string, error) {
	if bot.Builtin != "" {
		sum := sha256.New()
		field(sum, "builtin", bot.Builtin)
		field(sum, "builtin version", builtinVersion)
		return h.fingerprint(sum, &bot, bot.Args)
	}
	program, err := ProgramOf(&bot, path)
	if err != nil {
		return "", err
	}
	return h.ofFile(&bot, program, slices.Concat(bot.Command, bot.Args)[1:])
}

// FingerprintScript is Fingerprint for a program that is not a built-in bot. If a
// well-known interpreter runs a script, only the script and its arguments count, as
// when the script is started by itself.
func FingerprintScript(bot arena.Bot, path string) (string, error) {
	program, err := ProgramOf(&bot, path)
	if err != nil {
		return "", err
	}
	arguments := slices.Concat(bot.Command, bot.Args)[1:]
	i := slices.IndexFunc(arguments, tellsScript) // -c tells it that there is none
	if i >= 0 && isFile(bot.Dir, arguments[i]) {
		if with := arena.Interpreter(arguments[i]); with != nil && interprets(with[0]) == interprets(program) {
			program, arguments = inDir(bot.Dir, arguments[i]), arguments[i+1:]
		}
	}
	return Hashes{}.ofFile(&bot, program, arguments)
}

func (h Hashes) ofFile(bot *arena.Bot, program string, arguments []string) (string, error) {
	sum := sha256.New()
	if err := h.contents(sum, "program", program); err != nil {
		return "", err
	}
	return h.fingerprint(sum, bot, arguments)
}

// fingerprint adds arguments, environment and options to the hash of the program
// itself.
func (h Hashes) fingerprint(sum hash.Hash, bot *arena.Bot, arguments []string) (string, error) {
	if err := h.arguments(sum, bot.Dir, arguments); err != nil {
		return "", err
	}
	for _, entry := range bot.Env {
		field(sum, "env", entry)
	}
	for _, option := range bot.Options {
		field(sum, "option", option.Name)
		if !namesFile(bot.Dir, option.Value) {
			field(sum, "value", option.Value)
			continue
		}
		field(sum, "value", filepath.Base(option.Value))
		if err := h.contents(sum, "file", inDir(bot.Dir, option.Value)); err != nil {
			return "", err
		}
	}
	field(sum, "version", bot.Version)
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// arguments hashes a program's arguments, with the files that they name.
func (h Hashes) arguments(sum hash.Hash, dir string, arguments []string) error {
	for _, argument := range arguments {
		option, file := "", argument
		if name, value, ok := strings.Cut(argument, "="); ok && !isFile(dir, file) {
			option, file = name+"=", value
		}
		found := isFile(dir, file)
		if found {
			argument = option + filepath.Base(file)
		}
		field(sum, "argument", argument)
		if found {
			if err := h.contents(sum, "file", inDir(dir, file)); err != nil {
				return err
			}
		}
	}
	return nil
}

// field hashes a name and a text with their lengths, so that no two lists of
// fields look alike.
func field(sum hash.Hash, name, text string) {
	var length [8]byte
	for _, part := range []string{name, text} {
		binary.LittleEndian.PutUint64(length[:], uint64(len(part)))
		sum.Write(length[:])
		io.WriteString(sum, part) //nolint:errcheck // a hash never fails
	}
}

// contents hashes a file, as a field of its own hash.
func (h Hashes) contents(sum hash.Hash, name, file string) error {
	known, ok := h[file]
	if !ok {
		f, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("fingerprint: %w; a bot's files must be readable", err)
		}
		defer func() { _ = f.Close() }()
		inner := sha256.New()
		if _, err := io.Copy(inner, f); err != nil {
			return fmt.Errorf("fingerprint: read %s: %w", file, err)
		}
		known = string(inner.Sum(nil))
		h[file] = known
	}
	field(sum, name, known)
	return nil
}

func inDir(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// namesFile reports whether an option's value names a file. Numbers and switches never
// do, whatever lies in the folder.
func namesFile(dir, value string) bool {
	if _, err := strconv.ParseFloat(value, 64); err == nil || value == "true" || value == "false" {
		return false
	}
	return isFile(dir, value)
}

// isFile reports whether an argument names a regular file.
func isFile(dir, name string) bool {
	if name == "" {
		return false
	}
	info, err := os.Stat(inDir(dir, name))
	return err == nil && info.Mode().IsRegular()
}
