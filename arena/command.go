package arena

import (
	"path/filepath"
	"strings"
	"unicode"
)

// NameOf derives a bot's name from its command: the name of the script that it runs,
// else of the program. It returns "" if nothing printable is left.
func NameOf(command []string) string {
	file := ProgramOf(command)
	if file == "" {
		return ""
	}
	name := filepath.Base(filepath.Clean(file))
	if Interpreter(file) != nil || strings.EqualFold(filepath.Ext(name), ".exe") {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	runes := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, name)))
	return strings.TrimSpace(string(runes[:min(len(runes), MaxName)]))
}

// ProgramOf returns the word of a command that names the bot's own file: the script
// that it runs, else the program; "" for an empty command.
func ProgramOf(command []string) string {
	if len(command) == 0 {
		return ""
	}
	if Interpreter(command[0]) == nil {
		for _, w := range command[1:] {
			if Interpreter(w) != nil {
				return w
			}
		}
	}
	return command[0]
}

// Interpreter returns the command that runs a script of that name, or nil if the name
// is not a script's.
func Interpreter(file string) []string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".py":
		return []string{"python3"}
	case ".js", ".mjs", ".cjs":
		return []string{"node"}
	case ".java":
		return []string{"java"}
	case ".jar":
		return []string{"java", "-jar"}
	case ".rb":
		return []string{"ruby"}
	case ".pl":
		return []string{"perl"}
	case ".lua":
		return []string{"lua"}
	case ".sh":
		return []string{"sh"}
	}
	return nil
}
