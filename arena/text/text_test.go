package text_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"botarena/arena/text"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"minimax-2 é 中 \\ \"x\" | <b>": "minimax-2 é 中 \\ \"x\" | <b>",
		"\x1b[31mred\x07":              `\x1b[31mred\a`,
		"a\tb\r\nc\x00\x7f":            `a\tb\r\nc\x00\u007f`,
		"\u009b31m":                    `\u009b31m`, // C1 as a character
		"\x9b31m M\xfcller":            `\x9b31m M\xfcller`,
		"abc\u202ecba":                 `abc\u202ecba`,
		"a\u200bb\ufeff\u2066\u00ad":   `a\u200bb\ufeff\u2066\u00ad`,
		"\u3164\u2028\u00a0\U000e0041": `\u3164\u2028\u00a0\udb40\udc41`,
		"x\ufe0f\u034f":                `x\ufe0f\u034f`,
		"\ufffd":                       "\ufffd",
	} {
		if got := text.Escape(in); got != want {
			t.Errorf("%q is shown as %s, want %s", in, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{{"abcdef", 6, "abcdef"}, {"abcdefg", 6, "abc..."}, {"ääääää", 6, "ääääää"}, {"äääääää", 6, "äää..."}, {"", 5, ""}, {"\xff\xff\xff\xff\xff\xff", 5, "\xff\xff..."}} {
		if got := text.Clip(c.in, c.most); got != c.want {
			t.Errorf("%q in %d letters is %q, want %q", c.in, c.most, got, c.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"mcts_v2 -3 +4.5":          "mcts_v2 -3 +4.5",
		"_x_ a|b":                  `\_x\_ a\|b`,
		"<script>*b*`c`[d](e)~&lt": "\\<script>\\*b\\*\\`c\\`\\[d\\](e)\\~\\&lt",
		"a\nb\\":                   `a\\nb\\`,
	} {
		if got := text.Markdown(in); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

// hostile draws text with all that could do harm, and bytes that are no text.
func hostile(t *rapid.T) string {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-z\x00-\x1f\x7f-\x{9f}\x{200b}-\x{202f}\x{2060}-\x{206f}\\]*`),
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) }),
	).Draw(t, "text")
}

// check fails where text could do harm, or hide something.
func check(t interface{ Fatalf(string, ...any) }, in, out string) {
	if !utf8.ValidString(out) {
		t.Fatalf("%q becomes %q: not UTF-8", in, out)
	}
	for _, r := range out {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Join_Control, unicode.Other_Default_Ignorable_Code_Point) {
			t.Fatalf("%q becomes %q: %U is left", in, out, r)
		}
	}
}

func TestEscapeLeavesNothingHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := hostile(t)
		out := text.Escape(in)
		check(t, in, out)
		if again := text.Escape(out); again != out {
			t.Fatalf("%q becomes %q, and that %q", in, out, again)
		}
		check(t, in, text.Markdown(in))
	})
}

// What is written in pieces of any size is escaped as if it were whole.
func TestWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := hostile(t) + rapid.SampledFrom([]string{"", "\r", "\r\n", "\xe4\xb8"}).Draw(t, "end")
		var whole, pieces bytes.Buffer
		w := text.NewWriter(&whole)
		if n, err := w.Write([]byte(in)); n != len(in) || err != nil {
			t.Fatal(n, err)
		}
		p := text.NewWriter(&pieces)
		for rest := in; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			if _, err := p.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := p.Flush(); err != nil {
			t.Fatal(err)
		}
		if whole.String() != pieces.String() {
			t.Fatalf("%q: whole %q, in pieces %q", in, whole.String(), pieces.String())
		}
		check(t, in, strings.NewReplacer("\r\n", "", "\n", "", "\t", "").Replace(whole.String()))
		var want []string
		for _, line := range strings.Split(strings.ReplaceAll(in, "\r\n", "\n"), "\n") {
			cells := strings.Split(line, "\t")
			for i := range cells {
				cells[i] = text.Escape(cells[i])
			}
			want = append(want, strings.Join(cells, "\t"))
		}
		if got := strings.ReplaceAll(whole.String(), "\r\n", "\n"); got != strings.Join(want, "\n") {
			t.Fatalf("%q: %q, want %q", in, got, strings.Join(want, "\n"))
		}
	})
}

// JSON means the same once it was escaped on its way.
func TestWriterKeepsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := map[string]string{"key": strings.ToValidUTF8(hostile(t), "?")}
		var out bytes.Buffer
		w := text.NewWriter(&out)
		if err := json.NewEncoder(w).Encode(in); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["key"] != in["key"] {
			t.Fatalf("%q becomes %s: %v", in["key"], out.String(), err)
		}
	})
}

// A cell of a spreadsheet is text, and says what went in.
func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"mcts": "mcts", "": "", "-12.5": "-12.5", "+39 ± 2": "+39 ± 2", "-": "-",
		"=1+1": "'=1+1", "@x": "'@x", "-2+3|cmd": "'-2+3|cmd", "'=x": "''=x", "'tis": "'tis", "+x": "'+x", "＝x": "'＝x", "\t=x": `\t=x`,
	} {
		if got := text.Cell(in); got != want {
			t.Errorf("%q is %q in a cell, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.StringMatching(`'{0,3}[=@+\-＝＠＋－]?[a-z0-9'|]*`), rapid.String()).Draw(t, "text")
		out := text.Cell(in)
		check(t, in, out)
		if back := text.Uncell(out); back != text.Escape(in) {
			t.Fatalf("%q is %q in a cell, and %q back", in, out, back)
		}
	})
}

func TestUTF8(t *testing.T) {
	if a, b := text.UTF8("M\xfcller"), text.UTF8("Müller 中"); a != "Müller" || b != "Müller 中" {
		t.Error(a, b)
	}
}

func TestWriterTellsErrors(t *testing.T) {
	if _, err := text.NewWriter(failing{}).Write([]byte("a")); err == nil {
		t.Error("an error is lost")
	}
	if _, err := text.NewWriter(failing{}).Write([]byte("\x1b")); err == nil {
		t.Error("an error is lost where text is escaped")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }
