package live

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"botarena/arena/process"
)

// A note is the file beside the database by which watchers find a run.
type note struct {
	Version int    `json:"version"`
	Hub     string `json:"hub"`
	// Network is unix, and Address the name of a socket in the same folder, or tcp
	// and a port of the machine's own loopback interface.
	Network string `json:"network"`
	Address string `json:"address"`
	// Key is a secret shared with those who can read this file.
	Key     string           `json:"key"`
	Process process.Identity `json:"process"`
}

const (
	noteExt   = ".json"
	socketExt = ".sock"
	draftExt  = ".tmp"
	mostNote  = 4 << 10 // bytes
	keySize   = 32      // bytes
	// mostPath is the maximum length in bytes of a socket's path on all systems (104 on
	// macOS, 108 on Linux, the final zero included).
	mostPath = 103
	// youth is the age from which a file without a note counts as left behind.
	youth = time.Minute
)

// newID returns a random name.
func newID() string { return randomHex(8) }

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// folderOf returns the folder of the notes of a database's runs: the same for every
// path to the database.
func folderOf(db string) (string, error) {
	path, err := filepath.Abs(db)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", db, err)
	}
	const mostLinks = 40
	for range mostLinks {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
			break
		}
		// It is still to be made: what a link to it says counts, and its folder.
		if to, err := os.Readlink(path); err == nil {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			path = to
			continue
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		break
	}
	return path + "-live", nil
}

// trusted returns an error if others than the user, or the owner of the database, could
// read or write the folder's files.
func trusted(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is in the way: no folder", dir)
	}
	db, err := os.Stat(strings.TrimSuffix(dir, "-live"))
	if err != nil {
		db = nil
	}
	return private(dir, info, db)
}

// makeFolder makes the folder if it is missing.
func makeFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return trusted(dir)
}

// write writes a note into a folder atomically.
func (n *note) write(dir string) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	draft := filepath.Join(dir, n.Hub+draftExt)
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		return err
	}
	if err := os.Rename(draft, filepath.Join(dir, n.Hub+noteExt)); err != nil {
		_ = os.Remove(draft)
		return err
	}
	return nil
}

// readNote reads and validates a note.
func readNote(dir, name string) (*note, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, mostNote+1))
	if err != nil {
		return nil, err
	}
	return parseNote(text, name)
}

func parseNote(text []byte, name string) (*note, error) {
	var n note
	if len(text) > mostNote {
		return nil, fmt.Errorf("%s is too long", name)
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if key, err := hex.DecodeString(n.Key); err != nil || len(key) != keySize || n.Hub+noteExt != name {
		return nil, fmt.Errorf("%s is no note of a run", name)
	}
	switch n.Network {
	case "unix":
		if n.Address != n.Hub+socketExt || strings.ContainsAny(n.Address, `/\`) {
			return nil, fmt.Errorf("%s names a socket elsewhere", name)
		}
	case "tcp":
		if at, err := netip.ParseAddrPort(n.Address); err != nil || !at.Addr().IsLoopback() {
			return nil, fmt.Errorf("%s names another machine", name)
		}
	default:
		return nil, fmt.Errorf("%s names the network %q", name, n.Network)
	}
	return &n, nil
}

// listen opens the listener for watchers: a socket in the folder if the system supports
// that, else a port of the loopback interface.
func listen(dir, hub string) (net.Listener, error) {
	if path := filepath.Join(dir, hub+socketExt); sockets && len(path) <= mostPath {
		if l, err := net.Listen("unix", path); err == nil {
			return l, nil
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		return l, nil
	}
	if l6, err := net.Listen("tcp", "[::1]:0"); err == nil {
		return l6, nil
	}
	return nil, err
}

// sweep removes the files of killed runs.
func sweep(dir string, me process.Identity, now time.Time) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	noted := map[string]bool{}
	for _, f := range files {
		hub, ok := strings.CutSuffix(f.Name(), noteExt)
		if !ok {
			continue
		}
		noted[hub] = true
		if n, err := readNote(dir, f.Name()); err == nil && me.Sees(n.Process) == process.Dead {
			_ = os.Remove(filepath.Join(dir, hub+socketExt))
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
	for _, f := range files {
		ext := filepath.Ext(f.Name())
		if ext != socketExt && ext != draftExt || noted[strings.TrimSuffix(f.Name(), ext)] {
			continue
		}
		if info, err := f.Info(); err == nil && now.Sub(info.ModTime()) > youth {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}
