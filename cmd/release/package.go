package main

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // the formats
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// What packages have beside what archives have, below their paths in the system, and the
// scripts that are run when a package is installed and removed.
//
//go:embed files templates
var embedded embed.FS

const description = `referee, tournaments and ratings for game-playing programs
 It starts bots written in any language, referees their games of
 Breakthrough, Outwit, Owlman, chess and games of your own, records
 everything in SQLite and rates the bots with error bars. Tournaments,
 ladders and sequential tests run on one machine or many, and are shown
 in the terminal and in a browser.`

// A systemPackage is a package of Debian or of RPM.
type systemPackage struct {
	name string
	pack func() ([]byte, error)
}

// newPackage returns a package of a program and its files, as a version.
func (r *release) newPackage(format, arch, version string, files []file) (*systemPackage, error) {
	files, err := r.installed(format, version, files)
	if err != nil {
		return nil, err
	}
	stage := filepath.Join(r.work, format+"-"+arch+"-"+version)
	info := &nfpm.Info{
		Name: "arena", Arch: arch, Platform: "linux", Version: version, Section: "utils", Priority: "optional",
		Maintainer: r.maintainer, Description: description, Homepage: r.url, License: "Apache-2.0", MTime: r.time, DisableGlobbing: true,
	}
	info.Recommends = []string{"bubblewrap"} // for sandbox: strict
	info.RPM.BuildHost, info.RPM.Compression, info.RPM.Group = "localhost", "gzip:9", "Amusements/Games"
	info.Deb.Compression = "xz"
	if format == "rpm" {
		info.Release = "1"
		summary, text, _ := strings.Cut(description, "\n")
		info.RPM.Summary, info.Description = summary, strings.ReplaceAll(text[1:], "\n ", "\n")
	}
	for _, f := range files {
		path := filepath.Join(stage, filepath.FromSlash(f.name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, f.data, 0o666)); err != nil {
			return nil, err
		}
		if script, ok := strings.CutPrefix(f.name, "scripts/"); ok {
			if script == "after-install" {
				info.Scripts.PostInstall = path
			} else {
				info.Scripts.PreRemove = path
			}
			continue
		}
		info.Contents = append(info.Contents, &nfpmfiles.Content{
			Source: path, Destination: "/" + f.name,
			FileInfo: &nfpmfiles.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode, MTime: r.time},
		})
	}
	info = nfpm.WithDefaults(info)
	packager, err := nfpm.Get(format)
	if err != nil {
		return nil, err
	}
	return &systemPackage{packager.ConventionalFileName(info), func() ([]byte, error) {
		var packed bytes.Buffer
		err := cmp.Or(nfpm.PrepareForPackager(info, format), packager.Package(info, &packed))
		return packed.Bytes(), err
	}}, nil
}

// installed returns the files of a package, and its scripts, by their paths in the system.
func (r *release) installed(format, version string, files []file) (list []file, err error) {
	for _, f := range files {
		switch name := f.name; {
		case name == "arena":
			f.name = "usr/bin/arena"
		case strings.HasPrefix(name, "man/"):
			f.name = "usr/share/man/man1/" + strings.TrimPrefix(name, "man/") + ".gz"
			f.data, err = compressed(f.data)
		case name == "completions/arena.bash":
			f.name = "usr/share/bash-completion/completions/arena"
		case name == "completions/_arena" && format == "deb":
			f.name = "usr/share/zsh/vendor-completions/_arena"
		case name == "completions/_arena":
			f.name = "usr/share/zsh/site-functions/_arena"
		case name == "completions/arena.fish":
			f.name = "usr/share/fish/vendor_completions.d/arena.fish"
		case strings.HasPrefix(name, "completions/"):
			continue
		case strings.HasPrefix(name, "configs/schema/"):
			f.name = "usr/share/arena/schema/" + strings.TrimPrefix(name, "configs/schema/")
		case name == "LICENSE" && format == "deb":
			f.name, f.data = "usr/share/doc/arena/copyright", r.copyright()
		case name == "CHANGELOG.md" && format == "deb":
			f.name = "usr/share/doc/arena/changelog.gz"
			f.data, err = compressed(r.debianChangelog(version, f.data))
		case name == "LICENSE" && format == "rpm":
			f.name = "usr/share/licenses/arena/LICENSE"
		case strings.Contains(name, "/"):
			f.name = "usr/share/doc/arena/examples/" + name
		default:
			f.name = "usr/share/doc/arena/" + name
		}
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	err = fs.WalkDir(embedded, "files", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(path)
		name := strings.TrimPrefix(path, "files/")
		if format == "deb" || !strings.Contains(name, "lintian") {
			list = append(list, file{name, 0o644, data})
		}
		return err
	})
	return sorted(list), err
}

func (r *release) copyright() []byte {
	return []byte("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n" +
		"Upstream-Name: arena\nSource: " + r.url + "\n\n" +
		"Files: *\nCopyright: " + fmt.Sprint(r.time.Year()) + " the authors of botarena\nLicense: Apache-2.0\n" +
		" On Debian systems, the full text of the Apache License, Version 2.0 is in\n /usr/share/common-licenses/Apache-2.0.\n")
}

// debianWidth is how long lines of Debian's changelogs are.
const debianWidth = 80

// debianChangelog returns the changelog as Debian's tools read it: the points of the
// newest version.
func (r *release) debianChangelog(version string, text []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "arena (%s) unstable; urgency=medium\n\n", version)
	_, newest, _ := strings.Cut(string(text), "\n## ")
	newest, _, _ = strings.Cut(newest, "\n## ")
	for point := range strings.SplitSeq(newest, "\n- ") {
		if point, ok := strings.CutPrefix("- "+point, "- "); ok && !strings.HasPrefix(newest, point) {
			line := "  *"
			for _, word := range strings.Fields(point) {
				if len(line)+len(word) >= debianWidth {
					fmt.Fprintln(&b, line)
					line = "   "
				}
				line += " " + word
			}
			fmt.Fprintln(&b, line)
		}
	}
	fmt.Fprintf(&b, "\n -- %s  %s\n", r.maintainer, r.time.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	return b.Bytes()
}

// manifests writes what package managers find the archives by.
func (r *release) manifests() error {
	sums := map[string]string{}
	for _, name := range r.made {
		sum, err := r.sum(name)
		if err != nil {
			return err
		}
		sums[name] = sum
	}
	templates, err := template.New("").Funcs(template.FuncMap{
		"address": func(of string) string { return r.url + "/" + r.name(of) },
		"name":    r.name,
		"upper":   strings.ToUpper,
		"sum": func(of string) (string, error) {
			if sum, ok := sums[r.name(of)]; ok {
				return sum, nil
			}
			return "", fmt.Errorf("there is no artefact %s", r.name(of))
		},
	}).ParseFS(embedded, "templates/*")
	if err != nil {
		return err
	}
	if r.url == exampleURL {
		fmt.Fprintf(r.say, "manifests of package managers name %s: -url gives the address where artefacts will be found\n", r.url)
	}
	for _, t := range templates.Templates() {
		err := r.write(t.Name(), func() ([]byte, error) {
			var text bytes.Buffer
			err := t.Execute(&text, map[string]string{"Version": r.version, "URL": r.url, "Day": r.time.Format("2006-01-02")})
			return text.Bytes(), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
