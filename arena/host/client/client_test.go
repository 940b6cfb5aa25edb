package client_test

import (
	"testing"

	"botarena/arena/host/client"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"https://league.example/league": "https://league.example", "http://127.0.0.1:8080/": "http://127.0.0.1:8080", "localhost:8080": "http://localhost:8080",
		"192.0.2.1:8080/team": "http://192.0.2.1:8080", "league.example": "https://league.example", "league.example:8443": "https://league.example:8443", "[::1]:80": "http://[::1]:80",
		"ftp://x": "", "https://": "", "https://me:pw@x": "", "http://%zz": "",
	} {
		if got, err := client.Address(to); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", to, got, err, want)
		}
	}
}
