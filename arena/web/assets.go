package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"botarena/engine/draw"
)

//go:embed assets
var assetFiles embed.FS

// assets are the files that pages load. Their addresses have a hash of their
// contents, so that browsers may keep them for good.
type assets struct {
	address map[string]string  // by name of the file
	answers map[string]*answer // by the last part of the address
	hash    string
}

func loadAssets() (*assets, error) {
	a := &assets{address: map[string]string{}, answers: map[string]*answer{}}
	kinds := map[string]string{
		".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	}
	all := sha256.New()
	add := func(base, kind string, data []byte) {
		sum := sha256.Sum256(data)
		all.Write(sum[:])
		ext := path.Ext(base)
		hashed := strings.TrimSuffix(base, ext) + "." + hex.EncodeToString(sum[:5]) + ext
		a.address[base] = "/assets/" + hashed
		a.answers[hashed] = newAnswer(kind, data)
	}
	err := fs.WalkDir(assetFiles, "assets", func(name string, d fs.DirEntry, err error) error {
		kind := kinds[path.Ext(name)]
		if err != nil || d.IsDir() || kind == "" {
			return err
		}
		data, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		add(path.Base(name), kind, data)
		return nil
	})
	add("pieces.css", kinds[".css"], []byte(draw.Style()))
	a.hash = hex.EncodeToString(all.Sum(nil)[:8])
	return a, err
}

// url returns the address of an asset. Templates name assets, so that a wrong name is
// a mistake in the program.
func (a *assets) url(name string) string {
	url, ok := a.address[name]
	if !ok {
		panic("no asset " + name)
	}
	return url
}

func (a *assets) serve(w http.ResponseWriter, r *http.Request) {
	answer, ok := a.answers[r.PathValue("name")]
	if !ok {
		http.Error(w, "There is no such file.", http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	answer.write(w, r)
}
