package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"gerbang.example/first-payment/gerbang"
)

// signIn gives an access token. The signature is of client id, secret and today's date in Jakarta.
func signIn(ctx context.Context, demo demo) (string, error) {
	client, err := gerbang.NewClientWithResponses(demo.BaseURL)
	if err != nil {
		return "", err
	}
	today := time.Now().In(time.FixedZone("WIB", 7*60*60)).Format("20060102")
	sign := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-PARTNER-ID", demo.PartnerID)
		request.Header.Set("X-CLIENT-ID", demo.ClientID)
		request.Header.Set("X-Signature", hmacSHA512(demo.ClientSecret, demo.ClientID+"_"+demo.ClientSecret+"_"+today))
		return nil
	}
	order := gerbang.IssueTokenV11Request{GrantType: gerbang.IssueTokenV11RequestGrantTypeClientCredentials}
	answer, err := client.IssueTokenV11WithResponse(ctx, order, sign)
	if err != nil {
		return "", err
	}
	if answer.JSON200 == nil {
		return "", refused(answer.HTTPResponse, answer.Body)
	}
	return answer.JSON200.Data.AccessToken, nil
}

type signer struct{ partnerID, secret, token string }

// sign signs every request with a body; where the API asks for no signature, it ignores one.
func (s signer) sign(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("X-PARTNER-ID", s.partnerID)
	if request.Body == nil {
		return nil
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	normalized, err := normalize(body)
	if err != nil {
		return err
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	hash := sha256.Sum256(normalized)
	text := fmt.Sprintf("%s:%s:%s:%x:%s", request.Method, request.URL.RequestURI(), s.token, hash, timestamp)
	request.Header.Set("X-Timestamp", timestamp)
	request.Header.Set("X-Signature", hmacSHA512(s.secret, text))
	return nil
}

// normalize gives the text of a body that is signed: keys sorted at every depth, no white space, no needless escapes.
// encoding/json does so with maps, except for the line separators U+2028 and U+2029: do not send them.
func normalize(body []byte) ([]byte, error) {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimRight(text.Bytes(), "\n"), err
}

func hmacSHA512(secret, text string) string {
	mac := hmac.New(sha512.New, []byte(secret))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}
