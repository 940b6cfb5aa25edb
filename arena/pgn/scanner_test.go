package pgn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// scanned returns the tokens of a text, a word each.
func scanned(t testing.TB, text string, skip bool) []string {
	t.Helper()
	s := NewScanner(bufio.NewReaderSize(strings.NewReader(text), 16)) // small, so that lines are joined
	s.SkipMoves = skip
	var list []string
	for {
		tok, err := s.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(text, "\n") + 1; tok.Line < 1 || tok.Line > lines || tok.Column < 1 || tok.Column > len(text)+1 {
			t.Fatalf("%q: a token at %d:%d", text, tok.Line, tok.Column)
		}
		switch tok.Kind {
		case Tag:
			list = append(list, fmt.Sprintf("[%s=%s]", tok.Name, Text(tok.Value)))
		case Move:
			list = append(list, string(tok.Value))
		case Result:
			list = append(list, "end "+string(tok.Value))
		case Bad:
			list = append(list, fmt.Sprintf("bad %d:%d %v", tok.Line, tok.Column, tok.Err))
		}
	}
}

func TestScanner(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a game", "[Event \"a \\\"b\\\" \\\\ c\"]\n[White \"M\xfcller\"]\n\n1. e4 e5 2.Nf3 2... Nc6 1/2-1/2\n", `[Event=a "b" \ c],[White=Müller],e4,e5,Nf3,Nc6,end 1/2-1/2`},
		{"what is passed over", "1. e4 {a [Event \"x\"]\n\n{b} $1 (1. d4 (1. c4 1-0) d5) e5!? ; 2. d4\n% 2. c4\n2. f4 *", "e4,e5!?,f4,end *"},
		{"tags in a line", "[A \"1\"] [B\"2\"][C \"3\" ]1-0[D \"4\"]", "[A=1],[B=2],[C=3],end 1-0,[D=4]"},
		{"a malformed tag", "[White \"x\n[Black b]\n[]\n[R \"1\"]", `bad 1:1 ` + ErrTag.Error() + `,bad 2:8 ` + ErrTag.Error() + `,bad 3:2 ` + ErrTag.Error() + `,[R=1]`},
		{"brackets among moves", "1. e4 [!] e5 *", "e4,!,e5,end *"},
		{"a comment without an end", "1. e4 {he\n\n[White \"in it\"]\n\n[Event \"y\"]\n*", "e4,bad 1:7 " + ErrComment.Error() + ",[Event=y],end *"},
		{"and at the end", "1. e4 {he", "e4,bad 1:7 " + ErrComment.Error()},
		{"a variation without an end", "1. e4 (1. d4\n1-0\n[Event \"y\"] (", "e4,bad 1:7 " + ErrVariation.Error() + ",[Event=y],bad 3:13 " + ErrVariation.Error()},
		{"closings of nothing", "} ) ] 1. e4)e5}*", "e4,e5,end *"},
		{"no newline, carriage returns", "[A \"1\"]\r\n\r\n1. e4\r\n", "[A=1],e4"},
		{"empty", "", ""},
	} {
		if got := strings.Join(scanned(t, c.text, false), ","); got != c.want {
			t.Errorf("%s: %q\n is %s\nnot %s", c.name, c.text, got, c.want)
		}
	}
	// A NAG stands alone; a result ends at a bracket.
	if got := strings.Join(scanned(t, "0-1 $10 1-0{x} *(y) 1/2-1/2;z\n0-0 10 1-", false), ","); got != "end 0-1,end 1-0,end *,end 1/2-1/2,0-0,10,1-" {
		t.Error(got)
	}
}

func TestGap(t *testing.T) {
	s := NewScanner(strings.NewReader("[A \"1\"]\n[B \"2\"]\n\n \n[C \"3\"]\n\n1. e4\n\n"))
	var gaps []bool
	for {
		tok, err := s.Next()
		if err != nil {
			break
		}
		gaps = append(gaps, tok.Gap)
	}
	if fmt.Sprint(gaps) != "[false false true true]" {
		t.Error(gaps)
	}
}

func TestSkipMoves(t *testing.T) {
	got := strings.Join(scanned(t, "[A \"1\"]\n\n1. e4 e5 {x} 2. Nf3 (2. f4) 0-0 10. 1-1 0-1 1. d4 *\n", true), ",")
	if got != "[A=1],e4,end 0-1,d4,end *" {
		t.Error(got)
	}
}

// A long line of what looks like the beginning of a result is read in linear time.
func TestLongWords(t *testing.T) {
	text := "1. e4 " + strings.Repeat("-", 1<<20) + " 1-0"
	if got := scanned(t, text, true); len(got) != 2 || got[1] != "end 1-0" {
		t.Errorf("%d tokens", len(got))
	}
}

func TestErrors(t *testing.T) {
	s := NewScanner(io.MultiReader(strings.NewReader("1. e4\n"), iotest.ErrReader(os.ErrClosed)))
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

// Whatever a file holds is read to its end, each token has a place in it, and
// whoever skips the moves sees the same tags, results and faults.
func FuzzScanner(f *testing.F) {
	f.Add("[White \"a\"]\n\n1. e4 {x} (1. d4) 1-0\n\n[Event \"b\"]\n")
	f.Add("{\n\n[Event \"")
	f.Add("(((\n[A \"\\\"]\n% x\n1-0")
	f.Fuzz(func(t *testing.T, text string) {
		all, few := scanned(t, text, false), scanned(t, text, true)
		moves := func(word string) bool {
			return word[0] != '[' && !strings.HasPrefix(word, "end ") && !strings.HasPrefix(word, "bad ")
		}
		if a, b := slices.DeleteFunc(all, moves), slices.DeleteFunc(few, moves); strings.Join(a, "\n") != strings.Join(b, "\n") {
			t.Fatalf("%q: %q with moves, %q without", text, a, b)
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	game := "[Event \"e\"]\n[Site \"s\"]\n[White \"bot1\"]\n[Black \"bot2\"]\n[Result \"1-0\"]\n\n" +
		strings.Repeat("1. e4 {+0.30/12 0.10s} e5 {-0.20/11 0.11s} 2. Nf3 Nc6 3. Bb5 a6\n", 10) + "1-0\n\n"
	text := strings.Repeat(game, 1000)
	for _, skip := range []bool{false, true} {
		b.Run(fmt.Sprintf("skip=%v", skip), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s := NewScanner(strings.NewReader(text))
				s.SkipMoves = skip
				for {
					if _, err := s.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}
