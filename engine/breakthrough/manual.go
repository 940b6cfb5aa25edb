package breakthrough

import _ "embed" // for the rules

//go:embed rules.md
var manual string

// Manual returns the rules for players.
func (Family) Manual() string { return manual }
