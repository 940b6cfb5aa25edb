package submission

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"
	"time"
)

// An About describes a league to those who download a starter kit.
type About struct {
	League string // its name
	Game   string // as a flag names it, such as breakthrough:6x6
	Rules  bool   // the game's rules are a program of the organiser's, which a kit has not
	URL    string // of the host; "" for one that is not known
}

// firstBot returns the path of a language's first bot among the examples, and the
// commands with which its author builds and starts it at home.
func firstBot(language string) (file, build, run string) {
	switch language {
	case "c":
		return "c/first_bot.c", "cc -O2 -o first_bot first_bot.c", "./first_bot"
	case "cpp":
		return "cpp/first_bot.cpp", "c++ -std=c++20 -O2 -o first_bot first_bot.cpp", "./first_bot"
	case "go":
		return "go/first_bot/main.go", "go build -o first_bot main.go", "./first_bot"
	case "java":
		return "java/FirstBot.java", "javac FirstBot.java", `"java FirstBot"`
	case "javascript":
		return "javascript/first_bot.js", "", "first_bot.js"
	case "python":
		return "python/first_bot.py", "", "first_bot.py"
	case "rust":
		return "rust/first_bot.rs", "rustc -O -o first_bot first_bot.rs", "./first_bot"
	}
	return "", "", ""
}

// kitReadme is the README of a kit.
const kitReadme = "# A first bot for {{.League}}\n" + `
` + "`{{.File}}`" + ` is a whole bot: it plays a random legal move, and arena tells it which moves are legal.

1. Change its function ` + "`choose`" + `.
2. Check it:  arena check {{.File}}{{.Flags}}
{{- if .Build}}
3. Build it:  {{.Build}}
{{- end}}
{{if .Build}}4{{else}}3{{end}}. Play against it:  arena play {{.Run}}{{.Flags}}
{{if .Build}}5{{else}}4{{end}}. Hand it in:  arena submit {{.File}} --to {{.URL}}

The league's page takes it as well: choose the file there, or a zip of the whole folder if the bot grows to several files.
{{- if .Rules}}
The rules of {{.Game}} are a program of the organiser's; without it, check and play at home with another game.
{{- end}}
`

// Kit returns a zip archive with a first bot in a language, which plays the league's game
// as it is, and a README that says how to change it, check it and hand it in. The first bots
// are those of bots/examples. The same arguments give the same bytes. The error is that of
// an unknown language.
func Kit(examples fs.FS, language string, about About) ([]byte, error) {
	file, build, run := firstBot(language)
	source, err := fs.ReadFile(examples, file)
	if err != nil {
		return nil, fmt.Errorf("there is no starter kit for the language %q: %w", language, err)
	}
	flags := " --game " + about.Game
	if about.Rules {
		flags = ""
	}
	var readme strings.Builder
	err = template.Must(template.New("readme").Parse(kitReadme)).Execute(&readme, map[string]any{
		"League": about.League, "Game": about.Game, "Rules": about.Rules, "URL": cmp.Or(about.URL, "URL"),
		"File": path.Base(file), "Build": build, "Run": run, "Flags": flags,
	})
	if err != nil {
		return nil, err
	}
	first := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) // that zip archives can have: the same bytes at all times
	var kit bytes.Buffer
	z := zip.NewWriter(&kit)
	for _, member := range []struct{ name, text string }{{"README.md", readme.String()}, {path.Base(file), string(source)}} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: "first-bot-" + language + "/" + member.name, Method: zip.Deflate, Modified: first})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte(member.text)); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return kit.Bytes(), nil
}
