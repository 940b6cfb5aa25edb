package replay

import (
	"bufio"
	"io"
	"strings"
)

// cutLine begins the line of a dialogue that stands for its omitted middle.
const cutLine = "... ("

// Dialogue returns the lines of a game's dialogue, as arena/event keeps it, that belong
// to a ply: from the answer to the ply before up to that to it. Ply 0 has the lines
// before the first question; those after the last answer belong to the ply after plies.
// names holds the names of both bots. The error is r's.
func Dialogue(r io.Reader, names [2]string, ply, plies int) ([]string, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), 8<<20)
	var lines []string
	var answers []int // of each line, how many answers came before it
	cut, n := -1, 0
	begun := false // ply 1 begins with the first go
	for in.Scan() {
		line := in.Text()
		if strings.HasPrefix(line, cutLine) {
			cut = len(lines)
		}
		lines = append(lines, line)
		word := said(line, names)
		if !begun && (strings.HasPrefix(word, "> position") || strings.HasPrefix(word, "> go")) {
			begun, n = true, 1
		}
		answers = append(answers, n)
		if strings.HasPrefix(word, "< bestmove") {
			n++
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	last := plies + 1 - n // what the count of the lines after the cut lacks
	var list []string
	for i, line := range lines {
		at := answers[i]
		if cut >= 0 && i > cut {
			at += last
		}
		if at == ply {
			list = append(list, line)
		}
	}
	return list, nil
}

// said returns the direction and the text of a line "SECONDS > NAME: TEXT".
func said(line string, names [2]string) string {
	_, rest, _ := strings.Cut(line, " ")
	if len(rest) < 2 {
		return ""
	}
	for _, name := range names {
		if text, ok := strings.CutPrefix(rest[2:], name+": "); ok {
			return rest[:2] + text
		}
	}
	return ""
}
