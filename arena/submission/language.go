package submission

import (
	"path"
	"slices"
	"strings"
)

// A language is one that the package knows how to build and to start.
type language struct {
	name, title string
	endings     []string
	// tools lists the programs that it needs, each with alternatives; the first one
	// prints its version with the arguments in asks.
	tools [][]string
	asks  string
	// plan returns how to build and start the sources, with the tools found.
	plan func(s *sources, tools []string) (build, command []string, err error)
}

// known lists the languages in the order of their titles.
func known() []language {
	return []language{
		{"c", "C", []string{".c"}, [][]string{{"gcc", "clang", "cc"}}, "--version", planC},
		{"cpp", "C++", []string{".cpp", ".cc", ".cxx"}, [][]string{{"g++", "clang++", "c++"}}, "--version", planCPP},
		{"go", "Go", []string{".go"}, [][]string{{"go"}}, "version", planGo},
		{"java", "Java", []string{".java"}, [][]string{{"javac"}, {"java"}}, "--version", planJava},
		{"javascript", "JavaScript", []string{".js", ".mjs", ".cjs"}, [][]string{{"node", "nodejs"}}, "--version", planScript},
		{"python", "Python", []string{".py"}, [][]string{{"python3", "python"}}, "--version", planScript},
		{"rust", "Rust", []string{".rs"}, [][]string{{"rustc"}, {"cargo", "rustc"}}, "--version", planRust},
	}
}

// program is the name of the program that a build makes.
const program = "bot"

// sources are the files of a submission that are in one language.
type sources struct {
	language *language
	all      []string // paths of the files of that language, in order
	top      []string // those at the top; if there are none, those in src
	has      func(name string) bool
	read     func(name string) string // the beginning of a file
}

// main returns the file that starts the bot: the only one, or the one with a usual name.
func (s *sources) main(files []string, names ...string) (string, error) {
	if len(files) == 1 {
		return files[0], nil
	}
	for _, name := range names {
		i := slices.IndexFunc(files, func(file string) bool { return stem(file) == name })
		if i >= 0 {
			return files[i], nil
		}
	}
	end := s.language.endings[0]
	return "", wrong("it has several %s files, and none that starts the bot by its name; call that one %s%s", s.language.title, names[0], end)
}

// stem returns a file's name without its folder and its ending.
func stem(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

func planScript(s *sources, tools []string) (build, command []string, err error) {
	names := []string{"bot", "main"}
	if s.language.name == "javascript" {
		names = append(names, "index")
	}
	file, err := s.main(s.top, names...)
	return nil, []string{tools[0], file}, err
}

func planC(s *sources, tools []string) (build, command []string, err error) {
	build = slices.Concat([]string{tools[0], "-O2", "-o", program}, s.top, []string{"-lm", "-pthread"})
	return build, []string{"./" + program}, nil
}

func planCPP(s *sources, tools []string) (build, command []string, err error) {
	build = slices.Concat([]string{tools[0], "-std=c++20", "-O2", "-o", program}, s.top, []string{"-pthread"})
	return build, []string{"./" + program}, nil
}

func planRust(s *sources, tools []string) (build, command []string, err error) {
	if s.has("Cargo.toml") {
		if tools[1] != "cargo" {
			return nil, nil, wrong("it has a Cargo.toml, and this host has no Cargo; hand in one file that rustc compiles, such as bot.rs")
		}
		return []string{"cargo", "install", "--offline", "--path", ".", "--root", "."}, nil, nil // into bin
	}
	file, err := s.main(s.top, "bot", "main")
	return []string{tools[0], "-O", "--edition", "2021", "-o", program, file}, []string{"./" + program}, err
}

func planGo(s *sources, _ []string) (build, command []string, err error) {
	build, command = []string{"go", "build", "-o", program}, []string{"./" + program}
	isTest := func(file string) bool { return strings.HasSuffix(file, "_test.go") }
	if !s.has("go.mod") {
		files := slices.DeleteFunc(slices.Clone(s.top), isTest)
		return append(build, files...), command, nil
	}
	var folders []string
	for _, file := range s.all {
		dir := path.Dir(file)
		if !isTest(file) && !slices.Contains(folders, dir) && hasLine(s.read(file), "package main") && !strings.HasPrefix(file, "vendor/") {
			folders = append(folders, dir)
		}
	}
	switch {
	case len(folders) == 0:
		return nil, nil, wrong("none of its Go files is of package main; add the one that starts the bot")
	case slices.Contains(folders, "."):
		return append(build, "."), command, nil
	case len(folders) > 1:
		return nil, nil, wrong("it has several programs (%s); put the bot's at the top, or say in bot.yaml which to build, such as build: go build -o bot ./%s, and command: ./bot", strings.Join(folders, ", "), folders[0])
	}
	return append(build, "./"+folders[0]), command, nil
}

func hasLine(text, line string) bool {
	for l := range strings.Lines(text) {
		if l, _, _ = strings.Cut(l, "//"); strings.TrimSpace(l) == line {
			return true
		}
	}
	return false
}

func planJava(s *sources, tools []string) (build, command []string, err error) {
	const classes = "classes"
	build = slices.Concat([]string{tools[0], "-encoding", "UTF-8", "-d", classes}, s.all)
	var mains []string
	for _, file := range s.all {
		if mainMethod.MatchString(s.read(file)) {
			mains = append(mains, file)
		}
	}
	if len(mains) == 0 {
		return nil, nil, wrong("none of its Java files has a method \"public static void main(String[] args)\"; add the class that starts the bot")
	}
	file, err := s.main(mains, "Bot", "Main")
	if err != nil {
		return nil, nil, err
	}
	return build, []string{tools[1], "-cp", classes, mainClass(s.read(file), stem(file))}, nil
}
