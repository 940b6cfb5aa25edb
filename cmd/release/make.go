package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// make makes all artefacts of those targets.
func (r *release) make(ctx context.Context, targets []target) error {
	if err := r.emptyOut(); err != nil {
		return err
	}
	common, err := r.common(ctx)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if err := r.makeFor(ctx, t, common); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	for _, f := range common {
		if schema, ok := strings.CutPrefix(f.name, "configs/schema/"); ok && strings.HasSuffix(schema, ".json") {
			if err := r.write(r.name("schema-"+schema), func() ([]byte, error) { return f.data, nil }); err != nil {
				return err
			}
		}
	}
	if len(targets) == len(allTargets()) {
		if err := cmp.Or(r.writeSource(ctx), r.manifests()); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(r.say, "a part only, without the source and the manifests of package managers, which name all platforms")
	}
	return r.checksums()
}

func (r *release) writeSource(ctx context.Context) error {
	source, err := r.source(ctx)
	if err != nil {
		return err
	}
	return r.write(r.name("source.tar.gz"), func() ([]byte, error) { return tarball(source, r.name("source"), r.time) })
}

// makeFor makes what there is of one platform.
func (r *release) makeFor(ctx context.Context, t target, common []file) error {
	path := filepath.Join(r.work, t.os+"-"+t.arch, t.program())
	if err := r.build(ctx, t, path, "-s -w"); err != nil {
		return err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := append([]file{{t.program(), 0o755, program}}, common...)
	base := r.name(t.os + "-" + t.arch)
	if t.os == "windows" {
		err = r.write(base+".zip", func() ([]byte, error) { return zipped(files, base, r.time) })
	} else {
		err = r.write(base+".tar.gz", func() ([]byte, error) { return tarball(files, base, r.time) })
	}
	if err == nil {
		err = r.write(base+".spdx.json", func() ([]byte, error) { return r.components(path, t) })
	}
	if err != nil || t.os != "linux" {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		p, err := r.newPackage(format, t.arch, r.version, files)
		if err != nil {
			return err
		}
		if err := r.write(p.name, p.pack); err != nil {
			return err
		}
	}
	return r.write(base+"-image.tar", func() ([]byte, error) { return r.image(t, program) })
}

// name returns the name of an artefact.
func (r *release) name(of string) string { return "arena-" + r.version + "-" + of }

// emptyOut makes the folder of artefacts, without those of an earlier release.
func (r *release) emptyOut() error {
	entries, err := os.ReadDir(r.out)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(r.out, checksumsName)); err != nil {
			return fmt.Errorf("%s is not empty, and has no %s of a release: name another folder with -out", r.out, checksumsName)
		}
		err = os.RemoveAll(r.out)
	}
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.MkdirAll(r.out, 0o777)
}

// write writes an artefact and says how large it is.
func (r *release) write(name string, content func() ([]byte, error)) error {
	data, err := content()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.made = append(r.made, name)
	fmt.Fprintf(r.say, "%6.1f MB  %s\n", float64(len(data))/1e6, name)
	return os.WriteFile(filepath.Join(r.out, name), data, 0o666)
}

const checksumsName = "checksums.txt"

// sum returns the SHA-256 of an artefact.
func (r *release) sum(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(r.out, name))
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// checksums writes the sums of all artefacts, as sha256sum --check reads them.
func (r *release) checksums() error {
	slices.Sort(r.made)
	var lines strings.Builder
	for _, name := range r.made {
		sum, err := r.sum(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s  %s\n", sum, name)
	}
	return r.write(checksumsName, func() ([]byte, error) { return []byte(lines.String()), nil })
}
