package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"botarena/arena/listing"
	"botarena/arena/text"
)

//go:embed templates/*.html
var templateFiles embed.FS

// loadTemplates reads the templates. The one of a page is named "page-" and the name of its
// file.
func loadTemplates(s *Server) (t *template.Template, hash string, err error) {
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, "", err
	}
	sum := sha256.New()
	for _, name := range names {
		data, err := templateFiles.ReadFile(name)
		if err != nil {
			return nil, "", err
		}
		sum.Write(data)
	}
	t = template.New("")
	t.Funcs(s.functions()).Funcs(template.FuncMap{
		"content": func(page string, data any) (template.HTML, error) {
			return inPage(func(w io.Writer) error { return t.ExecuteTemplate(w, "page-"+page, data) })
		},
	})
	_, err = t.ParseFS(templateFiles, names...)
	return t, hex.EncodeToString(sum.Sum(nil)[:8]), err
}

// view holds the data of the layout.
type view struct {
	*content
	Page    string // name of its template
	URL     string // the page's own address
	JSONURL string
	CSVURL  string
	Version string // of arena
	Nav     []crumb
	Site    bool
}

// dataURL returns the address of a page's data.
func dataURL(path, query, ending string) string {
	if path == "/" {
		path = "/index"
	}
	if query != "" {
		query = "?" + query
	}
	return path + ending + query
}

// render makes a page, or its data.
func (s *Server) render(p *page, c *content, r *http.Request, ending string) (*answer, error) {
	var b bytes.Buffer
	w := text.NewWriter(&b)
	switch ending {
	case asHTML:
		if s.site || s.config.Live == nil && c.Follow != "every" {
			c.Follow = ""
		} else if c.Follow != "" {
			c.Scripts = append(c.Scripts, "feed.js")
		}
		v := view{
			content: c, Page: p.template, URL: r.URL.RequestURI(), Version: s.config.Version, Nav: s.nav(), Site: s.site,
		}
		path := r.URL.EscapedPath()
		if c.JSON != nil {
			v.JSONURL = dataURL(path, r.URL.RawQuery, asJSON)
		}
		if c.CSV != nil {
			v.CSVURL = dataURL(path, r.URL.RawQuery, asCSV)
		}
		if err := s.templates.ExecuteTemplate(w, "layout.html", v); err != nil {
			return nil, err
		}
	case asJSON:
		if c.JSON == nil {
			return nil, notFound("This page has no JSON.")
		}
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(c.JSON); err != nil {
			return nil, err
		}
	case asCSV:
		if c.CSV == nil {
			return nil, notFound("This page has no table.")
		}
		if err := c.CSV.Write(w, listing.CSV); err != nil {
			return nil, err
		}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	body := b.Bytes()
	if ending == asHTML { // the writer leaves the ends of lines as they are
		body = bytes.ReplaceAll(body, []byte("\r"), []byte(`\r`))
	}
	return newAnswer(kindOf(ending), body), nil
}

// refuse answers with a failure, in the requested form.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, f *failure) {
	w.Header().Set("Cache-Control", "no-store")
	if ending, _ := r.Context().Value(endingKey{}).(string); ending != asHTML || strings.HasSuffix(r.URL.Path, asJSON) || asksJSON(r) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(f.status)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": f.what}) // the visitor has gone
		return
	}
	c := &content{Title: http.StatusText(f.status), Data: map[string]any{"What": f.what, "Near": f.near, "Next": f.next, "Status": f.status}}
	a, err := s.render(&page{template: "error"}, c, r, asHTML)
	if err != nil {
		s.config.Log.Error("error page failed", "error", err)
		http.Error(w, f.what, f.status)
		return
	}
	a.status = f.status
	a.write(w, r)
}

// answer is a complete response, compressed if that is worthwhile.
type answer struct {
	status int
	kind   string // content type
	body   []byte
	gzip   func() []byte     // the body compressed; nil: it is not worthwhile
	live   bool              // shows more than the record: not to be kept
	list   func() *gamesList // is streamed instead of body; nil: it is not
}

// worthIt is the size in bytes from which answers are compressed.
const worthIt = 1000

// much is the size in bytes from which a faster compression is used.
const much = 1 << 20

func newAnswer(kind string, body []byte) *answer {
	a := &answer{status: http.StatusOK, kind: kind, body: body}
	if len(body) >= worthIt {
		a.gzip = sync.OnceValue(func() []byte { return compress(body) })
	}
	return a
}

func compress(body []byte) []byte {
	var b bytes.Buffer
	level := gzip.DefaultCompression
	if len(body) > much {
		level = gzip.BestSpeed
	}
	w, _ := gzip.NewWriterLevel(&b, level) // the levels are known
	_, _ = w.Write(body)                   // a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

// size returns how many bytes the answer takes, about a quarter more than its body where it
// is compressed.
func (a *answer) size() int {
	if a.gzip == nil {
		return len(a.body)
	}
	return len(a.body) + len(a.body)/4
}

// write answers a request. Readers of long answers have to read on: see patient.
func (a *answer) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	body := a.body
	if a.gzip != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body = a.gzip()
		}
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(a.status)
	if r.Method == http.MethodHead {
		return
	}
	_, _ = newPatient(w).Write(body) // an error is that the visitor has gone
}

// acceptsGzip reports whether a reader takes gzip.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding == "gzip" || coding == "*" {
			q = strings.ReplaceAll(q, " ", "")
			return q != "q=0" && !strings.HasPrefix(q, "q=0.0") || strings.Trim(q, "q=0.") != ""
		}
	}
	return false
}
