package config_test

import (
	"fmt"

	"botarena/arena/config"
	"botarena/engine/games"
)

func ExampleRead() {
	known := config.Known{Catalog: games.All(), Builtins: []string{"random", "minimax"}}
	event, err := config.Read([]byte(`
game: breakthrough:6x6
clock: 1s+10ms
rounds: 3
bots:
  - builtin: minimax
  - {name: mine, command: python3 my_bot.py}
`), "friday.yaml", "/home/ada", known)
	fmt.Println(event.Name, event.Format, config.FormatClock(event.Clock), event.Bots[1].Command, err)

	_, err = config.Read([]byte("game: outwit:jmp\nbots: [{builtin: minmax}, {builtin: random}]\n"), "typo.yaml", "", known)
	fmt.Println(err)
	// Output:
	// friday round-robin 1s+10ms [python3 my_bot.py] <nil>
	// typo.yaml:1:7: game: game "outwit:jmp": outwit has no variant "jmp"; it has jump and push; did you mean "outwit:jump"?
	// typo.yaml:2:18: bots[0].builtin: no built-in bot "minmax"; did you mean "minimax"?
}
