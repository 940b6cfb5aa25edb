package config

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
)

// EncodeBot writes a bot for the registry, in the form of an event file's entry,
// without its name and Fingerprint. The bot must be valid.
func EncodeBot(b arena.Bot) ([]byte, error) {
	b.Name = ""
	text, err := yaml.Marshal(botTree(b)[1:].flow())
	if err != nil {
		return nil, fmt.Errorf("write a bot to register: %w", err)
	}
	return text, nil
}

// DecodeBot reads what [EncodeBot] wrote.
func DecodeBot(data []byte) (arena.Bot, error) {
	r := shortReader()
	b := &bot{Bot: DefaultBot()}
	if root := r.parse(data); root != nil {
		r.fields(root, "", b)
	}
	if len(r.problems) > 0 {
		return arena.Bot{}, newErrors("registered bot", r.problems)
	}
	return b.Bot, nil
}
