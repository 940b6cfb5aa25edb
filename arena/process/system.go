package process

import (
	"regexp"
	"slices"
	"strings"
)

// systemDirs hold what is installed on a machine. A strict sandbox shows them
// read-only; links among them stay links.
func systemDirs() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"}
}

// OfSystem reports whether a path without links is that of something installed on
// the machine, and nobody's own.
func OfSystem(path string) bool {
	return slices.ContainsFunc(systemDirs(), func(dir string) bool { return under(path, dir) })
}

// under reports whether path is dir or inside it.
func under(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

var interpreters = regexp.MustCompile(`^(python|pypy|node|nodejs|deno|bun|java|ruby|jruby|perl|lua|luajit|php|julia|rscript|guile|racket|sbcl|clisp|ocaml|erl|escript|elixir|swipl|gst|tclsh|awk|gawk|mono|dotnet|wasmtime|qemu-[a-z0-9_]+|wine|wine64|sh|bash|dash|zsh|ksh|ash|env|nice|timeout|stdbuf|taskset|setsid|ionice|chrt)[0-9.]*$`)

// Interpreter reports whether a program's name is that of an interpreter or a
// launcher, of which every machine has its own.
func Interpreter(name string) bool {
	return interpreters.MatchString(strings.TrimSuffix(strings.ToLower(name), ".exe"))
}
