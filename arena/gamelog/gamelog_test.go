package gamelog

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every name of an event makes a folder of its own that all systems take.
func TestFileName(t *testing.T) {
	device := regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
	check := func(t interface{ Fatalf(string, ...any) }, name string) string {
		file := FileName(name, MaxName)
		if file == "" || len(file) > MaxName || strings.ContainsAny(file, "<>:\"/\\|?*\x00 ") || strings.HasSuffix(file, ".") || device.MatchString(file) {
			t.Fatalf("%q makes the folder %q (%d bytes)", name, file, len(file))
		}
		return file
	}
	seen := map[string]string{}
	for _, name := range []string{
		"cup", "a:b", "a%3Ab", ".", "..", "...", "a.", "a%2E", "con", "CON", "nul.txt", "com1", "com10", "%43ON", "console", "x y",
		strings.Repeat("я", 43), strings.Repeat("я", 64), strings.Repeat("я", 63) + "ю", strings.Repeat("国", 29), strings.Repeat("国", 64), strings.Repeat(":", 64),
	} {
		file := check(t, name)
		if other, ok := seen[file]; ok {
			t.Errorf("%q and %q make the folder %q", name, other, file)
		}
		seen[file] = name
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.StringN(1, 64, -1).Draw(t, "name")) })
}
