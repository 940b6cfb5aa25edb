package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/fleet/fleetsite"
	"botarena/arena/fleet/join"
)

// fleetFlags holds the flags of a fleet.
type fleetFlags struct {
	listen string // of the server that is started; "" for none
	nats   string // URL of another one
	creds  string
	local  string
	noise  string        // the largest spread of a worker's speed that plays by time
	env    []string      // names of the bots' environment variables that workers are told
	lease  time.Duration // 0: the protocol's
}

// loopback is the address of --fleet without a value: this machine, with a port that is
// kept.
const loopback = "127.0.0.1:0"

func (f *fleetFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "fleet", "", "let workers in other processes play, too: start a server on `HOST:PORT`, such as 0.0.0.0:4270; --fleet alone is for this machine")
	flags.Lookup("fleet").NoOptDefVal = loopback
	flags.StringVar(&f.nats, "nats", "", "let workers play that meet at the NATS cluster at this `URL`")
	flags.StringVar(&f.creds, "creds", "", "the credentials `file` for --nats")
	flags.StringVar(&f.local, "local", "auto", "games at once on this machine beside the fleet's: a `number`, 0 for none, or auto")
	flags.StringVar(&f.noise, "noise", "50%", "games by time go to workers whose measured speed varies by this `share` at most")
	flags.StringSliceVar(&f.env, "send-env", nil, "tell workers these environment variables (`NAME,...`) of the bots' env, which all of them can read; the others stay here")
	flags.DurationVar(&f.lease, "lease", 0, "how long a worker may be silent, for tests")
	if err := flags.MarkHidden("lease"); err != nil {
		panic(err)
	}
	cmd.MarkFlagsMutuallyExclusive("fleet", "nats")
}

// wanted reports whether a fleet is requested. The error is about the flags.
func (f *fleetFlags) wanted() (bool, error) {
	on := f.listen != "" || f.nats != ""
	switch {
	case len(f.env) > 0 && !on:
		return false, usagef("--send-env goes with --fleet or --nats")
	case f.creds != "" && f.nats == "":
		return false, usagef("--creds goes with --nats URL")
	case f.local != "auto" && !on:
		return false, usagef("--local goes with --fleet or --nats; --concurrency says how many games are played at once without")
	}
	if f.nats != "" {
		if err := join.Check(f.nats); err != nil {
			return false, usagef("--nats %w", err)
		}
	}
	if _, _, err := net.SplitHostPort(f.listen); f.listen != "" && err != nil {
		return false, usagef("--fleet %q: write HOST:PORT, such as 127.0.0.1:4270, or 0.0.0.0:4270 for other machines", f.listen)
	}
	if _, err := f.mostNoise(); err != nil {
		return false, err
	}
	if n, err := strconv.Atoi(f.local); f.local != "auto" && (err != nil || n < 0) {
		return false, usagef("--local %q: give a number from 0, or auto", f.local)
	}
	return on, nil
}

// scaleFlag returns the flag of the event setting that matters only to a fleet.
func scaleFlag() settingFlag {
	return settingFlag{"scale", "", "the `mode` of clocks on workers. measured: times are multiplied by how much slower a worker is than this machine, from 0.5 to 2; none: they are not"}
}

// mostNoise returns the largest variation of speed at which a worker plays by time.
func (f *fleetFlags) mostNoise() (float64, error) {
	share, ok := percentage(f.noise)
	if !ok || share == 0 {
		return 0, usagef("--noise %q: give a share of the speed, such as 50%%", f.noise)
	}
	return share, nil
}

// percentage parses a share, such as 2%.
func percentage(text string) (share float64, ok bool) {
	const all, most = 100, 1e6
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(number, 64)
	return share / all, err == nil && percent && share >= 0 && share <= most
}

// openFleet makes the games be played by a fleet, too, if the flags request one, and prints how to
// join; else it returns nil.
func (a *app) openFleet(ctx context.Context, f *fleetFlags, st *playing, slots int, say func(string)) (*fleetsite.Site, error) {
	on, err := f.wanted()
	if err != nil || !on {
		return nil, err
	}
	noise, err := f.mostNoise()
	if err != nil {
		return nil, err
	}
	local, err := strconv.Atoi(f.local)
	if err != nil { // auto
		local = fleetsite.Auto
	}
	opened, err := fleetsite.Open(ctx, fleetsite.Config{
		Listen: f.listen, NATS: f.nats, Creds: f.creds, Store: st.store, Runner: st.runner, Slots: slots, Local: local, Noise: noise, SendEnv: f.env,
		Lease: f.lease, Measure: st.measure, Home: a.getenv("HOME"), Arena: version, Database: withDB(st.store.Path()), Say: say,
	})
	return opened, fileError(err)
}

// lines returns a function that prints lines from any goroutine.
func lines(w io.Writer) func(string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(w, line)
	}
}
