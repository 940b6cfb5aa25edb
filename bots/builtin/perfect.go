package builtin

import (
	"slices"

	"botarena/bots/kit"
	"botarena/bots/perfect"
	"botarena/engine"
	"botarena/engine/tables"
	"botarena/protocol"
)

// OptionTables is the option that names the folder of exact tables. Its default is
// for whoever runs the bot to say, who knows where a user keeps them.
const OptionTables = "Tables"

func perfectBot(games engine.Catalog) kit.Bot {
	search := &minimaxPlayer{}
	player := &perfect.Player{Search: search.chooseAmong}
	return kit.Bot{
		Name: "perfect", Author: author,
		Games:   slices.DeleteFunc(slices.Clone(games), func(f engine.Family) bool { return f.Name() != "owlman" }),
		Options: []protocol.Option{{Name: OptionTables, Type: protocol.String}},
		NewGame: search.newGame,
		Choose: func(t *kit.Turn) engine.Move {
			return player.Choose(t, tables.Dir(t.Option(OptionTables)))
		},
	}
}
