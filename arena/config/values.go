package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/kballard/go-shellquote"
)

// SplitCommand cuts a command line into words, as a shell does: blanks separate,
// ' and " group, a backslash takes the next character as it is. One before a letter
// or a digit is itself, as in paths of Windows. There is no shell, so that nothing
// else is special; a word that only a shell could obey, such as | or >, is an error.
func SplitCommand(line string) ([]string, error) {
	words, err := shellquote.Split(keepPaths(line))
	switch {
	case errors.Is(err, shellquote.UnterminatedEscapeError):
		return nil, errors.New("ends with a backslash")
	case err != nil:
		return nil, errors.New("a quote is not closed")
	}
	bare := strings.Fields(line)
	for _, w := range []string{"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"} {
		if slices.Contains(words, w) && slices.Contains(bare, w) {
			return nil, fmt.Errorf(`%s needs a shell, and none is used: write [sh, -c, "..."]`, w)
		}
	}
	return words, nil
}

// keepPaths doubles the backslashes before letters and digits outside of single quotes,
// in which they are literal anyway.
func keepPaths(line string) string {
	var b strings.Builder
	runes := []rune(line)
	var quote rune
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		b.WriteRune(r)
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case r == '\\' && quote != '\'' && i+1 < len(runes):
			if next := runes[i+1]; unicode.IsLetter(next) || unicode.IsDigit(next) {
				b.WriteRune(r)
			} else {
				b.WriteRune(next)
				i++
			}
		}
	}
	return b.String()
}
