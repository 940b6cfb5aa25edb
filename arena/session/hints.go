package session

import (
	"fmt"
	"strings"

	"botarena/arena"
	"botarena/engine/nearest"
	"botarena/protocol"
)

// said quotes the bot's last line that is not protocol, and its unfinished line: if an
// answer is missing, either is often the cause.
func (s *Session) said() string {
	text := ""
	if len(s.chatter) > 0 {
		text = fmt.Sprintf("; it said %q", s.chatter)
		if meant := meant(string(s.chatter)); meant != "" {
			text += fmt.Sprintf(" (did you mean %q?)", meant)
		}
	}
	return text + s.began()
}

// began quotes the bot's unfinished line, if there is one.
func (s *Session) began() string {
	begun := s.Process.Unfinished()
	if len(begun) == 0 {
		return ""
	}
	return fmt.Sprintf("; it wrote %q without a newline", begun[:min(len(begun), mostChatter)])
}

// meant returns the answer that a line outside the protocol resembles, "" if none.
func meant(line string) string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return ""
	}
	first, rest := words[0], words[1:]
	if name, after, ok := strings.Cut(first, ":"); ok { // bestmove:e2e3, bestmove: e2e3
		first = name
		if after != "" {
			rest = append([]string{after}, rest...)
		}
	}
	first = strings.ToLower(strings.Trim(first, `"'=,.-_`))
	answers := []string{"bestmove", "readyok", protocol.UGI.String() + "ok", protocol.UCI.String() + "ok"}
	if first == "move" || first == "best" && len(rest) > 0 && strings.EqualFold(rest[0], "move") {
		if first == "best" {
			rest = rest[1:]
		}
		first = "bestmove"
	}
	near := nearest.Of(first, answers)
	switch {
	case near == "", near == "bestmove" && len(rest) == 0, near != "bestmove" && len(rest) > 0:
		return ""
	case near == "bestmove":
		return near + " " + rest[0]
	}
	return near
}

// endedHint returns what to try if a bot ended in the handshake.
func endedHint(p Process, sandbox arena.Sandbox, auto bool, said bool) string {
	switch {
	case p.Alive():
	case sandbox == arena.SandboxStrict:
		return "; it runs in sandbox: strict, which hides most files and the network from it: see whether it starts with sandbox: none"
	case auto && (said || p.ExitStatus() == "exit status 0"):
		// A program that fails by itself, of an error in its text, says so in its
		// status; one that leaves because it was sent ugi does not.
		return "; if it speaks only UCI, say so: protocol: uci"
	}
	return ""
}
