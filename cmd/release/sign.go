package main

import (
	"fmt"
	"os"
	"path/filepath"

	"aead.dev/minisign"
)

// sign signs the checksums with a minisign key, for minisign -Vm checksums.txt -p KEY.pub;
// "" says that there is none.
func (r *release) sign(key, password string) error {
	if key == "" {
		fmt.Fprintln(r.say, "not signed: -key names no key")
		return nil
	}
	text, err := os.ReadFile(key)
	if err != nil {
		return fmt.Errorf("the key: %w", err)
	}
	var private minisign.PrivateKey
	if minisign.IsEncrypted(text) {
		if private, err = minisign.DecryptKey(password, text); err != nil {
			return fmt.Errorf("%s: %w; its password is to be in MINISIGN_PASSWORD", key, err)
		}
	} else if err := private.UnmarshalText(text); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	sums, err := os.ReadFile(filepath.Join(r.out, checksumsName))
	if err != nil {
		return err
	}
	says := fmt.Sprintf("timestamp:%d file:%s arena %s", r.time.Unix(), checksumsName, r.version)
	signature := minisign.SignWithComments(private, sums, says, "signature of arena "+r.version)
	return r.write(checksumsName+".minisig", func() ([]byte, error) { return signature, nil })
}
