package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/casual"
	"botarena/arena/live"
	"botarena/arena/process"
	"botarena/arena/rules"
	"botarena/arena/store"
	"botarena/arena/web"
	"botarena/engine"
	"botarena/engine/games"
)

// defaultListen is the default address of pages.
const defaultListen = "127.0.0.1:8080"

// serveFlags holds the flags of the server of pages.
type serveFlags struct {
	listen   string
	public   bool
	private  bool   // pages tell how bots are started
	password string // the file that has it
	hosts    []string
	cert     string // a file, as key is; "" for plain HTTP
	key      string
	rules    engine.Game   // that visitors may play beside those that arena knows; nil: none
	flag     string        // that names the address
	own      *live.Hub     // of the run that serves; nil: none does
	play     *casual.Lobby // where visitors play; nil: nowhere
	league   web.Host      // what takes submissions; nil: nothing does
}

func (x *serveFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&x.public, "public", false, "let the pages be read from other machines, and by anyone; nothing can be changed there")
	f.BoolVar(&x.private, "private", false, "show what only the owner should read: commands, folders, options and environment of bots, and to readers elsewhere the logs of games, too")
	f.StringVar(&x.password, "password-file", "", "let them be read from other machines, and ask for the password in this `file` before anything is changed")
	x.registerSecure(cmd)
}

// registerSecure registers the flags of HTTPS and of proxies.
func (x *serveFlags) registerSecure(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&x.cert, "tls-cert", "", "serve over HTTPS with the certificate in this `file`, PEM; --tls-key goes with it")
	f.StringVar(&x.key, "tls-key", "", "the private key of the certificate, a PEM `file`")
	f.StringArrayVar(&x.hosts, "host", nil, "a `name` that this machine is reached by beside its own, such as that of a proxy; may be given again")
}

// registerBeside registers the flags of a command that plays and may serve pages
// meanwhile.
func (x *serveFlags) registerBeside(cmd *cobra.Command) {
	x.flag = "--serve"
	cmd.Flags().StringVar(&x.listen, "serve", "", "show the database in a browser meanwhile, as \"arena serve\" does, at this `address` (--serve alone: "+defaultListen+")")
	cmd.Flags().Lookup("serve").NoOptDefVal = defaultListen
	x.register(cmd)
}

// beside serves the database while an event of it is played, if requested; otherwise
// the pages are nil.
func (a *app) beside(ctx context.Context, path string, x *serveFlags, own *live.Hub) (*pages, error) {
	if x == nil || x.listen == "" {
		if x != nil && (x.public || x.private || x.password != "" || len(x.hosts) > 0 || x.cert != "" || x.key != "") {
			return nil, usagef("--public, --private, --password-file, --host, --tls-cert and --tls-key go with --serve")
		}
		return nil, nil
	}
	with := *x
	with.own = own
	p, err := a.startPages(ctx, path, with)
	if err == nil {
		fmt.Fprintf(a.err, "serving %s at %s until the event ends\n", path, p.URL)
	}
	return p, err
}

func (a *app) serveCommand() *cobra.Command {
	x := serveFlags{flag: "--listen"}
	var play playFlags
	var open bool
	var rules string
	cmd := &cobra.Command{
		Use:   "serve [--play BOT...]",
		Short: "Show the database as pages in a browser",
		Long: `Show the database as pages: events with standings, games, bots, leaderboards and
tests, each with its data as JSON and CSV beside it. Pages follow what is written
to the database meanwhile, by one "arena run" or several, begun before or after.
They are for reading, and need no JavaScript.

It listens on this machine alone. To be read from other machines, an address of
theirs has to be named with --listen, and --public (everyone may read, nobody
change anything) or --password-file (everyone may read; whatever changes
something asks for the password).

--play BOT... lets visitors play against these bots, on the page /play: each
visitor's game starts the bot anew, and ends it when the visitor leaves. --limits
and --sandbox shut the bots in; --record keeps the games that end. --rules PROGRAM
lets them play a game of your own, whose rules the program knows.

"arena run --serve" does the same while an event is played. Ctrl-C ends it.`,
		Example: `  arena serve
  arena serve --open --db league.db
  arena serve --listen 0.0.0.0:8080 --public
  arena serve --play minimax mcts greedy
  arena serve --play ./mybot --sandbox strict --record evening
  arena serve --play mcts --rules "python3 hex_rules.py"
  arena serve --listen 0.0.0.0:8443 --password-file pw --tls-cert cert.pem --tls-key key.pem`,
		Args: cobra.ArbitraryArgs, // behind --play
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			db, err := a.settings(cmd)
			if err != nil {
				return err
			}
			if err := a.ensureDatabase(cmd.Context(), db); err != nil {
				return err
			}
			var end func() error
			if rules != "" {
				switch {
				case len(play.bots) == 0:
					return usagef("--rules is about a game that visitors play: name a bot with --play")
				case play.record != "":
					return usagef("--record keeps games that arena knows: leave it out, or --rules")
				}
				if x.rules, err = a.askedGame(cmd.Context(), "", rules, nil); err != nil {
					return err
				}
			}
			if x.play, end, err = a.openLobby(cmd, play, args, db, x.rules); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, end()) }()
			if x.play != nil && x.public && x.password == "" {
				return usagef("--play with --public: whoever plays changes something, which --public allows nobody; add --password-file FILE")
			}
			interrupts, stop := a.signals()
			defer stop()
			p, err := a.startPages(cmd.Context(), db, x)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "serving %s at %s (Ctrl-C ends it)\n", db, p.URL)
			if open {
				a.openBrowser(p.URL)
			}
			select {
			case <-interrupts:
			case err = <-p.Failed:
			case <-cmd.Context().Done():
			}
			return errors.Join(err, p.Close())
		},
	}
	cmd.Flags().StringVar(&x.listen, "listen", defaultListen, "the `address` to listen on, HOST:PORT; port 0 is any free one")
	cmd.Flags().BoolVar(&open, "open", false, "open the first page in the browser")
	asSettings(cmd.Flags(), "listen")
	rulesFlag(cmd, &rules)
	x.register(cmd)
	play.register(cmd)
	return cmd
}

// ensureDatabase makes an empty database if there is none: pages may be there
// before the first event.
func (a *app) ensureDatabase(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	s, err := store.Open(ctx, path, a.now, a.tellStore())
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "arena: made %s, which has no events yet; `arena run CONFIG` plays one\n", path)
	return s.Close()
}

// pages is a running server of the pages of a database.
type pages struct {
	*web.Running
	store  *store.Store
	cancel func() // ends streams
}

// startPages serves the database at path until it is closed. Errors of the flags are usage errors.
func (a *app) startPages(ctx context.Context, path string, x serveFlags) (*pages, error) {
	c := web.Config{Catalog: games.All(), Now: a.now, Public: x.public, Hosts: x.hosts, LogDir: logDir(path), Version: version, Host: x.league}
	local, err := web.IsLocal(x.listen)
	if err != nil {
		return nil, usagef("%s %w, such as %s", x.flag, err, defaultListen)
	}
	switch {
	case x.private:
		c.Audience = web.Owner
	case x.public || !local:
		c.Audience = web.Anyone
	}
	if x.password != "" {
		if c.Password, err = firstLine("--password-file", x.password, "password"); err != nil {
			return nil, err
		}
	}
	if (x.cert == "") != (x.key == "") {
		return nil, usagef("--tls-cert and --tls-key go together: the certificate's file, and that of its private key")
	}
	if x.cert != "" {
		if _, err := tls.LoadX509KeyPair(x.cert, x.key); err != nil {
			return nil, usagef("--tls-cert %s, --tls-key %s: %w", x.cert, x.key, reason(err))
		}
	}
	if !local && x.password != "" && x.cert == "" {
		fmt.Fprintf(a.err, "warning: %s %s: without HTTPS anybody on the way can read the password: add --tls-cert and --tls-key, or let a proxy on this machine do that\n", x.flag, x.listen)
	}
	if !local && !x.public && x.password == "" && x.league == nil {
		return nil, usagef("%s %s can be reached from other machines: add --public (reading only), or --password-file FILE for whatever changes something", x.flag, x.listen)
	}
	if name, err := os.Hostname(); err == nil {
		c.Hosts = append(c.Hosts, name)
	}
	if host, _, err := net.SplitHostPort(x.listen); err == nil && host != "" {
		c.Hosts = append(c.Hosts, host)
	}
	c.Log = slog.New(slog.NewTextHandler(a.err, nil))
	if c.Self, err = process.Self(); err != nil {
		return nil, fmt.Errorf("find out about this process: %w", err)
	}
	listener, err := web.Listen(x.listen)
	if err != nil {
		return nil, fmt.Errorf("%s %w", x.flag, err)
	}
	if c.Store, err = store.OpenRead(ctx, path, a.now, a.tellStore()); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if c.Play = x.play; c.Play != nil {
		c.Play.Problem = func(err error) { c.Log.Warn(err.Error()) }
	}
	if x.rules != nil {
		own := &rules.Asked{As: arena.PlainName(x.rules.Name()), Game: x.rules}
		c.Catalog = append(engine.Catalog{own}, c.Catalog...)
	}
	c.Rules = a.rulesOf(ctx, c.Store.Events, a.err)
	c.Live = live.Watch(ctx, path, a.now, x.own)
	running, err := web.Start(ctx, c, listener, x.cert, x.key)
	if err != nil {
		cancel()
		return nil, errors.Join(err, listener.Close(), c.Store.Close())
	}
	return &pages{running, c.Store, cancel}, nil
}

// Close ends the server after a moment for the requests in progress.
func (p *pages) Close() error {
	if p == nil {
		return nil
	}
	p.cancel()
	p.Running.Close()
	return p.store.Close()
}

// mostSecret is the maximum length in bytes of a file with a password or a token.
const mostSecret = 4096

// firstLine reads the secret in the first line of a file that a flag names.
func firstLine(flag, path, secret string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", usagef("%s %s: %w", flag, path, reason(err))
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, mostSecret))
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", flag, path, reason(err))
	}
	line, _, _ := strings.Cut(string(data), "\n")
	line = strings.TrimRight(line, "\r")
	if line == "" {
		return "", usagef("%s %s: its first line is empty; write the %s there", flag, path, secret)
	}
	return line, nil
}

// openBrowser opens an address in the system's browser.
func (a *app) openBrowser(url string) {
	command := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", url}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec // the address is ours
	cmd.Env = a.environ
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(a.err, "arena: --open: no browser can be started here; open %s yourself\n", url)
		return
	}
	go func() { _ = cmd.Wait() }() // it says itself what is wrong
}
