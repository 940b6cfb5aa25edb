package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// SiteOptions choose what a folder of pages has.
type SiteOptions struct {
	Events []string // only these, and what is about them; nil is all but archived ones
	// Told is called now and then with the number of files written, and of those
	// that are known of so far.
	Told func(written, known int)
}

// WriteSite writes the pages of a record to a folder that is there and empty, with
// relative links, for any host or to be opened from the disk; it returns how many
// files it wrote. Pages are followed from the first one, so that no link leads
// nowhere: what a folder cannot have, it does not link to.
func WriteSite(ctx context.Context, c Config, dir string, o SiteOptions) (files int, err error) {
	s, err := New(c)
	if err != nil {
		return 0, err
	}
	s.site, s.scope = true, o.Events
	w := &siteWriter{server: s, dir: dir, files: map[string]string{}, taken: map[string]bool{}}
	w.ask("/")
	for _, e := range o.Events {
		w.ask(eventURL(e))
	}
	for at := 0; at < len(w.queue); at++ {
		if err := ctx.Err(); err != nil {
			return w.written, err
		}
		if err := w.write(ctx, w.queue[at]); err != nil {
			return w.written, fmt.Errorf("page %s: %w", w.queue[at], err)
		}
		if o.Told != nil {
			o.Told(w.written, len(w.queue))
		}
	}
	return w.written, nil
}

// A siteWriter follows links and writes what they lead to.
type siteWriter struct {
	server  *Server
	dir     string
	queue   []string
	files   map[string]string // by address: the file, relative to dir; "" where there is none
	taken   map[string]bool   // files, in lower case
	written int
}

// ask returns the file of an address, "" where there is none. What is asked for the
// first time is written later.
func (w *siteWriter) ask(address string) string {
	file, known := w.files[address]
	if !known {
		file = w.fileOf(address)
		w.files[address] = file
		if file != "" {
			w.queue = append(w.queue, address)
		}
	}
	return file
}

// absent are the addresses that need a server.
var absent = regexp.MustCompile(`^/(live|play)(/|\?|$)|^/events/[^/]*/live$|^/events\?|^/events/[^/]*/\d+$`)

// fileOf names the file of an address: no name that a system may refuse, and no
// two that one may take for the same.
func (w *siteWriter) fileOf(address string) string {
	if absent.MatchString(address) {
		return ""
	}
	at, query, _ := strings.Cut(address, "?")
	ext := path.Ext(at)
	if ext != asJSON && ext != asCSV && !isEnding(ext) && !strings.HasPrefix(at, "/assets/") {
		ext = ".html"
	} else {
		at = strings.TrimSuffix(at, ext)
	}
	parts := strings.Split(strings.TrimPrefix(at, "/"), "/")
	for i, part := range parts {
		if name, err := url.PathUnescape(part); err == nil {
			part = name
		}
		if name, ok := unsegment(part); ok {
			part = name
		}
		parts[i] = safeName(part)
	}
	if at == "/" {
		parts = []string{"index"}
	}
	if query != "" {
		parts[len(parts)-1] = safeName(parts[len(parts)-1] + "-" + strings.NewReplacer("=", "-", "&", "-").Replace(query))
	}
	base := strings.Join(parts, "/")
	file := base + ext
	for n := 2; w.taken[strings.ToLower(file)]; n++ {
		file = fmt.Sprintf("%s-%d%s", base, n, ext)
	}
	w.taken[strings.ToLower(file)] = true
	return file
}

// mostName is how long a part of a file's name may be.
const mostName = 60

// safeName makes a name that every file system takes: plain letters and digits. What
// it changes it tells apart by a hash.
func safeName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, name)
	clean = strings.Trim(clean[:min(len(clean), mostName)], ".")
	stem, _, _ := strings.Cut(strings.ToLower(clean), ".")
	switch stem {
	case "", "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
		"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "index":
		clean = "_" + clean // what Windows keeps for itself, and the first page
	}
	if clean != name {
		sum := sha256.Sum256([]byte(name))
		clean += "-" + hex.EncodeToString(sum[:4])
	}
	return clean
}

// write writes the page, or whatever else, of an address.
func (w *siteWriter) write(ctx context.Context, address string) error {
	file := w.files[address]
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Host = "localhost"
	got := &kept{header: http.Header{}, status: http.StatusOK}
	w.server.ServeHTTP(got, req)
	if got.status != http.StatusOK {
		return fmt.Errorf("status %d", got.status)
	}
	data := got.body
	if strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
		data = []byte(w.relative(string(data), file))
	}
	to := filepath.Join(w.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	w.written++
	return os.WriteFile(to, data, 0o666) //nolint:gosec // for all to read, as far as the user's mask lets them
}

// links finds the addresses in a page. Templates write them in double quotes, and
// nothing else in a page has such quotes unescaped.
var links = regexp.MustCompile(`\b(href|src|action)="(/[^"]*)"`)

// relative makes the links of a page relative to its file.
func (w *siteWriter) relative(page, file string) string {
	up := strings.Repeat("../", strings.Count(file, "/"))
	return links.ReplaceAllStringFunc(page, func(link string) string {
		m := links.FindStringSubmatch(link)
		address := html.UnescapeString(m[2])
		rest := ""
		if at, fragment, found := strings.Cut(address, "#"); found {
			address, rest = at, "#"+fragment
		}
		// A game is one file: its script reads the ply from the address.
		if at, query, found := strings.Cut(address, "?"); found && strings.HasPrefix(at, "/games/") && path.Ext(at) == "" {
			address, rest = at, "?"+query+rest
		}
		to := w.ask(address)
		if to == "" {
			return ""
		}
		return m[1] + `="` + html.EscapeString(up+to+rest) + `"`
	})
}

// kept is an answer that is kept.
type kept struct {
	header http.Header
	status int
	body   []byte
}

func (k *kept) Header() http.Header { return k.header }
func (k *kept) WriteHeader(s int)   { k.status = s }
func (k *kept) Write(b []byte) (int, error) {
	k.body = append(k.body, b...)
	return len(b), nil
}
