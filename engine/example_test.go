package engine_test

import (
	"fmt"

	"botarena/engine"
	"botarena/engine/games"
)

func Example() {
	game, err := games.All().Lookup("breakthrough:6x6")
	if err != nil {
		fmt.Println(err)
		return
	}
	pos := game.Start()
	move, err := pos.ParseMove("a2b3")
	if err != nil {
		fmt.Println(err)
		return
	}
	pos.Play(move)
	fmt.Println(pos)
	fmt.Println(len(pos.Legal(nil)), "legal moves for", game.SideNames()[pos.Turn()])

	_, err = pos.ParseMove("a2a3")
	fmt.Println(err)
	pos.Undo()
	fmt.Println(engine.Perft(pos, 3), "paths of 3 moves")
	// Output:
	// pppppp/pppppp/6/1P4/1PPPPP/PPPPPP b
	// 16 legal moves for black
	// a2a3: no piece of Black on a2
	// 4308 paths of 3 moves
}
