package misbehaving

import (
	"net"
	"os"
	"time"
)

// endOfLife ends the program after its life, whatever it is doing.
func endOfLife(life time.Duration) (cancel func()) {
	const overdue = 9
	timer := time.AfterFunc(life, func() { os.Exit(overdue) })
	return func() { timer.Stop() }
}

func (b *bot) writeFiles() verdict {
	const file = "misbehaving-was-here"
	if err := os.WriteFile(file, []byte("a bot should not write files\n"), 0o600); err != nil {
		b.tell("could not write: %v", err)
	} else {
		b.tell("wrote %s", file)
	}
	return answer
}

func (b *bot) socket() verdict {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.tell("could not listen: %v", err)
		return answer
	}
	b.listener = listener // held open to the end
	b.tell("listens on %s", listener.Addr())
	return answer
}
