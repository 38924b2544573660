// A first payment with the generated client: a virtual account that a customer pays, and a signed disbursement.
//
// docs/clients.md says how the client is generated. Against a running sandbox:
//
//	go run . ../../../.gerbang/demo.json
package main

//go:generate mkdir -p gerbang
//go:generate go tool oapi-codegen -config oapi-codegen.yaml ../../../docs/openapi.json

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"gerbang.example/first-payment/gerbang"
)

const (
	rupiah   = 50_000
	patience = 30 * time.Second
)

// What `npm start` writes to .gerbang/demo.json.
type demo struct {
	BaseURL      string   `json:"base_url"`
	SimulatorURL string   `json:"simulator_url"`
	PartnerID    string   `json:"partner_id"`
	ClientID     string   `json:"client_id"`
	ClientSecret string   `json:"client_secret"`
	AccountIDs   []string `json:"account_ids"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run . .gerbang/demo.json")
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var demo demo
	if err := json.Unmarshal(text, &demo); err != nil {
		return err
	}
	token, err := signIn(ctx, demo)
	if err != nil {
		return err
	}
	signer := signer{partnerID: demo.PartnerID, secret: demo.ClientSecret, token: token}
	client, err := gerbang.NewClientWithResponses(demo.BaseURL, gerbang.WithRequestEditorFn(signer.sign))
	if err != nil {
		return err
	}
	payment, err := receive(ctx, client, demo)
	if err != nil {
		return err
	}
	fmt.Printf("received %s by virtual account %s\n", payment.Amount.Value, payment.Number)
	transfer, err := send(ctx, client, demo)
	if err != nil {
		return err
	}
	fmt.Printf("sent %s: %s\n", transfer.NetAmount.Value, transfer.TransactionStatus.Desc)
	return nil
}

// A customer pays a virtual account at the sandbox's bank.
func receive(ctx context.Context, client *gerbang.ClientWithResponses, demo demo) (*gerbang.VaTransaction, error) {
	amount, uses, account := float64(rupiah), int64(1), demo.AccountIDs[0]
	var expiresAt gerbang.UnixMillisecondsInput
	if err := expiresAt.FromUnixMillisecondsInput1(time.Now().Add(time.Hour).UnixMilli()); err != nil {
		return nil, err
	}
	created, err := client.CreateVirtualAccountWithResponse(ctx, account, nil, gerbang.CreateVirtualAccountRequest{
		BankCode:       gerbang.CreateVirtualAccountRequestBankCodeBCA,
		Kind:           gerbang.CreateVirtualAccountRequestKindTemporary,
		Name:           "Budi Santoso",
		MerchantReffNo: fmt.Sprintf("go-%d", time.Now().UnixNano()),
		Amount:         &amount,
		MaxUsage:       &uses,
		ExpiredAt:      &expiresAt,
	})
	if err != nil {
		return nil, err
	}
	if created.JSON200 == nil {
		return nil, refused(created.HTTPResponse, created.Body)
	}
	if err := pay(demo.SimulatorURL, created.JSON200.Data.Number); err != nil {
		return nil, err
	}
	return findPayment(ctx, client, account, created.JSON200.Data.Id)
}

func pay(simulatorURL, number string) error {
	body := strings.NewReader(fmt.Sprintf(`{"amount":%d}`, rupiah))
	response, err := http.Post(simulatorURL+"/sandbox/virtual-accounts/"+number+"/pay", "application/json", body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Accepted bool
		Reason   string
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if !answer.Accepted {
		return fmt.Errorf("the payment of %s was not accepted: %s", number, answer.Reason)
	}
	return nil
}

// Waits until the payment of a virtual account is listed.
func findPayment(ctx context.Context, client *gerbang.ClientWithResponses, account, id string) (*gerbang.VaTransaction, error) {
	filter := gerbang.ListVaTransactionsParams{VirtualAccountId: &id}
	for start := time.Now(); time.Since(start) < patience; time.Sleep(200 * time.Millisecond) {
		page, err := client.ListVaTransactionsWithResponse(ctx, account, &filter)
		if err != nil {
			return nil, err
		}
		if page.JSON200 == nil {
			return nil, refused(page.HTTPResponse, page.Body)
		}
		if payments := page.JSON200.Data.Items; len(payments) > 0 {
			return &payments[0], nil
		}
	}
	return nil, fmt.Errorf("no payment of virtual account %s was listed within %s", id, patience)
}

// Money goes to a bank account. The reference number makes it safe to order this again after a timeout.
func send(ctx context.Context, client *gerbang.ClientWithResponses, demo demo) (*gerbang.Disbursement, error) {
	answer, err := client.TransferDisbursementWithResponse(ctx, nil, gerbang.TransferDisbursementRequest{
		AccountId:         demo.AccountIDs[0],
		ReferenceNumber:   fmt.Sprintf("go-%d", time.Now().UnixNano()),
		BankCode:          "014",
		BankAccountNumber: "1234567890",
		Amount:            gerbang.MoneyInput{Value: "20000.00", Currency: gerbang.MoneyInputCurrencyIDR},
	})
	if err != nil {
		return nil, err
	}
	if answer.JSON200 == nil {
		return nil, refused(answer.HTTPResponse, answer.Body)
	}
	return &answer.JSON200.Data, nil
}

func refused(response *http.Response, body []byte) error {
	return fmt.Errorf("refused with %d: %s", response.StatusCode, body)
}
