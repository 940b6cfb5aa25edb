//go:build external && unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// Every example of every --help does what it says, in a folder that has what they
// name. Flags at the end make those short that would take long.
func TestExternalHelpExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shell := func(line string) (string, error) {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	projectDir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"openings.txt": "a2a3\nb2b3\n",
		"league.yaml":  "game: breakthrough:5x5\nclock: {depth: 1}\nrounds: 6\nbots: [{name: emil, builtin: random}, {name: finn, command: [./stub]}, {builtin: minimax}, {name: gus, builtin: random}]\n",
		"cup.yaml":     "game: breakthrough:5x5\nformat: ladder\nclock: {depth: 1}\nbots: [{builtin: random}, {builtin: greedy}]\nhost: {languages: [python], trust: true}\n",
		"class.csv":    "bats\n",
		"book.pgn":     "[Event \"?\"]\n\n1. e4 e5 *\n",
		"points.jsonl": "{\"values\": {\"Margin\": 80}, \"pairs\": 1}\n",
		"results.csv":  "first,second,result,pair\na,b,1-0,1\nb,a,1-0,1\na,b,1/2-1/2,2\nb,a,0-1,2\n",
		"stub":         "#!/bin/sh\nexec arena bot greedy\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	prepare := `cp -r ` + projectDir + `/configs . && sed -i 's/^event: league/event: season/' configs/league.yaml && for f in mybot bot new old bot_a bot_b; do cp stub $f; done
for f in first_bot.py my_bot.py guest.py emil.py emil2.py; do cp ` + projectDir + `/bots/examples/python/first_bot.py $f; done
mkdir bots submissions && cp stub submissions/one && cp -r ` + projectDir + `/bots/examples bots && cp bots/examples/own_game/hex_rules.py . && cp hex_rules.py hex_bot.py
arena run configs/quickstart.yaml -q && arena match mine=greedy minimax -g breakthrough:5x5 -n 2 -q -c depth=1 --event spring --log &&
arena run league.yaml -q && arena match emil=random random -g outwit -n 1 -q -c depth=1 --event trial &&
arena match minimax greedy -g chess -n 1 -q -c depth=1 --max-plies 30 --event chess && arena match random greedy -g breakthrough:6x6 -n 2 -q -c depth=1 --event small &&
arena export --format pgn -o games.pgn --game chess && gzip -k games.pgn && arena export --event spring --format jsonl -o spring.jsonl && arena export --event small --format jsonl -o games.jsonl`
	if out, err := shell(prepare); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shorter := []struct{ command, flags string }{
		{"arena match", "-n 1 -q -c depth=1 --max-plies 20"},
		{"arena sprt --event", ""},
		{"arena race --event", ""},
		{"arena sprt plan", ""},
		{"arena sprt calc", ""},
		{"arena sprt", "--max-pairs 1 -q -c depth=1 --max-plies 20"},
		{"arena race", "--max-pairs 1 -q -c depth=1 --max-plies 20"},
		{"arena regress", "-n 1 -q -c depth=1"},
		{"arena check", "--quick"},
		{"arena tune --event", ""},
		{"arena tune ask", ""},
		{"arena tune tell", ""},
		{"arena tune", "--games 2 -q -c nodes=10 --max-plies 20 -g breakthrough:5x5"},
		{"arena datagen", "--games 2 --clock nodes=10 --max-plies 20 -q"},
		{"arena bots check", "--quick"},
		{"arena openings make", "--count 2 --depth 1 --window 1000"},
		{"arena site", "--event spring"},
		{"arena analyse", "--time 20ms"},
	}
	// What an example before it has done, or nobody has here, such as a league elsewhere or
	// one that has closed: the scripts host, queue and submit have these commands.
	skip := regexp.MustCompile(`^arena worker|java|stockfish|\bhumans?\b|--sandbox strict|north\.jsonl|--fault hang|^arena import spring\.jsonl$|"emil|retire|rename|bots (check|update)|bots add mine -- \./mybot|events remove|--tls-cert|league\.example\.org|^arena submit|^arena queue (stop|priority|wait)|^arena host (final|export)`)
	command := regexp.MustCompile(`^(arena|echo|printf) `)
	serving := regexp.MustCompile(`^arena (serve|watch|host [a-z/]+\.yaml)`)
	remark := regexp.MustCompile(`  +[^ ].*$`)
	// What ends by Ctrl-C alone is waited for beside the others, one after the other,
	// since some want the same port.
	aside, asides := make(chan func(), 100), make(chan struct{})
	go func() {
		defer close(asides)
		for f := range aside {
			f()
		}
	}()
	// A worker is shut out once, and invited with a key of its own each time.
	before := map[string]string{"arena fleet revoke attic": "rm -f attic.key; arena fleet invite attic; "}
	done := map[string]bool{} // "arena fleet" shows what "arena fleet invite" does
	var walk func(cmd *cobra.Command)
	run := 0
	walk = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			line = remark.ReplaceAllString(strings.TrimSpace(line), "")
			if done[line] || !command.MatchString(line) || skip.MatchString(line) || strings.Contains(line, ".py") && !has("python3") {
				continue
			}
			for _, s := range shorter {
				if strings.HasPrefix(line, s.command) {
					rest := ""
					if at := strings.IndexAny(line, "|>"); at >= 0 {
						line, rest = line[:at], " "+line[at:]
					}
					line += " " + s.flags + rest
					break
				}
			}
			endless := serving.MatchString(line)
			if strings.HasPrefix(line, "arena host ") && endless { // ports that others want meanwhile
				line = regexp.MustCompile(`:(8080|4270)\b`).ReplaceAllString(line, ":0")
				line = "env ARENA_LISTEN=127.0.0.1:0 " + line
			}
			if endless {
				line = "timeout --foreground --preserve-status -s INT 3 " + line
			}
			run++
			done[line] = true
			for begin, first := range before {
				if strings.HasPrefix(line, begin) {
					line = first + line
				}
			}
			try := func() {
				start := time.Now()
				out, err := shell(line) // nothing is typed
				t.Logf("%.1f s: %s", time.Since(start).Seconds(), line)
				var exit *exec.ExitError
				verdict := strings.HasPrefix(line, "arena sprt") || strings.HasPrefix(line, "arena race") || strings.Contains(line, "--confirm")
				if errors.As(err, &exit) && verdict && slices.Contains([]int{exitH0, exitUndecided}, exit.ExitCode()) {
					err = nil // what the test came to
				}
				if errors.As(err, &exit) && endless && exit.ExitCode() == exitInterrupted {
					err = nil // timeout signals the program and then its group: the second one cuts the end short
				}
				if err != nil {
					t.Errorf("%s --help has: %s\n%v\n%s", cmd.CommandPath(), line, err, out)
				}
			}
			if endless {
				aside <- try
			} else {
				try()
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk((&app{out: io.Discard, err: io.Discard}).rootCommand())
	close(aside)
	<-asides
	if run < 50 {
		t.Errorf("only %d examples were run", run)
	}
}

func has(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
