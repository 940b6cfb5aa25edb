// Package text escapes text from strangers for terminals, pages and files: names,
// details, messages and files of bots and of whoever exported a record.
//
// Control characters and invisible ones are shown as in a Go string: \x1b for the
// escape character, \u202e for an override of the direction, \xff for a byte that is
// not UTF-8. From DEL on it is shown as JSON does, \u007f and pairs of surrogates, so
// that JSON stays what it is: there such characters are within strings. That is every
// control character (DEL and C1 included), every format character (zero widths, marks
// and overrides of direction), every letter that prints as nothing, and every blank but
// the space. A backslash stays as it is, so that escaping again changes nothing.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape returns s as one line of visible characters.
func Escape(s string) string {
	at := hidden(s)
	if at == len(s) {
		return s
	}
	b := append(make([]byte, 0, len(s)+16), s[:at]...)
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if visible(r, size) {
			b = append(b, s[at:at+size]...)
		} else {
			b = appendEscape(b, s[at:at+size])
		}
		at += size
	}
	return string(b)
}

// Clip returns s cut to at most most letters, ending in "..." if it is longer. It
// escapes nothing, but splits no letter.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	kept, letters := 0, 0
	for at := range s {
		if letters == most-3 {
			kept = at
		}
		if letters == most {
			return s[:kept] + "..."
		}
		letters++
	}
	return s
}

// Line returns s escaped and cut to at most most letters.
func Line(s string, most int) string { return Clip(Escape(s), most) }

// markup holds the characters that Markdown may interpret within a line. An underscore
// is one of them at the edge of a word only.
const markup = "\\`*[]<|~&"

// Markdown returns s, escaped, as a piece of a line of Markdown that prints as
// itself, also in a cell of a table.
func Markdown(s string) string {
	s = Escape(s)
	if !strings.ContainsAny(s, markup+"_") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		within := i > 0 && word(s[i-1]) && i+1 < len(s) && word(s[i+1])
		if strings.IndexByte(markup, c) >= 0 || c == '_' && !within {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

func word(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// hidden returns the index of the first character of s that Escape changes, its
// length if there is none.
func hidden(s string) int {
	for at := 0; at < len(s); {
		if c := s[at]; c >= ' ' && c < 0x7f {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		if !visible(r, size) {
			return at
		}
		at += size
	}
	return len(s)
}

// visible reports whether a character, as decoded, can be seen.
func visible(r rune, size int) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r < 0x7f
	}
	return (r != utf8.RuneError || size > 1) && unicode.IsPrint(r) &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// appendEscape appends the escape of one character or of one invalid byte.
func appendEscape(b []byte, char string) []byte {
	if r, size := utf8.DecodeRuneInString(char); r >= 0x7f && size == len(char) && (r != utf8.RuneError || size > 1) {
		for _, unit := range utf16.Encode([]rune{r}) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
		return b
	}
	quoted := strconv.AppendQuoteToASCII(nil, char)
	return append(b, quoted[1:len(quoted)-1]...)
}
