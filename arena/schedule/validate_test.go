package schedule_test

import (
	"slices"
	"testing"

	"botarena/arena"
	"botarena/arena/schedule"
)

// A format names its settings by the keys of event files.
func TestSettingsOfFormats(t *testing.T) {
	var keys []string
	for _, s := range arena.Settings(&arena.Event{}) {
		keys = append(keys, s.Key)
	}
	for _, name := range schedule.Formats() {
		for _, key := range schedule.Settings(arena.Format(name)) {
			if !slices.Contains(keys, key) || !slices.Contains(schedule.Only(key), name) || !schedule.Has(arena.Format(name), key) {
				t.Errorf("%s has %q, which is no setting of its own (the settings are %q)", name, key, keys)
			}
		}
	}
	if schedule.Only("seed") != nil || !schedule.Has(schedule.FormatSwiss, "seed") || schedule.Has(schedule.FormatLadder, "rounds") {
		t.Error("seed is not of all formats, or rounds are of a ladder")
	}
}
