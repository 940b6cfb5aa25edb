// Package keys authenticates the workers of a fleet: it makes a key for each worker,
// the server's certificate, and the [Guard] that admits clients to the server.
//
// A worker's key is an nkey (Ed25519). An invitation writes it to a file that the
// worker alone has; the coordinator keeps the public half. With it comes the SHA-256 of
// the server's certificate, which is made at the first start and self-signed: a worker
// accepts that one and no other, whatever its clock or its machine's authorities say.
// Connections are TLS 1.3, on loopback as elsewhere.
//
// The [Guard] admits whoever signs the server's nonce with a key that is known and not
// revoked, and allows it the subjects of its own name (see package wire). Connections
// of a revoked key are ended at once.
package keys

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// A Key is what a worker needs to join a fleet.
type Key struct {
	Name   string // of the worker
	Public string // the half that the coordinator keeps
	// Pin is the SHA-256 of the server's certificate, in hexadecimal digits.
	Pin string
	// Address is the server's HOST:PORT when the key was made; "" if it was not known.
	Address string
	seed    []byte
}

// New makes a key.
func New(name, pin, address string) (*Key, error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	seed, err := pair.Seed()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return &Key{Name: name, Public: public, Pin: pin, Address: address, seed: seed}, nil
}

const (
	first     = "arena worker key 1"
	maxFile   = 16 << 10
	pinScheme = "sha256:"
)

// Encode writes the key file.
func (k *Key) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n# Whoever has this file is worker %s of the fleet: keep it to that machine.\n", first, k.Name)
	fmt.Fprintf(&b, "name: %s\nserver: %s%s\n", k.Name, pinScheme, k.Pin)
	if k.Address != "" {
		fmt.Fprintf(&b, "address: %s\n", k.Address)
	}
	fmt.Fprintf(&b, "seed: %s\n", k.seed)
	return b.Bytes()
}

// Decode reads a key file. The error says what is wrong with it, and nothing of the
// seed.
func Decode(data []byte) (*Key, error) {
	if len(data) > maxFile {
		return nil, errors.New("it is too large for a worker's key")
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	if !lines.Scan() || strings.TrimSpace(lines.Text()) != first {
		return nil, fmt.Errorf("it is no worker's key, which begins with %q; arena fleet invite makes one", first)
	}
	values := map[string]string{}
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, errors.New("it has a line without a colon")
		}
		switch name {
		case "name", "server", "address", "seed":
		default:
			return nil, errors.New("it has a line that is not known; a newer arena may have made it")
		}
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("it has %s twice", name)
		}
		values[name] = strings.TrimSpace(value)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	pin, ok := strings.CutPrefix(values["server"], pinScheme)
	if sum, err := hex.DecodeString(pin); !ok || err != nil || len(sum) != sha256.Size || pin != strings.ToLower(pin) {
		return nil, errors.New("it does not say by which certificate the server is known (server: sha256:...)")
	}
	k := &Key{Name: values["name"], Pin: pin, Address: values["address"], seed: []byte(values["seed"])}
	if !ValidName(k.Name) {
		return nil, errors.New("it has no worker's name")
	}
	pair, err := nkeys.FromSeed(k.seed)
	if err != nil {
		return nil, errors.New("its seed is damaged; ask for another invitation")
	}
	if k.Public, err = pair.PublicKey(); err != nil || !nkeys.IsValidPublicUserKey(k.Public) {
		return nil, errors.New("its seed is not a worker's; ask for another invitation")
	}
	return k, nil
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
	longest = 40 // letters of a key's name, and of what follows it in a worker's
	// separator stands between the name of a key and what tells its workers apart.
	separator = "_"
)

// ValidName reports whether a key can have that name: letters, digits and -, at most
// 40 of them, since it stands in subjects.
func ValidName(name string) bool {
	return name != "" && len(name) <= longest && strings.Trim(name, letters) == ""
}

// WorkerName returns the name of one of the workers that join with a key, such as
// attic_2: any number of them may, each with a name of its own.
func WorkerName(key, which string) string { return key + separator + which }

// KeyOf returns the name of the key with which a worker of that name joins; "" if no
// key's workers have such a name.
func KeyOf(worker string) string {
	key, which, ok := strings.Cut(worker, separator)
	if !ValidName(key) || ok && (len(which) > longest/2 || !ValidName(which)) {
		return ""
	}
	return key
}

// Write makes a file of the key that only its owner can read. An older file is not
// overwritten: the error is fs.ErrExist's.
func (k *Key) Write(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(k.Encode())
	return errors.Join(err, f.Close())
}

// Read reads a key's file.
func Read(file string) (*Key, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; whoever runs the event makes one with: arena fleet invite", err)
	}
	if err != nil {
		return nil, err
	}
	k, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return k, nil
}

// Options returns the connection options by which a worker of that name joins with the
// key, and the pinned server only.
func (k *Key) Options(worker string) []nats.Option {
	return append(k.sign(), nats.Name(worker), nats.Secure(ClientTLS(k.Pin)))
}

func (k *Key) sign() []nats.Option {
	return []nats.Option{nats.Nkey(k.Public, func(nonce []byte) ([]byte, error) {
		pair, err := nkeys.FromSeed(k.seed)
		if err != nil {
			return nil, err
		}
		defer pair.Wipe()
		return pair.Sign(nonce)
	})}
}
