package roster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"botarena/arena/fleet/keys"
	"botarena/arena/store"
)

// HereName is the key of workers on the same machine as the event.
const HereName = "here"

// HereKey returns the key file for workers on this machine, and makes one if none is
// valid for the fleet.
func HereKey(ctx context.Context, s *store.Store, dir, pin string) (string, error) {
	file := filepath.Join(dir, HereName+".key")
	known, err := s.WorkerKeys(ctx)
	if err != nil {
		return "", err
	}
	if k, err := keys.Read(file); err == nil && k.Pin == pin {
		if known[k.Public] != "" {
			return file, nil
		}
		// The database may be an older copy, and workers have the key already.
		err := s.Invite(ctx, HereName, k.Public)
		if err == nil {
			return file, nil
		}
		var revoked *store.RevokedError
		if !errors.Is(err, store.ErrWorkerExists) && !errors.As(err, &revoked) {
			return "", err
		}
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, name := range known {
		if name == HereName { // its file is gone
			if _, err := s.Revoke(ctx, HereName, "its file is lost", false); err != nil {
				return "", err
			}
			break
		}
	}
	return file, Invite(ctx, s, HereName, pin, "", file)
}

// CheckName reports why a machine cannot be invited under a name, nil if it can.
func CheckName(name string) error {
	taken := []string{HereName, "local", "this-machine", "thismachine", "coordinator"}
	switch {
	case !keys.ValidName(name):
		return fmt.Errorf("worker %q: letters, digits and -, at most 40", name)
	case slices.Contains(taken, strings.ToLower(name)):
		return fmt.Errorf("worker %q: this name reads as the machine that runs the event; choose another one, such as %s-2", name, name)
	}
	return nil
}

// Invite makes a key and its file, and admits it.
func Invite(ctx context.Context, s *store.Store, name, pin, address, file string) error {
	k, err := keys.New(name, pin, address)
	if err != nil {
		return err
	}
	if err := k.Write(file); err != nil {
		return err
	}
	if err := s.Invite(ctx, name, k.Public); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// addressFile holds the last address of the fleet's server, for invitations.
const addressFile = "address"

// RememberAddress records where a fleet's server listens, for later invitations.
func RememberAddress(dir, address string) error {
	return os.WriteFile(filepath.Join(dir, addressFile), []byte(address+"\n"), 0o600)
}

// LastAddress returns the address that was recorded last, "" for none.
func LastAddress(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, addressFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// Outside returns the address at which other machines reach a server: with this host's
// name if it listens on all interfaces.
func Outside(address string) (reach string, loopback bool) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, false
	}
	ip := net.ParseIP(host)
	if ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			return net.JoinHostPort(name, port), false
		}
	}
	return address, host == "localhost" || ip != nil && ip.IsLoopback()
}

// JoinCommand returns the command line that joins a worker.
func JoinCommand(address, file string) string {
	return fmt.Sprintf("arena worker --join tls://%s --key %s", address, shellquote.Join(file))
}
