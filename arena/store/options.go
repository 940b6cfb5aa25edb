package store

import (
	"encoding/json"
	"fmt"

	"botarena/arena"
)

// options is the column of the options that were set for one game.
type options [2][]arena.Option

// optionsJSON holds them by their names.
type optionsJSON struct {
	First  map[string]string `json:"first,omitempty"`
	Second map[string]string `json:"second,omitempty"`
}

// text returns the column's value.
func (o options) text() (string, error) {
	if len(o[0])+len(o[1]) == 0 {
		return "", nil
	}
	data, err := json.Marshal(optionsJSON{arena.OptionMap(o[0]), arena.OptionMap(o[1])})
	return string(data), err
}

// Scan implements sql.Scanner.
func (o *options) Scan(value any) error {
	text, ok := value.(string)
	*o = options{}
	if !ok {
		return fmt.Errorf("%v (%[1]T) is no text", value)
	}
	if text == "" {
		return nil
	}
	var both optionsJSON
	if err := json.Unmarshal([]byte(text), &both); err != nil {
		return fmt.Errorf("options of a game: %w", err)
	}
	*o = options{arena.OptionList(both.First), arena.OptionList(both.Second)}
	return nil
}
