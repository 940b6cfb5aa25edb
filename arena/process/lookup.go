package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"botarena/arena"
	"botarena/arena/process/sandbox"
	"botarena/engine/nearest"
)

// FindProgram returns the absolute path of the program that a command starts: a name
// without a slash is looked up in dir (absolute), then in path (a PATH value); any
// other is relative to dir. The error is a *NotFoundError, a *NotExecutableError or a
// *DirError.
func FindProgram(program, dir, path string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", &DirError{Dir: strconv.Quote(dir), Err: errors.New("is not an absolute path")}
	}
	if info, err := os.Stat(dir); err != nil {
		var pathError *fs.PathError
		if errors.As(err, &pathError) {
			err = pathError.Err
		}
		return "", &DirError{Dir: dir, Err: err}
	} else if !info.IsDir() {
		return "", &DirError{Dir: dir, Err: errors.New("is a file")}
	}
	named := strings.ContainsRune(program, '/') || strings.ContainsRune(program, filepath.Separator)
	places := []string{dir}
	if filepath.IsAbs(program) {
		places = []string{""}
	} else if !named {
		for _, place := range filepath.SplitList(path) {
			if filepath.IsAbs(place) { // a relative entry would mean another file in each directory
				places = append(places, place)
			}
		}
	}
	var firstErr error
	missing := &NotFoundError{Program: program}
	for i, place := range places {
		for _, file := range spellings(filepath.Join(place, program)) {
			err := startable(file)
			if err == nil {
				return filepath.Abs(file)
			}
			// A directory of PATH that this user may not look into has nothing for him.
			if errors.Is(err, fs.ErrNotExist) || (i > 0 && errors.Is(err, fs.ErrPermission)) {
				missing.Looked = append(missing.Looked, file)
			} else if firstErr == nil {
				firstErr = err
			}
		}
	}
	if firstErr != nil {
		return "", firstErr
	}
	missing.Nearest = nearestFile(filepath.Join(places[0], program))
	if missing.Nearest != "" && filepath.Dir(program) != "." {
		missing.Nearest = filepath.Join(filepath.Dir(program), missing.Nearest)
	}
	return "", missing
}

// spellings returns the names under which a platform looks up a program: on Windows
// also with the extensions of programs.
func spellings(file string) []string {
	if runtime.GOOS != "windows" || startsOnWindows(file) {
		return []string{file}
	}
	var all []string
	for _, ending := range windowsPrograms() {
		all = append(all, file+ending)
	}
	return append(all, file) // which says what is wrong with it
}

// windowsPrograms returns the extensions of files that Windows starts as programs, in
// the order of its PATHEXT. (The scripts of PATHEXT are for its shell alone.)
func windowsPrograms() []string { return []string{".com", ".exe", ".bat", ".cmd"} }

func startsOnWindows(file string) bool {
	return slices.Contains(windowsPrograms(), strings.ToLower(filepath.Ext(file)))
}

// nearestFile suggests an existing file in the same directory.
func nearestFile(file string) string {
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return ""
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	base := filepath.Base(file)
	if near := nearest.Of(base, names); near != "" {
		return near
	}
	for _, name := range names { // "bot" for "bot.py"
		if strings.TrimSuffix(name, filepath.Ext(name)) == base {
			return name
		}
	}
	return ""
}

// startable reports why a file cannot be started as a program.
func startable(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if errors.Is(err, fs.ErrPermission) {
			err = fs.ErrPermission // without the path once more
		}
		return &NotExecutableError{Path: file, Why: "cannot be reached", Err: err, Hint: "check the permissions of the file and its directories"}
	}
	if info.IsDir() {
		return &NotExecutableError{Path: file, Why: "is a directory", Hint: "name the program in it"}
	}
	if !info.Mode().IsRegular() {
		return &NotExecutableError{Path: file, Why: "is not a regular file", Hint: "name a program"}
	}
	if runtime.GOOS == "windows" {
		if startsOnWindows(file) {
			return nil
		}
		if err := checkSource(file); err != nil {
			return err
		}
		return &NotExecutableError{Path: file, Why: "is no program of Windows (.exe, .bat, .cmd or .com)", Hint: "put its interpreter first" + interpreterHint(file)}
	}
	if err := checkSource(file); err != nil {
		return err
	}
	if info.Mode()&0o111 == 0 {
		return &NotExecutableError{Path: file, Why: "is not executable", Hint: "make it so (chmod +x " + file + ") or put its interpreter first" + interpreterHint(file)}
	}
	return checkInterpreter(file)
}

// checkSource returns a *NotExecutableError for a source file that must be compiled
// first, unless it begins with "#!".
func checkSource(file string) error {
	tools := map[string]string{".c": "gcc -O2", ".cc": "g++ -O2", ".cpp": "g++ -O2", ".cxx": "g++ -O2", ".rs": "rustc -O", ".go": "go build", ".java": "javac"}
	ending := strings.ToLower(filepath.Ext(file))
	tool, ok := tools[ending]
	if !ok || sandbox.Shebang(file) != "" {
		return nil
	}
	name := filepath.Base(file)
	hint := fmt.Sprintf("compile it (%s -o %s %s) and name the program", tool, strings.TrimSuffix(name, filepath.Ext(name)), name)
	if ending == ".java" {
		hint = "compile it (javac " + name + ") and name java with its class, or let java do it" + interpreterHint(file)
	}
	return &NotExecutableError{Path: file, Why: "is source code", Hint: hint}
}

// interpreterHint returns the command that runs a script of a common language.
func interpreterHint(file string) string {
	with := arena.Interpreter(file)
	if with == nil {
		return " in the command"
	}
	return " (command: [" + strings.Join(append(with, filepath.Base(file)), ", ") + "])"
}

// checkInterpreter checks the interpreter of a "#!" line: if it is missing, the
// kernel's own error says that the script does not exist.
func checkInterpreter(file string) error {
	line := sandbox.Shebang(file)
	if line == "" {
		return nil
	}
	interpreter, _, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	if strings.HasSuffix(strings.TrimRight(line, " \t"), "\r") {
		return &NotExecutableError{Path: file, Why: "its first line ends with a carriage return, as files from Windows do", Hint: "remove it (sed -i 's/\\r$//' " + file + ")"}
	}
	if filepath.IsAbs(interpreter) {
		if _, err := os.Stat(interpreter); errors.Is(err, fs.ErrNotExist) {
			return &NotExecutableError{
				Path: file, Why: fmt.Sprintf("its first line asks for %q, which does not exist", interpreter),
				Hint: "install it, correct the line, or name the interpreter in the command",
			}
		}
	}
	return nil
}

// badEXE is Windows' ERROR_BAD_EXE_FORMAT.
const badEXE = syscall.Errno(193)

// execError explains the kernel's error from exec.
func execError(program string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return &NotExecutableError{Path: program, Why: "is neither a program for this machine nor a script", Hint: "put \"#!\" and its interpreter in the first line, or name the interpreter in the command" + interpreterHint(program)}
	case errors.Is(err, syscall.ENOENT):
		return &NotExecutableError{Path: program, Why: "its loader does not exist here", Hint: "build it for this machine (see ldd " + program + ")"}
	case runtime.GOOS == "windows" && errors.Is(err, badEXE):
		return &NotExecutableError{Path: program, Why: "is no program for this machine", Hint: "build it for Windows on this processor, or put its interpreter first"}
	case errors.Is(err, syscall.EACCES):
		return &NotExecutableError{Path: program, Why: "may not be executed", Hint: "check its permissions, and that its file system is not mounted noexec"}
	}
	return busy("start "+program, err)
}
