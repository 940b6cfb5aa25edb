package submission

import (
	"fmt"
	"io/fs"
)

// An About describes a league to those who download a starter kit.
type About struct {
	League string // its name
	Game   string // as a flag names it, such as breakthrough:6x6
	Rules  bool   // the game's rules are a program of the organiser's, which a kit has not
	URL    string // of the host; "" for one that is not known
}

// Kit returns a zip archive with a first bot in a language, which plays the league's game
// as it is, and a README that says how to change it, check it and hand it in. The first bots
// are those of bots/examples. The same arguments give the same bytes. The error is that of
// an unknown language.
func Kit(examples fs.FS, language string, about About) ([]byte, error) {
	return nil, fmt.Errorf("not there yet")
}
