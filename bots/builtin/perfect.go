package builtin

import (
	"botarena/bots/kit"
	"botarena/bots/perfect"
	"botarena/engine"
	"botarena/engine/solve"
	"botarena/protocol"
)

// OptionTables is the option that names the folder of exact tables. The program that
// runs the bot sets its default, since it knows the user's folders.
const OptionTables = "Tables"

func perfectBot(games engine.Catalog) kit.Bot {
	search := newMinimaxPlayer()
	player := &perfect.Player{Search: search.chooseAmong}
	return kit.Bot{
		Name: "perfect", Author: author,
		Games:   solvedOf(games),
		Options: []protocol.Option{{Name: OptionTables, Type: protocol.String}},
		NewGame: search.newGame,
		Choose: func(t *kit.Turn) engine.Move {
			return player.Choose(t, solve.Dir(t.Option(OptionTables)))
		},
	}
}

// solvedOf returns the games that have exact tables.
func solvedOf(all engine.Catalog) (solved engine.Catalog) {
	for _, f := range all {
		switch f.Name() {
		case "owlman":
			solved = append(engine.Catalog{f}, solved...) // the bot's own choice
		case "breakthrough":
			solved = append(solved, smallBoards{f})
		}
	}
	return solved
}

// smallBoards is the family of the solved or proved boards of Breakthrough.
type smallBoards struct{ engine.Family }

// Names lists the boards up to 5x5, and one that can be proved.
func (f smallBoards) Names() (names []string) {
	for _, size := range []string{"5x5", "4x5", "3x5", "2x5", "5x4", "4x4", "3x4", "2x4", "6x5"} {
		names = append(names, f.Name()+":"+size)
	}
	return names
}

// Open refuses a board that is too large for a table.
func (f smallBoards) Open(variant string) (engine.Game, error) {
	game, err := f.Family.Open(variant)
	if err == nil {
		err = solve.Has(game)
	}
	return game, err
}
