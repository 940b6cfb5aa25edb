package keys_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"

	"botarena/arena/fleet/keys"
)

const pin = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func key(t *testing.T, name, pin string) *keys.Key {
	t.Helper()
	k, err := keys.New(name, pin, "")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestFile(t *testing.T) {
	k, err := keys.New("attic", pin, "10.0.0.1:4270")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "attic.key")
	if err := k.Write(file); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := k.Write(file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("it is overwritten: %v", err)
	}
	got, err := keys.Read(file)
	if err != nil || got.Name != "attic" || got.Public != k.Public || got.Pin != pin || got.Address != "10.0.0.1:4270" || !bytes.Equal(got.Encode(), k.Encode()) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := keys.Read(file + "x"); err == nil || !strings.Contains(err.Error(), "arena fleet invite") {
		t.Error(err)
	}
}

// What is no key is refused without a word of its seed.
func TestNoKey(t *testing.T) {
	good := string(key(t, "attic", pin).Encode())
	seed := good[strings.Index(good, "seed: ")+6 : len(good)-1]
	for name, text := range map[string]string{
		"empty": "", "other": "hello\n", "no seed": strings.Replace(good, seed, "", 1), "short seed": strings.Replace(good, seed, seed[:20], 1),
		"account's seed": strings.Replace(good, seed, "SAANJIBNEKGCRUWJCPIWUXFBFJLR36FJTFKGBGKAT7AQXH2LVFNQWZJMQU", 1),
		"twice":          good + "seed: " + seed + "\n", "unknown": good + "x: y\n", "no colon": good + "x\n",
		"no pin": strings.Replace(good, pin, "", 1), "capitals": strings.Replace(good, pin, strings.ToUpper(pin), 1),
		"bad name": strings.Replace(good, "name: attic", "name: at.tic", 1), "long": good + strings.Repeat("#", 20000),
	} {
		_, err := keys.Decode([]byte(text))
		if err == nil || strings.Contains(err.Error(), seed[:20]) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	k, err := keys.New("attic", pin, "h:1")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(k.Encode())
	f.Add([]byte("arena worker key 1\nseed: SU\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := keys.Decode(data)
		if err != nil {
			return
		}
		again, err := keys.Decode(k.Encode())
		if err != nil || again.Name != k.Name || again.Public != k.Public || again.Pin != k.Pin || again.Address != k.Address {
			t.Errorf("%q: %+v, %v", data, again, err)
		}
	})
}

func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Za-z0-9_-]{1,41}`)).Draw(t, "name")
		if keys.ValidName(name) && (strings.ContainsAny(name, "_.*> \t\n$") || len(name) > 40 || name == "") {
			t.Errorf("%q", name)
		}
	})
}

// All programs that start at once have one certificate.
func TestCertificate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fleet")
	var pins [8]string
	var all sync.WaitGroup
	for i := range pins {
		all.Go(func() {
			c, err := keys.OpenCertificate(dir)
			if err != nil {
				t.Error(err)
				return
			}
			pins[i] = c.Pin
		})
	}
	all.Wait()
	for _, p := range pins {
		if p != pins[0] || len(p) != 64 {
			t.Errorf("%q", pins)
		}
	}
	file := filepath.Join(dir, "certificate.pem")
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("%q", left)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.OpenCertificate(dir); err == nil || !strings.Contains(err.Error(), "invite all workers anew") {
		t.Error(err)
	}
}

// A fleet is a server with a guard that knows some keys.
type fleet struct {
	*server.Server
	guard *keys.Guard
	cert  *keys.Certificate
	mu    sync.Mutex
	known map[string]string // public key to name
}

func start(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{known: map[string]string{}}
	var err error
	if f.cert, err = keys.OpenCertificate(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	f.guard, err = keys.NewGuard(func(public string) (string, bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		name, ok := f.known[public]
		return name, ok
	}, func(worker string) (publish, subscribe []string) {
		return []string{"result." + worker}, []string{"_INBOX_" + worker + ".>", "event"}
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Server, err = server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		CustomClientAuthentication: f.guard, AlwaysEnableNonce: true, TLSConfig: f.cert.ServerTLS(), TLS: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	f.guard.Serve(f.DisconnectClientByID)
	f.Start()
	if !f.ReadyForConnections(10 * time.Second) {
		t.Fatal("it does not start")
	}
	t.Cleanup(func() {
		f.Shutdown()
		f.WaitForShutdown()
	})
	return f
}

func (f *fleet) invite(t *testing.T, name string) *keys.Key {
	t.Helper()
	k := key(t, name, f.cert.Pin)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[k.Public] = name
	return k
}

func (f *fleet) join(k *keys.Key, options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect("tls://"+f.Addr().String(), append(append(k.Options(k.Name), nats.CustomInboxPrefix("_INBOX_"+k.Name), nats.MaxReconnects(0)), options...)...)
}

// Who has no key of the fleet, or another server's certificate, does not get in.
func TestJoin(t *testing.T) {
	f := start(t)
	attic := f.invite(t, "attic")
	c, err := f.join(attic)
	if err != nil {
		t.Fatal(err)
	}
	if state, err := c.TLSConnectionState(); err != nil || state.Version != tls.VersionTLS13 {
		t.Errorf("%v, %v", state.Version, err)
	}
	c.Close()
	if _, err := f.join(key(t, "attic", f.cert.Pin)); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("a key of nobody: %v", err)
	}
	other, err := keys.Decode([]byte(strings.Replace(string(attic.Encode()), f.cert.Pin, pin, 1)))
	if err != nil {
		t.Fatal(err)
	}
	var wrong *keys.WrongServerError
	if _, err := f.join(other); !errors.As(err, &wrong) {
		t.Errorf("another server's certificate: %v", err)
	}
	if _, err := nats.Connect("tls://"+f.Addr().String(), nats.Secure(keys.ClientTLS(f.cert.Pin))); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("without a key: %v", err)
	}
	if _, err := nats.Connect("nats://"+f.Addr().String(), attic.Options("attic")[0], nats.Name("attic")); err == nil {
		t.Error("without looking at the certificate")
	}
	old := keys.ClientTLS(f.cert.Pin)
	old.MinVersion, old.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	if _, err := nats.Connect("tls://"+f.Addr().String(), attic.Options("attic")[0], nats.Name("attic"), nats.Secure(old)); err == nil {
		t.Error("with TLS 1.2")
	}
	// What signs with another's nonce is no key: the seed never leaves the worker.
	forged := nats.Nkey(attic.Public, func([]byte) ([]byte, error) { return make([]byte, 64), nil })
	if _, err := nats.Connect("tls://"+f.Addr().String(), forged, nats.Name("attic"), nats.Secure(keys.ClientTLS(f.cert.Pin))); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("a forged signature: %v", err)
	}
	// A key's workers have its name, and what follows it; no other's.
	for name, ok := range map[string]bool{"attic_2": true, "attic_3f-2": true, "cellar": false, "attic2": false, "attic_": false, "attic_2.>": false, "attic_2_3": false, "": false} {
		c, err := nats.Connect("tls://"+f.Addr().String(), append(attic.Options(name), nats.CustomInboxPrefix("_INBOX_x"))...)
		if (err == nil) != ok {
			t.Errorf("as %q: %v", name, err)
		}
		if c != nil {
			c.Close()
		}
	}
	own, err := nats.Connect("", append(f.guard.Own(), nats.InProcessServer(f.Server))...)
	if err != nil {
		t.Fatalf("the coordinator itself: %v", err)
	}
	own.Close()
}

// A worker publishes and listens to nothing but its own.
func TestSubjects(t *testing.T) {
	f := start(t)
	own, err := nats.Connect("", append(f.guard.Own(), nats.InProcessServer(f.Server))...)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	heard := make(chan *nats.Msg, 10)
	if _, err := own.ChanSubscribe("result.>", heard); err != nil {
		t.Fatal(err)
	}
	denied := make(chan error, 10)
	attic, err := f.join(f.invite(t, "attic"), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err }))
	if err != nil {
		t.Fatal(err)
	}
	defer attic.Close()
	for _, try := range []func() error{
		func() error { return attic.Publish("result.cellar", nil) },
		func() error { return attic.Publish("$JS.API.STREAM.DELETE.x", nil) },
		func() error { _, err := attic.SubscribeSync("result.>"); return err },
		func() error { _, err := attic.SubscribeSync("_INBOX_cellar.>"); return err },
	} {
		if err := errors.Join(try(), attic.Flush()); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-denied:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("allowed")
		}
	}
	if err := errors.Join(attic.Publish("result.attic", nil), attic.Flush(), own.Flush()); err != nil {
		t.Fatal(err)
	}
	if m := <-heard; m.Subject != "result.attic" || len(heard) > 0 {
		t.Errorf("heard %s and %d more", m.Subject, len(heard))
	}
}

// A revoked key is cut off at once, however many connections it has, and does not come back.
func TestRevoke(t *testing.T) {
	f := start(t)
	attic := f.invite(t, "attic")
	for range 40 {
		c, err := f.join(attic)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	cellar, err := f.join(f.invite(t, "cellar"))
	if err != nil {
		t.Fatal(err)
	}
	defer cellar.Close()
	f.mu.Lock()
	delete(f.known, attic.Public)
	f.mu.Unlock()
	f.guard.Cut(attic.Public)
	for deadline := time.Now().Add(20 * time.Second); f.NumClients() > 1; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d are left", f.NumClients())
		}
	}
	if _, err := f.join(attic); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("it comes back: %v", err)
	}
	if err := cellar.Flush(); err != nil {
		t.Errorf("the others are cut off, too: %v", err)
	}
}
