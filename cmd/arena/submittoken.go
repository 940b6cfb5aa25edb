package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"
)

// keptToken is a team's token for a host.
type keptToken struct{ url, token string }

// tokensFile returns the file of the tokens that were asked for, a line each; "" if there
// is no place for it.
func (a *app) tokensFile() string { return a.userFile("XDG_CONFIG_HOME", "tokens") }

func (a *app) readTokens() []keptToken {
	data, err := os.ReadFile(a.tokensFile())
	if err != nil {
		return nil // it is asked for then
	}
	var list []keptToken
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 2 {
			list = append(list, keptToken{f[0], f[1]})
		}
	}
	return list
}

// keepToken keeps a token where this user alone can read it. Where that fails, it is asked
// for again.
func (a *app) keepToken(at, token string) {
	file := a.tokensFile()
	lines := fmt.Sprintf("%s %s\n", at, token)
	for _, k := range a.readTokens() {
		if k.url != at {
			lines += fmt.Sprintf("%s %s\n", k.url, k.token)
		}
	}
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = replaceFile(file, []byte(lines))
	}
	if err != nil {
		fmt.Fprintf(a.err, "warning: the token cannot be kept, and will be asked for again: %v\n", err)
		return
	}
	fmt.Fprintf(a.err, "the token is kept in %s, for you alone\n", file)
}

// replaceFile writes a file that this user alone can read, whole or not at all.
func replaceFile(file string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".tokens-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// token returns the team's token for a host, and whether it was asked for.
func (a *app) token(file, at string, kept []keptToken) (token string, asked bool, err error) {
	if file != "" {
		token, err = firstLine("--token-file", file, "token")
		return token, false, err
	}
	if token = strings.TrimSpace(a.getenv("ARENA_TOKEN")); token != "" {
		return token, false, nil
	}
	for _, k := range kept {
		if k.url == at {
			return k.token, false, nil
		}
	}
	if token, err = a.askSecret("token of your team: "); err != nil {
		return "", false, err
	}
	if token == "" {
		return "", false, usagef("the token of your team is needed: type it on a terminal, or give --token-file FILE or ARENA_TOKEN")
	}
	return token, true, nil
}

// askSecret asks on a terminal for a line that is not shown; it is "" if there is none.
func (a *app) askSecret(question string) (string, error) {
	f, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return "", nil
	}
	fmt.Fprint(a.err, question)
	line, err := term.ReadPassword(int(f.Fd()))
	fmt.Fprintln(a.err)
	if errors.Is(err, io.EOF) {
		return "", nil
	}
	return strings.TrimSpace(string(line)), err
}
