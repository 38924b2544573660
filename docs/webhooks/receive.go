// Receives Gerbang's webhooks. Go 1.21 or newer, nothing else:  GERBANG_CLIENT_SECRET=... go run receive.go
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httputil"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
)

const windowSeconds = 300

var unixSeconds = regexp.MustCompile(`^[0-9]{1,15}$`)

// Verify says whether Gerbang has sent this. path has the query, body is the bytes as received, now is Unix seconds.
func Verify(secret, method, path string, header http.Header, body []byte, now float64) bool {
	timestamp := header.Get("X-Timestamp")
	seconds, _ := strconv.ParseFloat(timestamp, 64)
	if !unixSeconds.MatchString(timestamp) || math.Abs(seconds-now) > windowSeconds {
		return false
	}
	normalized := ""
	if len(body) > 0 {
		var value any
		if json.Unmarshal(body, &value) != nil {
			return false
		}
		normalized = Normalize(value)
	}
	bodyHash := sha256.Sum256([]byte(normalized))
	token := strings.TrimPrefix(header.Get("Authorization"), "Bearer ")
	mac := hmac.New(sha512.New, []byte(secret))
	fmt.Fprintf(mac, "%s:%s:%s:%x:%s", method, path, token, bodyHash, timestamp)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(header.Get("X-Signature")))
}

// Normalize sorts keys by UTF-16 code units and leaves out white space; numbers are written as ECMAScript does.
func Normalize(value any) string {
	switch value := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		slices.SortFunc(keys, func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		for i, key := range keys {
			keys[i] = quote(key) + ":" + Normalize(value[key])
		}
		return "{" + strings.Join(keys, ",") + "}"
	case []any:
		items := make([]string, len(value))
		for i, item := range value {
			items[i] = Normalize(item)
		}
		return "[" + strings.Join(items, ",") + "]"
	case string:
		return quote(value)
	case float64:
		if value == 0 {
			return "0" // also -0
		}
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// encoding/json would escape U+2028 and U+2029 as well.
func quote(text string) string {
	var out strings.Builder
	for _, r := range text {
		if i := strings.IndexRune("\"\\\b\t\n\f\r", r); i >= 0 {
			out.WriteString(`\` + `"\btnfr`[i:i+1])
		} else if r < 0x20 {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return `"` + out.String() + `"`
}

var seen sync.Map // In production: a unique key in your database, written together with what the event changes.

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	if !Verify(os.Getenv("GERBANG_CLIENT_SECRET"), request.Method, request.RequestURI, request.Header, body, float64(time.Now().UnixMilli())/1000) {
		request.Body = io.NopCloser(bytes.NewReader(body))
		dump, _ := httputil.DumpRequest(request, true)
		os.WriteFile("refused.http", dump, 0o600) // For `gerbang signature explain refused.http`.
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	if _, again := seen.LoadOrStore(request.Header.Get("X-Event-Id"), true); !again {
		var webhook struct{ Event string }
		json.Unmarshal(body, &webhook)
		log.Println(webhook.Event, request.Header.Get("X-Event-Id"))
	}
}

func main() {
	if os.Getenv("GERBANG_CLIENT_SECRET") == "" {
		log.Fatal("GERBANG_CLIENT_SECRET is not set")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(receive)))
}
