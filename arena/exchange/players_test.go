package exchange

import (
	"strings"
	"testing"
)

// A version has the number that the file says, else the next one that is free; a
// player of whom only the bot's name is known is the bot's only version, or none of
// those that are told apart.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		list []player
		want string
	}{
		{[]player{{"x", "", ""}, {"y", "f", ""}}, "x,y"},
		{[]player{{"x", "", ""}, {"x", "f", ""}}, "x,x"},
		{[]player{{"x", "f", "2"}, {"x", "", ""}}, "x,x"},
		{[]player{{"x", "f", "2"}, {"x", "g", "1"}, {"x", "", ""}}, "x v2,x v1,x"},
		{[]player{{"x", "f", ""}, {"x", "g", ""}, {"x", "h", "1"}}, "x v2,x v3,x v1"},
		{[]player{{"x", "f", "1"}, {"x", "g", "1"}, {"x", "h", "2"}}, "x v1,x v3,x v2"},
		{[]player{{"x", "", "1"}, {"x", "", "2"}, {"x v2", "", "1"}}, "x v1,x v2',x v2"},
		{[]player{{"x", "f", "1"}, {"x", "f", "7"}}, "x"}, // another database counts otherwise
	} {
		var p players
		for _, who := range c.list {
			p.of(who)
		}
		names, _ := p.names()
		if got := strings.Join(names, ","); got != c.want {
			t.Errorf("%v are %s, want %s", c.list, got, c.want)
		}
	}
}
