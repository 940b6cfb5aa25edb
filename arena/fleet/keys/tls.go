package keys

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// certificateFile is the certificate's file name in the fleet's folder.
const certificateFile = "certificate.pem"

// A Certificate is the server's.
type Certificate struct {
	pair tls.Certificate
	Pin  string // its SHA-256, in hexadecimal digits
}

// OpenCertificate reads the certificate of the fleet in that folder, and makes one if
// there is none. Two programs may do so at once.
func OpenCertificate(dir string) (*Certificate, error) {
	file := filepath.Join(dir, certificateFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeCertificate(dir, file); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("make the fleet's certificate: %w", err)
		}
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("the fleet's certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(data, data)
	if err != nil {
		return nil, fmt.Errorf("the fleet's certificate %s is damaged: %w; remove it to have another one made, and invite all workers anew", file, err)
	}
	return &Certificate{pair: pair, Pin: pinOf(pair.Certificate[0])}, nil
}

// makeCertificate writes a new one in its place, whole or not at all.
func makeCertificate(dir, file string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	// It is known by its hash: names and times say nothing, and a worker's clock may
	// be wrong.
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "arena fleet"},
		NotBefore:    time.Unix(0, 0),
		NotAfter:     time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"arena-fleet"},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, block := range []pem.Block{{Type: "CERTIFICATE", Bytes: der}, {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := pem.Encode(&b, &block); err != nil {
			return err
		}
	}
	fresh, err := os.CreateTemp(dir, "certificate-") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(fresh.Name()) }()
	_, err = fresh.Write(b.Bytes())
	if err := errors.Join(err, fresh.Sync(), fresh.Close()); err != nil {
		return err
	}
	// A link replaces none; not every file system has them.
	if err := os.Link(fresh.Name(), file); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(fresh.Name(), file)
}

func pinOf(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// Secret returns bytes derived from the certificate's private key, always the same.
func (c *Certificate) Secret() []byte {
	key, err := x509.MarshalPKCS8PrivateKey(c.pair.PrivateKey)
	if err != nil { // it was read from such a text
		panic(err)
	}
	sum := sha256.Sum256(append([]byte("arena fleet jobs\n"), key...))
	return sum[:]
}

// ServerTLS returns what a server with that certificate serves.
func (c *Certificate) ServerTLS() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{c.pair}}
}

// A WrongServerError reports that a server is not the one that invited the worker.
type WrongServerError struct{ Got, Want string }

// Error explains what the mismatch may mean.
func (e *WrongServerError) Error() string {
	return fmt.Sprintf("this is not the server that the key is for: its certificate is sha256:%.16s..., and the key says sha256:%.16s...; somebody may sit in between, or the fleet was set up anew: then ask for another invitation", e.Got, e.Want)
}

// ClientTLS accepts the server with the certificate of that SHA-256 and no other.
func ClientTLS(pin string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		// Names and authorities are not looked at: the certificate itself is known.
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection is stricter
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 {
				return errors.New("the server shows no certificate")
			}
			if got := pinOf(state.PeerCertificates[0].Raw); got != pin {
				return &WrongServerError{got, pin}
			}
			return nil
		},
	}
}
