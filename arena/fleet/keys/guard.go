package keys

import (
	"encoding/base64"
	"slices"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// A Guard decides which clients a server admits and which subjects they may use. It is
// the server's CustomClientAuthentication, and needs AlwaysEnableNonce.
type Guard struct {
	// Worker returns the name of the key with that public half; ok is false if it is
	// not known, or revoked. It may be called by several goroutines at once.
	Worker func(public string) (name string, ok bool)
	// Subjects returns the subjects that a worker may publish to and subscribe to.
	Subjects func(worker string) (publish, subscribe []string)

	own Key // the coordinator's, which may do everything

	mu    sync.Mutex
	conns map[string][]uint64 // of each public key: the numbers of its connections
	end   func(id uint64) error
}

// NewGuard returns a guard that knows the coordinator by a key made now.
func NewGuard(worker func(public string) (string, bool), subjects func(worker string) (publish, subscribe []string)) (*Guard, error) {
	own, err := New("coordinator", "", "")
	if err != nil {
		return nil, err
	}
	return &Guard{Worker: worker, Subjects: subjects, own: *own, conns: map[string][]uint64{}}, nil
}

// Own returns the options of the coordinator's connections within its process.
func (g *Guard) Own() []nats.Option { return g.own.sign() }

// Check reports whether a client is admitted.
func (g *Guard) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	if c.Kind() != server.CLIENT || !signed(o.Nkey, o.Sig, c.GetNonce()) {
		return false
	}
	if o.Nkey == g.own.Public {
		c.RegisterUser(&server.User{Username: g.own.Name})
		return true
	}
	// Noted before it is asked for: a key that is revoked in between is cut off.
	g.note(o.Nkey, c.GetID())
	name, ok := g.Worker(o.Nkey)
	if !ok || o.Name != name && KeyOf(o.Name) != name {
		return false
	}
	publish, subscribe := g.Subjects(o.Name)
	c.RegisterUser(&server.User{Username: o.Name, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: publish},
		Subscribe: &server.SubjectPermission{Allow: subscribe},
	}})
	return true
}

func signed(public, signature string, nonce []byte) bool {
	if !nkeys.IsValidPublicUserKey(public) || len(nonce) == 0 {
		return false
	}
	sig, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		if sig, err = base64.StdEncoding.DecodeString(signature); err != nil {
			return false
		}
	}
	key, err := nkeys.FromPublicKey(public)
	return err == nil && key.Verify(nonce, sig) == nil
}

// mostConns is the maximum number of connections of a key: each of its workers has one,
// and a new one after each break. Beyond it the oldest one is ended.
const mostConns = 4096

func (g *Guard) note(public string, id uint64) {
	g.mu.Lock()
	list := append(slices.Clone(g.conns[public]), id)
	extra := list[:max(0, len(list)-mostConns)]
	g.conns[public] = list[len(extra):]
	g.mu.Unlock()
	g.kick(extra)
}

// Cut ends the connections of a key that Worker does not know any more.
func (g *Guard) Cut(public string) {
	g.mu.Lock()
	ids := g.conns[public]
	delete(g.conns, public)
	g.mu.Unlock()
	g.kick(ids)
}

func (g *Guard) kick(ids []uint64) {
	g.mu.Lock()
	end := g.end
	g.mu.Unlock()
	if end == nil {
		return
	}
	for _, id := range ids {
		_ = end(id) // it may have ended already
	}
}

// Serve tells the guard how the server ends a connection by its number.
func (g *Guard) Serve(end func(id uint64) error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end = end
}
