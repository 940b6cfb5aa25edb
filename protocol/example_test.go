package protocol_test

import (
	"fmt"
	"os"
	"time"

	"botarena/protocol"
)

func Example() {
	// What arena writes before a move of the second player.
	var position protocol.PositionLine
	position.Start("")
	position.Play("a2a3")
	lines := position.AppendTo(nil)
	lines = protocol.AppendGo(lines, protocol.UGI, protocol.GoParams{MoveTime: 100 * time.Millisecond})
	_, _ = os.Stdout.Write(lines)

	// What it reads in a bot's answer.
	answer, err := protocol.ParseFromBot([]byte("bestmove b7b6 ponder a3a4"))
	fmt.Printf("%s, expecting %s (%v)\n", answer.Move, answer.Ponder, err)
	// Output:
	// position startpos moves a2a3
	// go movetime 100
	// b7b6, expecting a3a4 (<nil>)
}
