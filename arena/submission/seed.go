package submission

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Go compiles its own library into an empty cache for each build, which takes ten times as
// long as the bot itself. A Builder with a folder for that keeps a cache with the packages
// that bots use, filled in the sandbox by a program of its own and by nothing that was
// handed in. Builds copy it and write to the copy.
const seedProgram = `package main

import (
	_ "bufio"
	_ "bytes"
	_ "container/heap"
	_ "context"
	_ "encoding/json"
	_ "flag"
	_ "fmt"
	_ "io"
	_ "log"
	_ "maps"
	_ "math"
	_ "math/big"
	_ "math/bits"
	_ "math/rand"
	_ "math/rand/v2"
	_ "os"
	_ "regexp"
	_ "slices"
	_ "sort"
	_ "strconv"
	_ "strings"
	_ "sync"
	_ "sync/atomic"
	_ "time"
	_ "unicode"
)

func main() {}
`

// seed returns the folder with the cache for a build in a language, made where it is
// missing; "" for none.
func (b *Builder) seed(ctx context.Context, language string) (string, error) {
	if language != "go" || b.config.Cache == "" {
		return "", nil
	}
	b.seeding.Lock()
	defer b.seeding.Unlock()
	sum := sha256.Sum256([]byte(b.version(language) + seedProgram))
	dir := filepath.Join(b.config.Cache, "go-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(dir); err == nil {
		return filepath.Join(dir, "cache"), nil
	}
	source := dir + ".source"
	defer func() { _ = os.RemoveAll(source) }()
	if err := os.MkdirAll(source, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(source, "seed.go"), []byte(seedProgram), 0o644); err != nil {
		return "", err
	}
	usual := &Builder{config: b.config, languages: b.languages, tools: b.tools}
	usual.config.Limits = DefaultLimits()
	usual.config.Limits.Time = 10 * time.Minute // of a machine that is busy with games
	log, err := usual.build(ctx, source, dir, "", []string{"sh", "-c", `go build -o bot seed.go && rm bot && mv "$GOCACHE" cache`})
	if err != nil {
		// Not wrapped: a failed build would refuse the team, whose build this is not.
		return "", fmt.Errorf("fill the cache of Go's compiler: %s: %s", err.Error(), log)
	}
	return filepath.Join(dir, "cache"), nil
}

// version returns the version text of a language's compiler.
func (b *Builder) version(language string) string {
	for _, l := range b.languages {
		if l.Name == language {
			return l.Version
		}
	}
	return ""
}
