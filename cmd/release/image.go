package main

import (
	"archive/tar"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"time"
)

// imageUser is the user of the image's processes, as in images without a shell: no system
// has an account with that number.
const imageUser = 65532

type descriptor struct {
	MediaType string            `json:"mediaType"`
	Digest    string            `json:"digest"`
	Size      int               `json:"size"`
	Platform  map[string]string `json:"platform,omitempty"`
	Notes     map[string]string `json:"annotations,omitempty"`
}

// digest names content by its SHA-256.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// image returns an OCI image as an archive that podman load and docker load read: arena
// and nothing else, run by a user without rights, in a folder for its database.
func (r *release) image(t target, program []byte) ([]byte, error) {
	bare, err := tarred(func(w *tar.Writer) error {
		root := []file{
			{"data", fs.ModeDir | 0o755, nil},
			{"etc", fs.ModeDir | 0o755, nil},
			{"etc/passwd", 0o644, []byte("arena:x:65532:65532:arena:/data:/sbin/nologin\n")},
			{"tmp", fs.ModeDir | fs.ModeSticky | 0o777, nil},
			{"usr", fs.ModeDir | 0o755, nil},
			{"usr/bin", fs.ModeDir | 0o755, nil},
			{"usr/bin/arena", 0o755, program},
		}
		for _, f := range root {
			user := 0
			if f.name == "data" {
				user = imageUser
			}
			if err := addTo(w, f.name, f, r.time, user); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	layer, err := compressed(bare)
	if err != nil {
		return nil, err
	}
	blobs := map[string][]byte{}
	put := func(kind string, value any) (descriptor, error) {
		content, ok := value.([]byte)
		if !ok {
			if content, err = json.Marshal(value); err != nil {
				return descriptor{}, err
			}
		}
		blobs[digest(content)] = content
		return descriptor{MediaType: kind, Digest: digest(content), Size: len(content)}, nil
	}
	layerAt, err1 := put("application/vnd.oci.image.layer.v1.tar+gzip", layer)
	config, err2 := put("application/vnd.oci.image.config.v1+json", map[string]any{
		"created": r.time.Format(time.RFC3339), "os": t.os, "architecture": t.arch,
		"config": map[string]any{
			"User": "65532:65532", "WorkingDir": "/data", "Entrypoint": []string{"/usr/bin/arena"},
			"Env": []string{"PATH=/usr/bin", "HOME=/data"},
			"Labels": map[string]string{
				"org.opencontainers.image.title": "arena", "org.opencontainers.image.version": r.version,
				"org.opencontainers.image.revision": r.commit, "org.opencontainers.image.licenses": "Apache-2.0",
			},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{digest(bare)}},
		"history": []map[string]string{{"created": r.time.Format(time.RFC3339), "created_by": "arena " + r.version}},
	})
	manifest, err3 := put("application/vnd.oci.image.manifest.v1+json", map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": []descriptor{layerAt},
	})
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	manifest.Platform = map[string]string{"os": t.os, "architecture": t.arch}
	manifest.Notes = map[string]string{"org.opencontainers.image.ref.name": "arena:" + r.version}
	index, err1 := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []descriptor{manifest},
	})
	blob := func(d descriptor) string { return "blobs/sha256/" + d.Digest[len("sha256:"):] }
	docker, err2 := json.Marshal([]map[string]any{{
		"Config": blob(config), "RepoTags": []string{"arena:" + r.version}, "Layers": []string{blob(layerAt)},
	}})
	if err := cmp.Or(err1, err2); err != nil {
		return nil, err
	}
	files := []file{
		{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		{"index.json", 0o644, index},
		{"manifest.json", 0o644, docker},
	}
	for name, content := range blobs {
		files = append(files, file{"blobs/sha256/" + name[len("sha256:"):], 0o644, content})
	}
	return tarred(func(w *tar.Writer) error {
		for _, f := range sorted(files) {
			if err := addTo(w, f.name, f, r.time, 0); err != nil {
				return err
			}
		}
		return nil
	})
}
