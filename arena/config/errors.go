package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Problem is one mistake in an event file.
type Problem struct {
	Line, Column int    // 1-based; 0 if no place is known
	Key          string // the path of the key, such as "bots[1].clock" (counted from 0); "" for the file
	Why          string
}

// Errors holds all problems of one file, in order of place.
type Errors struct {
	File     string
	Problems []Problem
}

// Error returns one line for each problem: "file:line:column: key: why".
func (e *Errors) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
			if p.Column > 0 {
				fmt.Fprintf(&b, ":%d", p.Column)
			}
		}
		b.WriteString(": ")
		if p.Key != "" {
			b.WriteString(p.Key + ": ")
		}
		b.WriteString(p.Why)
	}
	return b.String()
}

// newErrors sorts the problems and keeps a readable number of them.
func newErrors(file string, problems []Problem) *Errors {
	const most = 100
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if n := len(problems); n > most {
		problems = append(problems[:most:most], Problem{Why: fmt.Sprintf("and %d more problems", n-most)})
	}
	return &Errors{File: file, Problems: problems}
}

// syntax turns an error of the YAML parser, whose text alone has the line, into
// a problem.
func (d *decoder) syntax(err error) {
	why := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(why); m != nil {
		line, _ = strconv.Atoi(m[1])
		why = why[len(m[0]):]
	}
	d.problem(Problem{Line: line, Why: "not YAML: " + why})
}
