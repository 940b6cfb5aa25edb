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
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// SiteOptions selects what a folder of pages contains.
type SiteOptions struct {
	Events []string // only these, and what is about them; nil is all but archived ones
	// Told is called now and then with the number of files written, and of those known
	// so far.
	Told func(written, known int)
}

// WriteSite writes the pages of a record to an existing empty folder, with relative
// links, for any web host or to be opened from the disk; it returns the number of
// files. It follows the links from the first page, so that no link is broken; pages
// that need a server are not linked.
func WriteSite(ctx context.Context, c Config, dir string, o SiteOptions) (files int, err error) {
	s, err := New(c)
	if err != nil {
		return 0, err
	}
	s.site, s.scope = true, o.Events
	w := &siteWriter{server: s, dir: dir, pages: s.sitePages(), files: map[string]string{}, taken: map[string]bool{}}
	w.ask("/")
	for _, e := range o.Events {
		w.ask(eventURL(e))
	}
	for files < len(w.queue) { // what one batch links to is the next one
		batch, errs := w.queue[files:], errgroup.Group{}
		errs.SetLimit(runtime.GOMAXPROCS(0))
		for _, address := range batch {
			errs.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				return w.write(ctx, address, o.Told)
			})
		}
		if err := errs.Wait(); err != nil {
			return files, err
		}
		files += len(batch)
	}
	return files, nil
}

// siteWriter follows links and writes the pages that they lead to.
type siteWriter struct {
	server *Server
	dir    string
	pages  *http.ServeMux

	mu    sync.Mutex
	queue []string
	files map[string]string // by address: the file, relative to dir; "" if a folder has none
	taken map[string]bool   // files

	written int
}

// ask returns the file of an address, "" if a site has none. A file that is asked for
// the first time is queued.
func (w *siteWriter) ask(address string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
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

// absent matches the addresses that need a server.
var absent = regexp.MustCompile(`^/(live|play)(/|$)|^/events/[^/]*/live$|^/events/[^/]*/\d+$|^/games/\d+(/|\.)|^/compare/.*\.json$`)

// fileOf names the file of an address. Names of strangers become lower-case letters and
// digits without a dot, so that no two files, and no file and folder, collide on any
// system.
func (w *siteWriter) fileOf(address string) string {
	if absent.MatchString(address) {
		return ""
	}
	if strings.HasPrefix(address, "/assets/") {
		return strings.TrimPrefix(address, "/")
	}
	at, ext := address, ".html"
	for _, data := range []string{asJSON, asCSV, ".js"} {
		if rest, found := strings.CutSuffix(address, data); found {
			at, ext = rest, data
		}
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
	if at == "/" || at == "/index" {
		parts = []string{"index"}
	}
	base := strings.Join(parts, "/")
	file := base + ext
	for n := 2; w.taken[file]; n++ {
		file = fmt.Sprintf("%s-%d%s", base, n, ext)
	}
	w.taken[file] = true
	return file
}

// mostName is the maximum length of a part of a file's name.
const mostName = 60

// hashed matches names that look as if safeName had changed them.
var hashed = regexp.MustCompile(`-[0-9a-f]{16}$`)

// safeName returns a unique name of lower-case letters and digits that every file
// system accepts. A name that it has to change ends with a hash.
func safeName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, name)
	clean = clean[:min(len(clean), mostName)]
	switch clean {
	case "", "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
		"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "index":
		clean = "_" + clean // what Windows keeps for itself, and the first page
	}
	if clean != name || hashed.MatchString(name) {
		sum := sha256.Sum256([]byte(name))
		clean += "-" + hex.EncodeToString(sum[:8])
	}
	return clean
}

// write writes the file of an address.
func (w *siteWriter) write(ctx context.Context, address string, told func(written, known int)) error {
	data, err := w.read(ctx, address)
	if err != nil {
		return fmt.Errorf("page %s: %w", address, err)
	}
	w.mu.Lock()
	file := w.files[address]
	w.mu.Unlock()
	if strings.HasSuffix(file, ".html") {
		data = []byte(w.relative(string(data), file))
	}
	to := filepath.Join(w.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o666); err != nil { //nolint:gosec // for all to read, as far as the user's mask lets them
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.written++; told != nil {
		told(w.written, len(w.queue))
	}
	return nil
}

// read returns the server's answer for an address.
func (w *siteWriter) read(ctx context.Context, address string) ([]byte, error) {
	if name, found := strings.CutPrefix(address, "/assets/"); found {
		if a := w.server.assets.answers[name]; a != nil {
			return a.body, nil
		}
		return nil, notFound("there is no such asset")
	}
	if game, found := strings.CutPrefix(address, boardsURL); found {
		return w.server.boardScript(strings.TrimSuffix(game, ".js"))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req, ending := cutEnding(req)
	got := &sitePage{ending: ending, err: notFound("there is no such page")}
	if w.pages.ServeHTTP(got, req); got.err != nil {
		return nil, got.err
	}
	return got.body, nil
}

// sitePage is the response for one page of a site.
type sitePage struct {
	statusOnly
	ending string
	*answer
	err error
}

// sitePages returns the server's pages without what a server does for visitors: limits,
// caches and compression. They are written to a *sitePage.
func (s *Server) sitePages() *http.ServeMux {
	mux := http.NewServeMux()
	for _, p := range s.pages() {
		mux.HandleFunc("GET "+p.pattern, func(w http.ResponseWriter, r *http.Request) {
			to, _ := w.(*sitePage)
			var c *content
			req := &request{Server: s, now: s.config.Now(), value: r.PathValue, query: url.Values{}, url: r.URL.RequestURI(), ending: to.ending, site: true, visitor: visitor{sees: true}}
			if c, to.err = p.load(r.Context(), req); to.err == nil {
				to.answer, to.err = s.render(&p, c, r, to.ending)
			}
		})
	}
	return mux
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
		at, query, found := strings.Cut(address, "?")
		switch {
		case found && (strings.HasPrefix(at, "/games/") || strings.HasSuffix(at, "/games")): // for their scripts
			rest = "?" + query + rest
		case found && at == "/events":
			return ""
		}
		if !absent.MatchString(at) {
			at = oneWay(at)
		}
		to := w.ask(at)
		if to == "" {
			return ""
		}
		return m[1] + `="` + html.EscapeString(up+to+rest) + `"`
	})
}

// oneWay returns the address under which a folder has a comparison of two bots: there is
// one of A and B, and none of B and A.
func oneWay(address string) string {
	parts := strings.Split(address, "/")
	if len(parts) == 4 && parts[1] == "compare" && parts[2] > parts[3] {
		parts[2], parts[3] = parts[3], parts[2]
	}
	return strings.Join(parts, "/")
}
