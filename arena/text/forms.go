package text

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// UTF8 returns s if it is valid UTF-8, else decodes it as Latin-1, which maps different
// bytes to different texts.
func UTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	letters := make([]rune, len(s))
	for i := range len(s) {
		letters[i] = rune(s[i]) // Latin-1 is the beginning of Unicode
	}
	return string(letters)
}

// Cell returns s, escaped, as a field of a CSV file that a spreadsheet takes for text:
// a formula (after =, @, + or -, except numbers) gets an apostrophe before it. [Uncell]
// removes it again.
func Cell(s string) string {
	if s = Escape(s); formula(strings.TrimLeft(s, "'")) {
		return "'" + s
	}
	return s
}

// Uncell returns the text that [Cell] has put into a field.
func Uncell(field string) string {
	if rest, ok := strings.CutPrefix(field, "'"); ok && formula(strings.TrimLeft(rest, "'")) {
		return rest
	}
	return field
}

// formula reports whether a spreadsheet may take a field for something to compute.
func formula(s string) bool {
	first, size := utf8.DecodeRuneInString(s)
	switch first {
	case '=', '@', '＝', '＠', '＋', '－':
		return true
	case '+', '-':
		return strings.Trim(s[size:], "0123456789.,+-±∞% ") != ""
	}
	return false
}

// Plural returns a count with its noun: "1 game", "2 games".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Duration formats a duration for people: "1.5 s", "3m20s", "2h5m0s".
func Duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Hour:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}

// Wrap breaks a text into lines of width letters, unless a word is longer; the first
// line begins with the label and the others are indented below it.
func Wrap(label, s string, width int) []string {
	var lines []string
	line, column, start := label, utf8.RuneCountInString(label), true
	indent := column
	for _, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		if !start && column+1+n > width {
			lines = append(lines, line)
			line, column, start = strings.Repeat(" ", indent), indent, true
		}
		if !start {
			line += " "
			column++
		}
		line, column, start = line+word, column+n, false
	}
	return append(lines, line)
}
