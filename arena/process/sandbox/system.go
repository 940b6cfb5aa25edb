// Package sandbox finds out which files a strict sandbox shows to a bot: the system's, and
// of the user's those that the bot's entry names and that its program needs ([Look]).
// It reads files and starts nothing by itself.
package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// SystemDirs hold the programs and libraries that are installed on a machine. A strict
// sandbox shows them read-only; links among them stay links.
func SystemDirs() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}
}

// SystemSettings are patterns of what a strict sandbox shows of /etc: what the loader,
// interpreters and their libraries read. The rest says much of the machine, and is
// where its users' passwords end up.
func SystemSettings() []string {
	return []string{
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
		"/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/nsswitch.conf", "/etc/terminfo", "/etc/mime.types", "/etc/protocols", "/etc/services",
		"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted", "/etc/pki/java", "/etc/crypto-policies",
		"/etc/java*", "/etc/.java", "/etc/python*", "/etc/perl", "/etc/ruby*", "/etc/lua*", "/etc/php*", "/etc/R", "/etc/julia", "/etc/mono", "/etc/dotnet", "/etc/guile*", "/etc/sbclrc", "/etc/octave*", "/etc/OpenCL",
	}
}

// isSetting reports whether a path is one of the SystemSettings, or in one.
func isSetting(path string) bool {
	parts := strings.Split(path, "/")
	return slices.ContainsFunc(SystemSettings(), func(pattern string) bool {
		n := strings.Count(pattern, "/") + 1
		if len(parts) < n {
			return false
		}
		ok, _ := filepath.Match(pattern, strings.Join(parts[:n], "/"))
		return ok
	})
}

// OfSystem reports whether a path without links belongs to the system rather than to a
// user.
func OfSystem(path string) bool {
	return slices.ContainsFunc(append(SystemDirs(), "/etc", "/opt"), func(dir string) bool { return under(path, dir) })
}

// under reports whether path is dir or inside it.
func under(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// interpreters are names of programs, without the numbers of versions at their ends.
const interpreters = `python pypy node nodejs deno bun java ruby jruby perl lua luajit php julia rscript guile racket sbcl clisp ocaml
	erl escript elixir swipl gst tclsh awk gawk mono dotnet wasmtime wine sh bash dash zsh ksh ash env nice timeout stdbuf taskset
	setsid ionice chrt`

// Interpreter reports whether a program's name is that of an interpreter or a
// launcher, of which every machine has its own.
func Interpreter(name string) bool {
	name = strings.TrimRight(strings.TrimSuffix(strings.ToLower(name), ".exe"), "0123456789.")
	return strings.HasPrefix(name, "qemu-") || slices.Contains(strings.Fields(interpreters), name)
}

// An Error explains why a bot cannot run in a strict sandbox.
type Error struct {
	Why  string
	Hint string
}

// Error names the reason and what to try.
func (e *Error) Error() string { return fmt.Sprintf("sandbox strict: %s; %s", e.Why, e.Hint) }
