package web

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"botarena/arena/listing"
	"botarena/arena/text"
	"botarena/engine/nearest"
)

// page describes one kind of page.
type page struct {
	pattern  string // of its path, as http.ServeMux has it
	template string // name of its file in templates
	load     func(ctx context.Context, r *request) (*content, error)
	live     bool   // shows more than what is in the record: always made anew
	timed    bool   // shows the time: made anew every minute
	teams    bool   // differs from team to team
	query    string // names of the parameters that it knows, with blanks between
}

// readQuery reads the parameters of an address. Unknown ones are refused, since each
// would be another address of the same page.
func (p *page) readQuery(u *url.URL) (url.Values, error) {
	if len(u.RawQuery) > 2000 {
		return nil, badRequest("This address is too long.")
	}
	query := u.Query()
	known := strings.Fields(p.query)
	for name := range query {
		if slices.Contains(known, name) {
			continue
		}
		what := fmt.Sprintf("This page has no parameter %q.", clipName(name))
		if near := nearest.Of(name, known); near != "" {
			what += fmt.Sprintf(" Did you mean %q?", near)
		}
		return nil, badRequest(what)
	}
	return query, nil
}

// request is one request for a page.
type request struct {
	*Server
	now    time.Time
	value  func(name string) string // of the pattern's wildcards
	query  url.Values
	url    string // path and query, as in the page's own address
	ending string // asHTML, asJSON or asCSV
	site   bool   // for a folder of files
	// visitor is the sender; its team and the host in the address are set only for
	// pages that are never cached.
	visitor visitor
	host    string
}

// name returns a wildcard of the pattern that is a name of an event, a bot, or a game.
// It returns an error for an address that [segment] does not make.
func (r *request) name(wildcard string) (string, error) {
	name, ok := unsegment(r.value(wildcard))
	if !ok {
		return "", notFound("This address is not spelled as arena spells it.")
	}
	return name, nil
}

// content holds what one page shows.
type content struct {
	Title string
	// Wide reports that the page takes the whole width of the window.
	Wide bool
	// Crumbs lead from the home page to this one.
	Crumbs []crumb
	Data   any
	// JSON is the page's data as the commands print them with --json; nil: none.
	JSON any
	// CSV is the page's main table; nil: none.
	CSV *listing.Table
	// List streams the page's data instead of JSON and CSV; nil: they are short.
	List func() *gamesList
	// Follow is the part of the live feed that changes the page, as a query; "every"
	// checks every few seconds, "" never.
	Follow string
	// Live reports that the page shows more than the record, and is never cached.
	Live bool
	// Reload is the number of seconds after which a browser without scripts reloads the
	// page; 0 is never.
	Reload int
	// Scripts are files in assets, run in this order once the page is there.
	Scripts []string
	// Styles are stylesheets in assets, beside the one that every page has.
	Styles []string
}

// crumb is a link of the navigation path above a page.
type crumb struct{ Name, URL string }

// segment encodes a name as one segment of a path. Letters of any script stay letters.
// Bytes with a special meaning are written as "~" and two hexadecimal digits: slashes,
// "~" itself, control characters, a dot in front or before an ending that asks for
// data.
func segment(name string) string {
	if name == "" {
		return "~"
	}
	var b strings.Builder
	visible := text.Escape(name) == name
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '~', c == '/', c == '\\', c == '%', c < ' ', c == 0x7f,
			c == '.' && (i == 0 || isEnding(name[i:])), c >= 0x80 && !visible:
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'~', digits[c>>4], digits[c&15]})
		default:
			b.WriteByte(c)
		}
	}
	return url.PathEscape(b.String())
}

// unsegment decodes a segment whose percent escapes were decoded already; ok is false
// if segment does not make it.
func unsegment(segment string) (name string, ok bool) {
	if segment == "~" {
		return "", true
	}
	if !strings.Contains(segment, "~") {
		return segment, true
	}
	var b strings.Builder
	for i := 0; i < len(segment); i++ {
		if segment[i] != '~' {
			b.WriteByte(segment[i])
			continue
		}
		if i+2 >= len(segment) {
			return "", false
		}
		c, err := url.PathUnescape("%" + segment[i+1:i+3])
		if err != nil {
			return "", false
		}
		b.WriteString(c)
		i += 2
	}
	return b.String(), true
}

// The extensions of the addresses of a page's data.
const (
	asHTML = ""
	asJSON = ".json"
	asCSV  = ".csv"
)

// isEnding reports whether text is one of the extensions of a page's data.
func isEnding(text string) bool {
	switch text {
	case asJSON, asCSV, ".pgn", ".svg", ".txt", ".html":
		return true
	}
	return false
}

// Addresses of pages.
func eventURL(event string) string  { return "/events/" + segment(event) }
func gamesURL(event string) string  { return eventURL(event) + "/games" }
func botURL(bot string) string      { return "/bots/" + segment(bot) }
func boardURL(game string) string   { return "/leaderboard/" + segment(game) }
func compareURL(a, b string) string { return "/compare/" + segment(a) + "/" + segment(b) }
func tuningURL(event string) string { return "/tune/" + segment(event) }
func testURL(event string) string   { return "/sprt/" + segment(event) }

// followEvent returns the part of the live feed that is about an event.
func followEvent(event string) string { return "?event=" + url.QueryEscape(event) }

// eventCrumbs returns the navigation path to an event.
func eventCrumbs(event string) []crumb {
	return []crumb{{"Events", "/events"}, {event, eventURL(event)}}
}
