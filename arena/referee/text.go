package referee

import (
	"strconv"
	"strings"
)

// printable makes text from a bot safe to print on a terminal, in one line of
// bounded length.
func printable(text string) string {
	const most = 300
	var b strings.Builder
	for _, c := range text {
		if b.Len() > most {
			b.WriteString("...")
			break
		}
		if strconv.IsPrint(c) {
			b.WriteRune(c)
		} else {
			quoted := strconv.QuoteRuneToASCII(c)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
