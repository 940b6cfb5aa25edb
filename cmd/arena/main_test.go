package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Most tests wait for other processes rather than compute, so that more of them
// may run at once than there are cores.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "6"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv("XDG_STATE_HOME") == "" { // the user's own stays as it is
		if err := os.Setenv("XDG_STATE_HOME", filepath.Join(os.TempDir(), "arena-test-state")); err != nil {
			panic(err)
		}
	}
	testscript.Main(m, map[string]func(){"arena": main, "pace": paceBot, "viewers": viewersProgram, "storm": stormProgram, "natsd": natsServer})
}

// The scripts run the program as a person would, and assert what it prints and
// the exit code.
func TestScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, "testdata/script")
}

func runScripts(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir:           dir,
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			// scripts use the event files and the example bots of the project
			here, err := os.Getwd()
			env.Setenv("PROJECT", here+"/../..")
			env.Setenv("XDG_STATE_HOME", env.Getenv("WORK"))
			env.Setenv("XDG_RUNTIME_DIR", env.Getenv("WORK")) // scripts run side by side
			env.Setenv("ARENA_CONCURRENCY", "1")              // each game at once starts all bots of an event
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"pack": pack, "unescape": unescape, "visible": visible, "sqlite": sqlite, "fetch": fetch,
		},
	})
}

// fetch SERVED PATH TO writes a page to a file. The address of the server is in what
// it printed to SERVED, which is waited for, as is the page.
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fetch SERVED PATH TO")
	}
	address := regexp.MustCompile(`http://[0-9.:]+`)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		printed, err := os.ReadFile(ts.MkAbs(args[0]))
		if url := address.Find(printed); url != nil && bytes.HasSuffix(printed, []byte("\n")) {
			answer, err := http.Get(string(url) + args[1])
			ts.Check(err)
			data, err := io.ReadAll(answer.Body)
			ts.Check(errors.Join(err, answer.Body.Close(), os.WriteFile(ts.MkAbs(args[2]), data, 0o666)))
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s says no address: %s %v", args[0], printed, err)
		}
	}
}

// pack FROM TO packs a file.
func pack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pack FROM TO")
	}
	to, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	w := gzip.NewWriter(to)
	_, err = w.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(errors.Join(err, w.Close(), to.Close()))
}
