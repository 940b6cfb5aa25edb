//go:build external && linux

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// sh runs a command line; a script of root's by sudo, where that is needed.
func sh(t *testing.T, dir, line string) (string, error) {
	t.Helper()
	r := &release{}
	out, err := r.command(context.WithoutCancel(t.Context()), dir, nil, "sh", "-c", line)
	return string(out), err
}

func asRoot(t *testing.T, dir, line string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		line = "sudo sh -c '" + strings.ReplaceAll(line, "'", `'\''`) + "'"
	}
	out, err := sh(t, dir, line)
	must(t, err)
	return out
}

// Two releases of a commit are equal byte for byte, made in two folders, at two times, by
// people whose names, umasks, time zones and settings of Go differ.
func TestExternalReleasesAreEqual(t *testing.T) {
	t.Parallel()
	root, err := project()
	must(t, err)
	targets := "linux/amd64"
	all := os.Getenv("ARENA_CI") == "all"
	if all {
		targets = strings.Join(allTargets(), ",")
	}
	tool := filepath.Join(t.TempDir(), "release")
	_, err = sh(t, root, "go -C cmd/release build -o "+tool+" .")
	must(t, err)
	head, err := sh(t, root, "git rev-parse HEAD") // others may commit meanwhile
	must(t, err)
	var made []map[string]string
	for i, env := range []string{
		"GOFLAGS=-buildvcs=false TZ=UTC",
		"GOFLAGS='-buildvcs=true -tags=portable' TZ=Asia/Tokyo USER=other LOGNAME=other HOSTNAME=elsewhere CGO_ENABLED=1 GOAMD64=v3 SOURCE_DATE_EPOCH=1",
	} {
		began := time.Now()
		dir := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i)+"project")
		if all && i == 1 {
			env += " GOCACHE=" + t.TempDir() // nothing is taken over from the first
		}
		_, err := sh(t, "/", fmt.Sprintf("umask %s && git clone -q --no-local %s %s && cd %s && git checkout -q %s && %s %s -targets %s",
			[]string{"022", "077"}[i], root, dir, dir, strings.TrimSpace(head), env, tool, targets))
		must(t, err)
		sums := map[string]string{}
		entries, err := os.ReadDir(filepath.Join(dir, "dist"))
		must(t, err)
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(dir, "dist", e.Name()))
			must(t, err)
			sum := sha256.Sum256(data)
			sums[e.Name()] = hex.EncodeToString(sum[:])
		}
		made = append(made, sums)
		t.Logf("%d artefacts in %v", len(sums), time.Since(began).Round(time.Second))
		for time.Now().Unix() == began.Unix() { // files do not tell less than a second apart
			time.Sleep(10 * time.Millisecond)
		}
	}
	if len(made[0]) < 8 || !slices.Equal(slices.Sorted(maps.Keys(made[0])), slices.Sorted(maps.Keys(made[1]))) {
		t.Errorf("they have other artefacts: %v and %v", made[0], made[1])
	}
	for name, sum := range made[0] {
		if made[1][name] != sum {
			t.Errorf("%s differs", name)
		}
	}
}

// program builds arena for Linux on this processor, with what is packed beside it.
func program(t *testing.T, r *release) []file {
	t.Helper()
	common, err := r.common(t.Context())
	must(t, err)
	data, err := os.ReadFile(r.native())
	must(t, err)
	return append([]file{{"arena", 0o755, data}}, common...)
}

func packed(t *testing.T, r *release, format, version string, files []file) string {
	t.Helper()
	p, err := r.newPackage(format, runtime.GOARCH, version, files)
	must(t, err)
	must(t, r.write(p.name, p.pack))
	return filepath.Join(r.out, p.name)
}

// The package for Debian is as lintian wants it, but for what its overrides explain. In a
// clean root it is installed, an ordinary user plays the quickstart, a newer version takes
// its place with the units running on and the database as it was, and it is removed.
func TestExternalDebian(t *testing.T) {
	t.Parallel()
	r := commit(t)
	files := program(t, r)
	first, second := packed(t, r, "deb", r.version, files), packed(t, r, "deb", r.version+"+1", files)
	if said, err := sh(t, "/", "lintian --allow-root --fail-on error,warning "+first); err != nil || said != "" {
		t.Errorf("lintian: %v\n%s", err, said)
	}
	root := filepath.Join(t.TempDir(), "root")
	t.Cleanup(func() { asRoot(t, "/", "rm -rf "+root) })
	asRoot(t, "/", ". /etc/os-release && debootstrap --variant=minbase $VERSION_CODENAME "+root+" >"+r.out+"/debootstrap.log 2>&1 || { tail "+r.out+"/debootstrap.log; exit 1; }")
	asRoot(t, "/", "cp "+first+" "+second+" "+root+"/tmp && mkdir -p "+root+"/run/systemd/system "+root+"/srv/nobody && chown nobody "+root+"/srv/nobody")
	// A systemd that notes what it was told.
	asRoot(t, "/", `printf '#!/bin/sh\necho "$@" >>/var/log/systemctl\n' >`+root+"/usr/bin/systemctl && chmod +x "+root+"/usr/bin/systemctl")
	inside := func(line string) string { return asRoot(t, "/", "chroot "+root+" sh -c '"+line+"'") }
	asUser := func(line string) string {
		return asRoot(t, "/", "unshare -m sh -c 'mount -t proc proc "+root+"/proc && exec chroot --userspec=nobody "+root+" env HOME=/srv/nobody "+line+"'")
	}
	inside("dpkg -i /tmp/" + filepath.Base(first))
	told := func() string { return inside("cat /var/log/systemctl; rm /var/log/systemctl") }
	if said := told(); !strings.Contains(said, "try-restart arena-serve.service") || strings.Contains(said, "enable") || strings.Contains(said, "stop") {
		t.Errorf("installing told systemd %q", said)
	}
	table := asUser("arena run /usr/share/doc/arena/examples/configs/quickstart.yaml -q --db /srv/nobody/arena.db")
	if !strings.Contains(table, "quickstart · breakthrough · 120 games") || !strings.Contains(table, "mcts") {
		t.Errorf("the quickstart printed\n%s", table)
	}
	database := inside("sha256sum /srv/nobody/arena.db")
	inside("dpkg -i /tmp/" + filepath.Base(second))
	if said := told(); !strings.Contains(said, "try-restart arena-serve.service arena-worker@*.service") || strings.Contains(said, "stop") || strings.Contains(said, "disable") {
		t.Errorf("replacing it told systemd %q", said)
	}
	if inside("dpkg-query -W -f \\${Version} arena") != r.version+"+1" || inside("sha256sum /srv/nobody/arena.db") != database {
		t.Error("the newer version is not there, or the database has changed")
	}
	if board := asUser("arena leaderboard --db /srv/nobody/arena.db"); !strings.Contains(board, "120 games") {
		t.Errorf("the newer version shows\n%s", board)
	}
	inside("dpkg -r arena")
	if said := told(); !strings.Contains(said, "disable --now arena-serve.service") || !strings.Contains(said, "stop arena-worker@*.service") {
		t.Errorf("removing it told systemd %q", said)
	}
	if left := inside("ls /usr/bin/arena /usr/share/arena /usr/share/doc/arena 2>/dev/null || true"); left != "" || inside("sha256sum /srv/nobody/arena.db") != database {
		t.Errorf("after removing it there are %q", left)
	}
}

// The package for RPM holds the files that it is to hold, whole, and its program runs.
func TestExternalRPM(t *testing.T) {
	t.Parallel()
	r := commit(t)
	files := program(t, r)
	path := packed(t, r, "rpm", r.version, files)
	dump, err := sh(t, "/", "rpm -K "+path+" >/dev/null && rpm -qp --dump "+path)
	must(t, err)
	found := map[string]string{}
	for line := range strings.Lines(dump) { // path size mtime digest mode owner group ...
		f := strings.Fields(line)
		found[f[0]] = strings.Join(f[1:7], " ")
	}
	listed, err := r.installed("rpm", r.version, files)
	must(t, err)
	for _, f := range listed {
		if strings.HasPrefix(f.name, "scripts/") {
			continue
		}
		sum := sha256.Sum256(f.data)
		want := fmt.Sprintf("%d %d %s 0100%o root root", len(f.data), r.time.Unix(), hex.EncodeToString(sum[:]), f.mode)
		if found["/"+f.name] != want {
			t.Errorf("%s is %q, want %q", f.name, found["/"+f.name], want)
		}
		delete(found, "/"+f.name)
	}
	if len(found) > 0 {
		t.Errorf("it has more: %v", found)
	}
	root := t.TempDir()
	t.Cleanup(func() { asRoot(t, "/", "rm -rf "+root) })
	asRoot(t, "/", "rpm --root "+root+" --initdb && rpm --root "+root+" -i --nodeps --noscripts "+path+" && rpm --root "+root+" -V arena")
	if said, err := sh(t, "/", root+"/usr/bin/arena version"); err != nil || !strings.HasPrefix(said, "arena "+r.version+" ("+r.commit[:12]+")") {
		t.Errorf("%v: %q", err, said)
	}
}

// minisign takes a signature of checksums, and refuses one that was broken.
func TestExternalMinisign(t *testing.T) {
	t.Parallel()
	r := commit(t)
	must(t, r.write("some-artefact", func() ([]byte, error) { return []byte("content"), nil }))
	must(t, r.checksums())
	_, err := sh(t, r.out, "minisign -G -W -p key.pub -s key.sec")
	must(t, err)
	must(t, r.sign(filepath.Join(r.out, "key.sec"), ""))
	if said, err := sh(t, r.out, "sha256sum -c checksums.txt && minisign -Vm checksums.txt -p key.pub"); err != nil || !strings.Contains(said, "verified") {
		t.Errorf("%v: %s", err, said)
	}
	if _, err := sh(t, r.out, "sed -i '2s/.$/x/; 2s/A/B/' checksums.txt.minisig && minisign -Vm checksums.txt -p key.pub"); err == nil {
		t.Error("a broken signature is taken")
	}
}

// The source archive builds without a network.
func TestExternalSource(t *testing.T) {
	t.Parallel()
	r := commit(t)
	must(t, r.writeSource(t.Context()))
	build := "go list -deps ./cmd/arena >/dev/null"
	if os.Getenv("ARENA_CI") == "all" {
		build = "go build -o arena ./cmd/arena && ./arena version"
	}
	_, err := sh(t, r.out, "tar xzf *.tar.gz && cd arena-*-source && GOPROXY=off GOFLAGS=-mod=vendor GOMODCACHE=$PWD/none "+build)
	must(t, err)
}

// podman loads the image, and its program, in the image's own files and as its user, plays
// and records a match there. The container is left out: it would want rights that the
// machine which runs the tests may not give.
func TestExternalImage(t *testing.T) {
	t.Parallel()
	r := commit(t)
	data, err := os.ReadFile(r.native())
	must(t, err)
	must(t, r.write("image.tar", func() ([]byte, error) { return r.image(target{runtime.GOOS, runtime.GOARCH}, data) }))
	dir := t.TempDir()
	t.Cleanup(func() { asRoot(t, "/", "rm -rf "+dir) })
	podman := func(args string) string {
		return asRoot(t, dir, fmt.Sprintf("podman --storage-driver vfs --root %[1]s/store --runroot %[1]s/run --events-backend none %s", dir, args))
	}
	image := "localhost/arena:" + r.version
	if said := podman("load -q -i " + filepath.Join(r.out, "image.tar")); !strings.Contains(said, image) {
		t.Errorf("podman loaded %q", said)
	}
	said := podman("inspect --type image --format '{{.Architecture}} {{.Config.User}} {{.Config.WorkingDir}} {{.Config.Entrypoint}}' " + image)
	if want := fmt.Sprintf("%s %d:%[2]d /data [/usr/bin/arena]\n", runtime.GOARCH, imageUser); said != want {
		t.Errorf("podman sees %q, want %q", said, want)
	}
	root := filepath.Join(dir, "root")
	podman("create --name arena " + image)
	podman("export -o " + root + ".tar arena")
	asRoot(t, dir, "mkdir -p root/proc root/dev && tar xf root.tar -C root && mknod -m 666 root/dev/null c 1 3")
	said = asRoot(t, "/", fmt.Sprintf("unshare -m sh -c 'mount -t proc proc %[1]s/proc && HOME=/data exec chroot --userspec=%[2]d:%[2]d %[1]s "+
		"/usr/bin/arena match random greedy --game breakthrough --pairs 2 -q --db /data/arena.db'", root, imageUser))
	if !strings.Contains(said, "4 games") || !strings.Contains(said, "greedy") {
		t.Errorf("a match in the image printed\n%s", said)
	}
}
