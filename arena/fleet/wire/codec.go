package wire

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Limits of messages in bytes.
const (
	// MaxPayload is the largest message as sent. It is the server's own default, so
	// that any cluster takes it.
	MaxPayload = 1 << 20
	// maxPlain is the largest size before deflating, and maxObjects the maximum number
	// of JSON objects in it: a small message must not fill the reader's memory.
	maxPlain   = 4 << 20
	maxObjects = 4 * MaxResults
	// MaxEntry is the largest entry of a worker.
	MaxEntry = 4 << 10
	// MaxSpec is the largest spec, which is an object and no message.
	MaxSpec = 64 << 20
)

// deflated is the first byte of a deflated message; '{' that of a plain one.
const deflated = 0x01

// deflateFrom is the length from which deflating is tried: below, it saves little and
// takes longer than all else.
const deflateFrom = 4096

// A TooLargeError reports that a message does not fit.
type TooLargeError struct{ Size, Most int }

// Error reports how large it is.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a message of %d bytes; at most %d", e.Size, e.Most)
}

// A VersionError reports that a message was written by another version of arena.
type VersionError struct{ Got int }

// Error reports what to try.
func (e *VersionError) Error() string {
	return fmt.Sprintf("a message of version %d of the fleet's protocol, and this arena speaks version %d: use the same version of arena on all machines", e.Got, Version)
}

// A Header holds the fields of every message.
type Header struct {
	V int `json:"v"`
}

func (h *Header) stamp() { h.V = Version }

// A Message is the pointer to a struct that can be sent.
type Message interface {
	stamp()
	// check reports what its fields cannot be.
	check() error
}

// limits returns how large a message may be before deflating, and as it is sent.
func limits(m Message) (plain, sent int) {
	if _, ok := m.(*Spec); ok {
		return MaxSpec, MaxSpec
	}
	return maxPlain, MaxPayload
}

// Encode writes a message. The error is a *TooLargeError.
func Encode(m Message) ([]byte, error) {
	plain, most := limits(m)
	m.stamp()
	data, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if len(data) > plain {
		return nil, &TooLargeError{len(data), plain}
	}
	if len(data) >= deflateFrom {
		var out bytes.Buffer
		out.WriteByte(deflated)
		w, err := flate.NewWriter(&out, flate.BestSpeed)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		if out.Len() < len(data) {
			data = out.Bytes()
		}
	}
	if len(data) > most {
		return nil, &TooLargeError{len(data), most}
	}
	return data, nil
}

// pointer constrains P to the pointer to a message M.
type pointer[M any] interface {
	*M
	Message
}

// Decode reads a message strictly, and checks its fields.
func Decode[M any, P pointer[M]](data []byte) (M, error) {
	var m M
	plain, most := limits(P(&m))
	if len(data) > most {
		return m, &TooLargeError{len(data), most}
	}
	data, err := inflate(data, int64(plain))
	if err != nil {
		return m, err
	}
	if n := objects(data); n > maxObjects && plain == maxPlain {
		return m, fmt.Errorf("a message with %d objects; at most %d", n, maxObjects)
	}
	if err := decode(data, &m); err != nil {
		return m, err
	}
	return m, P(&m).check()
}

// objects counts the objects of a JSON text without decoding it.
func objects(data []byte) (n int) {
	for within, i := false, 0; i < len(data); i++ {
		switch c := data[i]; {
		case within && c == '\\':
			i++
		case c == '"':
			within = !within
		case c == '{' && !within:
			n++
		}
	}
	return n
}

// inflate returns a deflated message's text, of at most most bytes.
func inflate(data []byte, most int64) ([]byte, error) {
	if len(data) == 0 {
		return nil, errors.New("an empty message")
	}
	if data[0] != deflated {
		return data, nil
	}
	r := flate.NewReader(bytes.NewReader(data[1:]))
	plain, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("a message that cannot be inflated: %w", err)
	}
	if int64(len(plain)) > most {
		return nil, fmt.Errorf("a message of more than %d bytes once inflated", most)
	}
	return plain, nil
}

func decode(data []byte, message any) error {
	var h Header
	if err := json.Unmarshal(data, &h); err != nil {
		return fmt.Errorf("a message that is no JSON object: %w", err)
	}
	if h.V != Version {
		return &VersionError{h.V}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(message); err != nil {
		return fmt.Errorf("a message that does not follow the protocol: %w", err)
	}
	if d.More() {
		return errors.New("a message with something behind its end")
	}
	return nil
}
