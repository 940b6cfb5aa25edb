package web

import (
	"regexp"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/exchange"
	"botarena/arena/store"
	"botarena/arena/text"
)

// An Audience is the group of readers for whom pages are made, which decides what they
// show.
type Audience int

const (
	// Local readers use this machine: they see the logs of games and full details of
	// faults, but not how bots are started.
	Local Audience = iota
	// Anyone sees no logs, and no paths in the details of faults.
	Anyone
	// Owner sees everything: commands, arguments, folders and environment of bots, too.
	Owner
)

// configuration returns an event's configuration as the audience may read it.
func (s *Server) configuration(e *store.Event, event arena.Event) string {
	if s.config.Audience == Owner {
		return string(e.Config)
	}
	data, err := config.Encode(s.readable(event))
	if err != nil { // recorded by an older version
		return ""
	}
	return string(data)
}

// readable returns an event as the audience may read it: only the owner sees how bots
// are started and their options.
func (s *Server) readable(event arena.Event) arena.Event {
	if s.config.Audience == Owner {
		return event
	}
	public := exchange.Public(event)
	for i := range public.Bots {
		if b := event.Bots[i].Builtin; b != "" {
			public.Bots[i].Builtin, public.Bots[i].Command = b, nil
		}
	}
	return public
}

// logDir returns the folder with the games' logs, "" if the audience may not read them.
func (s *Server) logDir() string {
	if s.config.Audience == Anyone {
		return ""
	}
	return s.config.LogDir
}

// paths matches absolute paths of any system, below a folder at least.
var paths = regexp.MustCompile(`(?:\b[A-Za-z]:)?(?:[/\\]+[^\s/\\"'<>|:,;()]+){2,}`)

// words matches what a detail quotes of a bot: its last lines, or its interpreter's
// traceback.
var words = regexp.MustCompile(`(?s)(?:Traceback \(most recent call last\)|goroutine \d+ \[|panic: |; it (?:said|wrote) ").*`)

// detail returns a fault's detail as the audience may read it.
func (s *Server) detail(detail string) string {
	if s.config.Audience != Anyone {
		return detail
	}
	return text.Line(paths.ReplaceAllString(words.ReplaceAllString(detail, "…"), "(path)"), 1000)
}
