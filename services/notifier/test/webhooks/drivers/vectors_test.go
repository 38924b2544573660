// Runs docs/webhooks/receive.go on the vectors of a file and writes what it makes of each, as JSON, to another one.
package main

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
)

type vector struct {
	Secret  string            `json:"client_secret"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Now     float64           `json:"now"`
}

type result struct {
	Valid     bool   `json:"valid"`
	Canonical string `json:"canonical_json"`
}

func TestVectors(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("VECTORS"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct{ Signatures []vector }
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	var results []result
	for _, v := range vectors.Signatures {
		header := http.Header{}
		for name, value := range v.Headers {
			header.Set(name, value)
		}
		canonical := ""
		if v.Body != "" {
			var value any
			if err := json.Unmarshal([]byte(v.Body), &value); err != nil {
				t.Fatal(err)
			}
			canonical = Normalize(value)
		}
		results = append(results, result{Verify(v.Secret, v.Method, v.Path, header, []byte(v.Body), v.Now), canonical})
	}
	out, err := json.Marshal(results)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("RESULTS"), out, 0o600); err != nil {
		t.Fatal(err)
	}
}
