package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// split cuts a command line into words: blanks separate, ' and " group, a
// backslash takes the next letter as it is (within " only before " and \).
// There is no shell, so what only a shell could do is an error.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, plain := false, true
	flush := func() error {
		if !inWord {
			return nil
		}
		w := word.String()
		if plain && slices.Contains([]string{"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"}, w) {
			return fmt.Errorf(`%s needs a shell, and none is used: write [sh, -c, "..."]`, w)
		}
		words = append(words, w)
		word.Reset()
		inWord, plain = false, true
		return nil
	}
	var quote rune
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			inWord, plain, escaped = true, false, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			inWord, plain, quote = true, false, r
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if err := flush(); err != nil {
				return nil, err
			}
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	case escaped:
		return nil, errors.New("ends with a backslash")
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return words, nil
}
