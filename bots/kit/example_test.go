package kit_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/games"
)

func ExampleRun() {
	bot := kit.Bot{Name: "eager", Games: games.All(), Choose: func(turn *kit.Turn) engine.Move {
		return turn.Position.Legal(nil)[0]
	}}
	arena := strings.NewReader("isready\nposition startpos moves a2a3\ngo movetime 100\nquit\n")
	if err := kit.Run(bot, arena, os.Stdout, time.Now); err != nil {
		fmt.Println(err)
	}
	// Output:
	// readyok
	// bestmove a7a6
}
