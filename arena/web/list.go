package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/text"
)

// stream writes a list of games, which it reads from the record in parts: a reader
// takes the memory of one part, however slow it is. The number of concurrent streams is
// limited.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, a *answer) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		s.busy(w, r)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	if r.Method == http.MethodHead {
		return
	}
	err := func() (err error) {
		to := newPatient(w)
		if !acceptsGzip(r.Header.Get("Accept-Encoding")) {
			return s.writeList(r.Context(), to, a)
		}
		w.Header().Set("Content-Encoding", "gzip")
		z, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
		if err != nil {
			return err
		}
		if err := s.writeList(r.Context(), z, a); err != nil {
			return err
		}
		return z.Close()
	}()
	if err != nil {
		s.config.Log.Debug("list ended early", "path", r.URL.Path, "error", err)
		panic(http.ErrAbortHandler) // so the reader learns that it is not whole
	}
}

// writeList writes a list in the form that json.Encoder and listing.Table give a whole
// one.
func (s *Server) writeList(ctx context.Context, to io.Writer, a *answer) error {
	w, from := text.NewWriter(to), a.list()
	csv := listing.NewStream(w, listing.CSV, standings.GameColumns(true))
	asked := a.kind == kindOf(asJSON)
	var b bytes.Buffer
	encode := json.NewEncoder(&b)
	encode.SetEscapeHTML(false)
	encode.SetIndent("  ", "  ")
	before, after := "[", "]\n"
	for {
		var games []standings.GameLine
		err := s.slot(ctx, func() (err error) {
			games, err = from.next(ctx)
			return err
		})
		if err != nil {
			return err
		}
		if len(games) == 0 {
			break
		}
		for i := range games {
			if !asked {
				if err := csv.Add(games[i].Row(true)); err != nil {
					return err
				}
				continue
			}
			b.Reset()
			b.WriteString(before + "\n  ")
			if err := encode.Encode(games[i]); err != nil {
				return err
			}
			if _, err := w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n"))); err != nil {
				return err
			}
			before, after = ",", "\n]\n"
		}
	}
	if !asked {
		if err := csv.Close(); err != nil {
			return err
		}
		return w.Flush()
	}
	if before == "[" {
		after = "[" + after
	}
	if _, err := io.WriteString(w, after); err != nil {
		return err
	}
	return w.Flush()
}

// kindOf returns the content type of an ending.
func kindOf(ending string) string {
	switch ending {
	case asJSON:
		return "application/json"
	case asCSV:
		return "text/csv; charset=utf-8"
	}
	return "text/html; charset=utf-8"
}

// A patient writer allows the reader some time for each part of an answer; one that
// does not read is dropped.
type patient struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

const (
	patience  = 10 * time.Second
	partBytes = 64 << 10
)

func newPatient(w http.ResponseWriter) *patient { return &patient{w, http.NewResponseController(w)} }

func (p *patient) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		part := b[:min(len(b), partBytes)]
		_ = p.rc.SetWriteDeadline(time.Now().Add(patience)) // a recorder of a test has none
		var m int
		m, err = p.w.Write(part)
		n, b = n+m, b[len(part):]
	}
	return n, err
}
