package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/nats-io/nats-server/v2/server"
)

// natsServer is nats-server's own main: a site's server, apart from arena.
func natsServer() {
	fs := flag.NewFlagSet("natsd", flag.ExitOnError)
	none := func() {}
	options, err := server.ConfigureOptions(fs, os.Args[1:], none, none, none)
	if err == nil {
		var s *server.Server
		if s, err = server.NewServer(options); err == nil {
			s.ConfigureLogger()
			if err = server.Run(s); err == nil {
				s.WaitForShutdown()
				return
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
