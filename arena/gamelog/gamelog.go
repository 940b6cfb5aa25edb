// Package gamelog names the log files of games.
package gamelog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Paths holds the paths of a game's logs. A log without content has no file.
type Paths struct {
	Protocol string    // the dialogue, where the event keeps it
	Stderr   [2]string // what the first and the second bot wrote to stderr
	Output   [2]string // the last lines of the one that lost by a fault
}

// Files returns the paths of the logs of a game, below the folder of all logs.
func Files(logDir, event string, number int) Paths {
	base := filepath.Join(Dir(logDir, event), fmt.Sprintf("%06d", number))
	return Paths{
		Protocol: base + ".protocol",
		Stderr:   [2]string{base + ".first.stderr", base + ".second.stderr"},
		Output:   [2]string{base + ".first.last", base + ".second.last"},
	}
}

// Dir returns the folder of an event's logs.
func Dir(logDir, event string) string {
	return filepath.Join(logDir, FileName(event, MaxName))
}

// MaxName is the longest file name in bytes that file systems allow.
const MaxName = 255

// FileName returns a file name, valid on all systems and of at most most bytes, for an
// event's or a bot's name: Windows has names that are devices, with whatever ending,
// reads a colon as the beginning of a stream, and drops dots at the end.
func FileName(name string, most int) string {
	file := shortened(strings.ReplaceAll(url.PathEscape(name), ":", "%3A"), name, most-len("%2E"))
	if cut, ok := strings.CutSuffix(file, "."); ok {
		file = cut + "%2E"
	}
	base, _, _ := strings.Cut(file, ".")
	switch base = strings.ToUpper(base); {
	case base == "CON", base == "PRN", base == "AUX", base == "NUL",
		len(base) == 4 && (base[:3] == "COM" || base[:3] == "LPT") && base[3] >= '0' && base[3] <= '9':
		file = fmt.Sprintf("%%%02X", file[0]) + file[1:]
	}
	return file
}

// shortened returns an escaped name, cut and made unique by a hash of the name if it is
// longer than most bytes.
func shortened(file, name string, most int) string {
	if strings.Trim(file, ".") == "" {
		return "%" + file
	}
	if len(file) <= most {
		return file
	}
	sum := sha256.Sum256([]byte(name))
	tail := "~" + hex.EncodeToString(sum[:8])
	cut := file[:most-len(tail)]
	if at := strings.LastIndexByte(cut, '%'); at > len(cut)-3 {
		cut = cut[:at] // half an escape
	}
	return cut + tail
}
