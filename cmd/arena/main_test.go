package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"arena": main, "pace": paceBot})
}

// The scripts run the program as a person would, and assert what it prints and
// the exit code.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

func runScripts(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir:           dir,
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			// scripts use the event files and the example bots of the project
			here, err := os.Getwd()
			env.Setenv("PROJECT", here+"/../..")
			return err
		},
	})
}
