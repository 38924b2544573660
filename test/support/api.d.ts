/**
 * The merchant's API in types, generated from docs/openapi.json: do not edit.
 * To write it again: npm run generate
 */
export interface paths {
    "/api/v1.0/access-token/b2b": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token
         * @description The older way, with client id and secret as the user and password of Basic authentication. The token lives 15 minutes: ask for a new one before it ends.
         */
        post: operations["issueTokenV10"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.1/access-token/b2b": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token
         * @description `X-Signature` is the HMAC-SHA512 of `{client_id}_{client_secret}_{YYYYMMDD}` keyed with the client secret, in lower-case hex. The day is today's in Asia/Jakarta. The token lives 15 minutes: ask for a new one before it ends.
         */
        post: operations["issueTokenV11"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List accounts */
        get: operations["listAccounts"];
        put?: never;
        /** Open an account */
        post: operations["openAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/accounts/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an account */
        get: operations["showAccount"];
        /**
         * Change an account
         * @description Changes the fields that the body has. An inactive account is read only until it is active again.
         */
        put: operations["updateAccount"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/balance-inquiry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Balance of the merchant
         * @description All accounts of the merchant together. A frozen merchant may look too.
         */
        get: operations["showMerchantBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/balance-inquiry/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Balance of an account
         * @description An account of another merchant is answered with 405, code 4059901: it is no resource of the merchant's.
         */
        get: operations["showAccountBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/account-statements/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the entries of a statement
         * @description What changed the available balance, newest first: a hold is a debit, a release or a settlement a credit. With `Accept: text/csv` all of it as CSV, without regard to limit and cursor.
         */
        get: operations["listStatementEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/settlement-transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List settlement transactions
         * @description Money in that has settled, newest first. With `Accept: text/csv` all of it as CSV, without regard to limit and cursor.
         */
        get: operations["listSettlements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/account-transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transfers between accounts
         * @description Newest first, of all accounts, or of one as the source.
         */
        get: operations["listAccountTransfers"];
        put?: never;
        /**
         * Transfer between two accounts of the merchant
         * @description Both accounts move in one step, free of charge.
         */
        post: operations["createAccountTransfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/account-transfers/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a transfer between accounts */
        get: operations["showAccountTransfer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/callback-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the callback settings */
        get: operations["showCallbackSettings"];
        /**
         * Change the callback settings
         * @description Changes the fields that the body has; null clears a URL. A change applies to every later event.
         */
        put: operations["updateCallbackSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhook deliveries */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/webhook-deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a webhook delivery */
        get: operations["showWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/webhook-deliveries/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver a webhook once more
         * @description Sends the event again, with the same `X-Event-Id` and body.
         */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/virtual-accounts/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List virtual accounts */
        get: operations["listVirtualAccounts"];
        put?: never;
        /**
         * Create a virtual account
         * @description A `closed` one takes exactly `amount`, an `open` one any amount from `min_amount` to `max_amount`. A `temporary` one needs `expired_at` and `max_usage`.
         */
        post: operations["createVirtualAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/virtual-accounts/{account_id}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a virtual account */
        get: operations["showVirtualAccount"];
        /**
         * Change a virtual account
         * @description Changes the fields that the body has, of an active one. A field that is null stays as it is.
         */
        put: operations["updateVirtualAccount"];
        post?: never;
        /**
         * Delete a virtual account
         * @description Answers the virtual account as it now is: inactive. It no longer takes payments.
         */
        delete: operations["deleteVirtualAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/va-transactions/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List payments of virtual accounts */
        get: operations["listVaTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/va-transactions/{account_id}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a payment of a virtual account */
        get: operations["showVaTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/qris-dynamic/{account_id}/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a QRIS code
         * @description `qr_data` is the code to show; it can be paid once, until `expired_at` (30 minutes by default).
         */
        post: operations["generateQris"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/qris-dynamic/{account_id}/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List QRIS transactions */
        get: operations["listQris"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/qris-dynamic/{account_id}/inquiry-status/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of a QRIS transaction
         * @description Refused with 403 where the merchant or the account is frozen.
         */
        get: operations["inquireQrisStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/qris-dynamic/{account_id}/show/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a QRIS transaction
         * @description Refused with 403 where the merchant or the account is frozen.
         */
        get: operations["showQris"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/ewallet-checkout/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List e-wallet checkouts */
        get: operations["listEwalletCheckouts"];
        put?: never;
        /**
         * Create an e-wallet checkout
         * @description The customer confirms at `checkout_url`, or for OVO in the app.
         */
        post: operations["createEwalletCheckout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/ewallet-checkout/{account_id}/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an e-wallet checkout */
        get: operations["showEwalletCheckout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/retail-transactions/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a payment code
         * @description The customer shows `payment_code` at the cash desk and pays exactly the amount, once. 422 also for a merchant without access to the product. At most 60 a minute and merchant, unless configured otherwise.
         */
        post: operations["createRetailTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/retail-transactions/{account_id}/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a retail transaction
         * @description 422 also for a merchant without access to the product.
         */
        get: operations["showRetailTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/payment-link-manage/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payment methods
         * @description Every method, and the codes of those that customers of the merchant can pay by here.
         */
        get: operations["listPaymentMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/payment-link-manage/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List payment links */
        get: operations["listPaymentLinks"];
        put?: never;
        /**
         * Create a payment link
         * @description Customers pay at `payment_url`, by any method or by those of `payment_methods`.
         */
        post: operations["createPaymentLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/payment-link-manage/{account_id}/{payment_link_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a payment link */
        get: operations["showPaymentLink"];
        /**
         * Change a payment link
         * @description Changes the fields that the body has, of an active link. A field that is null stays as it is.
         */
        put: operations["updatePaymentLink"];
        post?: never;
        /**
         * Delete a payment link
         * @description Answers the link as it now is: inactive. Customers can no longer open or pay it.
         */
        delete: operations["deletePaymentLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/payment-link-manage/{account_id}/{payment_link_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a payment link */
        get: operations["showPaymentLinkV2"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/payment-link-histories/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List openings of payment links
         * @description Newest first, of all links of the account or of one.
         */
        get: operations["listPaymentLinkHistories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/payment-link-histories/{account_id}/{history_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an opening of a payment link */
        get: operations["showPaymentLinkHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/disbursement/check-beneficiary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a beneficiary
         * @description Asks the bank whose account it is. Nothing is moved.
         */
        post: operations["checkBeneficiary"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/disbursement/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer to a bank account
         * @description Holds amount and fee, then asks the bank. Answers when the bank has answered, or after 3 seconds with status 03 (Pending); the webhook `disbursement` brings the outcome. The same reference with the same content answers the existing transaction.
         */
        post: operations["transferDisbursement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/disbursement/fee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fee of a disbursement to a bank */
        get: operations["showDisbursementFee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/disbursement/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List disbursements of an account */
        get: operations["listDisbursements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/disbursement/inquiry-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Status of a disbursement
         * @description SP000 where the transaction is found, with any status: `transaction_status` has the outcome.
         */
        post: operations["inquireDisbursementStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/disbursement/check-beneficiary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a beneficiary
         * @description Asks the bank whose account it is. Nothing is moved.
         */
        post: operations["checkBeneficiaryV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/disbursement/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer to a bank account
         * @description Holds amount and fee, then asks the bank. Answers when the bank has answered, or after 3 seconds with status 03 (Pending); the webhook `disbursement` brings the outcome. The same reference with the same content answers the existing transaction.
         */
        post: operations["transferDisbursementV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/disbursement/fee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fee of a disbursement to a bank */
        get: operations["showDisbursementFeeV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/disbursement/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List disbursements of an account */
        get: operations["listDisbursementsV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/disbursement/show/{account_id}/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a disbursement */
        get: operations["showDisbursementV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/disbursement/inquiry-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Status of a disbursement
         * @description SP000 where the transaction is found, with any status: `transaction_status` has the outcome.
         */
        post: operations["inquireDisbursementStatusV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/ewallet/check-beneficiary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a customer's e-wallet
         * @description Asks the e-wallet whose number it is. Nothing is moved.
         */
        post: operations["checkWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/ewallet/trigger-topup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Top up a customer's e-wallet
         * @description Holds amount and fee, then asks the e-wallet. Answers when the e-wallet has answered, or after 3 seconds with status 03 (Pending); the webhook `ewallet-topup` brings the outcome. The same reference with the same content answers the existing transaction, in any form of the phone number.
         */
        post: operations["triggerEwalletTopup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/ewallet/inquiry-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Status of an e-wallet top-up
         * @description SP000 where the transaction is found, with any status: `transaction_status` has the outcome.
         */
        post: operations["inquireEwalletTopupStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/cardless-withdrawals/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List cardless withdrawals
         * @description Without their codes.
         */
        get: operations["listCardlessWithdrawals"];
        put?: never;
        /**
         * Create a code to draw cash with
         * @description Holds amount and fee, then asks the bank for a code with which the customer draws the cash at one of the bank's machines. Answers when the bank has answered, or after 3 seconds with status pending and no code: show has the code as soon as the bank has given it. The webhook `cardless-withdrawal` brings the end. The same reference with the same content answers the existing withdrawal. The code is in this answer and in that of show only, never in lists and webhooks.
         */
        post: operations["createCardlessWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/cardless-withdrawals/{account_id}/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a cardless withdrawal
         * @description With its code while it is active.
         */
        get: operations["showCardlessWithdrawal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/cardless-withdrawals/{account_id}/{transaction_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a cardless withdrawal
         * @description Asks the bank to take the code back; amount and fee are available again when it has. The bank decides, by its own time, whether the customer was faster. Answers when the bank has answered, or after 3 seconds with status active: the amount stays held until the bank has answered, and the webhook `cardless-withdrawal` brings the end. One that is canceled or expired already is answered as it is.
         */
        post: operations["cancelCardlessWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/qris/inquiry/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Inquire a QRIS code
         * @description Says whose code it is and what paying it costs. Nothing is held. The inquiry is kept for a day, so that the payment may come with the reference alone. `amount` is needed only where the code leaves it to the payer.
         */
        post: operations["inquireQrisPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/qris/credit/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay a QRIS code
         * @description Holds amount, tip and fee, then asks the acquirer. `qr_data` may be left out where the reference was inquired, `amount` where the code or the inquiry has it; `tip` is for codes that let the payer enter one. Answers when the acquirer has answered, or after 3 seconds with status 03 (Pending); the webhook `qris-issuer` brings the outcome. The same reference with the same content answers the existing payment.
         */
        post: operations["creditQris"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/qris/status/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Status of a QRIS payment
         * @description SP000 where it is found, with any status; SP009 with `transaction_status` 07 where it is not. With the scope `acquirer` `reference_number` is the `merchant_reff_no` (the newest code that has it) or the `reff_no` of money in.
         */
        post: operations["inquireQrisPaymentStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/direct-debit/binding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the bindings of an account */
        get: operations["listDirectDebitBindings"];
        put?: never;
        /**
         * Begin to bind a bank account
         * @description Send the customer to `webview_url`, which opens this binding only. The webhooks `direct-debit.binding.succeeded`, `.failed` and `.expired` say what has become of it. The customer comes back to `redirect_url` with `binding_id` and, once, `handover_code`. A visit there proves nothing by itself: show the binding, and compare the code.
         */
        post: operations["createDirectDebitBinding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/direct-debit/binding/{binding_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a binding */
        get: operations["showDirectDebitBinding"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/direct-debit/binding/{binding_id}/unbind": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a binding
         * @description Where `otp_required` is true, the customer gives the OTP to you, and you give it to verify-otp together with `otp_handoff`, as it is, as `unbind_context`. The binding stays ACTIVE until the bank has ended it; the webhook `direct-debit.unbinding.succeeded` says so. Every call makes the otp_handoff of the one before invalid.
         */
        post: operations["unbindDirectDebit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/direct-debit/charge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Charge a bound bank account
         * @description Above the OTP limit (IDR 500,000 in the sandbox) `requires_otp` is true and the status PENDING_OTP: the customer gives the bank's OTP to you, and you give it to verify-otp within 5 minutes. Else it answers when the bank has, or after 3 seconds with status PENDING. The webhooks `direct-debit.charge.succeeded` and `.failed` bring the outcome. The same reference with the same content answers the existing charge.
         */
        post: operations["chargeDirectDebit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/direct-debit/verify-otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the customer's OTP
         * @description For a charge (`transaction_id`) or for the end of a binding (`binding_id` and `unbind_context`), never for both. A right OTP makes a charge PENDING, and its webhook brings the outcome; a binding stays ACTIVE until `direct-debit.unbinding.succeeded`. A wrong one is SP001 with `attempts_left`; after 3 of them a charge is FAILED. Where the OTP came too late, the bank sends another one, and the message says so.
         */
        post: operations["verifyDirectDebitOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/direct-debit/transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the charges of an account */
        get: operations["listDirectDebitTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/direct-debit/transaction/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a charge with its refunds */
        get: operations["showDirectDebitTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/direct-debit/transaction/{transaction_id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund a charge, or a part of it
         * @description Reserves the amount, from pending while the charge has not settled, else from available, then asks the bank. Answers when the bank has answered, or after 3 seconds with status PENDING; the webhooks `direct-debit.refund.succeeded` and `.failed` bring the outcome. The fee of the charge is not returned. The same reference with the same content answers the existing refund.
         */
        post: operations["refundDirectDebit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/card/{account_id}/payment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Charge a card
         * @description Answers when the acquirer has answered, or after 3 seconds with status processing. Where the issuer wants the customer to be authenticated, the status is pending, `action` is redirect, and the customer goes to `payment_url`. The webhook `card-transaction` brings the outcome. A declined payment is SP001 with status failed. Captured after a delay: until then a cancel is a void, from then on a refund. An Idempotency-Key stands for the body without the card.
         */
        post: operations["payByCard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/card/{account_id}/cancel/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Void or refund a payment by card
         * @description Before the capture the payment is voided, and no money moves. After it the gross amount is refunded: from pending while it has not settled, with the fee from available, else from available; SP003 where that is short. The fee is not returned. A second cancel answers the first result. SP005: the acquirer has not answered yet; ask again.
         */
        post: operations["cancelCardPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/card/{account_id}/inquiry-status/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a payment by card */
        get: operations["showCardPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/card/{account_id}/chargebacks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the chargebacks of an account */
        get: operations["listCardChargebacks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/card/{account_id}/chargebacks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a chargeback */
        get: operations["showCardChargeback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/recurring/{account_id}/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the subscriptions of an account */
        get: operations["listPlans"];
        put?: never;
        /**
         * Begin a subscription
         * @description Charges the first cycle at once, or at `start_at`. Where the issuer wants the customer to be authenticated, the status is pending and the customer goes to `payment_url`; a plan whose customer is not authenticated within 24 hours is cancelled. A declined first charge is SP001 with status cancelled. Later cycles are charged without the customer. An Idempotency-Key stands for the body without the card.
         */
        post: operations["createPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/recurring/{account_id}/plans/{plan_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a subscription */
        get: operations["showPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/recurring/{account_id}/plans/{plan_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a subscription
         * @description Of an active plan. Cycles that fall due while it is paused are skipped; one that fell due before is still charged.
         */
        post: operations["pausePlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/recurring/{account_id}/plans/{plan_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a subscription
         * @description Of a paused plan. The next cycle is the first one that is due after this.
         */
        post: operations["resumePlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/recurring/{account_id}/plans/{plan_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a subscription
         * @description It is charged no more, and its card is deleted. Payments that were made stay; the first charge is voided where it succeeds only after this.
         */
        post: operations["cancelPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/recurring/{account_id}/plans/{plan_id}/card": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the card of a subscription
         * @description Later cycles are charged to this card. Where a cycle has failed it is charged at once, with `payment_url` where the issuer wants the customer to be authenticated; success makes a plan that was past due active again, and a decline is SP001.
         */
        put: operations["replacePlanCard"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2.0/recurring/{account_id}/plans/{plan_id}/cycles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the cycles of a subscription
         * @description The first one is the cycle that is charged next, where one is scheduled.
         */
        get: operations["listPlanCycles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prepaid/inquiry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for the price of a prepaid product
         * @description Asks the biller whose number it is, and promises the price for 15 minutes under a `reference_number`, by which it is paid. Nothing is debited. PLN does not answer from 23:00 to 01:00, Asia/Jakarta, in production.
         */
        post: operations["inquirePrepaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prepaid/payment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay for a prepaid product
         * @description Debits the price once per reference, however often it is sent. Answers when the biller has answered, or after 3 seconds with status pending: the webhook `biller-payment` brings the end, with the token. The same request again answers the payment as it then stands, also after the reference has expired. A payment that has failed is 04, names `reference_number`, and is debited nothing.
         */
        post: operations["payPrepaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prepaid/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List prepaid products
         * @description What can be bought now, with its price.
         */
        get: operations["listPrepaidProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "money-in-expiration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * money-in-expiration
         * @description What a customer could have paid has expired. Each expires once.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onMoneyInExpiration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "va-transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * va-transaction
         * @description A virtual account was paid.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onVaTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "qris-transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * qris-transaction
         * @description A QRIS code was paid, or the acquirer has taken its payment back.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onQrisTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "ewallet-transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * ewallet-transaction
         * @description The customer has paid in the e-wallet or has declined, or the e-wallet has taken the payment back.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onEwalletTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "retail-transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * retail-transaction
         * @description A customer has paid a payment code at a shop.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onRetailTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment_link.inquiry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment_link.inquiry
         * @description A customer has opened a payment link.
         *
         *     Sent to `payment_link_inquiry_notif_url`.
         */
        post: operations["onPaymentLinkInquiry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment-link-transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment-link-transaction
         * @description A payment link was paid, by any method, or the payment was taken back.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onPaymentLinkTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment_link.inquiry.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment_link.inquiry.expired
         * @description The session of a customer who had opened a payment link has ended without a payment.
         *
         *     Sent to `payment_link_inquiry_notif_url`.
         */
        post: operations["onPaymentLinkInquiryExpired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    disbursement: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * disbursement
         * @description A disbursement has reached the beneficiary, has failed, was canceled, or came back after it had succeeded.
         *
         *     Sent to `disbursement_notif_url`.
         */
        post: operations["onDisbursement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "ewallet-topup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * ewallet-topup
         * @description An e-wallet top-up has reached the customer, has failed, was canceled, or came back after it had succeeded.
         *
         *     Sent to `disbursement_notif_url`.
         */
        post: operations["onEwalletTopup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "cardless-withdrawal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * cardless-withdrawal
         * @description The cash of a cardless withdrawal was drawn, or it has expired, was canceled, has failed or came back.
         *
         *     Sent to `disbursement_notif_url`.
         */
        post: operations["onCardlessWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "qris-issuer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * qris-issuer
         * @description The payment of a QRIS code has succeeded, has failed, was canceled, or came back after it had succeeded.
         *
         *     Sent to `disbursement_notif_url`.
         */
        post: operations["onQrisIssuer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "biller-payment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * biller-payment
         * @description A payment of a prepaid product has succeeded, with its token if it has one, or has failed.
         *
         *     Sent to `disbursement_notif_url`.
         */
        post: operations["onBillerPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "direct-debit.binding.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * direct-debit.binding.succeeded
         * @description A customer has bound an account.
         *
         *     Sent to `direct_debit_notif_url`.
         */
        post: operations["onDirectDebitBindingSucceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "direct-debit.binding.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * direct-debit.binding.failed
         * @description An account was not bound.
         *
         *     Sent to `direct_debit_notif_url`.
         */
        post: operations["onDirectDebitBindingFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "direct-debit.binding.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * direct-debit.binding.expired
         * @description The customer has not finished a binding in time.
         *
         *     Sent to `direct_debit_notif_url`.
         */
        post: operations["onDirectDebitBindingExpired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "direct-debit.unbinding.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * direct-debit.unbinding.succeeded
         * @description A binding has ended: the merchant, the customer or the bank has ended it.
         *
         *     Sent to `direct_debit_notif_url`.
         */
        post: operations["onDirectDebitUnbindingSucceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "direct-debit.unbinding.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * direct-debit.unbinding.failed
         * @description A binding that was to end is still active.
         *
         *     Sent to `direct_debit_notif_url`.
         */
        post: operations["onDirectDebitUnbindingFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "direct-debit.charge.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * direct-debit.charge.succeeded
         * @description A charge has succeeded.
         *
         *     Sent to `direct_debit_notif_url`.
         */
        post: operations["onDirectDebitChargeSucceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "direct-debit.charge.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * direct-debit.charge.failed
         * @description A charge has failed or expired.
         *
         *     Sent to `direct_debit_notif_url`.
         */
        post: operations["onDirectDebitChargeFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "direct-debit.refund.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * direct-debit.refund.succeeded
         * @description A refund is with the customer.
         *
         *     Sent to `direct_debit_notif_url`.
         */
        post: operations["onDirectDebitRefundSucceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "direct-debit.refund.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * direct-debit.refund.failed
         * @description A refund has failed; its amount is back.
         *
         *     Sent to `direct_debit_notif_url`.
         */
        post: operations["onDirectDebitRefundFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card-transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card-transaction
         * @description A payment by card has succeeded, has failed, or was cancelled or refunded.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onCardTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.activated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * subscription.activated
         * @description The first charge of a plan has succeeded.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onSubscriptionActivated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.charge.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * subscription.charge.succeeded
         * @description A cycle of a plan was charged.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onSubscriptionChargeSucceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.charge.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * subscription.charge.failed
         * @description A charge of a cycle has failed; where it is tried again, next_retry_at says when.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onSubscriptionChargeFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.past_due": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * subscription.past_due
         * @description All charges of a cycle have failed: the plan waits for another card.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onSubscriptionPastDue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * subscription.cancelled
         * @description A plan was cancelled: by the merchant, or because its first charge was declined or not authenticated.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onSubscriptionCancelled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * subscription.completed
         * @description The last cycle of a plan is over.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onSubscriptionCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.card_expiring": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * subscription.card_expiring
         * @description The card of a plan expires within 30 days.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onSubscriptionCardExpiring"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card-chargeback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card-chargeback
         * @description A chargeback of a payment by card was opened, won or lost.
         *
         *     Sent to `transaction_notif_url`.
         */
        post: operations["onCardChargeback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        IssueTokenV10Request: {
            /** @constant */
            grant_type: "client_credentials";
        };
        IssueTokenV11Request: {
            /** @constant */
            grant_type: "client_credentials";
        };
        OpenAccountRequest: {
            /** @description What the merchant calls it. Blanks around it are dropped. */
            name: string;
            /** @description The merchant's own reference; need not be unique. */
            merchant_reff_no?: string | null;
        };
        /**
         * @description An account of the merchant, as `id` of it.
         * @example 01JDX0W5B6Q3G8V2K4N7M9PRST
         */
        AccountId: string;
        UpdateAccountRequest: {
            /** @description What the merchant calls it. Blanks around it are dropped. */
            name?: string;
            /**
             * @description An inactive account refuses new transactions; reads stay allowed.
             * @enum {string}
             */
            status?: "active" | "inactive";
        };
        CreateAccountTransferRequest: {
            source_account_id: components["schemas"]["AccountId"];
            destination_account_id: components["schemas"]["AccountId"];
            amount: components["schemas"]["AmountInput"];
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
            /** @description What the transfer is for. */
            note?: string | null;
        };
        /**
         * Format: double
         * @description Rupiah with at most two decimals, greater than 0, at most 999999999999.99.
         */
        AmountInput: number;
        UpdateCallbackSettingsRequest: {
            /**
             * Format: uri
             * @description Where webhooks of money in are sent; null: they are not sent. An absolute https URL (http too in the sandbox) without user information, fragment, blanks or control characters.
             */
            transaction_notif_url?: string | null;
            /**
             * Format: uri
             * @description Where webhooks of money out are sent; null: they are not sent. An absolute https URL (http too in the sandbox) without user information, fragment, blanks or control characters.
             */
            disbursement_notif_url?: string | null;
            /**
             * Format: uri
             * @description Where webhooks of direct debit are sent; null: they are not sent. An absolute https URL (http too in the sandbox) without user information, fragment, blanks or control characters.
             */
            direct_debit_notif_url?: string | null;
            /**
             * Format: uri
             * @description Where webhooks about sessions of payment links are sent; null: they are not sent. An absolute https URL (http too in the sandbox) without user information, fragment, blanks or control characters.
             */
            payment_link_inquiry_notif_url?: string | null;
            /** @description false takes the signature off qris-issuer webhooks, and off no other. */
            signature_enabled?: boolean;
        };
        CreateVirtualAccountRequest: {
            /** @enum {string} */
            bank_code: "BCA" | "BNI" | "BRI" | "MANDIRI" | "PERMATA" | "MAYBANK" | "CIMB" | "BSI" | "MUAMALAT" | "BNC" | "OCBC" | "DANAMON";
            /**
             * @description A temporary one has an end and a bound of payments, and needs both.
             * @enum {string}
             */
            kind: "temporary" | "permanent";
            /**
             * @description closed: takes exactly `amount`; open: any amount from `min_amount` to `max_amount`.
             * @default closed
             * @enum {string}
             */
            amount_type?: "open" | "closed";
            /** @description The name that customers see at their bank. */
            name: string;
            /** @description The merchant's own reference; need not be unique. */
            merchant_reff_no: string;
            /** @description When it expires: Unix milliseconds in the future. Required for a temporary one. */
            expired_at?: components["schemas"]["UnixMillisecondsInput"] | null;
            /**
             * Format: int64
             * @description How often it may be paid. Required for a temporary one.
             */
            max_usage?: number | null;
            /** @description What a closed one takes, and required for it. */
            amount?: components["schemas"]["AmountInput"] | null;
            /** @description The least that an open one takes, and required for it. */
            min_amount?: components["schemas"]["AmountInput"] | null;
            /** @description The most that an open one takes, and required for it; at least `min_amount`. */
            max_amount?: components["schemas"]["AmountInput"] | null;
        };
        /** @description Unix milliseconds, 13 digits, as a string or an integer. */
        UnixMillisecondsInput: string | number;
        UpdateVirtualAccountRequest: {
            /** @description The name that customers see at their bank. */
            name?: string | null;
            amount?: components["schemas"]["AmountInput"] | null;
            min_amount?: components["schemas"]["AmountInput"] | null;
            max_amount?: components["schemas"]["AmountInput"] | null;
            expired_at?: components["schemas"]["UnixMillisecondsInput"] | null;
            /**
             * Format: int64
             * @description How often it may be paid.
             */
            max_usage?: number | null;
        };
        GenerateQrisRequest: {
            amount: components["schemas"]["AmountInput"];
            /** @description The merchant's own reference; need not be unique. */
            merchant_reff_no?: string | null;
            /** @description When it expires: Unix milliseconds in the future; in 30 minutes unless told. */
            expired_at?: components["schemas"]["UnixMillisecondsInput"] | null;
            /** @description The tip that the code asks for; none unless told. */
            tip?: {
                /**
                 * @description fixed: `value` rupiah; percentage: `value` percent of the amount; input: the customer enters it.
                 * @enum {string}
                 */
                indicator: "fixed" | "percentage" | "input";
                /**
                 * Format: double
                 * @description Required for fixed (rupiah) and percentage (0.01 to 99.99), with at most two decimals; not read for input.
                 */
                value?: number | null;
            } | null;
        };
        CreateEwalletCheckoutRequest: {
            /** @enum {string} */
            channel: "OVO" | "DANA" | "SHOPEEPAY" | "LINKAJA" | "GOPAY";
            amount: components["schemas"]["AmountInput"];
            /** @description The customer's phone number at the e-wallet, 8 to 15 digits; required for OVO. */
            customer_phone?: string | null;
            /** @description The merchant's own reference; need not be unique. */
            merchant_reff_no?: string | null;
            /**
             * Format: uri
             * @description Where the customer goes after the payment.
             */
            success_redirect_url?: string | null;
            /** @description When it expires: Unix milliseconds in the future; in 30 minutes unless told. */
            expired_at?: components["schemas"]["UnixMillisecondsInput"] | null;
        };
        CreateRetailTransactionRequest: {
            /** @enum {string} */
            retail_code: "ALFAMART" | "INDOMARET";
            amount: components["schemas"]["AmountInput"];
            /** @description Who is to pay. */
            customer_name: string;
            /** @description When the code can no longer be paid: Unix milliseconds in the future. */
            expired_at: components["schemas"]["UnixMillisecondsInput"];
            /** @description The merchant's own reference; need not be unique. */
            merchant_reff_no?: string | null;
        };
        CreatePaymentLinkRequest: {
            /** @description The heading of the page. */
            title: string;
            /** @description A text below the heading. */
            description?: string | null;
            amount: components["schemas"]["AmountInput"];
            /**
             * Format: int64
             * @description How often it may be paid; a link without it, any number of times.
             */
            max_usage?: number | null;
            /**
             * @description Whether customers must give name, e-mail address and phone.
             * @default false
             */
            required_customer_detail?: boolean;
            /** @description When it expires: Unix milliseconds in the future. A link without it never expires. */
            expired_at?: components["schemas"]["UnixMillisecondsInput"] | null;
            /**
             * Format: uri
             * @description Where the customer goes after the payment, with `reff_no` of the opening added to the query.
             */
            success_redirect_url?: string | null;
            /** @description What customers may choose from, of `available_codes` of `listPaymentMethods`; a link made without it offers them all. */
            payment_methods?: ("VA_BCA" | "VA_BNI" | "VA_BRI" | "VA_MANDIRI" | "VA_PERMATA" | "VA_MAYBANK" | "VA_CIMB" | "VA_BSI" | "VA_MUAMALAT" | "VA_BNC" | "VA_OCBC" | "VA_DANAMON" | "QRIS" | "EWALLET_OVO" | "EWALLET_DANA" | "EWALLET_SHOPEEPAY" | "EWALLET_LINKAJA" | "EWALLET_GOPAY" | "CARD" | "RETAIL_ALFAMART" | "RETAIL_INDOMARET")[] | null;
        };
        UpdatePaymentLinkRequest: {
            /** @description The heading of the page. */
            title?: string | null;
            /** @description A text below the heading. */
            description?: string | null;
            amount?: components["schemas"]["AmountInput"] | null;
            /**
             * Format: int64
             * @description How often it may be paid; a link without it, any number of times.
             */
            max_usage?: number | null;
            /** @description Whether customers must give name, e-mail address and phone. */
            required_customer_detail?: boolean | null;
            /** @description When it expires: Unix milliseconds in the future. A link without it never expires. */
            expired_at?: components["schemas"]["UnixMillisecondsInput"] | null;
            /**
             * Format: uri
             * @description Where the customer goes after the payment, with `reff_no` of the opening added to the query.
             */
            success_redirect_url?: string | null;
            /** @description What customers may choose from, of `available_codes` of `listPaymentMethods`; a link made without it offers them all. */
            payment_methods?: ("VA_BCA" | "VA_BNI" | "VA_BRI" | "VA_MANDIRI" | "VA_PERMATA" | "VA_MAYBANK" | "VA_CIMB" | "VA_BSI" | "VA_MUAMALAT" | "VA_BNC" | "VA_OCBC" | "VA_DANAMON" | "QRIS" | "EWALLET_OVO" | "EWALLET_DANA" | "EWALLET_SHOPEEPAY" | "EWALLET_LINKAJA" | "EWALLET_GOPAY" | "CARD" | "RETAIL_ALFAMART" | "RETAIL_INDOMARET")[] | null;
        };
        CheckBeneficiaryRequest: {
            /**
             * @description A bank by its three-digit national code or its eight-character SWIFT code.
             * @example 014
             * @example CENAIDJA
             */
            bank_code: string;
            /**
             * @description The account number at the bank, 6 to 30 digits.
             * @example 1234567890
             */
            bank_account_number: string;
        };
        TransferDisbursementRequest: {
            account_id: components["schemas"]["AccountId"];
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
            /**
             * @description A bank by its three-digit national code or its eight-character SWIFT code.
             * @example 014
             * @example CENAIDJA
             */
            bank_code: string;
            /**
             * @description The account number at the bank, 6 to 30 digits.
             * @example 1234567890
             */
            bank_account_number: string;
            /** @description The name of the beneficiary. */
            bank_account_name?: string | null;
            /** @description What the transfer is for. */
            description?: string | null;
            amount: components["schemas"]["MoneyInput"];
        };
        /** @description Rupiah as a decimal with at most two places, greater than 0, at most 999999999999.99. */
        MoneyInput: {
            /**
             * @description Digits with at most two decimals after a point.
             * @example 150000.00
             */
            value: string;
            /** @constant */
            currency: "IDR";
        };
        InquireDisbursementStatusRequest: {
            account_id: components["schemas"]["AccountId"];
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
        };
        CheckBeneficiaryV1Request: {
            /**
             * @description A bank by its three-digit national code or its eight-character SWIFT code.
             * @example 014
             * @example CENAIDJA
             */
            bank_code: string;
            /**
             * @description The account number at the bank, 6 to 30 digits.
             * @example 1234567890
             */
            bank_account_number: string;
        };
        TransferDisbursementV1Request: {
            account_id: components["schemas"]["AccountId"];
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
            /**
             * @description A bank by its three-digit national code or its eight-character SWIFT code.
             * @example 014
             * @example CENAIDJA
             */
            bank_code: string;
            /**
             * @description The account number at the bank, 6 to 30 digits.
             * @example 1234567890
             */
            bank_account_number: string;
            /** @description The name of the beneficiary. */
            bank_account_name?: string | null;
            /** @description What the transfer is for. */
            description?: string | null;
            amount: components["schemas"]["AmountInput"];
        };
        InquireDisbursementStatusV1Request: {
            account_id: components["schemas"]["AccountId"];
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
        };
        CheckWalletRequest: {
            /**
             * @description The e-wallet.
             * @enum {string}
             */
            channel: "OVO" | "DANA" | "SHOPEEPAY" | "LINKAJA" | "GOPAY";
            /**
             * @description An Indonesian mobile number, national or with the country code 62; blanks, dashes, dots and parentheses do not matter.
             * @example 081234567890
             * @example +62 812-3456-7890
             */
            phone_number: string;
        };
        TriggerEwalletTopupRequest: {
            account_id: components["schemas"]["AccountId"];
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
            /**
             * @description The e-wallet.
             * @enum {string}
             */
            channel: "OVO" | "DANA" | "SHOPEEPAY" | "LINKAJA" | "GOPAY";
            /**
             * @description An Indonesian mobile number, national or with the country code 62; blanks, dashes, dots and parentheses do not matter.
             * @example 081234567890
             * @example +62 812-3456-7890
             */
            phone_number: string;
            amount: components["schemas"]["MoneyInput"];
            /** @description What the top-up is for. */
            note?: string | null;
        };
        InquireEwalletTopupStatusRequest: {
            account_id: components["schemas"]["AccountId"];
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
        };
        CreateCardlessWithdrawalRequest: {
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
            /** @enum {string} */
            bank_code: "BCA" | "BNI" | "BRI" | "MANDIRI" | "PERMATA" | "MAYBANK" | "CIMB" | "BSI" | "MUAMALAT" | "BNC" | "OCBC" | "DANAMON";
            /**
             * @description The customer's phone number.
             * @example 081234567890
             */
            phone_number: string;
            /**
             * Format: double
             * @description Rupiah, a multiple of 50,000, at most 5,000,000: machines give no smaller notes.
             */
            amount: number;
            /** @description In the future. Two hours from now if it is left out. */
            expired_at?: components["schemas"]["UnixMillisecondsInput"] | null;
        };
        InquireQrisPaymentRequest: {
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
            /** @description The payload of a QRIS code, static or dynamic, as it was scanned. */
            qr_data: string;
            amount?: components["schemas"]["MoneyInput"] | null;
        };
        CreditQrisRequest: {
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
            /** @description The payload of a QRIS code, static or dynamic, as it was scanned. */
            qr_data?: string | null;
            amount?: components["schemas"]["MoneyInput"] | null;
            tip?: components["schemas"]["MoneyInput"] | null;
        };
        InquireQrisPaymentStatusRequest: {
            /** @description The merchant's reference, unique per account over all money-out products. */
            reference_number: string;
            /**
             * @description issuer: a payment of the account; acquirer: money in by its codes.
             * @enum {string}
             */
            scope: "issuer" | "acquirer";
            /**
             * @deprecated
             * @description Deprecated: not read.
             */
            type?: unknown;
        };
        CreateDirectDebitBindingRequest: {
            account_id: components["schemas"]["AccountId"];
            /**
             * @description The short name of the bank.
             * @enum {string}
             */
            bank_code: "BCA" | "BNI" | "BRI" | "MANDIRI" | "PERMATA" | "MAYBANK" | "CIMB" | "BSI" | "MUAMALAT" | "BNC" | "OCBC" | "DANAMON";
            /** @description The merchant's own id of the customer. */
            customer_id: string;
            /** @description Whose account it is. */
            customer_name: string;
            /**
             * @description Where the bank sends OTPs.
             * @example 081234567890
             */
            customer_phone: string;
            /**
             * Format: uri
             * @description Where the customer goes at the end, with `binding_id` and `handover_code`.
             */
            redirect_url?: string | null;
        };
        ChargeDirectDebitRequest: {
            account_id: components["schemas"]["AccountId"];
            /** @description An active binding of the account. */
            binding_id: string;
            /** @description The merchant's reference, unique per account over its charges. */
            reference_number: string;
            amount: components["schemas"]["MoneyInput"];
            /** @description What the charge is for. */
            description?: string | null;
        };
        VerifyDirectDebitOtpRequest: {
            /**
             * @description The customer's OTP.
             * @example 123456
             */
            otp: string;
            /** @description Payment flow: the charge that the OTP is for. */
            transaction_id?: string | null;
            /** @description Unbind flow: the binding that the OTP is for. */
            binding_id?: string | null;
            /** @description Unbind flow: `otp_handoff` of unbind, as it is. */
            unbind_context?: {
                [key: string]: unknown;
            } | null;
        };
        RefundDirectDebitRequest: {
            /** @description The merchant's reference of the refund, unique for its charge. */
            reference_number: string;
            /** @description What is left of the charge where it is not given. */
            amount?: components["schemas"]["MoneyInput"] | null;
        };
        PayByCardRequest: {
            /**
             * @description Luhn-valid, digits only. It is in no answer, log or database.
             * @example 4411111111111118
             */
            card_number: string;
            /**
             * @description MM/YY; to the end of that month.
             * @example 12/39
             */
            card_expiry: string;
            /**
             * @description As many digits as the brand prints; kept nowhere.
             * @example 123
             */
            card_cvv: string;
            /**
             * @description As printed on the card.
             * @example BUDI SANTOSO
             */
            card_holder_name: string;
            /**
             * @description 1: in full; 2: in installments.
             * @default 1
             */
            installment?: 1 | 2;
            /**
             * @description 1: in full.
             * @default 1
             */
            installment_month?: 1 | 3 | 6 | 12;
            amount: components["schemas"]["MoneyInput"];
            customer: components["schemas"]["CardCustomerInput"];
            /** @description The merchant's own reference. */
            merchant_reff_no?: string | null;
            /**
             * Format: uri
             * @description Where the customer goes after 3DS.
             */
            redirect_url?: string | null;
        };
        /** @description Who pays. */
        CardCustomerInput: {
            name: string;
            email: string;
            phone: string;
        };
        CreatePlanRequest: {
            /**
             * @description What the customer subscribes to.
             * @example Gym
             */
            name: string;
            amount: components["schemas"]["MoneyInput"];
            /** @enum {string} */
            interval: "day" | "week" | "month";
            /**
             * Format: int64
             * @description Intervals between two cycles.
             */
            interval_count: number;
            /**
             * Format: int64
             * @description Left out: until it is cancelled.
             */
            total_cycles?: number | null;
            /**
             * Format: date-time
             * @description When the first cycle is charged; left out: now. Cycles keep the date of Jakarta.
             */
            start_at?: string | null;
            customer: components["schemas"]["CardCustomerInput"];
            /**
             * @description Luhn-valid, digits only. It is in no answer, log or database.
             * @example 4411111111111118
             */
            card_number: string;
            /**
             * @description MM/YY; to the end of that month.
             * @example 12/39
             */
            card_expiry: string;
            /**
             * @description As many digits as the brand prints; kept nowhere.
             * @example 123
             */
            card_cvv: string;
            /**
             * @description As printed on the card.
             * @example BUDI SANTOSO
             */
            card_holder_name: string;
            /**
             * Format: uri
             * @description Where the customer goes after 3DS.
             */
            redirect_url?: string | null;
        };
        ReplacePlanCardRequest: {
            /**
             * @description Luhn-valid, digits only. It is in no answer, log or database.
             * @example 4411111111111118
             */
            card_number: string;
            /**
             * @description MM/YY; to the end of that month.
             * @example 12/39
             */
            card_expiry: string;
            /**
             * @description As many digits as the brand prints; kept nowhere.
             * @example 123
             */
            card_cvv: string;
            /**
             * @description As printed on the card.
             * @example BUDI SANTOSO
             */
            card_holder_name: string;
        };
        InquirePrepaidRequest: {
            /**
             * @description What kind of product: `plntok` for electricity tokens, `pulsa` for mobile credit.
             * @example plntok
             */
            command: string;
            data: components["schemas"]["InquirePrepaidRequestData"];
        };
        /** @description What is asked about. */
        InquirePrepaidRequestData: {
            /**
             * @description The customer's number; how many digits it has depends on the product.
             * @example 12345678901
             */
            customer_id: string;
            /**
             * @description A product of the command, as the list of products has it.
             * @example PLN50
             */
            product_code: string;
        };
        PayPrepaidRequest: {
            /**
             * @description What kind of product: `plntok` for electricity tokens, `pulsa` for mobile credit.
             * @example plntok
             */
            command: string;
            data: components["schemas"]["PayPrepaidRequestData"];
        };
        /** @description What is paid, and from where. */
        PayPrepaidRequestData: {
            /**
             * @description `reference_number` of the inquiry.
             * @example 01KAJ5ZQ2M8R4T6V1X3Y5Z7A9B
             */
            reference_number: string;
            /** @description The account to debit; the merchant's default account if left out. */
            account_id?: components["schemas"]["AccountId"] | null;
        };
        /** @description What a customer could have paid has expired. Each expires once. */
        MoneyInExpirationWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "money-in-expiration";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["MoneyInExpiration"];
        };
        /**
         * @description When the event occurred, `d M Y H:i:s` in Asia/Jakarta.
         * @example 21 Nov 2026 15:30:00
         */
        WebhookTimestamp: string;
        /** @description What has expired, and its product. */
        MoneyInExpiration: {
            /** @constant */
            product: "virtual-account";
            transaction: components["schemas"]["VirtualAccount"];
        } | {
            /** @constant */
            product: "qris";
            transaction: components["schemas"]["QrisTransaction"];
        } | {
            /** @constant */
            product: "ewallet-checkout";
            transaction: components["schemas"]["EwalletCheckout"];
        } | {
            /** @constant */
            product: "retail";
            transaction: components["schemas"]["RetailTransaction"];
        } | {
            /** @constant */
            product: "payment-link";
            transaction: components["schemas"]["PaymentLink"];
        };
        /** @description A number at a bank that customers transfer to. */
        VirtualAccount: {
            id: components["schemas"]["Ulid"];
            account_id: components["schemas"]["Ulid"];
            /**
             * @description What the customer transfers to.
             * @example 7001412345678901
             */
            number: string;
            /**
             * @description The product code.
             * @example VA_BCA
             */
            code: string;
            bank: components["schemas"]["Bank"];
            /** @description What a closed virtual account takes; 0.00 of an open one. */
            amount: components["schemas"]["Money"];
            /** @description The least that it takes; of a closed one its amount. */
            min_amount: components["schemas"]["Money"];
            /** @description The most that it takes; of a closed one its amount. */
            max_amount: components["schemas"]["Money"];
            /**
             * @description closed: the exact amount only; open: within its bounds.
             * @enum {string}
             */
            amount_type: "open" | "closed";
            status: components["schemas"]["VirtualAccountStatus"];
            /** @enum {string} */
            kind: "temporary" | "permanent";
            /**
             * Format: int64
             * @description How often it has been paid.
             */
            current_usage: number;
            /**
             * Format: int64
             * @description How often it may be paid; null if unlimited.
             */
            max_usage: number | null;
            /** @description When it expires; null if never. */
            expired_at: components["schemas"]["UnixMilliseconds"] | null;
            name: string;
            /** @description The merchant's own reference. */
            merchant_reff_no: string;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description A ULID in upper case.
         * @example 01KAJ5ZQ2M8R4T6V1X3Y5Z7A9B
         */
        Ulid: string;
        /** @description The bank of a virtual account. */
        Bank: {
            short_name: components["schemas"]["BankShortName"];
            /**
             * @description The national code of the bank.
             * @example 014
             */
            number: string;
            /** @example CENAIDJA */
            swift_code: string;
        };
        /**
         * @description The short name of a bank with virtual accounts.
         * @enum {string}
         */
        BankShortName: "BCA" | "BNI" | "BRI" | "MANDIRI" | "PERMATA" | "MAYBANK" | "CIMB" | "BSI" | "MUAMALAT" | "BNC" | "OCBC" | "DANAMON";
        /**
         * @description An amount in rupiah.
         * @example {
         *       "value": "150000.00",
         *       "currency": "IDR"
         *     }
         */
        Money: {
            /** @description A decimal with exactly two places. */
            value: string;
            /** @constant */
            currency: "IDR";
        };
        /**
         * @description inactive: deleted; completed: paid as often as it may be.
         * @enum {string}
         */
        VirtualAccountStatus: "active" | "completed" | "expired" | "inactive" | "failed";
        /**
         * Format: int64
         * @description Unix time in milliseconds, 13 digits.
         * @example 1795249800123
         */
        UnixMilliseconds: number;
        /**
         * Format: date-time
         * @description ISO 8601 in UTC with milliseconds.
         * @example 2026-11-21T08:30:00.123Z
         */
        Timestamp: string;
        /** @description A dynamic QRIS code and its payment. Amounts are numbers of rupiah. */
        QrisTransaction: {
            /**
             * Format: int64
             * @description The id of paths.
             */
            id: number;
            account_id: components["schemas"]["Ulid"];
            reff_no: components["schemas"]["QrisReference"];
            /** @description The merchant's own reference, which need not be unique. */
            merchant_reff_no: string | null;
            /** @description The stored status. */
            status: components["schemas"]["QrisStatus"];
            /** @description The same, except that an open code whose expired_at has passed is expired. Read this one. */
            status_computed: components["schemas"]["QrisStatus"];
            /** @description Whether expired_at has passed; may be true of a paid one too. */
            is_expired: boolean;
            /** @description The payload that customers scan. */
            qr_data: string | null;
            /** @description on-us: issuer and acquirer are the same institution. Null until known. */
            kind: ("on-us" | "off-us") | null;
            /**
             * @description Codes that the API generates are mpm-dynamic.
             * @enum {string}
             */
            type: "mpm-static" | "mpm-dynamic";
            /**
             * Format: double
             * @description Rupiah, without a tip.
             */
            amount: number;
            /**
             * @description What the customer may add: nothing (empty), a fixed amount, a percentage, or what they enter.
             * @enum {string}
             */
            tip_indicator: "" | "fixed" | "percentage" | "input";
            /**
             * Format: double
             * @description Rupiah of a fixed tip, percent of a percentage.
             */
            tip_value: number;
            /**
             * Format: double
             * @description Rupiah that the customer has added; 0 until paid.
             */
            tip_amount: number;
            /**
             * Format: double
             * @description Rupiah, with the tip once it is paid.
             */
            total_amount: number;
            /**
             * Format: double
             * @description The merchant discount rate in percent; 0 until paid.
             */
            mdr_percentage: number;
            /**
             * Format: double
             * @description The fee in rupiah: our_margin and vendor_fee. 0 until paid.
             */
            mdr_cost: number;
            /**
             * Format: double
             * @description The gateway's part of the fee in rupiah.
             */
            our_margin: number;
            /**
             * Format: double
             * @description The acquirer's part of the fee in rupiah.
             */
            vendor_fee: number;
            /**
             * Format: double
             * @description Rupiah after the fee; 0 until paid.
             */
            settled_to_merchant_amount: number;
            acquirer_name: string;
            /** @description The acquirer's number in the national numbering system. */
            acquirer_nns: string;
            /** @description The payer's bank or e-wallet; empty until paid. */
            issuer_name: string;
            /** @description The issuer's number in the national numbering system; empty until paid. */
            issuer_nns: string;
            /** @description The retrieval reference number; empty until paid. */
            rrn: string;
            /** @description The payer's account number as the acquirer tells it; empty until known. */
            customer_pan: string;
            /** @description The name of the payer; empty until known. */
            customer_name: string;
            /** @description For instance SAVING; UNSPECIFIED until known. */
            customer_account_type: string;
            customer_data: {
                /** @description The payer's account number as the acquirer tells it; empty until known. */
                pan: string;
                /** @description The name of the payer; empty until known. */
                name: string;
                /** @description For instance SAVING; UNSPECIFIED until known. */
                account_type: string;
            };
            /** @description Whether the payment was found in the acquirer's books, which are compared the night after; webhooks say false. */
            has_reconcile: boolean;
            /** @description When it was found there; null until then. */
            reconcile_at: components["schemas"]["Timestamp"] | null;
            /** @description system; or operator, where it differed there and an operator has explained why. Empty until then. */
            reconcile_by: string;
            had_settled_to_merchant: boolean;
            /** @description When the net amount became available; null until settled. */
            settled_to_merchant_at: components["schemas"]["Timestamp"] | null;
            /** @description Whether the net amount is available. */
            has_settle: boolean;
            /** @description When the net amount became available; null until settled. */
            settle_at: components["schemas"]["Timestamp"] | null;
            /** @description When it settles; null until paid. */
            settle_eligible_at: components["schemas"]["Timestamp"] | null;
            paid_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            expired_at: components["schemas"]["Timestamp"];
            deleted_at: components["schemas"]["Timestamp"] | null;
            /** Format: int64 */
            events_count: number;
        };
        /**
         * @description The prefix 66 and a ULID.
         * @example 6601KAJ5Z0M1N2P3Q4R5S6T7V8W9
         */
        QrisReference: string;
        /**
         * @description The status of a QRIS money-in transaction.
         * @enum {string}
         */
        QrisStatus: "open" | "pending" | "success" | "partially-success" | "expired" | "canceled" | "failed" | "pending-refund" | "refunded" | "partially-refunded" | "failed-refund" | "reversed";
        /** @description A payment that the customer confirms in an e-wallet. */
        EwalletCheckout: {
            transaction_id: components["schemas"]["EwalletTransactionId"];
            account_id: components["schemas"]["Ulid"];
            channel: components["schemas"]["EwalletChannel"];
            status: components["schemas"]["EwalletStatus"];
            amount: components["schemas"]["Money"];
            /** @description null until paid. */
            fee: components["schemas"]["Money"] | null;
            /** @description amount minus fee; null until paid. */
            net_amount: components["schemas"]["Money"] | null;
            customer_phone: string | null;
            /** @description The merchant's own reference. */
            merchant_reff_no: string | null;
            /** @description Where the customer goes after the payment. */
            success_redirect_url: string | null;
            /**
             * Format: uri
             * @description The page from which the customer goes on to the e-wallet.
             */
            checkout_url: string;
            expired_at: components["schemas"]["Timestamp"];
            paid_at: components["schemas"]["Timestamp"] | null;
            /** @description Whether the net amount is available. */
            has_settle: boolean;
            /** @description When it has settled, or will; null until paid. */
            settle_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description The prefix 88 and a ULID.
         * @example 8801KAJ5Z4D5E6F7G8H9J0K1M2N3
         */
        EwalletTransactionId: string;
        /**
         * @description An e-wallet.
         * @enum {string}
         */
        EwalletChannel: "OVO" | "DANA" | "SHOPEEPAY" | "LINKAJA" | "GOPAY";
        /**
         * @description The status of an e-wallet checkout.
         * @enum {string}
         */
        EwalletStatus: "pending" | "success" | "failed" | "expired";
        /** @description A code that a customer pays in cash at a shop. */
        RetailTransaction: {
            transaction_id: components["schemas"]["Ulid"];
            /**
             * @description What the customer shows at the till.
             * @example 8610380324582288
             */
            payment_code: string;
            status: components["schemas"]["RetailStatus"];
            retail_code: components["schemas"]["RetailCode"];
            amount: components["schemas"]["Money"];
            /** @description amount minus the fee; null until paid. */
            net_amount: components["schemas"]["Money"] | null;
            customer_name: string;
            /** @description The merchant's own reference. */
            merchant_reff_no: string | null;
            account: {
                id: components["schemas"]["Ulid"];
            };
            /** @description 0.00 until paid. */
            fees: {
                amount: components["schemas"]["Money"];
            };
            /** @description When it was created. */
            post_timestamp: components["schemas"]["UnixMilliseconds"];
            /** @description When it was paid; null until then. */
            processed_timestamp: components["schemas"]["UnixMilliseconds"] | null;
            expired_at: components["schemas"]["UnixMilliseconds"];
            /** @description When it has settled; null until then. */
            settle_at: components["schemas"]["UnixMilliseconds"] | null;
            /** @description Whether the net amount is available. */
            has_settle: boolean;
        };
        /**
         * @description The status of a retail transaction. Settlement is no status: see has_settle.
         * @enum {string}
         */
        RetailStatus: "unpaid" | "paid" | "expired" | "failed";
        /**
         * @description A chain of shops.
         * @enum {string}
         */
        RetailCode: "ALFAMART" | "INDOMARET";
        /** @description A page on which customers pay by the method of their choice. */
        PaymentLink: {
            /**
             * Format: int64
             * @description The id of paths.
             */
            id: number;
            reff_no: components["schemas"]["PaymentLinkReference"];
            title: string;
            description: string | null;
            status: components["schemas"]["PaymentLinkStatus"];
            /**
             * Format: int64
             * @description How often it may be paid; null if unlimited.
             */
            max_usage: number | null;
            /**
             * Format: int64
             * @description How often it has been paid.
             */
            current_usage: number;
            /**
             * Format: uri
             * @description The page that customers open.
             */
            payment_url: string;
            /** @description Whether customers must give name, e-mail address and phone. */
            required_customer_detail: boolean;
            account_id: components["schemas"]["Ulid"];
            amount: components["schemas"]["Money"];
            /** @description The same as amount. */
            total_amount: components["schemas"]["Money"];
            /** @description Where the customer goes after the payment. */
            success_redirect_url: string | null;
            /** @description The methods that it offers. */
            payment_methods: components["schemas"]["PaymentMethodCode"][];
            /** @description null if it never expires. */
            expired_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description The prefix PL and a ULID.
         * @example PL01KAJ5YA0B1C2D3E4F5G6H7J8K
         */
        PaymentLinkReference: string;
        /**
         * @description inactive: deleted; completed: paid as often as it may be.
         * @enum {string}
         */
        PaymentLinkStatus: "active" | "completed" | "expired" | "inactive" | "failed";
        /**
         * @description A method by which customers pay payment links.
         * @enum {string}
         */
        PaymentMethodCode: "VA_BCA" | "VA_BNI" | "VA_BRI" | "VA_MANDIRI" | "VA_PERMATA" | "VA_MAYBANK" | "VA_CIMB" | "VA_BSI" | "VA_MUAMALAT" | "VA_BNC" | "VA_OCBC" | "VA_DANAMON" | "QRIS" | "EWALLET_OVO" | "EWALLET_DANA" | "EWALLET_SHOPEEPAY" | "EWALLET_LINKAJA" | "EWALLET_GOPAY" | "CARD" | "RETAIL_ALFAMART" | "RETAIL_INDOMARET";
        /** @description A virtual account was paid. */
        VaTransactionWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "va-transaction";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["VaTransaction"];
        };
        /** @description One payment of a virtual account. */
        VaTransaction: {
            id: components["schemas"]["Ulid"];
            account_id: components["schemas"]["Ulid"];
            virtual_account_id: components["schemas"]["Ulid"];
            /**
             * @description What the customer transfers to.
             * @example 7001412345678901
             */
            number: string;
            bank: components["schemas"]["Bank"];
            /** @description What the customer has paid. */
            amount: components["schemas"]["Money"];
            fee: components["schemas"]["Money"];
            /** @description amount minus fee. */
            net_amount: components["schemas"]["Money"];
            /** @constant */
            status: "success";
            /** @description The reference of the virtual account. */
            merchant_reff_no: string;
            paid_at: components["schemas"]["Timestamp"];
            /** @description Whether the net amount is available. */
            has_settle: boolean;
            /** @description When it has settled, or will. */
            settle_at: components["schemas"]["Timestamp"];
        };
        /** @description A QRIS code was paid, or the acquirer has taken its payment back. */
        QrisTransactionWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "qris-transaction";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["QrisTransaction"];
        };
        /** @description The customer has paid in the e-wallet or has declined, or the e-wallet has taken the payment back. */
        EwalletTransactionWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "ewallet-transaction";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["EwalletCheckout"];
        };
        /** @description A customer has paid a payment code at a shop. */
        RetailTransactionWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "retail-transaction";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["RetailTransaction"];
        };
        /** @description A customer has opened a payment link. */
        PaymentLinkInquiryWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "payment_link.inquiry";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["PaymentLinkSession"];
        };
        /** @description A customer's session on a payment link. */
        PaymentLinkSession: {
            payment_link_history: components["schemas"]["PaymentLinkHistoryOfWebhook"];
            payment_link: components["schemas"]["PaymentLinkOfWebhook"];
        };
        /** @description One opening of a payment link, with times in Asia/Jakarta. */
        PaymentLinkHistoryOfWebhook: {
            /**
             * Format: int64
             * @description The id of paths.
             */
            id: number;
            reff_no: components["schemas"]["PaymentLinkHistoryReference"];
            status: components["schemas"]["PaymentLinkHistoryStatus"];
            /** @description The code of the method; null until one is chosen. */
            payment_method_name: components["schemas"]["PaymentMethodCode"] | null;
            /** @description What is paid by: a number, a QR payload, a payment code, an e-wallet's page; the id of a payment by card once that is paid. Null until then. */
            payment_method_value: string | null;
            /** @description What else a method has to say; null where it has nothing. */
            payment_method_additional: {
                [key: string]: unknown;
            } | null;
            customer_name: string | null;
            customer_email: string | null;
            customer_phone: string | null;
            /** @description Where the customer opened the link from. */
            ip_address: string;
            amount: components["schemas"]["MoneyNumber"];
            /**
             * Format: double
             * @description Rupiah; null until paid.
             */
            vendor_fee: number | null;
            /**
             * Format: double
             * @description Rupiah; null until paid.
             */
            our_margin: number | null;
            /**
             * Format: double
             * @description Rupiah; null until paid.
             */
            net_amount: number | null;
            /** @description The end of the customer's session. */
            expired_at: components["schemas"]["JakartaDateTime"];
            created_at: components["schemas"]["JakartaDateTime"];
            updated_at: components["schemas"]["JakartaDateTime"];
        };
        /**
         * @description The prefix PH and a ULID; unique for each opening of a link.
         * @example PH01KAJ5YC2D3E4F5G6H7J8K9M0N
         */
        PaymentLinkHistoryReference: string;
        /**
         * @description How the session of a customer who opened a link stands.
         * @enum {string}
         */
        PaymentLinkHistoryStatus: "pending" | "expired" | "paid" | "failed";
        /** @description An amount in rupiah as a number, in webhooks about sessions of payment links only. */
        MoneyNumber: {
            /** Format: double */
            value: number;
            /** @constant */
            currency: "IDR";
        };
        /**
         * @description Date and time in Asia/Jakarta.
         * @example 2026-11-21 15:30:00
         */
        JakartaDateTime: string;
        /** @description A payment link, with times in Asia/Jakarta. */
        PaymentLinkOfWebhook: {
            /**
             * Format: int64
             * @description The id of paths.
             */
            id: number;
            reff_no: components["schemas"]["PaymentLinkReference"];
            title: string;
            description: string | null;
            status: components["schemas"]["PaymentLinkStatus"];
            /**
             * Format: int64
             * @description How often it may be paid; null if unlimited.
             */
            max_usage: number | null;
            /**
             * Format: int64
             * @description How often it has been paid.
             */
            current_usage: number;
            /**
             * Format: uri
             * @description The page that customers open.
             */
            payment_url: string;
            /** @description Whether customers must give name, e-mail address and phone. */
            required_customer_detail: boolean;
            total_amount: components["schemas"]["MoneyNumber"];
            /** @description null if it never expires. */
            expired_at: components["schemas"]["JakartaDateTime"] | null;
            created_at: components["schemas"]["JakartaDateTime"];
            updated_at: components["schemas"]["JakartaDateTime"];
        };
        /** @description A payment link was paid, by any method, or the payment was taken back. */
        PaymentLinkTransactionWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "payment-link-transaction";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["PaymentLinkHistory"];
        };
        /** @description One opening of a payment link by a customer. */
        PaymentLinkHistory: {
            /**
             * Format: int64
             * @description The id of paths.
             */
            id: number;
            reff_no: components["schemas"]["PaymentLinkHistoryReference"];
            status: components["schemas"]["PaymentLinkHistoryStatus"];
            /** @description The code of the method; null until one is chosen. */
            payment_method_name: components["schemas"]["PaymentMethodCode"] | null;
            /** @description What is paid by: a number, a QR payload, a payment code, an e-wallet's page; the id of a payment by card once that is paid. Null until then. */
            payment_method_value: string | null;
            /** @description What else a method has to say; null where it has nothing. */
            payment_method_additional: {
                [key: string]: unknown;
            } | null;
            customer_name: string | null;
            customer_email: string | null;
            customer_phone: string | null;
            /** @description Where the customer opened the link from. */
            ip_address: string;
            account_id: components["schemas"]["Ulid"];
            /**
             * Format: int64
             * @description The id of paths.
             */
            payment_link_id: number;
            amount: components["schemas"]["Money"];
            /** @description null until paid. */
            vendor_fee: components["schemas"]["Money"] | null;
            /** @description null until paid. */
            our_margin: components["schemas"]["Money"] | null;
            /** @description vendor_fee and our_margin; null until paid. */
            fee: components["schemas"]["Money"] | null;
            /** @description amount minus fee; null until paid. */
            net_amount: components["schemas"]["Money"] | null;
            paid_at: components["schemas"]["Timestamp"] | null;
            /** @description Whether the net amount is available. */
            has_settle: boolean;
            /** @description When it has settled, or will; null until paid. */
            settle_at: components["schemas"]["Timestamp"] | null;
            /** @description The end of the customer's session. */
            expired_at: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description The session of a customer who had opened a payment link has ended without a payment. */
        PaymentLinkInquiryExpiredWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "payment_link.inquiry.expired";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["PaymentLinkSession"];
        };
        /** @description The end of a disbursement. */
        DisbursementWebhook: {
            /**
             * @description SP000 only if the money is with the beneficiary.
             * @enum {string}
             */
            response_code: "SP000" | "SP001";
            /** @enum {string} */
            response_message: "Success" | "Transaction failure";
            /** @constant */
            event: "disbursement";
            data: components["schemas"]["DisbursementOfWebhook"];
        };
        /** @description A transfer to a bank account, with times in Unix milliseconds. */
        DisbursementOfWebhook: {
            transaction_id: components["schemas"]["Ulid"];
            reference_number: components["schemas"]["ReferenceNumber"];
            account_id: components["schemas"]["Ulid"];
            transaction_status: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount: components["schemas"]["Money"];
            fee: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp: components["schemas"]["UnixMillisecondsText"];
            /** @description When it came to its final status; empty if it was never paid. */
            processed_timestamp: components["schemas"]["UnixMillisecondsText"] | "";
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            bank_code: components["schemas"]["BankCode"];
            bank_name: string;
            bank_account_number: components["schemas"]["BankAccountNumber"];
            /** @description The name of the beneficiary as the request had it. */
            bank_account_name: string | null;
            description: string | null;
        };
        /** @description The merchant's own reference, unique for an account over all money out. */
        ReferenceNumber: string;
        /** @description How a money-out transaction stands. */
        TransactionStatus: {
            code: components["schemas"]["TransactionStatusCode"];
            /** @enum {string} */
            desc: "Success" | "Initiated" | "Paying" | "Pending" | "Refunded" | "Canceled" | "Failed" | "Not Found";
        };
        /**
         * @description 00 success; 01 initiated; 02 paying; 03 pending; 04 refunded; 05 canceled; 06 failed; 07 not found. 00, 04, 05 and 06 are final.
         * @enum {string}
         */
        TransactionStatusCode: "00" | "01" | "02" | "03" | "04" | "05" | "06" | "07";
        /** @description An amount in rupiah; value and currency are null where there is none. */
        MoneyOrNull: {
            /** @description A decimal with exactly two places. */
            value: string | null;
            currency: "IDR" | null;
        };
        /**
         * @description Unix time in milliseconds as a text of 13 digits, as webhooks have it.
         * @example 1795249800123
         */
        UnixMillisecondsText: string;
        /**
         * @description A three-digit national code or an eight-character SWIFT code, as the request named the bank.
         * @example 014
         * @example CENAIDJA
         */
        BankCode: string;
        /**
         * @description The number of an account at a bank.
         * @example 1234567890
         */
        BankAccountNumber: string;
        /** @description The end of an e-wallet top-up. */
        EwalletTopupWebhook: {
            /**
             * @description SP000 only if the money is with the beneficiary.
             * @enum {string}
             */
            response_code: "SP000" | "SP001";
            /** @enum {string} */
            response_message: "Success" | "Transaction failure";
            /** @constant */
            event: "ewallet-topup";
            data: components["schemas"]["EwalletTopupOfWebhook"];
        };
        /** @description Money sent to an e-wallet, with times in Unix milliseconds. */
        EwalletTopupOfWebhook: {
            transaction_id: components["schemas"]["EwalletTransactionId"];
            reference_number: components["schemas"]["ReferenceNumber"];
            account_id: components["schemas"]["Ulid"];
            transaction_status: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount: components["schemas"]["Money"];
            fee: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp: components["schemas"]["UnixMillisecondsText"];
            /** @description When it came to its final status; empty if it was never paid. */
            processed_timestamp: components["schemas"]["UnixMillisecondsText"] | "";
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            channel: components["schemas"]["EwalletChannel"];
            /**
             * @description As the request had it.
             * @example 081234567890
             */
            phone_number: string;
            /** @description The customer's name at the e-wallet; null where it is not known. */
            name: string | null;
            note: string | null;
        };
        /** @description The end of a cardless withdrawal. */
        CardlessWithdrawalWebhook: {
            /**
             * @description SP000 only if the money is with the beneficiary.
             * @enum {string}
             */
            response_code: "SP000" | "SP001";
            /** @enum {string} */
            response_message: "Success" | "Transaction failure";
            /** @constant */
            event: "cardless-withdrawal";
            data: components["schemas"]["CardlessWithdrawalOfWebhook"];
        };
        /** @description Cash that a customer draws at a machine, with times in Unix milliseconds and without the code. */
        CardlessWithdrawalOfWebhook: {
            transaction_id: components["schemas"]["Ulid"];
            reference_number: components["schemas"]["ReferenceNumber"];
            account_id: components["schemas"]["Ulid"];
            transaction_status: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount: components["schemas"]["Money"];
            fee: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp: components["schemas"]["UnixMillisecondsText"];
            /** @description When it came to its final status; empty if it was never paid. */
            processed_timestamp: components["schemas"]["UnixMillisecondsText"] | "";
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            status: components["schemas"]["CardlessWithdrawalStatus"];
            bank_code: components["schemas"]["BankShortName"];
            bank_name: string;
            /** @description The customer's phone number. */
            phone_number: string;
            expired_at: components["schemas"]["UnixMillisecondsText"];
        };
        /**
         * @description pending: the bank has given no code yet; active: the customer can draw the cash, also while a cancellation or expiry waits for the bank's answer; withdrawn: the cash is drawn.
         * @enum {string}
         */
        CardlessWithdrawalStatus: "pending" | "active" | "withdrawn" | "expired" | "canceled" | "failed";
        /** @description The end of the payment of a QRIS code. */
        QrisIssuerWebhook: {
            /**
             * @description SP000 only if the merchant of the code has the money.
             * @enum {string}
             */
            response_code: "SP000" | "SP001";
            /** @enum {string} */
            response_message: "Success" | "Transaction failure";
            /** @constant */
            event: "qris-issuer";
            data: components["schemas"]["QrisPaymentOfWebhook"];
        };
        /** @description The payment of a QRIS code, with times in Unix milliseconds. */
        QrisPaymentOfWebhook: {
            transaction_id: components["schemas"]["QrisReference"];
            reference_number: components["schemas"]["ReferenceNumber"];
            account_id: components["schemas"]["Ulid"];
            transaction_status: components["schemas"]["TransactionStatus"];
            /** @description The payload of the code. */
            qr_data: string;
            /**
             * @description mpm-dynamic: a code for one payment; mpm-static: one for many.
             * @enum {string}
             */
            type: "mpm" | "cpm" | "mpm-dynamic" | "mpm-static";
            /**
             * @description issuer: money out; acquirer: money in.
             * @enum {string}
             */
            scope: "issuer" | "acquirer";
            /** @description When it was created. */
            post_timestamp: components["schemas"]["UnixMillisecondsText"];
            /** @description When it came to its final status; empty until then, in the webhook also if it was not paid. */
            processed_timestamp: components["schemas"]["UnixMillisecondsText"] | "";
            /** @description net_amount and fee. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            gross_amount: components["schemas"]["MoneyOrNull"];
            /** @description Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            fee: components["schemas"]["MoneyOrNull"];
            /** @description gross_amount minus fee: amount and tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            net_amount: components["schemas"]["MoneyOrNull"];
            /** @description The available balance after the amount was held; null values where nothing is held, and of money in. */
            balance_after: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of: components["schemas"]["ReferenceNumber"] | null;
            /** @description The name of the merchant who shows the code, as the code has it. */
            merchant_name: string;
            merchant_city: string;
            /** @description Without tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            amount: components["schemas"]["MoneyOrNull"];
            /**
             * @description The tip that the code asks for: none (empty), a fixed amount, a percentage, or what the payer enters.
             * @enum {string}
             */
            tip_indicator: "" | "fixed" | "percentage" | "input";
            /**
             * Format: double
             * @description Rupiah of a fixed tip, percent of a percentage, else 0.
             */
            tip_value: number;
            /** @description What is paid as tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            tip_amount: components["schemas"]["MoneyOrNull"];
            /** @description Why it has failed; of a failed one, not in answers to a status inquiry. */
            failed_code?: string;
            /** @description The same in words. */
            failed_reason?: string;
        };
        /** @description The end of a payment of a prepaid product. */
        BillerPaymentWebhook: {
            /**
             * @description SP000 only if the money is with the beneficiary.
             * @enum {string}
             */
            response_code: "SP000" | "SP001";
            /** @enum {string} */
            response_message: "Success" | "Transaction failure";
            /** @constant */
            event: "biller-payment";
            data: components["schemas"]["PrepaidPayment"];
        };
        /** @description A payment of a prepaid product. */
        PrepaidPayment: {
            reference_number: components["schemas"]["PrepaidReference"];
            transaction_id: components["schemas"]["Ulid"];
            /** @description The account that is debited. */
            account_id: components["schemas"]["Ulid"];
            product_code: string;
            /**
             * @description The customer's number at the biller: of the meter, of the phone.
             * @example 12345678901
             */
            customer_id: string;
            customer_name: string;
            /** @description What the customer gets. */
            amount: components["schemas"]["RupiahText"];
            admin_fee: components["schemas"]["RupiahText"];
            /** @description What is debited: amount and admin fee. */
            price: components["schemas"]["RupiahText"];
            /** @description What the customer types into the meter; null until the payment has succeeded, and without one. */
            token: string | null;
            /** @description The biller's receipt number; null until it is known. */
            serial_number: string | null;
            status: components["schemas"]["PrepaidStatus"];
            created_at: components["schemas"]["JakartaDateTime"];
            /** @description When it came to its final status; null until then. */
            processed_at: components["schemas"]["JakartaDateTime"] | null;
            /** @description Why it has failed; of a failed one only. */
            failed_reason?: string;
        };
        /** @description The reference of an inquiry. It can be paid once, within 15 minutes. */
        PrepaidReference: components["schemas"]["Ulid"];
        /**
         * @description Whole rupiah as a text of digits.
         * @example 50000
         */
        RupiahText: string;
        /**
         * @description pending: the biller has not answered yet; the price is held, and the webhook biller-payment brings the end.
         * @enum {string}
         */
        PrepaidStatus: "pending" | "success" | "failed";
        /** @description A customer has bound an account. */
        DirectDebitBindingSucceededWebhook: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            /** @constant */
            event: "direct-debit.binding.succeeded";
            data: components["schemas"]["DirectDebitBinding"];
        };
        /** @description A customer's bank account, from which a merchant may charge. */
        DirectDebitBinding: {
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            binding_id: string;
            account_id: components["schemas"]["Ulid"];
            bank_code: components["schemas"]["BankShortName"];
            /** @description The merchant's own id of the customer. */
            customer_id: string;
            customer_name: string;
            /**
             * @description The last four digits.
             * @example ****7890
             */
            customer_phone: string;
            status: components["schemas"]["DirectDebitBindingStatus"];
            /** @description declined: by the customer; bank_refused: the bank does not bind the account; otp_failed: no right OTP; already_bound: the customer has an active binding of this account. */
            failed_reason: ("declined" | "bank_refused" | "otp_failed" | "already_bound") | null;
            /** @description bank: ended there; token_refused: the bank has stopped renewing its consent. */
            unbound_by: ("merchant" | "bank" | "token_refused") | null;
            /**
             * @description The last four digits; null until it is bound.
             * @example ****7890
             */
            bank_account_number: string | null;
            bank_account_name: string | null;
            redirect_url: string | null;
            /** @description What the customer brings back in `handover_code` of redirect_url, once; null until then. A visit with another code is not the one of this binding. */
            handover_code: string | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description Until when the customer can bind the account. */
            expired_at: components["schemas"]["Timestamp"];
            bound_at: components["schemas"]["Timestamp"] | null;
            unbound_at: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description PENDING: the customer is yet to finish at webview_url; ACTIVE: the account can be charged.
         * @enum {string}
         */
        DirectDebitBindingStatus: "PENDING" | "ACTIVE" | "FAILED" | "EXPIRED" | "UNBOUND";
        /** @description An account was not bound. */
        DirectDebitBindingFailedWebhook: {
            /** @constant */
            response_code: "SP001";
            /** @constant */
            response_message: "Transaction failure";
            /** @constant */
            event: "direct-debit.binding.failed";
            data: components["schemas"]["DirectDebitBinding"];
        };
        /** @description The customer has not finished a binding in time. */
        DirectDebitBindingExpiredWebhook: {
            /** @constant */
            response_code: "SP001";
            /** @constant */
            response_message: "Transaction failure";
            /** @constant */
            event: "direct-debit.binding.expired";
            data: components["schemas"]["DirectDebitBinding"];
        };
        /** @description A binding has ended: the merchant, the customer or the bank has ended it. */
        DirectDebitUnbindingSucceededWebhook: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            /** @constant */
            event: "direct-debit.unbinding.succeeded";
            data: components["schemas"]["DirectDebitBinding"];
        };
        /** @description A binding that was to end is still active. */
        DirectDebitUnbindingFailedWebhook: {
            /** @constant */
            response_code: "SP001";
            /** @constant */
            response_message: "Transaction failure";
            /** @constant */
            event: "direct-debit.unbinding.failed";
            data: components["schemas"]["DirectDebitBinding"];
        };
        /** @description A charge has succeeded. */
        DirectDebitChargeSucceededWebhook: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            /** @constant */
            event: "direct-debit.charge.succeeded";
            data: components["schemas"]["DirectDebitTransaction"];
        };
        /** @description A charge of a bound bank account. */
        DirectDebitTransaction: {
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            transaction_id: string;
            account_id: components["schemas"]["Ulid"];
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            binding_id: string;
            /** @description The merchant's reference, unique per account over its charges. */
            reference_number: components["schemas"]["ReferenceNumber"];
            bank_code: components["schemas"]["BankShortName"];
            customer_id: string;
            amount: components["schemas"]["Money"];
            /** @description Null until it has succeeded. */
            fee: components["schemas"]["Money"] | null;
            net_amount: components["schemas"]["Money"] | null;
            description: string | null;
            status: components["schemas"]["DirectDebitStatus"];
            requires_otp: boolean;
            /**
             * Format: int64
             * @description Null unless an OTP is to be given.
             */
            otp_attempts_left: number | null;
            otp_expired_at: components["schemas"]["Timestamp"] | null;
            failed_code: string | null;
            failed_reason: string | null;
            has_settle: boolean;
            settle_at: components["schemas"]["Timestamp"] | null;
            /** @description What was refunded, pending refunds included. */
            refunded_amount: components["schemas"]["Money"];
            /** @description Oldest first. */
            refunds: components["schemas"]["DirectDebitRefundOfTransaction"][];
            created_at: components["schemas"]["Timestamp"];
            processed_at: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description PENDING_OTP: the customer has an OTP to give; PENDING: the bank is asked; EXPIRED: the OTP was not given in time.
         * @enum {string}
         */
        DirectDebitStatus: "PENDING_OTP" | "PENDING" | "SUCCESS" | "FAILED" | "EXPIRED";
        DirectDebitRefundOfTransaction: {
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            refund_id: string;
            /** @description The merchant's reference of the refund, unique for its charge. */
            reference_number: components["schemas"]["ReferenceNumber"];
            amount: components["schemas"]["Money"];
            status: components["schemas"]["DirectDebitRefundStatus"];
            failed_code: string | null;
            failed_reason: string | null;
            created_at: components["schemas"]["Timestamp"];
            processed_at: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description PENDING: the bank is asked, and the amount is reserved; FAILED: the amount is back.
         * @enum {string}
         */
        DirectDebitRefundStatus: "PENDING" | "SUCCESS" | "FAILED";
        /** @description A charge has failed or expired. */
        DirectDebitChargeFailedWebhook: {
            /** @constant */
            response_code: "SP001";
            /** @constant */
            response_message: "Transaction failure";
            /** @constant */
            event: "direct-debit.charge.failed";
            data: components["schemas"]["DirectDebitTransaction"];
        };
        /** @description A refund is with the customer. */
        DirectDebitRefundSucceededWebhook: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            /** @constant */
            event: "direct-debit.refund.succeeded";
            data: components["schemas"]["DirectDebitRefund"];
        };
        /** @description A refund of a charge. */
        DirectDebitRefund: {
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            refund_id: string;
            /** @description The merchant's reference of the refund, unique for its charge. */
            reference_number: components["schemas"]["ReferenceNumber"];
            amount: components["schemas"]["Money"];
            status: components["schemas"]["DirectDebitRefundStatus"];
            failed_code: string | null;
            failed_reason: string | null;
            created_at: components["schemas"]["Timestamp"];
            processed_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            transaction_id: string;
            /** @description What was refunded of the charge by now, this one and pending ones included. */
            refunded_amount: components["schemas"]["Money"];
        };
        /** @description A refund has failed; its amount is back. */
        DirectDebitRefundFailedWebhook: {
            /** @constant */
            response_code: "SP001";
            /** @constant */
            response_message: "Transaction failure";
            /** @constant */
            event: "direct-debit.refund.failed";
            data: components["schemas"]["DirectDebitRefund"];
        };
        /** @description A payment by card has succeeded, has failed, or was cancelled or refunded. */
        CardTransactionWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "card-transaction";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["CardTransaction"];
        };
        /** @description A payment by card. */
        CardTransaction: {
            id: components["schemas"]["CardTransactionId"];
            account_id: components["schemas"]["Ulid"];
            status: components["schemas"]["CardTransactionStatus"];
            amount: components["schemas"]["Money"];
            /**
             * @description The first six digits, six stars, the last four.
             * @example 441111******1118
             */
            masked_card: string;
            brand: components["schemas"]["CardBrand"];
            card_holder_name: string;
            /** @description 1: in full; 2: in installments. */
            installment: 1 | 2;
            /**
             * Format: int64
             * @description 1: in full.
             */
            installment_month: number;
            customer: components["schemas"]["CardCustomer"];
            /** @description The merchant's own reference. */
            merchant_reff_no: string | null;
            /** @description Where the customer goes after 3DS. */
            redirect_url: string | null;
            /** @description redirect: the customer has to go to payment_url, or by html_form. */
            action: "redirect" | null;
            /** @description Where the issuer authenticates the customer (3DS). */
            payment_url: string | null;
            /** @description Instead of payment_url where the issuer takes its customers by POST only: put it into a page. It submits itself, and has a button where scripts do not run. */
            html_form: string | null;
            /** @description null until it has succeeded. */
            fee: components["schemas"]["Money"] | null;
            /** @description amount minus fee; null until it has succeeded. */
            net_amount: components["schemas"]["Money"] | null;
            /**
             * Format: double
             * @description null until it has succeeded.
             */
            mdr_percentage: number | null;
            failed_code: string | null;
            failed_reason: string | null;
            /** @description How it was cancelled; null unless it was. */
            cancel_type: ("void" | "refund") | null;
            /** @description Whether the net amount is available. */
            has_settle: boolean;
            /** @description When it has settled, or will; null until captured. */
            settle_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description When its outcome was known. */
            processed_at: components["schemas"]["Timestamp"] | null;
            captured_at: components["schemas"]["Timestamp"] | null;
            cancelled_at: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description The prefix 99 and a ULID.
         * @example 9901KAJ5Z4D5E6F7G8H9J0K1M2N3
         */
        CardTransactionId: string;
        /**
         * @description pending: the customer is to be authenticated; processing: the outcome is awaited; cancelled: voided before its capture; refunded: given back after it.
         * @enum {string}
         */
        CardTransactionStatus: "pending" | "processing" | "success" | "failed" | "cancelled" | "refunded";
        /** @enum {string} */
        CardBrand: "VISA" | "MASTERCARD" | "AMEX" | "JCB" | "UNIONPAY" | "DINERS" | "DISCOVER" | "OTHER";
        CardCustomer: {
            name: string;
            email: string | null;
            phone: string | null;
        };
        /** @description The first charge of a plan has succeeded. */
        SubscriptionActivatedWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "subscription.activated";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["Plan"];
        };
        /** @description A subscription: a card that is charged by the calendar. */
        Plan: {
            plan_id: components["schemas"]["Ulid"];
            account_id: components["schemas"]["Ulid"];
            name: string;
            status: components["schemas"]["PlanStatus"];
            amount: components["schemas"]["Money"];
            interval: components["schemas"]["PlanInterval"];
            /** Format: int64 */
            interval_count: number;
            /**
             * Format: int64
             * @description null: until it is cancelled.
             */
            total_cycles: number | null;
            /** Format: int64 */
            paid_cycles: number;
            /** @description When its first cycle is due. */
            start_at: components["schemas"]["Timestamp"];
            /** @description null while a cycle is charged, and where none is to come. */
            next_charge_at: components["schemas"]["Timestamp"] | null;
            /**
             * @description The first six digits, six stars, the last four.
             * @example 441111******1118
             */
            masked_card: string;
            brand: components["schemas"]["CardBrand"];
            card_holder_name: string;
            /**
             * @description MM/YY
             * @example 12/39
             */
            card_expiry: string;
            customer: components["schemas"]["CardCustomer"];
            /** @description Where the customer goes after 3DS. */
            redirect_url: string | null;
            /** @description redirect: the customer has to go to payment_url, or by html_form. */
            action: "redirect" | null;
            /** @description Where the issuer authenticates the customer (3DS). */
            payment_url: string | null;
            /** @description Instead of payment_url where the issuer takes its customers by POST only: put it into a page. It submits itself, and has a button where scripts do not run. */
            html_form: string | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description When it was cancelled or completed. */
            ended_at: components["schemas"]["Timestamp"] | null;
            /** @description declined: its first charge was; not_authenticated: its customer was not authenticated within 24 hours. */
            ended_reason: ("merchant" | "declined" | "not_authenticated" | "completed") | null;
        };
        /**
         * @description pending: its first charge has no outcome; past_due: a cycle has failed for good, and another card charges it; completed: its last cycle is over.
         * @enum {string}
         */
        PlanStatus: "pending" | "active" | "paused" | "past_due" | "cancelled" | "completed";
        /** @enum {string} */
        PlanInterval: "day" | "week" | "month";
        /** @description A cycle of a plan was charged. */
        SubscriptionChargeSucceededWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "subscription.charge.succeeded";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["PlanCycle"];
        };
        /** @description One charge of a plan, with its retries. */
        PlanCycle: {
            plan_id: components["schemas"]["Ulid"];
            /**
             * Format: int64
             * @description From 1. The numbers of cycles that fell due in a pause are missing.
             */
            cycle: number;
            status: components["schemas"]["CycleStatus"];
            amount: components["schemas"]["Money"];
            due_at: components["schemas"]["Timestamp"];
            /** @description The newest payment by card; null while scheduled. */
            card_transaction_id: string | null;
            /** Format: int64 */
            attempts: number;
            next_retry_at: components["schemas"]["Timestamp"] | null;
            failed_code: string | null;
            failed_reason: string | null;
            /** @description When its outcome was known. */
            processed_at: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description retrying: it has failed and is charged again at next_retry_at; failed: it is not, except with another card.
         * @enum {string}
         */
        CycleStatus: "scheduled" | "processing" | "success" | "failed" | "retrying";
        /** @description A charge of a cycle has failed; where it is tried again, next_retry_at says when. */
        SubscriptionChargeFailedWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "subscription.charge.failed";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["PlanCycle"];
        };
        /** @description All charges of a cycle have failed: the plan waits for another card. */
        SubscriptionPastDueWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "subscription.past_due";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["Plan"];
        };
        /** @description A plan was cancelled: by the merchant, or because its first charge was declined or not authenticated. */
        SubscriptionCancelledWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "subscription.cancelled";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["Plan"];
        };
        /** @description The last cycle of a plan is over. */
        SubscriptionCompletedWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "subscription.completed";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["Plan"];
        };
        /** @description The card of a plan expires within 30 days. */
        SubscriptionCardExpiringWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "subscription.card_expiring";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["Plan"];
        };
        /** @description A chargeback of a payment by card was opened, won or lost. */
        CardChargebackWebhook: {
            /**
             * Format: double
             * @constant
             */
            status: 200;
            /** @constant */
            success: true;
            /** @constant */
            event: "card-chargeback";
            timestamp: components["schemas"]["WebhookTimestamp"];
            data: components["schemas"]["CardChargeback"];
        };
        /** @description A payment by card that its card holder disputes at the bank. */
        CardChargeback: {
            id: components["schemas"]["Ulid"];
            account_id: components["schemas"]["Ulid"];
            card_transaction_id: components["schemas"]["CardTransactionId"];
            status: components["schemas"]["CardChargebackStatus"];
            /**
             * @description pre-arbitration: the issuer does not accept an end.
             * @enum {string}
             */
            stage: "chargeback" | "pre-arbitration";
            amount: components["schemas"]["Money"];
            /** @description What was taken from the account for it, without the fee; less than amount where the payment was refunded. */
            reserved_amount: components["schemas"]["Money"];
            /** @description Taken with the reserve; it is given back where the chargeback is won. */
            fee: components["schemas"]["Money"];
            /** @description The card network's. */
            reason_code: string | null;
            reason: string | null;
            /** @description Until when your evidence has to be there. */
            respond_by: components["schemas"]["Timestamp"] | null;
            /** @description The merchant's own reference of the payment. */
            merchant_reff_no: string | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description When it was won or lost. */
            ended_at: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description open: its amount is reserved; won: it is back, also where the acquirer has withdrawn it; lost: it is gone.
         * @enum {string}
         */
        CardChargebackStatus: "open" | "won" | "lost";
        /** @description The id of the request and of its trace: name it when you ask for support. */
        RequestId: string;
        IssueTokenV10Answer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["AccessToken"];
        };
        /** @description The token that every other request carries. */
        AccessToken: {
            /** @description A JWT, to be sent as `Authorization: Bearer`. */
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /**
             * Format: int64
             * @description Seconds.
             */
            expires_in: number;
            expires_at: components["schemas"]["Timestamp"];
        };
        /** @description The v1 envelope of an error. `data.errors` is the same as `error.errors`. */
        ErrorV1: {
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status: number;
            /** @constant */
            success: false;
            error: components["schemas"]["ErrorDetail"];
            data?: components["schemas"]["ErrorV1Data"];
        };
        ErrorDetail: {
            /**
             * Format: int64
             * @description The HTTP status; 4059901 where the method is not allowed.
             */
            code: number;
            message: string;
            errors?: components["schemas"]["FieldErrors"];
        };
        /** @description What is wrong with the request: messages by field. */
        FieldErrors: {
            [key: string]: string[];
        };
        ErrorV1Data: {
            errors: components["schemas"]["FieldErrors"];
        };
        IssueTokenV11Answer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["AccessToken"];
        };
        ListAccountsAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListAccountsData"];
        };
        ListAccountsData: {
            /** @description Newest first. */
            items: components["schemas"]["Account"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description An account of the merchant, with a balance of its own. */
        Account: {
            id: components["schemas"]["Ulid"];
            name: string;
            /**
             * @description An account that is inactive or frozen refuses new transactions.
             * @enum {string}
             */
            status: "active" | "inactive" | "frozen";
            /** @description The merchant's own reference. */
            merchant_reff_no: string | null;
            /** @description Whether requests that name no account mean this one. */
            is_default: boolean;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        OpenAccountAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["Account"];
        };
        ShowAccountAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["Account"];
        };
        UpdateAccountAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["Account"];
        };
        ShowMerchantBalanceAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["Balance"];
        };
        /** @description The balance of the merchant or of one account. */
        Balance: {
            /** @description available_balance, held_balance and pending_balance together. */
            balance: components["schemas"]["Money"];
            /** @description What can be spent now. */
            available_balance: components["schemas"]["Money"];
            /** @description Money out in flight. */
            held_balance: components["schemas"]["Money"];
            /** @description Money in that has not settled yet. */
            pending_balance: components["schemas"]["Money"];
        };
        ShowAccountBalanceAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["Balance"];
        };
        ListStatementEntriesAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListStatementEntriesData"];
        };
        ListStatementEntriesData: {
            /** @description Newest first. */
            items: components["schemas"]["StatementEntry"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One change of the available balance. */
        StatementEntry: {
            /** @description The same for ever; a settlement has the id of its statement entry. */
            id: string;
            account_id: components["schemas"]["Ulid"];
            /** @enum {string} */
            type: "credit" | "debit";
            /** @description What the available balance changed by, without a sign. */
            amount: components["schemas"]["Money"];
            /** @description The part of the amount that is a fee. */
            fee: components["schemas"]["Money"];
            /** @description The available balance after the entry. */
            balance_after: components["schemas"]["Money"];
            /**
             * @description The product that moved the money.
             * @example virtual-account
             * @example disbursement
             */
            product: string;
            transaction_id: string | null;
            /** @description The merchant's own reference, cut to 128 characters. */
            reference_number: string | null;
            description: string | null;
            posted_at: components["schemas"]["Timestamp"];
        };
        ListSettlementsAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListSettlementsData"];
        };
        ListSettlementsData: {
            /** @description Newest first. */
            items: components["schemas"]["SettlementTransaction"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description Money in that has become available. */
        SettlementTransaction: {
            /** @description The same for ever; a settlement has the id of its statement entry. */
            id: string;
            account_id: components["schemas"]["Ulid"];
            /**
             * @description The product that moved the money.
             * @example virtual-account
             * @example disbursement
             */
            product: string;
            /** @description The payment that has settled. */
            transaction_id: string;
            /** @description The merchant's own reference, cut to 128 characters. */
            reference_number: string | null;
            /** @description net_amount and fee: what the customer has paid. */
            amount: components["schemas"]["Money"];
            fee: components["schemas"]["Money"];
            /** @description What became available. */
            net_amount: components["schemas"]["Money"];
            settled_at: components["schemas"]["Timestamp"];
        };
        CreateAccountTransferAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["AccountTransfer"];
        };
        /** @description A transfer between the merchant's own accounts. */
        AccountTransfer: {
            transaction_id: components["schemas"]["Ulid"];
            reference_number: components["schemas"]["ReferenceNumber"];
            /** @description The same as source_account_id. */
            account_id: components["schemas"]["Ulid"];
            source_account_id: components["schemas"]["Ulid"];
            destination_account_id: components["schemas"]["Ulid"];
            transaction_status: components["schemas"]["TransactionStatus"];
            gross_amount: components["schemas"]["Money"];
            /** @description 0.00: these transfers are free of charge. */
            fee: components["schemas"]["Money"];
            net_amount: components["schemas"]["Money"];
            /** @description The available balance of the source account; null values until it is done. */
            balance_after: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp: components["schemas"]["Timestamp"];
            /** @description When both accounts moved; null until then. */
            processed_timestamp: components["schemas"]["Timestamp"] | null;
            note: string | null;
        };
        ListAccountTransfersAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListAccountTransfersData"];
        };
        ListAccountTransfersData: {
            /** @description Newest first. */
            items: components["schemas"]["AccountTransfer"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowAccountTransferAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["AccountTransfer"];
        };
        ShowCallbackSettingsAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["CallbackSettings"];
        };
        /** @description Where webhooks go. */
        CallbackSettings: {
            /** @description Where webhooks of money in are sent; null: they are not sent. */
            transaction_notif_url: string | null;
            /** @description Where webhooks of money out are sent; null: they are not sent. */
            disbursement_notif_url: string | null;
            /** @description Where webhooks of direct debit are sent; null: they are not sent. */
            direct_debit_notif_url: string | null;
            /** @description Where webhooks about sessions of payment links are sent; null: they are not sent. */
            payment_link_inquiry_notif_url: string | null;
            /** @description false takes the signature off qris-issuer webhooks, and off no other. */
            signature_enabled: boolean;
        };
        UpdateCallbackSettingsAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["CallbackSettings"];
        };
        ListWebhookDeliveriesAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListWebhookDeliveriesData"];
        };
        ListWebhookDeliveriesData: {
            /** @description Newest first. */
            items: components["schemas"]["WebhookDelivery"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description One webhook's delivery log. */
        WebhookDelivery: {
            id: components["schemas"]["Ulid"];
            /** @description The X-Event-Id of every attempt. */
            event_id: components["schemas"]["Ulid"];
            /** @description The name of the event, as in the body. */
            event: string;
            /** @description The URL that was set when the event occurred. */
            url: string;
            /**
             * @description failed: all retries have failed; it can be redelivered.
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /** @description Oldest first. */
            attempts: {
                at: components["schemas"]["Timestamp"];
                /**
                 * Format: int64
                 * @description The status of the answer; null if none came.
                 */
                http_status: number | null;
                /** Format: int64 */
                duration_ms: number;
                /** @description The first KiB of the answer. */
                answer: string;
                /** @description Why the attempt failed; null if it did not. */
                error: string | null;
            }[];
            /** @description Requests to send it again, oldest first. */
            redeliveries: {
                at: components["schemas"]["Timestamp"];
                /** @description The client id that requested it; "operator" if an operator did. */
                asked_by: string;
            }[];
            created_at: components["schemas"]["Timestamp"];
            /** @description null once it is delivered or failed. */
            next_attempt_at: components["schemas"]["Timestamp"] | null;
        };
        ShowWebhookDeliveryAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["WebhookDelivery"];
        };
        RedeliverWebhookAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["WebhookDelivery"];
        };
        CreateVirtualAccountAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["VirtualAccount"];
        };
        ListVirtualAccountsAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListVirtualAccountsData"];
        };
        ListVirtualAccountsData: {
            /** @description Newest first. */
            items: components["schemas"]["VirtualAccount"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowVirtualAccountAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["VirtualAccount"];
        };
        UpdateVirtualAccountAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["VirtualAccount"];
        };
        DeleteVirtualAccountAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["VirtualAccount"];
        };
        ListVaTransactionsAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListVaTransactionsData"];
        };
        ListVaTransactionsData: {
            /** @description Newest first. */
            items: components["schemas"]["VaTransaction"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowVaTransactionAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["VaTransaction"];
        };
        GenerateQrisAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["QrisTransaction"];
        };
        ListQrisAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListQrisData"];
        };
        ListQrisData: {
            /** @description Newest first. */
            items: components["schemas"]["QrisTransaction"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        InquireQrisStatusAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["QrisTransaction"];
        };
        ShowQrisAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["QrisTransaction"];
        };
        CreateEwalletCheckoutAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["EwalletCheckout"];
        };
        ListEwalletCheckoutsAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListEwalletCheckoutsData"];
        };
        ListEwalletCheckoutsData: {
            /** @description Newest first. */
            items: components["schemas"]["EwalletCheckout"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowEwalletCheckoutAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["EwalletCheckout"];
        };
        CreateRetailTransactionAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["RetailTransaction"];
        };
        ShowRetailTransactionAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["RetailTransaction"];
        };
        ListPaymentMethodsAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["PaymentMethods"];
        };
        /** @description The catalogue of payment methods. */
        PaymentMethods: {
            /** @description Every method that there is. */
            payment_methods: components["schemas"]["PaymentMethod"][];
            /** @description Those that customers can pay by here. */
            available_codes: components["schemas"]["PaymentMethodCode"][];
        };
        /** @description A method by which customers pay payment links. */
        PaymentMethod: {
            code: components["schemas"]["PaymentMethodCode"];
            name: string;
            /** @enum {string} */
            group: "virtual_account" | "qris" | "ewallet" | "card" | "retail";
            desc: string;
        };
        CreatePaymentLinkAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["PaymentLink"];
        };
        ListPaymentLinksAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListPaymentLinksData"];
        };
        ListPaymentLinksData: {
            /** @description Newest first. */
            items: components["schemas"]["PaymentLink"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowPaymentLinkAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["PaymentLink"];
        };
        UpdatePaymentLinkAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["PaymentLink"];
        };
        DeletePaymentLinkAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["PaymentLink"];
        };
        ShowPaymentLinkV2Answer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["PaymentLink"];
        };
        ListPaymentLinkHistoriesAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListPaymentLinkHistoriesData"];
        };
        ListPaymentLinkHistoriesData: {
            /** @description Newest first. */
            items: components["schemas"]["PaymentLinkHistory"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowPaymentLinkHistoryAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["PaymentLinkHistory"];
        };
        CheckBeneficiaryAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Beneficiary"];
        };
        /** @description A bank account that its bank has verified. */
        Beneficiary: {
            bank_code: components["schemas"]["BankCode"];
            bank_account_number: components["schemas"]["BankAccountNumber"];
            /**
             * @description The bank knows the account; one that it does not know is an error.
             * @constant
             */
            status: "valid";
            /** @description The holder's name at the bank. */
            bank_account_name: string;
            bank_name: string;
        };
        /** @description The v2 envelope of an error. */
        ErrorV2: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["ErrorV2Data"];
        };
        /** @description What went wrong, with the fields of the request that identify what it was about. */
        ErrorV2Data: {
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            account_id?: string;
            reference_number?: string | null;
            transaction_id?: string;
            bank_code?: string;
            bank_account_number?: string;
            channel?: string;
            phone_number?: string;
            binding_id?: string;
            scope?: string | null;
            type?: string | null;
        };
        TransferDisbursementAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Disbursement"];
        };
        /** @description A transfer from an account to a bank account. */
        Disbursement: {
            transaction_id: components["schemas"]["Ulid"];
            reference_number: components["schemas"]["ReferenceNumber"];
            account_id: components["schemas"]["Ulid"];
            transaction_status: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount: components["schemas"]["Money"];
            fee: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; null until then. */
            processed_timestamp: components["schemas"]["Timestamp"] | null;
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            bank_code: components["schemas"]["BankCode"];
            bank_name: string;
            bank_account_number: components["schemas"]["BankAccountNumber"];
            /** @description The name of the beneficiary as the request had it. */
            bank_account_name: string | null;
            description: string | null;
        };
        TransferDisbursementError: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["TransferDisbursementErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        TransferDisbursementErrorData: {
            transaction_id?: string;
            reference_number?: string | null;
            account_id?: string;
            transaction_status?: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount?: components["schemas"]["Money"];
            fee?: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount?: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after?: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of?: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp?: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; null until then. */
            processed_timestamp?: components["schemas"]["Timestamp"] | null;
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            bank_code?: string;
            bank_name?: string;
            bank_account_number?: string;
            /** @description The name of the beneficiary as the request had it. */
            bank_account_name?: string | null;
            description?: string | null;
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            channel?: string;
            phone_number?: string;
            binding_id?: string;
            scope?: string | null;
            type?: string | null;
        };
        ShowDisbursementFeeAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["DisbursementFee"];
        };
        /** @description What a disbursement to the bank costs. */
        DisbursementFee: {
            bank_code: components["schemas"]["BankCode"];
            fee: components["schemas"]["Money"];
        };
        ListDisbursementsAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["ListDisbursementsData"];
        };
        ListDisbursementsData: {
            /** @description Newest first. */
            items: components["schemas"]["Disbursement"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        InquireDisbursementStatusAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Disbursement"];
        };
        CheckBeneficiaryV1Answer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["Beneficiary"];
        };
        TransferDisbursementV1Answer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["Disbursement"];
        };
        TransferDisbursementV1Error: {
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status: number;
            /** @constant */
            success: false;
            error: components["schemas"]["ErrorDetail"];
            data?: components["schemas"]["TransferDisbursementV1ErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        TransferDisbursementV1ErrorData: {
            transaction_id?: components["schemas"]["Ulid"];
            reference_number?: components["schemas"]["ReferenceNumber"];
            account_id?: components["schemas"]["Ulid"];
            transaction_status?: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount?: components["schemas"]["Money"];
            fee?: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount?: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after?: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of?: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp?: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; null until then. */
            processed_timestamp?: components["schemas"]["Timestamp"] | null;
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            bank_code?: components["schemas"]["BankCode"];
            bank_name?: string;
            bank_account_number?: components["schemas"]["BankAccountNumber"];
            /** @description The name of the beneficiary as the request had it. */
            bank_account_name?: string | null;
            description?: string | null;
            errors?: components["schemas"]["FieldErrors"];
        };
        ShowDisbursementFeeV1Answer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["DisbursementFee"];
        };
        ListDisbursementsV1Answer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListDisbursementsV1Data"];
        };
        ListDisbursementsV1Data: {
            /** @description Newest first. */
            items: components["schemas"]["Disbursement"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowDisbursementV1Answer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["Disbursement"];
        };
        InquireDisbursementStatusV1Answer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Disbursement"];
        };
        CheckWalletAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Wallet"];
        };
        /** @description A customer’s e-wallet that was verified. */
        Wallet: {
            channel: components["schemas"]["EwalletChannel"];
            /**
             * @description As the request had it.
             * @example 081234567890
             */
            phone_number: string;
            /**
             * @description The e-wallet knows the number; one that it does not know is an error.
             * @constant
             */
            status: "valid";
            /** @description The customer's name at the e-wallet. */
            name: string;
        };
        TriggerEwalletTopupAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["EwalletTopup"];
        };
        /** @description Money sent from an account to a customer’s e-wallet. */
        EwalletTopup: {
            transaction_id: components["schemas"]["EwalletTransactionId"];
            reference_number: components["schemas"]["ReferenceNumber"];
            account_id: components["schemas"]["Ulid"];
            transaction_status: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount: components["schemas"]["Money"];
            fee: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; null until then. */
            processed_timestamp: components["schemas"]["Timestamp"] | null;
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            channel: components["schemas"]["EwalletChannel"];
            /**
             * @description As the request had it.
             * @example 081234567890
             */
            phone_number: string;
            /** @description The customer's name at the e-wallet; null where it is not known. */
            name: string | null;
            note: string | null;
        };
        TriggerEwalletTopupError: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["TriggerEwalletTopupErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        TriggerEwalletTopupErrorData: {
            transaction_id?: string;
            reference_number?: string | null;
            account_id?: string;
            transaction_status?: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount?: components["schemas"]["Money"];
            fee?: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount?: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after?: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of?: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp?: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; null until then. */
            processed_timestamp?: components["schemas"]["Timestamp"] | null;
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            channel?: string;
            phone_number?: string;
            /** @description The customer's name at the e-wallet; null where it is not known. */
            name?: string | null;
            note?: string | null;
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            bank_code?: string;
            bank_account_number?: string;
            binding_id?: string;
            scope?: string | null;
            type?: string | null;
        };
        InquireEwalletTopupStatusAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["EwalletTopup"];
        };
        CreateCardlessWithdrawalAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["CardlessWithdrawalWithCode"];
        };
        /** @description Cash that a customer draws at a machine, with the code. */
        CardlessWithdrawalWithCode: {
            transaction_id: components["schemas"]["Ulid"];
            reference_number: components["schemas"]["ReferenceNumber"];
            account_id: components["schemas"]["Ulid"];
            transaction_status: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount: components["schemas"]["Money"];
            fee: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; null until then. */
            processed_timestamp: components["schemas"]["Timestamp"] | null;
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            status: components["schemas"]["CardlessWithdrawalStatus"];
            bank_code: components["schemas"]["BankShortName"];
            bank_name: string;
            /** @description The customer's phone number. */
            phone_number: string;
            /** @description Until when the customer can draw the cash. */
            expired_at: components["schemas"]["Timestamp"];
            /** @description With this code the customer draws the cash; null unless the withdrawal is active. */
            withdrawal_code: string | null;
        };
        CreateCardlessWithdrawalError: {
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status: number;
            /** @constant */
            success: false;
            error: components["schemas"]["ErrorDetail"];
            data?: components["schemas"]["CreateCardlessWithdrawalErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        CreateCardlessWithdrawalErrorData: {
            transaction_id?: components["schemas"]["Ulid"];
            reference_number?: components["schemas"]["ReferenceNumber"];
            account_id?: components["schemas"]["Ulid"];
            transaction_status?: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount?: components["schemas"]["Money"];
            fee?: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount?: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after?: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of?: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp?: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; null until then. */
            processed_timestamp?: components["schemas"]["Timestamp"] | null;
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            status?: components["schemas"]["CardlessWithdrawalStatus"];
            bank_code?: components["schemas"]["BankShortName"];
            bank_name?: string;
            /** @description The customer's phone number. */
            phone_number?: string;
            /** @description Until when the customer can draw the cash. */
            expired_at?: components["schemas"]["Timestamp"];
            /** @description With this code the customer draws the cash; null unless the withdrawal is active. */
            withdrawal_code?: string | null;
            errors?: components["schemas"]["FieldErrors"];
        };
        ListCardlessWithdrawalsAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["ListCardlessWithdrawalsData"];
        };
        ListCardlessWithdrawalsData: {
            /** @description Newest first. */
            items: components["schemas"]["CardlessWithdrawal"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description Cash that a customer draws at a machine with a code. The code is not shown here. */
        CardlessWithdrawal: {
            transaction_id: components["schemas"]["Ulid"];
            reference_number: components["schemas"]["ReferenceNumber"];
            account_id: components["schemas"]["Ulid"];
            transaction_status: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount: components["schemas"]["Money"];
            fee: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; null until then. */
            processed_timestamp: components["schemas"]["Timestamp"] | null;
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            status: components["schemas"]["CardlessWithdrawalStatus"];
            bank_code: components["schemas"]["BankShortName"];
            bank_name: string;
            /** @description The customer's phone number. */
            phone_number: string;
            /** @description Until when the customer can draw the cash. */
            expired_at: components["schemas"]["Timestamp"];
        };
        ShowCardlessWithdrawalAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["CardlessWithdrawalWithCode"];
        };
        CancelCardlessWithdrawalAnswer: {
            /** Format: int64 */
            status: number;
            /** @constant */
            success: true;
            data: components["schemas"]["CardlessWithdrawal"];
        };
        CancelCardlessWithdrawalError: {
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status: number;
            /** @constant */
            success: false;
            error: components["schemas"]["ErrorDetail"];
            data?: components["schemas"]["CancelCardlessWithdrawalErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        CancelCardlessWithdrawalErrorData: {
            transaction_id?: components["schemas"]["Ulid"];
            reference_number?: components["schemas"]["ReferenceNumber"];
            account_id?: components["schemas"]["Ulid"];
            transaction_status?: components["schemas"]["TransactionStatus"];
            /** @description net_amount and fee: what is taken from the account. */
            gross_amount?: components["schemas"]["Money"];
            fee?: components["schemas"]["Money"];
            /** @description What the beneficiary receives. */
            net_amount?: components["schemas"]["Money"];
            /** @description The available balance after the amount was held; null values where the transfer is initiated, failed or canceled. */
            balance_after?: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of?: components["schemas"]["ReferenceNumber"] | null;
            /** @description When it was created. */
            post_timestamp?: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; null until then. */
            processed_timestamp?: components["schemas"]["Timestamp"] | null;
            /** @description Why it has failed; of a failed one only. */
            failed_code?: string;
            /** @description The same in words; of a failed one only. */
            failed_reason?: string;
            status?: components["schemas"]["CardlessWithdrawalStatus"];
            bank_code?: components["schemas"]["BankShortName"];
            bank_name?: string;
            /** @description The customer's phone number. */
            phone_number?: string;
            /** @description Until when the customer can draw the cash. */
            expired_at?: components["schemas"]["Timestamp"];
            errors?: components["schemas"]["FieldErrors"];
        };
        InquireQrisPaymentAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["QrisPayment"];
        };
        /** @description The payment of a QRIS code. */
        QrisPayment: {
            transaction_id: components["schemas"]["QrisReference"];
            reference_number: components["schemas"]["ReferenceNumber"];
            account_id: components["schemas"]["Ulid"];
            transaction_status: components["schemas"]["TransactionStatus"];
            /** @description The payload of the code. */
            qr_data: string;
            /**
             * @description mpm-dynamic: a code for one payment; mpm-static: one for many.
             * @enum {string}
             */
            type: "mpm" | "cpm" | "mpm-dynamic" | "mpm-static";
            /**
             * @description issuer: money out; acquirer: money in.
             * @enum {string}
             */
            scope: "issuer" | "acquirer";
            /** @description When it was created. */
            post_timestamp: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; empty until then, in the webhook also if it was not paid. */
            processed_timestamp: components["schemas"]["Timestamp"] | "";
            /** @description net_amount and fee. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            gross_amount: components["schemas"]["MoneyOrNull"];
            /** @description Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            fee: components["schemas"]["MoneyOrNull"];
            /** @description gross_amount minus fee: amount and tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            net_amount: components["schemas"]["MoneyOrNull"];
            /** @description The available balance after the amount was held; null values where nothing is held, and of money in. */
            balance_after: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of: components["schemas"]["ReferenceNumber"] | null;
            /** @description The name of the merchant who shows the code, as the code has it. */
            merchant_name: string;
            merchant_city: string;
            /** @description Without tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            amount: components["schemas"]["MoneyOrNull"];
            /**
             * @description The tip that the code asks for: none (empty), a fixed amount, a percentage, or what the payer enters.
             * @enum {string}
             */
            tip_indicator: "" | "fixed" | "percentage" | "input";
            /**
             * Format: double
             * @description Rupiah of a fixed tip, percent of a percentage, else 0.
             */
            tip_value: number;
            /** @description What is paid as tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            tip_amount: components["schemas"]["MoneyOrNull"];
            /** @description Why it has failed; of a failed one, not in answers to a status inquiry. */
            failed_code?: string;
            /** @description The same in words. */
            failed_reason?: string;
            /** @description The retrieval reference number; empty until paid. */
            rrn: string;
        };
        CreditQrisAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["QrisPayment"];
        };
        CreditQrisError: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["CreditQrisErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        CreditQrisErrorData: {
            transaction_id?: string;
            reference_number?: string | null;
            account_id?: string;
            transaction_status?: components["schemas"]["TransactionStatus"];
            /** @description The payload of the code. */
            qr_data?: string;
            type?: string | null;
            scope?: string | null;
            /** @description When it was created. */
            post_timestamp?: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; empty until then, in the webhook also if it was not paid. */
            processed_timestamp?: components["schemas"]["Timestamp"] | "";
            /** @description net_amount and fee. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            gross_amount?: components["schemas"]["MoneyOrNull"];
            /** @description Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            fee?: components["schemas"]["MoneyOrNull"];
            /** @description gross_amount minus fee: amount and tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            net_amount?: components["schemas"]["MoneyOrNull"];
            /** @description The available balance after the amount was held; null values where nothing is held, and of money in. */
            balance_after?: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of?: components["schemas"]["ReferenceNumber"] | null;
            /** @description The name of the merchant who shows the code, as the code has it. */
            merchant_name?: string;
            merchant_city?: string;
            /** @description Without tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            amount?: components["schemas"]["MoneyOrNull"];
            /**
             * @description The tip that the code asks for: none (empty), a fixed amount, a percentage, or what the payer enters.
             * @enum {string}
             */
            tip_indicator?: "" | "fixed" | "percentage" | "input";
            /**
             * Format: double
             * @description Rupiah of a fixed tip, percent of a percentage, else 0.
             */
            tip_value?: number;
            /** @description What is paid as tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            tip_amount?: components["schemas"]["MoneyOrNull"];
            /** @description Why it has failed; of a failed one, not in answers to a status inquiry. */
            failed_code?: string;
            /** @description The same in words. */
            failed_reason?: string;
            /** @description The retrieval reference number; empty until paid. */
            rrn?: string;
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            bank_code?: string;
            bank_account_number?: string;
            channel?: string;
            phone_number?: string;
            binding_id?: string;
        };
        InquireQrisPaymentStatusAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["QrisPayment"];
        };
        InquireQrisPaymentStatusError: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["InquireQrisPaymentStatusErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        InquireQrisPaymentStatusErrorData: {
            transaction_id?: string;
            reference_number?: string | null;
            account_id?: string;
            transaction_status?: components["schemas"]["TransactionStatus"];
            /** @description The payload of the code. */
            qr_data?: string;
            type?: string | null;
            scope?: string | null;
            /** @description When it was created. */
            post_timestamp?: components["schemas"]["Timestamp"];
            /** @description When it came to its final status; empty until then, in the webhook also if it was not paid. */
            processed_timestamp?: components["schemas"]["Timestamp"] | "";
            /** @description net_amount and fee. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            gross_amount?: components["schemas"]["MoneyOrNull"];
            /** @description Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            fee?: components["schemas"]["MoneyOrNull"];
            /** @description gross_amount minus fee: amount and tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            net_amount?: components["schemas"]["MoneyOrNull"];
            /** @description The available balance after the amount was held; null values where nothing is held, and of money in. */
            balance_after?: components["schemas"]["MoneyOrNull"];
            /** @description The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it. */
            possible_duplicate_of?: components["schemas"]["ReferenceNumber"] | null;
            /** @description The name of the merchant who shows the code, as the code has it. */
            merchant_name?: string;
            merchant_city?: string;
            /** @description Without tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            amount?: components["schemas"]["MoneyOrNull"];
            /**
             * @description The tip that the code asks for: none (empty), a fixed amount, a percentage, or what the payer enters.
             * @enum {string}
             */
            tip_indicator?: "" | "fixed" | "percentage" | "input";
            /**
             * Format: double
             * @description Rupiah of a fixed tip, percent of a percentage, else 0.
             */
            tip_value?: number;
            /** @description What is paid as tip. Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none. */
            tip_amount?: components["schemas"]["MoneyOrNull"];
            /** @description Why it has failed; of a failed one, not in answers to a status inquiry. */
            failed_code?: string;
            /** @description The same in words. */
            failed_reason?: string;
            /** @description The retrieval reference number; empty until paid. */
            rrn?: string;
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            bank_code?: string;
            bank_account_number?: string;
            channel?: string;
            phone_number?: string;
            binding_id?: string;
        };
        CreateDirectDebitBindingAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["NewDirectDebitBinding"];
        };
        /** @description A binding, and where its customer goes on. */
        NewDirectDebitBinding: {
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            binding_id: string;
            account_id: components["schemas"]["Ulid"];
            bank_code: components["schemas"]["BankShortName"];
            /** @description The merchant's own id of the customer. */
            customer_id: string;
            customer_name: string;
            /**
             * @description The last four digits.
             * @example ****7890
             */
            customer_phone: string;
            status: components["schemas"]["DirectDebitBindingStatus"];
            /** @description declined: by the customer; bank_refused: the bank does not bind the account; otp_failed: no right OTP; already_bound: the customer has an active binding of this account. */
            failed_reason: ("declined" | "bank_refused" | "otp_failed" | "already_bound") | null;
            /** @description bank: ended there; token_refused: the bank has stopped renewing its consent. */
            unbound_by: ("merchant" | "bank" | "token_refused") | null;
            /**
             * @description The last four digits; null until it is bound.
             * @example ****7890
             */
            bank_account_number: string | null;
            bank_account_name: string | null;
            redirect_url: string | null;
            /** @description What the customer brings back in `handover_code` of redirect_url, once; null until then. A visit with another code is not the one of this binding. */
            handover_code: string | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description Until when the customer can bind the account. */
            expired_at: components["schemas"]["Timestamp"];
            bound_at: components["schemas"]["Timestamp"] | null;
            unbound_at: components["schemas"]["Timestamp"] | null;
            /** @description Where the customer agrees and gives an OTP. It opens this binding only. */
            webview_url: string;
        };
        ListDirectDebitBindingsAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["ListDirectDebitBindingsData"];
        };
        ListDirectDebitBindingsData: {
            /** @description Newest first. */
            items: components["schemas"]["DirectDebitBinding"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowDirectDebitBindingAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["DirectDebitBinding"];
        };
        UnbindDirectDebitAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["DirectDebitUnbinding"];
        };
        /** @description A binding that is to end; null without an OTP. */
        DirectDebitUnbinding: {
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            binding_id: string;
            account_id: components["schemas"]["Ulid"];
            bank_code: components["schemas"]["BankShortName"];
            /** @description The merchant's own id of the customer. */
            customer_id: string;
            customer_name: string;
            /**
             * @description The last four digits.
             * @example ****7890
             */
            customer_phone: string;
            status: components["schemas"]["DirectDebitBindingStatus"];
            /** @description declined: by the customer; bank_refused: the bank does not bind the account; otp_failed: no right OTP; already_bound: the customer has an active binding of this account. */
            failed_reason: ("declined" | "bank_refused" | "otp_failed" | "already_bound") | null;
            /** @description bank: ended there; token_refused: the bank has stopped renewing its consent. */
            unbound_by: ("merchant" | "bank" | "token_refused") | null;
            /**
             * @description The last four digits; null until it is bound.
             * @example ****7890
             */
            bank_account_number: string | null;
            bank_account_name: string | null;
            redirect_url: string | null;
            /** @description What the customer brings back in `handover_code` of redirect_url, once; null until then. A visit with another code is not the one of this binding. */
            handover_code: string | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description Until when the customer can bind the account. */
            expired_at: components["schemas"]["Timestamp"];
            bound_at: components["schemas"]["Timestamp"] | null;
            unbound_at: components["schemas"]["Timestamp"] | null;
            otp_required: boolean;
            otp_handoff: components["schemas"]["OtpHandoff"] | null;
        };
        /** @description What verify-otp takes as `unbind_context`, as it is, once and within 5 minutes. */
        OtpHandoff: {
            token: string;
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            binding_id: string;
            expired_at: components["schemas"]["Timestamp"];
        };
        ChargeDirectDebitAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["DirectDebitTransaction"];
        };
        ChargeDirectDebitError: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["ChargeDirectDebitErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        ChargeDirectDebitErrorData: {
            transaction_id?: string;
            account_id?: string;
            binding_id?: string;
            reference_number?: string | null;
            bank_code?: string;
            customer_id?: string;
            amount?: components["schemas"]["Money"];
            /** @description Null until it has succeeded. */
            fee?: components["schemas"]["Money"] | null;
            net_amount?: components["schemas"]["Money"] | null;
            description?: string | null;
            status?: components["schemas"]["DirectDebitStatus"];
            requires_otp?: boolean;
            /**
             * Format: int64
             * @description Null unless an OTP is to be given.
             */
            otp_attempts_left?: number | null;
            otp_expired_at?: components["schemas"]["Timestamp"] | null;
            failed_code?: string | null;
            failed_reason?: string | null;
            has_settle?: boolean;
            settle_at?: components["schemas"]["Timestamp"] | null;
            /** @description What was refunded, pending refunds included. */
            refunded_amount?: components["schemas"]["Money"];
            /** @description Oldest first. */
            refunds?: components["schemas"]["DirectDebitRefundOfTransaction"][];
            created_at?: components["schemas"]["Timestamp"];
            processed_at?: components["schemas"]["Timestamp"] | null;
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            bank_account_number?: string;
            channel?: string;
            phone_number?: string;
            scope?: string | null;
            type?: string | null;
        };
        VerifyDirectDebitOtpAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["DirectDebitOtpAnswer"];
        };
        /** @description The charge, or the binding. */
        DirectDebitOtpAnswer: components["schemas"]["DirectDebitTransactionWithOtp"] | components["schemas"]["DirectDebitBindingWithOtp"];
        DirectDebitTransactionWithOtp: {
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            transaction_id: string;
            account_id: components["schemas"]["Ulid"];
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            binding_id: string;
            /** @description The merchant's reference, unique per account over its charges. */
            reference_number: components["schemas"]["ReferenceNumber"];
            bank_code: components["schemas"]["BankShortName"];
            customer_id: string;
            amount: components["schemas"]["Money"];
            /** @description Null until it has succeeded. */
            fee: components["schemas"]["Money"] | null;
            net_amount: components["schemas"]["Money"] | null;
            description: string | null;
            status: components["schemas"]["DirectDebitStatus"];
            requires_otp: boolean;
            /**
             * Format: int64
             * @description Null unless an OTP is to be given.
             */
            otp_attempts_left: number | null;
            otp_expired_at: components["schemas"]["Timestamp"] | null;
            failed_code: string | null;
            failed_reason: string | null;
            has_settle: boolean;
            settle_at: components["schemas"]["Timestamp"] | null;
            /** @description What was refunded, pending refunds included. */
            refunded_amount: components["schemas"]["Money"];
            /** @description Oldest first. */
            refunds: components["schemas"]["DirectDebitRefundOfTransaction"][];
            created_at: components["schemas"]["Timestamp"];
            processed_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description How often a wrong OTP may still be corrected; null after a right one.
             */
            attempts_left: number | null;
        };
        DirectDebitBindingWithOtp: {
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            binding_id: string;
            account_id: components["schemas"]["Ulid"];
            bank_code: components["schemas"]["BankShortName"];
            /** @description The merchant's own id of the customer. */
            customer_id: string;
            customer_name: string;
            /**
             * @description The last four digits.
             * @example ****7890
             */
            customer_phone: string;
            status: components["schemas"]["DirectDebitBindingStatus"];
            /** @description declined: by the customer; bank_refused: the bank does not bind the account; otp_failed: no right OTP; already_bound: the customer has an active binding of this account. */
            failed_reason: ("declined" | "bank_refused" | "otp_failed" | "already_bound") | null;
            /** @description bank: ended there; token_refused: the bank has stopped renewing its consent. */
            unbound_by: ("merchant" | "bank" | "token_refused") | null;
            /**
             * @description The last four digits; null until it is bound.
             * @example ****7890
             */
            bank_account_number: string | null;
            bank_account_name: string | null;
            redirect_url: string | null;
            /** @description What the customer brings back in `handover_code` of redirect_url, once; null until then. A visit with another code is not the one of this binding. */
            handover_code: string | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description Until when the customer can bind the account. */
            expired_at: components["schemas"]["Timestamp"];
            bound_at: components["schemas"]["Timestamp"] | null;
            unbound_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description How often a wrong OTP may still be corrected; null after a right one.
             */
            attempts_left: number | null;
        };
        VerifyDirectDebitOtpError: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["VerifyDirectDebitOtpErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        VerifyDirectDebitOtpErrorData: {
            transaction_id?: string;
            account_id?: string;
            binding_id?: string;
            reference_number?: string | null;
            bank_code?: string;
            customer_id?: string;
            amount?: components["schemas"]["Money"];
            /** @description Null until it has succeeded. */
            fee?: components["schemas"]["Money"] | null;
            net_amount?: components["schemas"]["Money"] | null;
            description?: string | null;
            status?: components["schemas"]["DirectDebitStatus"] | components["schemas"]["DirectDebitBindingStatus"];
            requires_otp?: boolean;
            /**
             * Format: int64
             * @description Null unless an OTP is to be given.
             */
            otp_attempts_left?: number | null;
            otp_expired_at?: components["schemas"]["Timestamp"] | null;
            failed_code?: string | null;
            failed_reason?: (string | null) | (("declined" | "bank_refused" | "otp_failed" | "already_bound") | null);
            has_settle?: boolean;
            settle_at?: components["schemas"]["Timestamp"] | null;
            /** @description What was refunded, pending refunds included. */
            refunded_amount?: components["schemas"]["Money"];
            /** @description Oldest first. */
            refunds?: components["schemas"]["DirectDebitRefundOfTransaction"][];
            created_at?: components["schemas"]["Timestamp"];
            processed_at?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description How often a wrong OTP may still be corrected; null after a right one.
             */
            attempts_left?: number | null;
            customer_name?: string;
            /**
             * @description The last four digits.
             * @example ****7890
             */
            customer_phone?: string;
            /** @description bank: ended there; token_refused: the bank has stopped renewing its consent. */
            unbound_by?: ("merchant" | "bank" | "token_refused") | null;
            bank_account_number?: string;
            bank_account_name?: string | null;
            redirect_url?: string | null;
            /** @description What the customer brings back in `handover_code` of redirect_url, once; null until then. A visit with another code is not the one of this binding. */
            handover_code?: string | null;
            /** @description Until when the customer can bind the account. */
            expired_at?: components["schemas"]["Timestamp"];
            bound_at?: components["schemas"]["Timestamp"] | null;
            unbound_at?: components["schemas"]["Timestamp"] | null;
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            channel?: string;
            phone_number?: string;
            scope?: string | null;
            type?: string | null;
        };
        ListDirectDebitTransactionsAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["ListDirectDebitTransactionsData"];
        };
        ListDirectDebitTransactionsData: {
            /** @description Newest first. */
            items: components["schemas"]["DirectDebitTransaction"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowDirectDebitTransactionAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["DirectDebitTransaction"];
        };
        RefundDirectDebitAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["DirectDebitRefund"];
        };
        RefundDirectDebitError: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["RefundDirectDebitErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        RefundDirectDebitErrorData: {
            /**
             * Format: uuid
             * @description A UUID.
             * @example 6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52
             */
            refund_id?: string;
            reference_number?: string | null;
            amount?: components["schemas"]["Money"];
            status?: components["schemas"]["DirectDebitRefundStatus"];
            failed_code?: string | null;
            failed_reason?: string | null;
            created_at?: components["schemas"]["Timestamp"];
            processed_at?: components["schemas"]["Timestamp"] | null;
            transaction_id?: string;
            /** @description What was refunded of the charge by now, this one and pending ones included. */
            refunded_amount?: components["schemas"]["Money"];
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            account_id?: string;
            bank_code?: string;
            bank_account_number?: string;
            channel?: string;
            phone_number?: string;
            binding_id?: string;
            scope?: string | null;
            type?: string | null;
        };
        PayByCardAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["CardTransaction"];
        };
        PayByCardError: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["PayByCardErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        PayByCardErrorData: {
            id?: components["schemas"]["CardTransactionId"];
            account_id?: string;
            status?: components["schemas"]["CardTransactionStatus"];
            amount?: components["schemas"]["Money"];
            /**
             * @description The first six digits, six stars, the last four.
             * @example 441111******1118
             */
            masked_card?: string;
            brand?: components["schemas"]["CardBrand"];
            card_holder_name?: string;
            /** @description 1: in full; 2: in installments. */
            installment?: 1 | 2;
            /**
             * Format: int64
             * @description 1: in full.
             */
            installment_month?: number;
            customer?: components["schemas"]["CardCustomer"];
            /** @description The merchant's own reference. */
            merchant_reff_no?: string | null;
            /** @description Where the customer goes after 3DS. */
            redirect_url?: string | null;
            /** @description redirect: the customer has to go to payment_url, or by html_form. */
            action?: "redirect" | null;
            /** @description Where the issuer authenticates the customer (3DS). */
            payment_url?: string | null;
            /** @description Instead of payment_url where the issuer takes its customers by POST only: put it into a page. It submits itself, and has a button where scripts do not run. */
            html_form?: string | null;
            /** @description null until it has succeeded. */
            fee?: components["schemas"]["Money"] | null;
            /** @description amount minus fee; null until it has succeeded. */
            net_amount?: components["schemas"]["Money"] | null;
            /**
             * Format: double
             * @description null until it has succeeded.
             */
            mdr_percentage?: number | null;
            failed_code?: string | null;
            failed_reason?: string | null;
            /** @description How it was cancelled; null unless it was. */
            cancel_type?: ("void" | "refund") | null;
            /** @description Whether the net amount is available. */
            has_settle?: boolean;
            /** @description When it has settled, or will; null until captured. */
            settle_at?: components["schemas"]["Timestamp"] | null;
            created_at?: components["schemas"]["Timestamp"];
            /** @description When its outcome was known. */
            processed_at?: components["schemas"]["Timestamp"] | null;
            captured_at?: components["schemas"]["Timestamp"] | null;
            cancelled_at?: components["schemas"]["Timestamp"] | null;
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            reference_number?: string | null;
            transaction_id?: string;
            bank_code?: string;
            bank_account_number?: string;
            channel?: string;
            phone_number?: string;
            binding_id?: string;
            scope?: string | null;
            type?: string | null;
        };
        CancelCardPaymentAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["CardCancel"];
        };
        /** @description How a payment was cancelled. */
        CardCancel: {
            id: components["schemas"]["CardTransactionId"];
            /**
             * @description Of the cancel; the transaction is cancelled or refunded.
             * @constant
             */
            status: "success";
            /**
             * @description void: before its capture; refund: after it.
             * @enum {string}
             */
            cancel_type: "void" | "refund";
        };
        ShowCardPaymentAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["CardTransaction"];
        };
        ListCardChargebacksAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["ListCardChargebacksData"];
        };
        ListCardChargebacksData: {
            /** @description Newest first. */
            items: components["schemas"]["CardChargeback"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowCardChargebackAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["CardChargeback"];
        };
        CreatePlanAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Plan"];
        };
        CreatePlanError: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["CreatePlanErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        CreatePlanErrorData: {
            plan_id?: components["schemas"]["Ulid"];
            account_id?: string;
            name?: string;
            status?: components["schemas"]["PlanStatus"];
            amount?: components["schemas"]["Money"];
            interval?: components["schemas"]["PlanInterval"];
            /** Format: int64 */
            interval_count?: number;
            /**
             * Format: int64
             * @description null: until it is cancelled.
             */
            total_cycles?: number | null;
            /** Format: int64 */
            paid_cycles?: number;
            /** @description When its first cycle is due. */
            start_at?: components["schemas"]["Timestamp"];
            /** @description null while a cycle is charged, and where none is to come. */
            next_charge_at?: components["schemas"]["Timestamp"] | null;
            /**
             * @description The first six digits, six stars, the last four.
             * @example 441111******1118
             */
            masked_card?: string;
            brand?: components["schemas"]["CardBrand"];
            card_holder_name?: string;
            /**
             * @description MM/YY
             * @example 12/39
             */
            card_expiry?: string;
            customer?: components["schemas"]["CardCustomer"];
            /** @description Where the customer goes after 3DS. */
            redirect_url?: string | null;
            /** @description redirect: the customer has to go to payment_url, or by html_form. */
            action?: "redirect" | null;
            /** @description Where the issuer authenticates the customer (3DS). */
            payment_url?: string | null;
            /** @description Instead of payment_url where the issuer takes its customers by POST only: put it into a page. It submits itself, and has a button where scripts do not run. */
            html_form?: string | null;
            created_at?: components["schemas"]["Timestamp"];
            /** @description When it was cancelled or completed. */
            ended_at?: components["schemas"]["Timestamp"] | null;
            /** @description declined: its first charge was; not_authenticated: its customer was not authenticated within 24 hours. */
            ended_reason?: ("merchant" | "declined" | "not_authenticated" | "completed") | null;
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            reference_number?: string | null;
            transaction_id?: string;
            bank_code?: string;
            bank_account_number?: string;
            channel?: string;
            phone_number?: string;
            binding_id?: string;
            scope?: string | null;
            type?: string | null;
        };
        ListPlansAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["ListPlansData"];
        };
        ListPlansData: {
            /** @description Newest first. */
            items: components["schemas"]["Plan"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        ShowPlanAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Plan"];
        };
        PausePlanAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Plan"];
        };
        ResumePlanAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Plan"];
        };
        CancelPlanAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Plan"];
        };
        ReplacePlanCardAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["Plan"];
        };
        ReplacePlanCardError: {
            /** @description The code of the outcome; each answer lists those that it may have. */
            response_code: string;
            /** @description What the code means, or more closely what has happened. For people: read the code. */
            response_message: string;
            data: components["schemas"]["ReplacePlanCardErrorData"];
        };
        /** @description What was ordered, where it is recorded and has failed. */
        ReplacePlanCardErrorData: {
            plan_id?: components["schemas"]["Ulid"];
            account_id?: string;
            name?: string;
            status?: components["schemas"]["PlanStatus"];
            amount?: components["schemas"]["Money"];
            interval?: components["schemas"]["PlanInterval"];
            /** Format: int64 */
            interval_count?: number;
            /**
             * Format: int64
             * @description null: until it is cancelled.
             */
            total_cycles?: number | null;
            /** Format: int64 */
            paid_cycles?: number;
            /** @description When its first cycle is due. */
            start_at?: components["schemas"]["Timestamp"];
            /** @description null while a cycle is charged, and where none is to come. */
            next_charge_at?: components["schemas"]["Timestamp"] | null;
            /**
             * @description The first six digits, six stars, the last four.
             * @example 441111******1118
             */
            masked_card?: string;
            brand?: components["schemas"]["CardBrand"];
            card_holder_name?: string;
            /**
             * @description MM/YY
             * @example 12/39
             */
            card_expiry?: string;
            customer?: components["schemas"]["CardCustomer"];
            /** @description Where the customer goes after 3DS. */
            redirect_url?: string | null;
            /** @description redirect: the customer has to go to payment_url, or by html_form. */
            action?: "redirect" | null;
            /** @description Where the issuer authenticates the customer (3DS). */
            payment_url?: string | null;
            /** @description Instead of payment_url where the issuer takes its customers by POST only: put it into a page. It submits itself, and has a button where scripts do not run. */
            html_form?: string | null;
            created_at?: components["schemas"]["Timestamp"];
            /** @description When it was cancelled or completed. */
            ended_at?: components["schemas"]["Timestamp"] | null;
            /** @description declined: its first charge was; not_authenticated: its customer was not authenticated within 24 hours. */
            ended_reason?: ("merchant" | "declined" | "not_authenticated" | "completed") | null;
            message: string;
            errors?: components["schemas"]["FieldErrors"];
            reference_number?: string | null;
            transaction_id?: string;
            bank_code?: string;
            bank_account_number?: string;
            channel?: string;
            phone_number?: string;
            binding_id?: string;
            scope?: string | null;
            type?: string | null;
        };
        ListPlanCyclesAnswer: {
            /** @constant */
            response_code: "SP000";
            /** @constant */
            response_message: "Success";
            data: components["schemas"]["ListPlanCyclesData"];
        };
        ListPlanCyclesData: {
            /** @description Newest first. */
            items: components["schemas"]["PlanCycle"][];
            /** @description The cursor of the next page; null on the last one. */
            next_cursor: string | null;
        };
        InquirePrepaidAnswer: {
            /** @description The command of the request; null where it had none. */
            command: string | null;
            /** @constant */
            response_code: "00";
            /** @constant */
            response_text: "Success";
            data: components["schemas"]["PrepaidInquiry"];
        };
        /** @description The price of a prepaid product for a customer, for 15 minutes. */
        PrepaidInquiry: {
            /** @description What the customer gets. */
            amount: components["schemas"]["RupiahText"];
            /** @description The name at the biller, to be shown to the customer before the payment. */
            customer_name: string;
            /**
             * @description The customer's number at the biller: of the meter, of the phone.
             * @example 12345678901
             */
            customer_id: string;
            reference_number: components["schemas"]["PrepaidReference"];
            /** @description What is debited: amount and admin fee. */
            price: components["schemas"]["RupiahText"];
            created_at: components["schemas"]["JakartaDateTime"];
        };
        /** @description An error of the biller in the legacy envelope. */
        LegacyError: {
            /** @description The command of the request; null where it had none. */
            command: string | null;
            /**
             * @description 04: rejected; 99: a system error, send the request again.
             * @enum {string}
             */
            response_code: "99" | "04";
            response_text: string;
            data: components["schemas"]["FieldErrors"];
        };
        /** @description The legacy envelope; what is wrong with who calls is in the v1 envelope, which has `status`. */
        LegacyOrV1Error: {
            /** @description The command of the request; null where it had none. */
            command?: string | null;
            /**
             * @description 04: rejected; 99: a system error, send the request again.
             * @enum {string}
             */
            response_code?: "99" | "04";
            response_text?: string;
            data?: components["schemas"]["FieldErrors"] | components["schemas"]["ErrorV1Data"];
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status?: number;
            /** @constant */
            success?: false;
            error?: components["schemas"]["ErrorDetail"];
        };
        PayPrepaidAnswer: {
            /** @description The command of the request; null where it had none. */
            command: string | null;
            /** @constant */
            response_code: "00";
            /** @constant */
            response_text: "Success";
            data: components["schemas"]["PrepaidPayment"];
        };
        ListPrepaidProductsAnswer: {
            /** @description The command of the request; null where it had none. */
            command: string | null;
            /** @constant */
            response_code: "00";
            /** @constant */
            response_text: "Success";
            data: components["schemas"]["PrepaidProducts"];
        };
        /** @description What can be bought now. */
        PrepaidProducts: {
            /** @description By command, then amount. */
            items: components["schemas"]["PrepaidProduct"][];
        };
        /** @description A prepaid product that can be bought now. */
        PrepaidProduct: {
            /**
             * @description What kind of product: the `command` of its inquiry.
             * @example plntok
             */
            command: string;
            /** @example PLN50 */
            product_code: string;
            name: string;
            /** @description What the customer gets. */
            amount: components["schemas"]["RupiahText"];
            admin_fee: components["schemas"]["RupiahText"];
            /** @description What is debited: amount and admin fee. */
            price: components["schemas"]["RupiahText"];
            /** Format: int64 */
            customer_id_min_length: number;
            /** Format: int64 */
            customer_id_max_length: number;
            /** @description How the number begins; empty where it may begin with any digit. */
            customer_id_prefix: string;
        };
    };
    responses: {
        /** @description - The body is not JSON or not sent as JSON, or the state of the resource does not allow the request. */
        V1Error400: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /** @description - The access token is missing, expired, revoked or of another merchant; or the client could not prove itself. */
        V1Error401: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /** @description - The caller's address is not on the merchant's whitelist. */
        V1Error403: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /** @description - The body is over 256 KiB. */
        V1Error413: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /** @description - A field or header is missing or wrong; `errors` has the messages by field. */
        V1Error422: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /** @description - Too many requests in a minute. Send the request again after Retry-After. */
        V1Error429: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                /** @description Seconds after which the same request may be sent again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /** @description - Something is wrong on our side. What was ordered may have been done: ask for its status. */
        V1Error500: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /**
         * @description - A part of the gateway does not answer at the moment. Send the same request again.
         *     - Too much is under way. Nothing was done: send the request again after Retry-After.
         */
        V1Error503: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                /** @description Seconds after which the same request may be sent again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /** @description - No answer came in time. What was ordered may have been done: ask for its status, or send the same request again. */
        V1Error504: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                /** @description Seconds after which the same request may be sent again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /** @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request. */
        V2Error400: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV2"];
            };
        };
        /** @description - SP013: The access token is missing, expired, revoked or of another merchant; or the client could not prove itself. */
        V2Error401: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV2"];
            };
        };
        /** @description - SP012: The body is over 256 KiB. */
        V2Error413: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV2"];
            };
        };
        /** @description - SP018: A field or header is missing or wrong; `errors` has the messages by field. */
        V2Error422: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV2"];
            };
        };
        /** @description - SP019: Too many requests in a minute. Send the request again after Retry-After. */
        V2Error429: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                /** @description Seconds after which the same request may be sent again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV2"];
            };
        };
        /**
         * @description - SP002: Something is wrong on our side. What was ordered may have been done: ask for its status.
         *     - SP002: A part of the gateway does not answer at the moment. Send the same request again.
         */
        V2Error500: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                /** @description Seconds after which the same request may be sent again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV2"];
            };
        };
        /** @description - SP005: No answer came in time. What was ordered may have been done: ask for its status, or send the same request again. */
        V2Error504: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                /** @description Seconds after which the same request may be sent again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV2"];
            };
        };
        /** @description - SP019: Too much is under way. Nothing was done: send the request again after Retry-After. */
        V2Error503: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                /** @description Seconds after which the same request may be sent again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV2"];
            };
        };
        /** @description - 04: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request. */
        LegacyError400: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LegacyError"];
            };
        };
        /** @description - The access token is missing, expired, revoked or of another merchant; or the client could not prove itself. */
        LegacyError401: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /** @description - 04: The body is over 256 KiB. */
        LegacyError413: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LegacyError"];
            };
        };
        /** @description - Too many requests in a minute. Send the request again after Retry-After. */
        LegacyError429: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                /** @description Seconds after which the same request may be sent again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorV1"];
            };
        };
        /** @description - 99: Something is wrong on our side. What was ordered may have been done: ask for its status. */
        LegacyError500: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LegacyError"];
            };
        };
        /** @description - 99: No answer came in time. What was ordered may have been done: ask for its status, or send the same request again. */
        LegacyError504: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                /** @description Seconds after which the same request may be sent again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LegacyError"];
            };
        };
        /** @description - 04: A field or header is missing or wrong; `errors` has the messages by field. */
        LegacyError422: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LegacyOrV1Error"];
            };
        };
        /**
         * @description - 99: A part of the gateway does not answer at the moment. Send the same request again.
         *     - 99: Too much is under way. Nothing was done: send the request again after Retry-After.
         */
        LegacyError503: {
            headers: {
                /** @description The id of the request and of its trace: name it when you ask for support. */
                "X-Request-Id": components["schemas"]["RequestId"];
                /** @description Seconds after which the same request may be sent again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LegacyError"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type IssueTokenV10Request = components['schemas']['IssueTokenV10Request'];
export type IssueTokenV11Request = components['schemas']['IssueTokenV11Request'];
export type OpenAccountRequest = components['schemas']['OpenAccountRequest'];
export type AccountId = components['schemas']['AccountId'];
export type UpdateAccountRequest = components['schemas']['UpdateAccountRequest'];
export type CreateAccountTransferRequest = components['schemas']['CreateAccountTransferRequest'];
export type AmountInput = components['schemas']['AmountInput'];
export type UpdateCallbackSettingsRequest = components['schemas']['UpdateCallbackSettingsRequest'];
export type CreateVirtualAccountRequest = components['schemas']['CreateVirtualAccountRequest'];
export type UnixMillisecondsInput = components['schemas']['UnixMillisecondsInput'];
export type UpdateVirtualAccountRequest = components['schemas']['UpdateVirtualAccountRequest'];
export type GenerateQrisRequest = components['schemas']['GenerateQrisRequest'];
export type CreateEwalletCheckoutRequest = components['schemas']['CreateEwalletCheckoutRequest'];
export type CreateRetailTransactionRequest = components['schemas']['CreateRetailTransactionRequest'];
export type CreatePaymentLinkRequest = components['schemas']['CreatePaymentLinkRequest'];
export type UpdatePaymentLinkRequest = components['schemas']['UpdatePaymentLinkRequest'];
export type CheckBeneficiaryRequest = components['schemas']['CheckBeneficiaryRequest'];
export type TransferDisbursementRequest = components['schemas']['TransferDisbursementRequest'];
export type MoneyInput = components['schemas']['MoneyInput'];
export type InquireDisbursementStatusRequest = components['schemas']['InquireDisbursementStatusRequest'];
export type CheckBeneficiaryV1Request = components['schemas']['CheckBeneficiaryV1Request'];
export type TransferDisbursementV1Request = components['schemas']['TransferDisbursementV1Request'];
export type InquireDisbursementStatusV1Request = components['schemas']['InquireDisbursementStatusV1Request'];
export type CheckWalletRequest = components['schemas']['CheckWalletRequest'];
export type TriggerEwalletTopupRequest = components['schemas']['TriggerEwalletTopupRequest'];
export type InquireEwalletTopupStatusRequest = components['schemas']['InquireEwalletTopupStatusRequest'];
export type CreateCardlessWithdrawalRequest = components['schemas']['CreateCardlessWithdrawalRequest'];
export type InquireQrisPaymentRequest = components['schemas']['InquireQrisPaymentRequest'];
export type CreditQrisRequest = components['schemas']['CreditQrisRequest'];
export type InquireQrisPaymentStatusRequest = components['schemas']['InquireQrisPaymentStatusRequest'];
export type CreateDirectDebitBindingRequest = components['schemas']['CreateDirectDebitBindingRequest'];
export type ChargeDirectDebitRequest = components['schemas']['ChargeDirectDebitRequest'];
export type VerifyDirectDebitOtpRequest = components['schemas']['VerifyDirectDebitOtpRequest'];
export type RefundDirectDebitRequest = components['schemas']['RefundDirectDebitRequest'];
export type PayByCardRequest = components['schemas']['PayByCardRequest'];
export type CardCustomerInput = components['schemas']['CardCustomerInput'];
export type CreatePlanRequest = components['schemas']['CreatePlanRequest'];
export type ReplacePlanCardRequest = components['schemas']['ReplacePlanCardRequest'];
export type InquirePrepaidRequest = components['schemas']['InquirePrepaidRequest'];
export type InquirePrepaidRequestData = components['schemas']['InquirePrepaidRequestData'];
export type PayPrepaidRequest = components['schemas']['PayPrepaidRequest'];
export type PayPrepaidRequestData = components['schemas']['PayPrepaidRequestData'];
export type MoneyInExpirationWebhook = components['schemas']['MoneyInExpirationWebhook'];
export type WebhookTimestamp = components['schemas']['WebhookTimestamp'];
export type MoneyInExpiration = components['schemas']['MoneyInExpiration'];
export type VirtualAccount = components['schemas']['VirtualAccount'];
export type Ulid = components['schemas']['Ulid'];
export type Bank = components['schemas']['Bank'];
export type BankShortName = components['schemas']['BankShortName'];
export type Money = components['schemas']['Money'];
export type VirtualAccountStatus = components['schemas']['VirtualAccountStatus'];
export type UnixMilliseconds = components['schemas']['UnixMilliseconds'];
export type Timestamp = components['schemas']['Timestamp'];
export type QrisTransaction = components['schemas']['QrisTransaction'];
export type QrisReference = components['schemas']['QrisReference'];
export type QrisStatus = components['schemas']['QrisStatus'];
export type EwalletCheckout = components['schemas']['EwalletCheckout'];
export type EwalletTransactionId = components['schemas']['EwalletTransactionId'];
export type EwalletChannel = components['schemas']['EwalletChannel'];
export type EwalletStatus = components['schemas']['EwalletStatus'];
export type RetailTransaction = components['schemas']['RetailTransaction'];
export type RetailStatus = components['schemas']['RetailStatus'];
export type RetailCode = components['schemas']['RetailCode'];
export type PaymentLink = components['schemas']['PaymentLink'];
export type PaymentLinkReference = components['schemas']['PaymentLinkReference'];
export type PaymentLinkStatus = components['schemas']['PaymentLinkStatus'];
export type PaymentMethodCode = components['schemas']['PaymentMethodCode'];
export type VaTransactionWebhook = components['schemas']['VaTransactionWebhook'];
export type VaTransaction = components['schemas']['VaTransaction'];
export type QrisTransactionWebhook = components['schemas']['QrisTransactionWebhook'];
export type EwalletTransactionWebhook = components['schemas']['EwalletTransactionWebhook'];
export type RetailTransactionWebhook = components['schemas']['RetailTransactionWebhook'];
export type PaymentLinkInquiryWebhook = components['schemas']['PaymentLinkInquiryWebhook'];
export type PaymentLinkSession = components['schemas']['PaymentLinkSession'];
export type PaymentLinkHistoryOfWebhook = components['schemas']['PaymentLinkHistoryOfWebhook'];
export type PaymentLinkHistoryReference = components['schemas']['PaymentLinkHistoryReference'];
export type PaymentLinkHistoryStatus = components['schemas']['PaymentLinkHistoryStatus'];
export type MoneyNumber = components['schemas']['MoneyNumber'];
export type JakartaDateTime = components['schemas']['JakartaDateTime'];
export type PaymentLinkOfWebhook = components['schemas']['PaymentLinkOfWebhook'];
export type PaymentLinkTransactionWebhook = components['schemas']['PaymentLinkTransactionWebhook'];
export type PaymentLinkHistory = components['schemas']['PaymentLinkHistory'];
export type PaymentLinkInquiryExpiredWebhook = components['schemas']['PaymentLinkInquiryExpiredWebhook'];
export type DisbursementWebhook = components['schemas']['DisbursementWebhook'];
export type DisbursementOfWebhook = components['schemas']['DisbursementOfWebhook'];
export type ReferenceNumber = components['schemas']['ReferenceNumber'];
export type TransactionStatus = components['schemas']['TransactionStatus'];
export type TransactionStatusCode = components['schemas']['TransactionStatusCode'];
export type MoneyOrNull = components['schemas']['MoneyOrNull'];
export type UnixMillisecondsText = components['schemas']['UnixMillisecondsText'];
export type BankCode = components['schemas']['BankCode'];
export type BankAccountNumber = components['schemas']['BankAccountNumber'];
export type EwalletTopupWebhook = components['schemas']['EwalletTopupWebhook'];
export type EwalletTopupOfWebhook = components['schemas']['EwalletTopupOfWebhook'];
export type CardlessWithdrawalWebhook = components['schemas']['CardlessWithdrawalWebhook'];
export type CardlessWithdrawalOfWebhook = components['schemas']['CardlessWithdrawalOfWebhook'];
export type CardlessWithdrawalStatus = components['schemas']['CardlessWithdrawalStatus'];
export type QrisIssuerWebhook = components['schemas']['QrisIssuerWebhook'];
export type QrisPaymentOfWebhook = components['schemas']['QrisPaymentOfWebhook'];
export type BillerPaymentWebhook = components['schemas']['BillerPaymentWebhook'];
export type PrepaidPayment = components['schemas']['PrepaidPayment'];
export type PrepaidReference = components['schemas']['PrepaidReference'];
export type RupiahText = components['schemas']['RupiahText'];
export type PrepaidStatus = components['schemas']['PrepaidStatus'];
export type DirectDebitBindingSucceededWebhook = components['schemas']['DirectDebitBindingSucceededWebhook'];
export type DirectDebitBinding = components['schemas']['DirectDebitBinding'];
export type DirectDebitBindingStatus = components['schemas']['DirectDebitBindingStatus'];
export type DirectDebitBindingFailedWebhook = components['schemas']['DirectDebitBindingFailedWebhook'];
export type DirectDebitBindingExpiredWebhook = components['schemas']['DirectDebitBindingExpiredWebhook'];
export type DirectDebitUnbindingSucceededWebhook = components['schemas']['DirectDebitUnbindingSucceededWebhook'];
export type DirectDebitUnbindingFailedWebhook = components['schemas']['DirectDebitUnbindingFailedWebhook'];
export type DirectDebitChargeSucceededWebhook = components['schemas']['DirectDebitChargeSucceededWebhook'];
export type DirectDebitTransaction = components['schemas']['DirectDebitTransaction'];
export type DirectDebitStatus = components['schemas']['DirectDebitStatus'];
export type DirectDebitRefundOfTransaction = components['schemas']['DirectDebitRefundOfTransaction'];
export type DirectDebitRefundStatus = components['schemas']['DirectDebitRefundStatus'];
export type DirectDebitChargeFailedWebhook = components['schemas']['DirectDebitChargeFailedWebhook'];
export type DirectDebitRefundSucceededWebhook = components['schemas']['DirectDebitRefundSucceededWebhook'];
export type DirectDebitRefund = components['schemas']['DirectDebitRefund'];
export type DirectDebitRefundFailedWebhook = components['schemas']['DirectDebitRefundFailedWebhook'];
export type CardTransactionWebhook = components['schemas']['CardTransactionWebhook'];
export type CardTransaction = components['schemas']['CardTransaction'];
export type CardTransactionId = components['schemas']['CardTransactionId'];
export type CardTransactionStatus = components['schemas']['CardTransactionStatus'];
export type CardBrand = components['schemas']['CardBrand'];
export type CardCustomer = components['schemas']['CardCustomer'];
export type SubscriptionActivatedWebhook = components['schemas']['SubscriptionActivatedWebhook'];
export type Plan = components['schemas']['Plan'];
export type PlanStatus = components['schemas']['PlanStatus'];
export type PlanInterval = components['schemas']['PlanInterval'];
export type SubscriptionChargeSucceededWebhook = components['schemas']['SubscriptionChargeSucceededWebhook'];
export type PlanCycle = components['schemas']['PlanCycle'];
export type CycleStatus = components['schemas']['CycleStatus'];
export type SubscriptionChargeFailedWebhook = components['schemas']['SubscriptionChargeFailedWebhook'];
export type SubscriptionPastDueWebhook = components['schemas']['SubscriptionPastDueWebhook'];
export type SubscriptionCancelledWebhook = components['schemas']['SubscriptionCancelledWebhook'];
export type SubscriptionCompletedWebhook = components['schemas']['SubscriptionCompletedWebhook'];
export type SubscriptionCardExpiringWebhook = components['schemas']['SubscriptionCardExpiringWebhook'];
export type CardChargebackWebhook = components['schemas']['CardChargebackWebhook'];
export type CardChargeback = components['schemas']['CardChargeback'];
export type CardChargebackStatus = components['schemas']['CardChargebackStatus'];
export type RequestId = components['schemas']['RequestId'];
export type IssueTokenV10Answer = components['schemas']['IssueTokenV10Answer'];
export type AccessToken = components['schemas']['AccessToken'];
export type ErrorV1 = components['schemas']['ErrorV1'];
export type ErrorDetail = components['schemas']['ErrorDetail'];
export type FieldErrors = components['schemas']['FieldErrors'];
export type ErrorV1Data = components['schemas']['ErrorV1Data'];
export type IssueTokenV11Answer = components['schemas']['IssueTokenV11Answer'];
export type ListAccountsAnswer = components['schemas']['ListAccountsAnswer'];
export type ListAccountsData = components['schemas']['ListAccountsData'];
export type Account = components['schemas']['Account'];
export type OpenAccountAnswer = components['schemas']['OpenAccountAnswer'];
export type ShowAccountAnswer = components['schemas']['ShowAccountAnswer'];
export type UpdateAccountAnswer = components['schemas']['UpdateAccountAnswer'];
export type ShowMerchantBalanceAnswer = components['schemas']['ShowMerchantBalanceAnswer'];
export type Balance = components['schemas']['Balance'];
export type ShowAccountBalanceAnswer = components['schemas']['ShowAccountBalanceAnswer'];
export type ListStatementEntriesAnswer = components['schemas']['ListStatementEntriesAnswer'];
export type ListStatementEntriesData = components['schemas']['ListStatementEntriesData'];
export type StatementEntry = components['schemas']['StatementEntry'];
export type ListSettlementsAnswer = components['schemas']['ListSettlementsAnswer'];
export type ListSettlementsData = components['schemas']['ListSettlementsData'];
export type SettlementTransaction = components['schemas']['SettlementTransaction'];
export type CreateAccountTransferAnswer = components['schemas']['CreateAccountTransferAnswer'];
export type AccountTransfer = components['schemas']['AccountTransfer'];
export type ListAccountTransfersAnswer = components['schemas']['ListAccountTransfersAnswer'];
export type ListAccountTransfersData = components['schemas']['ListAccountTransfersData'];
export type ShowAccountTransferAnswer = components['schemas']['ShowAccountTransferAnswer'];
export type ShowCallbackSettingsAnswer = components['schemas']['ShowCallbackSettingsAnswer'];
export type CallbackSettings = components['schemas']['CallbackSettings'];
export type UpdateCallbackSettingsAnswer = components['schemas']['UpdateCallbackSettingsAnswer'];
export type ListWebhookDeliveriesAnswer = components['schemas']['ListWebhookDeliveriesAnswer'];
export type ListWebhookDeliveriesData = components['schemas']['ListWebhookDeliveriesData'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type ShowWebhookDeliveryAnswer = components['schemas']['ShowWebhookDeliveryAnswer'];
export type RedeliverWebhookAnswer = components['schemas']['RedeliverWebhookAnswer'];
export type CreateVirtualAccountAnswer = components['schemas']['CreateVirtualAccountAnswer'];
export type ListVirtualAccountsAnswer = components['schemas']['ListVirtualAccountsAnswer'];
export type ListVirtualAccountsData = components['schemas']['ListVirtualAccountsData'];
export type ShowVirtualAccountAnswer = components['schemas']['ShowVirtualAccountAnswer'];
export type UpdateVirtualAccountAnswer = components['schemas']['UpdateVirtualAccountAnswer'];
export type DeleteVirtualAccountAnswer = components['schemas']['DeleteVirtualAccountAnswer'];
export type ListVaTransactionsAnswer = components['schemas']['ListVaTransactionsAnswer'];
export type ListVaTransactionsData = components['schemas']['ListVaTransactionsData'];
export type ShowVaTransactionAnswer = components['schemas']['ShowVaTransactionAnswer'];
export type GenerateQrisAnswer = components['schemas']['GenerateQrisAnswer'];
export type ListQrisAnswer = components['schemas']['ListQrisAnswer'];
export type ListQrisData = components['schemas']['ListQrisData'];
export type InquireQrisStatusAnswer = components['schemas']['InquireQrisStatusAnswer'];
export type ShowQrisAnswer = components['schemas']['ShowQrisAnswer'];
export type CreateEwalletCheckoutAnswer = components['schemas']['CreateEwalletCheckoutAnswer'];
export type ListEwalletCheckoutsAnswer = components['schemas']['ListEwalletCheckoutsAnswer'];
export type ListEwalletCheckoutsData = components['schemas']['ListEwalletCheckoutsData'];
export type ShowEwalletCheckoutAnswer = components['schemas']['ShowEwalletCheckoutAnswer'];
export type CreateRetailTransactionAnswer = components['schemas']['CreateRetailTransactionAnswer'];
export type ShowRetailTransactionAnswer = components['schemas']['ShowRetailTransactionAnswer'];
export type ListPaymentMethodsAnswer = components['schemas']['ListPaymentMethodsAnswer'];
export type PaymentMethods = components['schemas']['PaymentMethods'];
export type PaymentMethod = components['schemas']['PaymentMethod'];
export type CreatePaymentLinkAnswer = components['schemas']['CreatePaymentLinkAnswer'];
export type ListPaymentLinksAnswer = components['schemas']['ListPaymentLinksAnswer'];
export type ListPaymentLinksData = components['schemas']['ListPaymentLinksData'];
export type ShowPaymentLinkAnswer = components['schemas']['ShowPaymentLinkAnswer'];
export type UpdatePaymentLinkAnswer = components['schemas']['UpdatePaymentLinkAnswer'];
export type DeletePaymentLinkAnswer = components['schemas']['DeletePaymentLinkAnswer'];
export type ShowPaymentLinkV2Answer = components['schemas']['ShowPaymentLinkV2Answer'];
export type ListPaymentLinkHistoriesAnswer = components['schemas']['ListPaymentLinkHistoriesAnswer'];
export type ListPaymentLinkHistoriesData = components['schemas']['ListPaymentLinkHistoriesData'];
export type ShowPaymentLinkHistoryAnswer = components['schemas']['ShowPaymentLinkHistoryAnswer'];
export type CheckBeneficiaryAnswer = components['schemas']['CheckBeneficiaryAnswer'];
export type Beneficiary = components['schemas']['Beneficiary'];
export type ErrorV2 = components['schemas']['ErrorV2'];
export type ErrorV2Data = components['schemas']['ErrorV2Data'];
export type TransferDisbursementAnswer = components['schemas']['TransferDisbursementAnswer'];
export type Disbursement = components['schemas']['Disbursement'];
export type TransferDisbursementError = components['schemas']['TransferDisbursementError'];
export type TransferDisbursementErrorData = components['schemas']['TransferDisbursementErrorData'];
export type ShowDisbursementFeeAnswer = components['schemas']['ShowDisbursementFeeAnswer'];
export type DisbursementFee = components['schemas']['DisbursementFee'];
export type ListDisbursementsAnswer = components['schemas']['ListDisbursementsAnswer'];
export type ListDisbursementsData = components['schemas']['ListDisbursementsData'];
export type InquireDisbursementStatusAnswer = components['schemas']['InquireDisbursementStatusAnswer'];
export type CheckBeneficiaryV1Answer = components['schemas']['CheckBeneficiaryV1Answer'];
export type TransferDisbursementV1Answer = components['schemas']['TransferDisbursementV1Answer'];
export type TransferDisbursementV1Error = components['schemas']['TransferDisbursementV1Error'];
export type TransferDisbursementV1ErrorData = components['schemas']['TransferDisbursementV1ErrorData'];
export type ShowDisbursementFeeV1Answer = components['schemas']['ShowDisbursementFeeV1Answer'];
export type ListDisbursementsV1Answer = components['schemas']['ListDisbursementsV1Answer'];
export type ListDisbursementsV1Data = components['schemas']['ListDisbursementsV1Data'];
export type ShowDisbursementV1Answer = components['schemas']['ShowDisbursementV1Answer'];
export type InquireDisbursementStatusV1Answer = components['schemas']['InquireDisbursementStatusV1Answer'];
export type CheckWalletAnswer = components['schemas']['CheckWalletAnswer'];
export type Wallet = components['schemas']['Wallet'];
export type TriggerEwalletTopupAnswer = components['schemas']['TriggerEwalletTopupAnswer'];
export type EwalletTopup = components['schemas']['EwalletTopup'];
export type TriggerEwalletTopupError = components['schemas']['TriggerEwalletTopupError'];
export type TriggerEwalletTopupErrorData = components['schemas']['TriggerEwalletTopupErrorData'];
export type InquireEwalletTopupStatusAnswer = components['schemas']['InquireEwalletTopupStatusAnswer'];
export type CreateCardlessWithdrawalAnswer = components['schemas']['CreateCardlessWithdrawalAnswer'];
export type CardlessWithdrawalWithCode = components['schemas']['CardlessWithdrawalWithCode'];
export type CreateCardlessWithdrawalError = components['schemas']['CreateCardlessWithdrawalError'];
export type CreateCardlessWithdrawalErrorData = components['schemas']['CreateCardlessWithdrawalErrorData'];
export type ListCardlessWithdrawalsAnswer = components['schemas']['ListCardlessWithdrawalsAnswer'];
export type ListCardlessWithdrawalsData = components['schemas']['ListCardlessWithdrawalsData'];
export type CardlessWithdrawal = components['schemas']['CardlessWithdrawal'];
export type ShowCardlessWithdrawalAnswer = components['schemas']['ShowCardlessWithdrawalAnswer'];
export type CancelCardlessWithdrawalAnswer = components['schemas']['CancelCardlessWithdrawalAnswer'];
export type CancelCardlessWithdrawalError = components['schemas']['CancelCardlessWithdrawalError'];
export type CancelCardlessWithdrawalErrorData = components['schemas']['CancelCardlessWithdrawalErrorData'];
export type InquireQrisPaymentAnswer = components['schemas']['InquireQrisPaymentAnswer'];
export type QrisPayment = components['schemas']['QrisPayment'];
export type CreditQrisAnswer = components['schemas']['CreditQrisAnswer'];
export type CreditQrisError = components['schemas']['CreditQrisError'];
export type CreditQrisErrorData = components['schemas']['CreditQrisErrorData'];
export type InquireQrisPaymentStatusAnswer = components['schemas']['InquireQrisPaymentStatusAnswer'];
export type InquireQrisPaymentStatusError = components['schemas']['InquireQrisPaymentStatusError'];
export type InquireQrisPaymentStatusErrorData = components['schemas']['InquireQrisPaymentStatusErrorData'];
export type CreateDirectDebitBindingAnswer = components['schemas']['CreateDirectDebitBindingAnswer'];
export type NewDirectDebitBinding = components['schemas']['NewDirectDebitBinding'];
export type ListDirectDebitBindingsAnswer = components['schemas']['ListDirectDebitBindingsAnswer'];
export type ListDirectDebitBindingsData = components['schemas']['ListDirectDebitBindingsData'];
export type ShowDirectDebitBindingAnswer = components['schemas']['ShowDirectDebitBindingAnswer'];
export type UnbindDirectDebitAnswer = components['schemas']['UnbindDirectDebitAnswer'];
export type DirectDebitUnbinding = components['schemas']['DirectDebitUnbinding'];
export type OtpHandoff = components['schemas']['OtpHandoff'];
export type ChargeDirectDebitAnswer = components['schemas']['ChargeDirectDebitAnswer'];
export type ChargeDirectDebitError = components['schemas']['ChargeDirectDebitError'];
export type ChargeDirectDebitErrorData = components['schemas']['ChargeDirectDebitErrorData'];
export type VerifyDirectDebitOtpAnswer = components['schemas']['VerifyDirectDebitOtpAnswer'];
export type DirectDebitOtpAnswer = components['schemas']['DirectDebitOtpAnswer'];
export type DirectDebitTransactionWithOtp = components['schemas']['DirectDebitTransactionWithOtp'];
export type DirectDebitBindingWithOtp = components['schemas']['DirectDebitBindingWithOtp'];
export type VerifyDirectDebitOtpError = components['schemas']['VerifyDirectDebitOtpError'];
export type VerifyDirectDebitOtpErrorData = components['schemas']['VerifyDirectDebitOtpErrorData'];
export type ListDirectDebitTransactionsAnswer = components['schemas']['ListDirectDebitTransactionsAnswer'];
export type ListDirectDebitTransactionsData = components['schemas']['ListDirectDebitTransactionsData'];
export type ShowDirectDebitTransactionAnswer = components['schemas']['ShowDirectDebitTransactionAnswer'];
export type RefundDirectDebitAnswer = components['schemas']['RefundDirectDebitAnswer'];
export type RefundDirectDebitError = components['schemas']['RefundDirectDebitError'];
export type RefundDirectDebitErrorData = components['schemas']['RefundDirectDebitErrorData'];
export type PayByCardAnswer = components['schemas']['PayByCardAnswer'];
export type PayByCardError = components['schemas']['PayByCardError'];
export type PayByCardErrorData = components['schemas']['PayByCardErrorData'];
export type CancelCardPaymentAnswer = components['schemas']['CancelCardPaymentAnswer'];
export type CardCancel = components['schemas']['CardCancel'];
export type ShowCardPaymentAnswer = components['schemas']['ShowCardPaymentAnswer'];
export type ListCardChargebacksAnswer = components['schemas']['ListCardChargebacksAnswer'];
export type ListCardChargebacksData = components['schemas']['ListCardChargebacksData'];
export type ShowCardChargebackAnswer = components['schemas']['ShowCardChargebackAnswer'];
export type CreatePlanAnswer = components['schemas']['CreatePlanAnswer'];
export type CreatePlanError = components['schemas']['CreatePlanError'];
export type CreatePlanErrorData = components['schemas']['CreatePlanErrorData'];
export type ListPlansAnswer = components['schemas']['ListPlansAnswer'];
export type ListPlansData = components['schemas']['ListPlansData'];
export type ShowPlanAnswer = components['schemas']['ShowPlanAnswer'];
export type PausePlanAnswer = components['schemas']['PausePlanAnswer'];
export type ResumePlanAnswer = components['schemas']['ResumePlanAnswer'];
export type CancelPlanAnswer = components['schemas']['CancelPlanAnswer'];
export type ReplacePlanCardAnswer = components['schemas']['ReplacePlanCardAnswer'];
export type ReplacePlanCardError = components['schemas']['ReplacePlanCardError'];
export type ReplacePlanCardErrorData = components['schemas']['ReplacePlanCardErrorData'];
export type ListPlanCyclesAnswer = components['schemas']['ListPlanCyclesAnswer'];
export type ListPlanCyclesData = components['schemas']['ListPlanCyclesData'];
export type InquirePrepaidAnswer = components['schemas']['InquirePrepaidAnswer'];
export type PrepaidInquiry = components['schemas']['PrepaidInquiry'];
export type LegacyError = components['schemas']['LegacyError'];
export type LegacyOrV1Error = components['schemas']['LegacyOrV1Error'];
export type PayPrepaidAnswer = components['schemas']['PayPrepaidAnswer'];
export type ListPrepaidProductsAnswer = components['schemas']['ListPrepaidProductsAnswer'];
export type PrepaidProducts = components['schemas']['PrepaidProducts'];
export type PrepaidProduct = components['schemas']['PrepaidProduct'];
export type ResponseV1Error400 = components['responses']['V1Error400'];
export type ResponseV1Error401 = components['responses']['V1Error401'];
export type ResponseV1Error403 = components['responses']['V1Error403'];
export type ResponseV1Error413 = components['responses']['V1Error413'];
export type ResponseV1Error422 = components['responses']['V1Error422'];
export type ResponseV1Error429 = components['responses']['V1Error429'];
export type ResponseV1Error500 = components['responses']['V1Error500'];
export type ResponseV1Error503 = components['responses']['V1Error503'];
export type ResponseV1Error504 = components['responses']['V1Error504'];
export type ResponseV2Error400 = components['responses']['V2Error400'];
export type ResponseV2Error401 = components['responses']['V2Error401'];
export type ResponseV2Error413 = components['responses']['V2Error413'];
export type ResponseV2Error422 = components['responses']['V2Error422'];
export type ResponseV2Error429 = components['responses']['V2Error429'];
export type ResponseV2Error500 = components['responses']['V2Error500'];
export type ResponseV2Error504 = components['responses']['V2Error504'];
export type ResponseV2Error503 = components['responses']['V2Error503'];
export type ResponseLegacyError400 = components['responses']['LegacyError400'];
export type ResponseLegacyError401 = components['responses']['LegacyError401'];
export type ResponseLegacyError413 = components['responses']['LegacyError413'];
export type ResponseLegacyError429 = components['responses']['LegacyError429'];
export type ResponseLegacyError500 = components['responses']['LegacyError500'];
export type ResponseLegacyError504 = components['responses']['LegacyError504'];
export type ResponseLegacyError422 = components['responses']['LegacyError422'];
export type ResponseLegacyError503 = components['responses']['LegacyError503'];
export type $defs = Record<string, never>;
export interface operations {
    issueTokenV10: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials"
                 *     }
                 */
                "application/json": components["schemas"]["IssueTokenV10Request"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6Ii4uLiJ9.eyJpc3MiOiIuLi4ifQ.c2lnbmF0dXJl",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900,
                     *         "expires_at": "2026-11-22T22:57:52.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["IssueTokenV10Answer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            403: components["responses"]["V1Error403"];
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    issueTokenV11: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials"
                 *     }
                 */
                "application/json": components["schemas"]["IssueTokenV11Request"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6Ii4uLiJ9.eyJpc3MiOiIuLi4ifQ.c2lnbmF0dXJl",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900,
                     *         "expires_at": "2026-11-22T22:57:52.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["IssueTokenV11Answer"];
                };
            };
            400: components["responses"]["V1Error400"];
            /** @description - The access token is missing, expired, revoked or of another merchant; or the client could not prove itself. */
            401: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 401,
                     *       "success": false,
                     *       "error": {
                     *         "code": 401,
                     *         "message": "Invalid credentials"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            403: components["responses"]["V1Error403"];
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                status?: "active" | "inactive" | "frozen";
                merchant_reff_no?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "01M82PTDF5RWCKGY3QCCDM67SQ",
                     *             "name": "Toko Kedua, Bandung",
                     *             "status": "active",
                     *             "merchant_reff_no": "cabang-2",
                     *             "is_default": false,
                     *             "created_at": "2026-11-22T22:42:53.032Z",
                     *             "updated_at": "2026-11-22T22:42:53.047Z"
                     *           },
                     *           {
                     *             "id": "01M82PTD5KZ6QP3B64C6TP9V5X",
                     *             "name": "Cadangan",
                     *             "status": "active",
                     *             "merchant_reff_no": null,
                     *             "is_default": false,
                     *             "created_at": "2026-11-22T22:42:52.722Z",
                     *             "updated_at": "2026-11-22T22:42:52.722Z"
                     *           }
                     *         ],
                     *         "next_cursor": "MTowMU04MlBURDVLWjZRUDNCNjRDNlRQOVY1WA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListAccountsAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            403: components["responses"]["V1Error403"];
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    openAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Toko Kedua",
                 *       "merchant_reff_no": "cabang-2"
                 *     }
                 */
                "application/json": components["schemas"]["OpenAccountRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "success": true,
                     *       "data": {
                     *         "id": "01M82PTDF5RWCKGY3QCCDM67SQ",
                     *         "name": "Toko Kedua",
                     *         "status": "active",
                     *         "merchant_reff_no": "cabang-2",
                     *         "is_default": false,
                     *         "created_at": "2026-11-22T22:42:53.032Z",
                     *         "updated_at": "2026-11-22T22:42:53.032Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["OpenAccountAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - A request with this Idempotency-Key is still running. Send it again after Retry-After. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            /**
             * @description - A field or header is missing or wrong; `errors` has the messages by field.
             *     - The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 422,
                     *       "success": false,
                     *       "error": {
                     *         "code": 422,
                     *         "message": "name: must have 1 to 100 characters",
                     *         "errors": {
                     *           "name": [
                     *             "must have 1 to 100 characters"
                     *           ]
                     *         }
                     *       },
                     *       "data": {
                     *         "errors": {
                     *           "name": [
                     *             "must have 1 to 100 characters"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": "01M82PTDF5RWCKGY3QCCDM67SQ",
                     *         "name": "Toko Kedua, Bandung",
                     *         "status": "active",
                     *         "merchant_reff_no": "cabang-2",
                     *         "is_default": false,
                     *         "created_at": "2026-11-22T22:42:53.032Z",
                     *         "updated_at": "2026-11-22T22:42:53.047Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowAccountAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Toko Kedua, Bandung"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateAccountRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": "01M82PTDF5RWCKGY3QCCDM67SQ",
                     *         "name": "Toko Kedua, Bandung",
                     *         "status": "active",
                     *         "merchant_reff_no": "cabang-2",
                     *         "is_default": false,
                     *         "created_at": "2026-11-22T22:42:53.032Z",
                     *         "updated_at": "2026-11-22T22:42:53.047Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UpdateAccountAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showMerchantBalance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "balance": {
                     *           "value": "100663566.00",
                     *           "currency": "IDR"
                     *         },
                     *         "available_balance": {
                     *           "value": "100663566.00",
                     *           "currency": "IDR"
                     *         },
                     *         "held_balance": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "pending_balance": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowMerchantBalanceAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            403: components["responses"]["V1Error403"];
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showAccountBalance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "balance": {
                     *           "value": "100613566.00",
                     *           "currency": "IDR"
                     *         },
                     *         "available_balance": {
                     *           "value": "100613566.00",
                     *           "currency": "IDR"
                     *         },
                     *         "held_balance": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "pending_balance": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowAccountBalanceAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            403: components["responses"]["V1Error403"];
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 404,
                     *       "success": false,
                     *       "error": {
                     *         "code": 404,
                     *         "message": "Merchant account not found"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - The path has other methods; the header Allow lists them. Of a balance: the account is of another merchant. */
            405: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listStatementEntries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                type?: "credit" | "debit";
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "c70d0ee1c604e08cc42fb9ec8f80c1d0",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "type": "credit",
                     *             "amount": {
                     *               "value": "100000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "balance_after": {
                     *               "value": "100613566.00",
                     *               "currency": "IDR"
                     *             },
                     *             "product": "card",
                     *             "transaction_id": "9901M82RTNST2KWMJB8HNPWSP61R",
                     *             "reference_number": "INV-1042",
                     *             "description": "Chargeback won",
                     *             "posted_at": "2026-11-22T23:18:38.965Z"
                     *           },
                     *           {
                     *             "id": "8f3499559cc9b89a17e2f63fc13c2d49",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "type": "debit",
                     *             "amount": {
                     *               "value": "100000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "balance_after": {
                     *               "value": "100513566.00",
                     *               "currency": "IDR"
                     *             },
                     *             "product": "card",
                     *             "transaction_id": "9901M82RTNST2KWMJB8HNPWSP61R",
                     *             "reference_number": "INV-1042",
                     *             "description": "Chargeback",
                     *             "posted_at": "2026-11-22T23:18:38.909Z"
                     *           },
                     *           {
                     *             "id": "a4fa47232cb9b784918f53717efdd80e",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "type": "credit",
                     *             "amount": {
                     *               "value": "70000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "balance_after": {
                     *               "value": "100613566.00",
                     *               "currency": "IDR"
                     *             },
                     *             "product": "direct-debit",
                     *             "transaction_id": "95c42407-476f-8bd1-8fd7-8f629fe895fe",
                     *             "reference_number": "tagihan-1",
                     *             "description": "Langganan November",
                     *             "posted_at": "2026-11-22T22:47:57.040Z"
                     *           }
                     *         ],
                     *         "next_cursor": "MToxNzk1Mzg3Njc3MDQwLjM4LjA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListStatementEntriesAnswer"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listSettlements: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                account_id?: components["schemas"]["AccountId"];
                product?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "a4fa47232cb9b784918f53717efdd80e",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "product": "direct-debit",
                     *             "transaction_id": "95c42407-476f-8bd1-8fd7-8f629fe895fe",
                     *             "reference_number": "tagihan-1",
                     *             "amount": {
                     *               "value": "70000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "net_amount": {
                     *               "value": "70000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "settled_at": "2026-11-22T22:47:57.040Z"
                     *           },
                     *           {
                     *             "id": "a510ce202077c57a8b5313f1ef48d064",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "product": "direct-debit",
                     *             "transaction_id": "f0adbcd2-6f44-86a1-9a8b-cfb1ce8f061d",
                     *             "reference_number": "tagihan-2",
                     *             "amount": {
                     *               "value": "900000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "net_amount": {
                     *               "value": "900000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "settled_at": "2026-11-22T22:47:57.023Z"
                     *           }
                     *         ],
                     *         "next_cursor": "MToxNzk1Mzg3Njc3MDIzLjM3LjA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListSettlementsAnswer"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listAccountTransfers: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                account_id?: components["schemas"]["AccountId"];
                reference_number?: string;
                status?: "00" | "01" | "02" | "03" | "04" | "05" | "06";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "transaction_id": "01M82PTEZ899GHQ3YC4XQWZA7J",
                     *             "reference_number": "pindah-1",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "source_account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "destination_account_id": "01M82PTD5KZ6QP3B64C6TP9V5X",
                     *             "transaction_status": {
                     *               "code": "00",
                     *               "desc": "Success"
                     *             },
                     *             "gross_amount": {
                     *               "value": "50000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "net_amount": {
                     *               "value": "50000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "balance_after": {
                     *               "value": "99645000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "possible_duplicate_of": null,
                     *             "post_timestamp": "2026-11-22T22:42:54.571Z",
                     *             "processed_timestamp": "2026-11-22T22:42:54.585Z",
                     *             "note": "Kas kecil"
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListAccountTransfersAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    createAccountTransfer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "source_account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *       "destination_account_id": "01M82PTD5KZ6QP3B64C6TP9V5X",
                 *       "amount": 50000,
                 *       "reference_number": "pindah-1",
                 *       "note": "Kas kecil"
                 *     }
                 */
                "application/json": components["schemas"]["CreateAccountTransferRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "01M82PTEZ899GHQ3YC4XQWZA7J",
                     *         "reference_number": "pindah-1",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "source_account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "destination_account_id": "01M82PTD5KZ6QP3B64C6TP9V5X",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "gross_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99645000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "post_timestamp": "2026-11-22T22:42:54.571Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.585Z",
                     *         "note": "Kas kecil"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreateAccountTransferAnswer"];
                };
            };
            /**
             * @description - The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - The available balance is less than amount and fee. Nothing is recorded; the reference stays free.
             *     - The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - The access token is missing, expired, revoked or of another merchant; or the client could not prove itself.
             *     - X-Signature is not that of this request, or X-Timestamp is more than 300 seconds off.
             */
            401: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - A request with this Idempotency-Key is still running. Send it again after Retry-After.
             *     - The reference number was used for another order of this account.
             */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            /**
             * @description - A field or header is missing or wrong; `errors` has the messages by field.
             *     - The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showAccountTransfer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `transaction_id` of the transfer. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "01M82PTEZ899GHQ3YC4XQWZA7J",
                     *         "reference_number": "pindah-1",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "source_account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "destination_account_id": "01M82PTD5KZ6QP3B64C6TP9V5X",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "gross_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99645000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "post_timestamp": "2026-11-22T22:42:54.571Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.585Z",
                     *         "note": "Kas kecil"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowAccountTransferAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - No resource has this id or reference number. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showCallbackSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_notif_url": "https://toko.example/gerbang/money-in",
                     *         "disbursement_notif_url": "https://toko.example/gerbang/money-out",
                     *         "direct_debit_notif_url": null,
                     *         "payment_link_inquiry_notif_url": null,
                     *         "signature_enabled": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowCallbackSettingsAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            403: components["responses"]["V1Error403"];
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    updateCallbackSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "transaction_notif_url": "https://toko.example/gerbang/money-in",
                 *       "disbursement_notif_url": "https://toko.example/gerbang/money-out",
                 *       "direct_debit_notif_url": null,
                 *       "payment_link_inquiry_notif_url": null,
                 *       "signature_enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateCallbackSettingsRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_notif_url": "https://toko.example/gerbang/money-in",
                     *         "disbursement_notif_url": "https://toko.example/gerbang/money-out",
                     *         "direct_debit_notif_url": null,
                     *         "payment_link_inquiry_notif_url": null,
                     *         "signature_enabled": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UpdateCallbackSettingsAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                status?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "01M82RVX6DK513PDCDD1TCYA70",
                     *             "event_id": "01M82RVX6DK513PDCDD1TCYA70",
                     *             "event": "card-transaction",
                     *             "url": "http://127.0.0.1:39007/hook?from=gerbang",
                     *             "status": "delivered",
                     *             "attempts": [
                     *               {
                     *                 "at": "2026-11-22T23:18:39.068Z",
                     *                 "http_status": 200,
                     *                 "duration_ms": 4,
                     *                 "answer": "",
                     *                 "error": null
                     *               }
                     *             ],
                     *             "redeliveries": [],
                     *             "created_at": "2026-11-22T23:18:39.053Z",
                     *             "next_attempt_at": null
                     *           },
                     *           {
                     *             "id": "01M82RVX5HGHWD1QMJNR61EAZF",
                     *             "event_id": "01M82RVX5HGHWD1QMJNR61EAZF",
                     *             "event": "card-transaction",
                     *             "url": "http://127.0.0.1:39007/hook?from=gerbang",
                     *             "status": "delivered",
                     *             "attempts": [
                     *               {
                     *                 "at": "2026-11-22T23:18:39.040Z",
                     *                 "http_status": 200,
                     *                 "duration_ms": 3,
                     *                 "answer": "",
                     *                 "error": null
                     *               }
                     *             ],
                     *             "redeliveries": [],
                     *             "created_at": "2026-11-22T23:18:39.025Z",
                     *             "next_attempt_at": null
                     *           }
                     *         ],
                     *         "next_cursor": "MTowMU04MlJWWDVIR0hXRDFRTUpOUjYxRUFaRg"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListWebhookDeliveriesAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            403: components["responses"]["V1Error403"];
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `id` of the delivery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": "01M82RVX6DK513PDCDD1TCYA70",
                     *         "event_id": "01M82RVX6DK513PDCDD1TCYA70",
                     *         "event": "card-transaction",
                     *         "url": "http://127.0.0.1:39007/hook?from=gerbang",
                     *         "status": "delivered",
                     *         "attempts": [
                     *           {
                     *             "at": "2026-11-22T23:18:39.068Z",
                     *             "http_status": 200,
                     *             "duration_ms": 4,
                     *             "answer": "",
                     *             "error": null
                     *           }
                     *         ],
                     *         "redeliveries": [],
                     *         "created_at": "2026-11-22T23:18:39.053Z",
                     *         "next_attempt_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowWebhookDeliveryAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            403: components["responses"]["V1Error403"];
            /** @description - No resource has this id or reference number. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `id` of the delivery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 202,
                     *       "success": true,
                     *       "data": {
                     *         "id": "01M82RVX6DK513PDCDD1TCYA70",
                     *         "event_id": "01M82RVX6DK513PDCDD1TCYA70",
                     *         "event": "card-transaction",
                     *         "url": "http://127.0.0.1:39007/hook?from=gerbang",
                     *         "status": "delivered",
                     *         "attempts": [
                     *           {
                     *             "at": "2026-11-22T23:18:39.068Z",
                     *             "http_status": 200,
                     *             "duration_ms": 4,
                     *             "answer": "",
                     *             "error": null
                     *           }
                     *         ],
                     *         "redeliveries": [
                     *           {
                     *             "at": "2026-11-22T23:18:39.168Z",
                     *             "asked_by": "ck_87tzy7tekcgd45d1"
                     *           }
                     *         ],
                     *         "created_at": "2026-11-22T23:18:39.053Z",
                     *         "next_attempt_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RedeliverWebhookAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            403: components["responses"]["V1Error403"];
            /** @description - No resource has this id or reference number. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listVirtualAccounts: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                merchant_reff_no?: string;
                status?: "active" | "completed" | "expired" | "inactive" | "failed";
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "01M82PTDK3GSG05BNZ3SK433NX",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "number": "7001455475528418",
                     *             "code": "VA_BCA",
                     *             "bank": {
                     *               "short_name": "BCA",
                     *               "number": "014",
                     *               "swift_code": "CENAIDJA"
                     *             },
                     *             "amount": {
                     *               "value": "50000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "min_amount": {
                     *               "value": "50000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "max_amount": {
                     *               "value": "50000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "amount_type": "closed",
                     *             "status": "completed",
                     *             "kind": "temporary",
                     *             "current_usage": 1,
                     *             "max_usage": 1,
                     *             "expired_at": 4102444800000,
                     *             "name": "Budi Santoso",
                     *             "merchant_reff_no": "INV-1042",
                     *             "created_at": "2026-11-22T22:42:53.167Z",
                     *             "updated_at": "2026-11-22T22:42:53.266Z"
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListVirtualAccountsAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    createVirtualAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bank_code": "BCA",
                 *       "kind": "temporary",
                 *       "amount_type": "closed",
                 *       "name": "Budi Santoso",
                 *       "merchant_reff_no": "INV-1042",
                 *       "expired_at": "4102444800000",
                 *       "max_usage": 1,
                 *       "amount": 50000
                 *     }
                 */
                "application/json": components["schemas"]["CreateVirtualAccountRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": "01M82PTDV8Q80C2KZ6KMZSGNDM",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "number": "7001410367172258",
                     *         "code": "VA_BCA",
                     *         "bank": {
                     *           "short_name": "BCA",
                     *           "number": "014",
                     *           "swift_code": "CENAIDJA"
                     *         },
                     *         "amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "min_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "max_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "amount_type": "closed",
                     *         "status": "active",
                     *         "kind": "temporary",
                     *         "current_usage": 0,
                     *         "max_usage": 1,
                     *         "expired_at": 4102444800000,
                     *         "name": "Budi Santoso",
                     *         "merchant_reff_no": "INV-1042",
                     *         "created_at": "2026-11-22T22:42:53.416Z",
                     *         "updated_at": "2026-11-22T22:42:53.416Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreateVirtualAccountAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - A request with this Idempotency-Key is still running. Send it again after Retry-After. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            /**
             * @description - A field or header is missing or wrong; `errors` has the messages by field.
             *     - The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 422,
                     *       "success": false,
                     *       "error": {
                     *         "code": 422,
                     *         "message": "bank_code: must be one of BCA, BNI, BRI, MANDIRI, PERMATA, MAYBANK, CIMB, BSI, MUAMALAT, BNC, OCBC, DANAMON; amount: must be greater than 0, at most 999999999999.99, with at most two decimals",
                     *         "errors": {
                     *           "bank_code": [
                     *             "must be one of BCA, BNI, BRI, MANDIRI, PERMATA, MAYBANK, CIMB, BSI, MUAMALAT, BNC, OCBC, DANAMON"
                     *           ],
                     *           "amount": [
                     *             "must be greater than 0, at most 999999999999.99, with at most two decimals"
                     *           ]
                     *         }
                     *       },
                     *       "data": {
                     *         "errors": {
                     *           "bank_code": [
                     *             "must be one of BCA, BNI, BRI, MANDIRI, PERMATA, MAYBANK, CIMB, BSI, MUAMALAT, BNC, OCBC, DANAMON"
                     *           ],
                     *           "amount": [
                     *             "must be greater than 0, at most 999999999999.99, with at most two decimals"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showVirtualAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description `id` of the virtual account. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": "01M82PTDK3GSG05BNZ3SK433NX",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "number": "7001455475528418",
                     *         "code": "VA_BCA",
                     *         "bank": {
                     *           "short_name": "BCA",
                     *           "number": "014",
                     *           "swift_code": "CENAIDJA"
                     *         },
                     *         "amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "min_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "max_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "amount_type": "closed",
                     *         "status": "completed",
                     *         "kind": "temporary",
                     *         "current_usage": 1,
                     *         "max_usage": 1,
                     *         "expired_at": 4102444800000,
                     *         "name": "Budi Santoso",
                     *         "merchant_reff_no": "INV-1042",
                     *         "created_at": "2026-11-22T22:42:53.167Z",
                     *         "updated_at": "2026-11-22T22:42:53.266Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowVirtualAccountAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 404,
                     *       "success": false,
                     *       "error": {
                     *         "code": 404,
                     *         "message": "Transaction not found"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    updateVirtualAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description `id` of the virtual account. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Siti Aminah",
                 *       "max_amount": 2000000
                 *     }
                 */
                "application/json": components["schemas"]["UpdateVirtualAccountRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": "01M82PTDSSNC8Y45W9MMDZYGW8",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "number": "9880938689006671",
                     *         "code": "VA_BNI",
                     *         "bank": {
                     *           "short_name": "BNI",
                     *           "number": "009",
                     *           "swift_code": "BNINIDJA"
                     *         },
                     *         "amount": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "min_amount": {
                     *           "value": "10000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "max_amount": {
                     *           "value": "2000000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "amount_type": "open",
                     *         "status": "active",
                     *         "kind": "permanent",
                     *         "current_usage": 0,
                     *         "max_usage": null,
                     *         "expired_at": null,
                     *         "name": "Siti Aminah",
                     *         "merchant_reff_no": "pelanggan-7",
                     *         "created_at": "2026-11-22T22:42:53.370Z",
                     *         "updated_at": "2026-11-22T22:42:53.391Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UpdateVirtualAccountAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    deleteVirtualAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description `id` of the virtual account. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": "01M82PTDSSNC8Y45W9MMDZYGW8",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "number": "9880938689006671",
                     *         "code": "VA_BNI",
                     *         "bank": {
                     *           "short_name": "BNI",
                     *           "number": "009",
                     *           "swift_code": "BNINIDJA"
                     *         },
                     *         "amount": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "min_amount": {
                     *           "value": "10000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "max_amount": {
                     *           "value": "2000000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "amount_type": "open",
                     *         "status": "inactive",
                     *         "kind": "permanent",
                     *         "current_usage": 0,
                     *         "max_usage": null,
                     *         "expired_at": null,
                     *         "name": "Siti Aminah",
                     *         "merchant_reff_no": "pelanggan-7",
                     *         "created_at": "2026-11-22T22:42:53.370Z",
                     *         "updated_at": "2026-11-22T22:42:53.403Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeleteVirtualAccountAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listVaTransactions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                merchant_reff_no?: string;
                virtual_account_id?: string;
                status?: "success";
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "01M82PTDNP84VESPA5XP45V5WA",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "virtual_account_id": "01M82PTDK3GSG05BNZ3SK433NX",
                     *             "number": "7001455475528418",
                     *             "bank": {
                     *               "short_name": "BCA",
                     *               "number": "014",
                     *               "swift_code": "CENAIDJA"
                     *             },
                     *             "amount": {
                     *               "value": "50000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "net_amount": {
                     *               "value": "50000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "status": "success",
                     *             "merchant_reff_no": "INV-1042",
                     *             "paid_at": "2026-11-22T22:42:53.221Z",
                     *             "has_settle": false,
                     *             "settle_at": "2026-11-22T22:42:58.221Z"
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListVaTransactionsAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showVaTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description `id` of the payment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": "01M82PTDNP84VESPA5XP45V5WA",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "virtual_account_id": "01M82PTDK3GSG05BNZ3SK433NX",
                     *         "number": "7001455475528418",
                     *         "bank": {
                     *           "short_name": "BCA",
                     *           "number": "014",
                     *           "swift_code": "CENAIDJA"
                     *         },
                     *         "amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "status": "success",
                     *         "merchant_reff_no": "INV-1042",
                     *         "paid_at": "2026-11-22T22:42:53.221Z",
                     *         "has_settle": false,
                     *         "settle_at": "2026-11-22T22:42:58.221Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowVaTransactionAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    generateQris: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 25000,
                 *       "merchant_reff_no": "meja-4",
                 *       "tip": {
                 *         "indicator": "percentage",
                 *         "value": 5
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["GenerateQrisRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "success": true,
                     *       "data": {
                     *         "id": 2,
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reff_no": "6601M82PTE0WGBBNCPRZMR0Y9G4M",
                     *         "merchant_reff_no": "meja-4",
                     *         "status": "open",
                     *         "status_computed": "open",
                     *         "is_expired": false,
                     *         "qr_data": "00020101021226470014ID.SANDBOX.WWW01189360099900000000170303UMI51440014ID.CO.QRIS.WWW0215ID10200300400550303UMI520459995303360540525000550203570155802ID5909Toko Demo6007Jakarta622905251M82PTE0WGBBNCPRZMR0Y9G4M6304E649",
                     *         "kind": null,
                     *         "type": "mpm-dynamic",
                     *         "amount": 25000,
                     *         "tip_indicator": "percentage",
                     *         "tip_value": 5,
                     *         "tip_amount": 0,
                     *         "total_amount": 25000,
                     *         "mdr_percentage": 0,
                     *         "mdr_cost": 0,
                     *         "our_margin": 0,
                     *         "vendor_fee": 0,
                     *         "settled_to_merchant_amount": 0,
                     *         "acquirer_name": "Gerbang Sandbox",
                     *         "acquirer_nns": "93600999",
                     *         "issuer_name": "",
                     *         "issuer_nns": "",
                     *         "rrn": "",
                     *         "customer_pan": "",
                     *         "customer_name": "",
                     *         "customer_account_type": "UNSPECIFIED",
                     *         "customer_data": {
                     *           "pan": "",
                     *           "name": "",
                     *           "account_type": "UNSPECIFIED"
                     *         },
                     *         "has_reconcile": false,
                     *         "reconcile_at": null,
                     *         "reconcile_by": "",
                     *         "had_settled_to_merchant": false,
                     *         "settled_to_merchant_at": null,
                     *         "has_settle": false,
                     *         "settle_at": null,
                     *         "settle_eligible_at": null,
                     *         "paid_at": null,
                     *         "created_at": "2026-11-22T22:42:53.596Z",
                     *         "updated_at": "2026-11-22T22:42:53.596Z",
                     *         "expired_at": "2026-11-22T23:12:53.596Z",
                     *         "deleted_at": null,
                     *         "events_count": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["GenerateQrisAnswer"];
                };
            };
            /**
             * @description - The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - A request with this Idempotency-Key is still running. Send it again after Retry-After. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            /**
             * @description - A field or header is missing or wrong; `errors` has the messages by field.
             *     - The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listQris: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                merchant_reff_no?: string;
                status?: "open" | "success" | "expired" | "canceled" | "failed" | "reversed";
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": 1,
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "reff_no": "6601M82PTDVMGSZA8ZQ7ZQN0GKJ2",
                     *             "merchant_reff_no": "meja-4",
                     *             "status": "open",
                     *             "status_computed": "open",
                     *             "is_expired": false,
                     *             "qr_data": "00020101021226470014ID.SANDBOX.WWW01189360099900000000170303UMI51440014ID.CO.QRIS.WWW0215ID10200300400550303UMI520459995303360540525000550203570155802ID5909Toko Demo6007Jakarta622905251M82PTDVMGSZA8ZQ7ZQN0GKJ2630433E8",
                     *             "kind": null,
                     *             "type": "mpm-dynamic",
                     *             "amount": 25000,
                     *             "tip_indicator": "percentage",
                     *             "tip_value": 5,
                     *             "tip_amount": 0,
                     *             "total_amount": 25000,
                     *             "mdr_percentage": 0,
                     *             "mdr_cost": 0,
                     *             "our_margin": 0,
                     *             "vendor_fee": 0,
                     *             "settled_to_merchant_amount": 0,
                     *             "acquirer_name": "Gerbang Sandbox",
                     *             "acquirer_nns": "93600999",
                     *             "issuer_name": "",
                     *             "issuer_nns": "",
                     *             "rrn": "",
                     *             "customer_pan": "",
                     *             "customer_name": "",
                     *             "customer_account_type": "UNSPECIFIED",
                     *             "customer_data": {
                     *               "pan": "",
                     *               "name": "",
                     *               "account_type": "UNSPECIFIED"
                     *             },
                     *             "has_reconcile": false,
                     *             "reconcile_at": null,
                     *             "reconcile_by": "",
                     *             "had_settled_to_merchant": false,
                     *             "settled_to_merchant_at": null,
                     *             "has_settle": false,
                     *             "settle_at": null,
                     *             "settle_eligible_at": null,
                     *             "paid_at": null,
                     *             "created_at": "2026-11-22T22:42:53.428Z",
                     *             "updated_at": "2026-11-22T22:42:53.428Z",
                     *             "expired_at": "2026-11-22T23:12:53.428Z",
                     *             "deleted_at": null,
                     *             "events_count": 0
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListQrisAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    inquireQrisStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": 1,
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reff_no": "6601M82PTDVMGSZA8ZQ7ZQN0GKJ2",
                     *         "merchant_reff_no": "meja-4",
                     *         "status": "success",
                     *         "status_computed": "success",
                     *         "is_expired": false,
                     *         "qr_data": "00020101021226470014ID.SANDBOX.WWW01189360099900000000170303UMI51440014ID.CO.QRIS.WWW0215ID10200300400550303UMI520459995303360540525000550203570155802ID5909Toko Demo6007Jakarta622905251M82PTDVMGSZA8ZQ7ZQN0GKJ2630433E8",
                     *         "kind": "off-us",
                     *         "type": "mpm-dynamic",
                     *         "amount": 25000,
                     *         "tip_indicator": "percentage",
                     *         "tip_value": 5,
                     *         "tip_amount": 1250,
                     *         "total_amount": 26250,
                     *         "mdr_percentage": 0.7,
                     *         "mdr_cost": 184,
                     *         "our_margin": 184,
                     *         "vendor_fee": 0,
                     *         "settled_to_merchant_amount": 26066,
                     *         "acquirer_name": "Gerbang Sandbox",
                     *         "acquirer_nns": "93600999",
                     *         "issuer_name": "Bank Sandbox",
                     *         "issuer_nns": "93600999",
                     *         "rrn": "W9MJF7Q5QR2R",
                     *         "customer_pan": "9360099900000012346",
                     *         "customer_name": "PELANGGAN SANDBOX",
                     *         "customer_account_type": "SAVING",
                     *         "customer_data": {
                     *           "pan": "9360099900000012346",
                     *           "name": "PELANGGAN SANDBOX",
                     *           "account_type": "SAVING"
                     *         },
                     *         "has_reconcile": false,
                     *         "reconcile_at": null,
                     *         "reconcile_by": "",
                     *         "had_settled_to_merchant": false,
                     *         "settled_to_merchant_at": null,
                     *         "has_settle": false,
                     *         "settle_at": null,
                     *         "settle_eligible_at": "2026-11-22T22:42:58.518Z",
                     *         "paid_at": "2026-11-22T22:42:53.518Z",
                     *         "created_at": "2026-11-22T22:42:53.428Z",
                     *         "updated_at": "2026-11-22T22:42:53.555Z",
                     *         "expired_at": "2026-11-22T23:12:53.428Z",
                     *         "deleted_at": null,
                     *         "events_count": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InquireQrisStatusAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showQris: {
        parameters: {
            query?: {
                format?: "svg" | "png";
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": 1,
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reff_no": "6601M82PTDVMGSZA8ZQ7ZQN0GKJ2",
                     *         "merchant_reff_no": "meja-4",
                     *         "status": "success",
                     *         "status_computed": "success",
                     *         "is_expired": false,
                     *         "qr_data": "00020101021226470014ID.SANDBOX.WWW01189360099900000000170303UMI51440014ID.CO.QRIS.WWW0215ID10200300400550303UMI520459995303360540525000550203570155802ID5909Toko Demo6007Jakarta622905251M82PTDVMGSZA8ZQ7ZQN0GKJ2630433E8",
                     *         "kind": "off-us",
                     *         "type": "mpm-dynamic",
                     *         "amount": 25000,
                     *         "tip_indicator": "percentage",
                     *         "tip_value": 5,
                     *         "tip_amount": 1250,
                     *         "total_amount": 26250,
                     *         "mdr_percentage": 0.7,
                     *         "mdr_cost": 184,
                     *         "our_margin": 184,
                     *         "vendor_fee": 0,
                     *         "settled_to_merchant_amount": 26066,
                     *         "acquirer_name": "Gerbang Sandbox",
                     *         "acquirer_nns": "93600999",
                     *         "issuer_name": "Bank Sandbox",
                     *         "issuer_nns": "93600999",
                     *         "rrn": "W9MJF7Q5QR2R",
                     *         "customer_pan": "9360099900000012346",
                     *         "customer_name": "PELANGGAN SANDBOX",
                     *         "customer_account_type": "SAVING",
                     *         "customer_data": {
                     *           "pan": "9360099900000012346",
                     *           "name": "PELANGGAN SANDBOX",
                     *           "account_type": "SAVING"
                     *         },
                     *         "has_reconcile": false,
                     *         "reconcile_at": null,
                     *         "reconcile_by": "",
                     *         "had_settled_to_merchant": false,
                     *         "settled_to_merchant_at": null,
                     *         "has_settle": false,
                     *         "settle_at": null,
                     *         "settle_eligible_at": "2026-11-22T22:42:58.518Z",
                     *         "paid_at": "2026-11-22T22:42:53.518Z",
                     *         "created_at": "2026-11-22T22:42:53.428Z",
                     *         "updated_at": "2026-11-22T22:42:53.555Z",
                     *         "expired_at": "2026-11-22T23:12:53.428Z",
                     *         "deleted_at": null,
                     *         "events_count": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowQrisAnswer"];
                    "image/svg+xml": string;
                    "image/png": string;
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listEwalletCheckouts: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                merchant_reff_no?: string;
                status?: "pending" | "success" | "expired" | "failed";
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "transaction_id": "8801M82PTE1JBDD2PRJMGJFE6E2J",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "channel": "DANA",
                     *             "status": "success",
                     *             "amount": {
                     *               "value": "45000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "net_amount": {
                     *               "value": "45000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "customer_phone": null,
                     *             "merchant_reff_no": "INV-1043",
                     *             "success_redirect_url": "https://toko.example/selesai",
                     *             "checkout_url": "http://127.0.0.1:27046/ewallet/8801M82PTE1JBDD2PRJMGJFE6E2J",
                     *             "expired_at": "2026-11-22T23:12:53.619Z",
                     *             "paid_at": "2026-11-22T22:42:53.648Z",
                     *             "has_settle": false,
                     *             "settle_at": "2026-11-22T22:42:58.648Z",
                     *             "created_at": "2026-11-22T22:42:53.619Z",
                     *             "updated_at": "2026-11-22T22:42:53.677Z"
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListEwalletCheckoutsAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    createEwalletCheckout: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "DANA",
                 *       "amount": 45000,
                 *       "merchant_reff_no": "INV-1043",
                 *       "success_redirect_url": "https://toko.example/selesai"
                 *     }
                 */
                "application/json": components["schemas"]["CreateEwalletCheckoutRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "8801M82PTE1JBDD2PRJMGJFE6E2J",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "channel": "DANA",
                     *         "status": "pending",
                     *         "amount": {
                     *           "value": "45000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": null,
                     *         "net_amount": null,
                     *         "customer_phone": null,
                     *         "merchant_reff_no": "INV-1043",
                     *         "success_redirect_url": "https://toko.example/selesai",
                     *         "checkout_url": "http://127.0.0.1:27046/ewallet/8801M82PTE1JBDD2PRJMGJFE6E2J",
                     *         "expired_at": "2026-11-22T23:12:53.619Z",
                     *         "paid_at": null,
                     *         "has_settle": false,
                     *         "settle_at": null,
                     *         "created_at": "2026-11-22T22:42:53.619Z",
                     *         "updated_at": "2026-11-22T22:42:53.637Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreateEwalletCheckoutAnswer"];
                };
            };
            /**
             * @description - The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - A request with this Idempotency-Key is still running. Send it again after Retry-After. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            /**
             * @description - A field or header is missing or wrong; `errors` has the messages by field.
             *     - The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showEwalletCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description `transaction_id` of the checkout. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "8801M82PTE1JBDD2PRJMGJFE6E2J",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "channel": "DANA",
                     *         "status": "success",
                     *         "amount": {
                     *           "value": "45000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "45000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "customer_phone": null,
                     *         "merchant_reff_no": "INV-1043",
                     *         "success_redirect_url": "https://toko.example/selesai",
                     *         "checkout_url": "http://127.0.0.1:27046/ewallet/8801M82PTE1JBDD2PRJMGJFE6E2J",
                     *         "expired_at": "2026-11-22T23:12:53.619Z",
                     *         "paid_at": "2026-11-22T22:42:53.648Z",
                     *         "has_settle": false,
                     *         "settle_at": "2026-11-22T22:42:58.648Z",
                     *         "created_at": "2026-11-22T22:42:53.619Z",
                     *         "updated_at": "2026-11-22T22:42:53.677Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowEwalletCheckoutAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    createRetailTransaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "retail_code": "ALFAMART",
                 *       "amount": 75000,
                 *       "customer_name": "Budi Santoso",
                 *       "expired_at": 4102444800000,
                 *       "merchant_reff_no": "INV-1044"
                 *     }
                 */
                "application/json": components["schemas"]["CreateRetailTransactionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "01M82PTE4VJMDP8F17472TT84Z",
                     *         "payment_code": "8610211987059720",
                     *         "status": "unpaid",
                     *         "retail_code": "ALFAMART",
                     *         "amount": {
                     *           "value": "75000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": null,
                     *         "customer_name": "Budi Santoso",
                     *         "merchant_reff_no": "INV-1044",
                     *         "account": {
                     *           "id": "01M82PTD5JEVQDPSE61EQF86NJ"
                     *         },
                     *         "fees": {
                     *           "amount": {
                     *             "value": "0.00",
                     *             "currency": "IDR"
                     *           }
                     *         },
                     *         "post_timestamp": 1795387373724,
                     *         "processed_timestamp": null,
                     *         "expired_at": 4102444800000,
                     *         "settle_at": null,
                     *         "has_settle": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreateRetailTransactionAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - A request with this Idempotency-Key is still running. Send it again after Retry-After. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            /**
             * @description - A field or header is missing or wrong; `errors` has the messages by field.
             *     - The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 422,
                     *       "success": false,
                     *       "error": {
                     *         "code": 422,
                     *         "message": "amount: must be at least 15000.00",
                     *         "errors": {
                     *           "amount": [
                     *             "must be at least 15000.00"
                     *           ]
                     *         }
                     *       },
                     *       "data": {
                     *         "errors": {
                     *           "amount": [
                     *             "must be at least 15000.00"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showRetailTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description `transaction_id` of the retail transaction. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "01M82PTE4VJMDP8F17472TT84Z",
                     *         "payment_code": "8610211987059720",
                     *         "status": "paid",
                     *         "retail_code": "ALFAMART",
                     *         "amount": {
                     *           "value": "75000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "75000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "customer_name": "Budi Santoso",
                     *         "merchant_reff_no": "INV-1044",
                     *         "account": {
                     *           "id": "01M82PTD5JEVQDPSE61EQF86NJ"
                     *         },
                     *         "fees": {
                     *           "amount": {
                     *             "value": "0.00",
                     *             "currency": "IDR"
                     *           }
                     *         },
                     *         "post_timestamp": 1795387373724,
                     *         "processed_timestamp": 1795387373755,
                     *         "expired_at": 4102444800000,
                     *         "settle_at": null,
                     *         "has_settle": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowRetailTransactionAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listPaymentMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "payment_methods": [
                     *           {
                     *             "code": "VA_BCA",
                     *             "name": "BCA Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank Central Asia"
                     *           },
                     *           {
                     *             "code": "VA_BNI",
                     *             "name": "BNI Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank Negara Indonesia"
                     *           },
                     *           {
                     *             "code": "VA_BRI",
                     *             "name": "BRI Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank Rakyat Indonesia"
                     *           },
                     *           {
                     *             "code": "VA_MANDIRI",
                     *             "name": "MANDIRI Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank Mandiri"
                     *           },
                     *           {
                     *             "code": "VA_PERMATA",
                     *             "name": "PERMATA Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank Permata"
                     *           },
                     *           {
                     *             "code": "VA_MAYBANK",
                     *             "name": "MAYBANK Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank Maybank Indonesia"
                     *           },
                     *           {
                     *             "code": "VA_CIMB",
                     *             "name": "CIMB Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank CIMB Niaga"
                     *           },
                     *           {
                     *             "code": "VA_BSI",
                     *             "name": "BSI Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank Syariah Indonesia"
                     *           },
                     *           {
                     *             "code": "VA_MUAMALAT",
                     *             "name": "MUAMALAT Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank Muamalat Indonesia"
                     *           },
                     *           {
                     *             "code": "VA_BNC",
                     *             "name": "BNC Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank Neo Commerce"
                     *           },
                     *           {
                     *             "code": "VA_OCBC",
                     *             "name": "OCBC Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank OCBC Indonesia"
                     *           },
                     *           {
                     *             "code": "VA_DANAMON",
                     *             "name": "DANAMON Virtual Account",
                     *             "group": "virtual_account",
                     *             "desc": "Transfer to a virtual account number at Bank Danamon Indonesia"
                     *           },
                     *           {
                     *             "code": "QRIS",
                     *             "name": "QRIS",
                     *             "group": "qris",
                     *             "desc": "Scan with any bank or e-wallet app"
                     *           },
                     *           {
                     *             "code": "EWALLET_OVO",
                     *             "name": "OVO",
                     *             "group": "ewallet",
                     *             "desc": "Confirm in the OVO app"
                     *           },
                     *           {
                     *             "code": "EWALLET_DANA",
                     *             "name": "DANA",
                     *             "group": "ewallet",
                     *             "desc": "Confirm in the DANA app"
                     *           },
                     *           {
                     *             "code": "EWALLET_SHOPEEPAY",
                     *             "name": "ShopeePay",
                     *             "group": "ewallet",
                     *             "desc": "Confirm in the ShopeePay app"
                     *           },
                     *           {
                     *             "code": "EWALLET_LINKAJA",
                     *             "name": "LinkAja",
                     *             "group": "ewallet",
                     *             "desc": "Confirm in the LinkAja app"
                     *           },
                     *           {
                     *             "code": "EWALLET_GOPAY",
                     *             "name": "GoPay",
                     *             "group": "ewallet",
                     *             "desc": "Confirm in the GoPay app"
                     *           },
                     *           {
                     *             "code": "CARD",
                     *             "name": "Card",
                     *             "group": "card",
                     *             "desc": "Credit or debit card"
                     *           },
                     *           {
                     *             "code": "RETAIL_ALFAMART",
                     *             "name": "Alfamart",
                     *             "group": "retail",
                     *             "desc": "Pay in cash at the till with a payment code"
                     *           },
                     *           {
                     *             "code": "RETAIL_INDOMARET",
                     *             "name": "Indomaret",
                     *             "group": "retail",
                     *             "desc": "Pay in cash at the till with a payment code"
                     *           }
                     *         ],
                     *         "available_codes": [
                     *           "VA_BCA",
                     *           "VA_BNI",
                     *           "VA_BRI",
                     *           "VA_MANDIRI",
                     *           "VA_PERMATA",
                     *           "VA_MAYBANK",
                     *           "VA_CIMB",
                     *           "VA_BSI",
                     *           "VA_MUAMALAT",
                     *           "VA_BNC",
                     *           "VA_OCBC",
                     *           "VA_DANAMON",
                     *           "QRIS",
                     *           "EWALLET_OVO",
                     *           "EWALLET_DANA",
                     *           "EWALLET_SHOPEEPAY",
                     *           "EWALLET_LINKAJA",
                     *           "EWALLET_GOPAY",
                     *           "CARD",
                     *           "RETAIL_ALFAMART",
                     *           "RETAIL_INDOMARET"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListPaymentMethodsAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listPaymentLinks: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                merchant_reff_no?: string;
                status?: "active" | "completed" | "expired" | "inactive" | "failed";
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": 1,
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "reff_no": "PL01M82PTE8DJNF7MQS5ZSWRFSGS",
                     *             "title": "Kopi Susu Gula Aren",
                     *             "description": "Pesanan #1042, diantar hari ini",
                     *             "status": "active",
                     *             "amount": {
                     *               "value": "30000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "total_amount": {
                     *               "value": "30000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "max_usage": 2,
                     *             "current_usage": 1,
                     *             "payment_url": "http://127.0.0.1:27046/pay/PL01M82PTE8DJNF7MQS5ZSWRFSGS",
                     *             "required_customer_detail": false,
                     *             "success_redirect_url": "https://toko.example/selesai",
                     *             "payment_methods": [
                     *               "VA_BCA",
                     *               "QRIS"
                     *             ],
                     *             "expired_at": "2100-01-01T00:00:00.000Z",
                     *             "created_at": "2026-11-22T22:42:53.837Z",
                     *             "updated_at": "2026-11-22T22:42:54.024Z"
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListPaymentLinksAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    createPaymentLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Kopi Susu Gula Aren",
                 *       "description": "Pesanan #1042, diantar hari ini",
                 *       "amount": 30000,
                 *       "max_usage": 2,
                 *       "required_customer_detail": false,
                 *       "expired_at": 4102444800000,
                 *       "success_redirect_url": "https://toko.example/selesai",
                 *       "payment_methods": [
                 *         "VA_BCA",
                 *         "QRIS"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreatePaymentLinkRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "success": true,
                     *       "data": {
                     *         "id": 2,
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reff_no": "PL01M82PTEGMZTX0VG0J2J71MXHT",
                     *         "title": "Kopi Susu Gula Aren",
                     *         "description": "Pesanan #1042, diantar hari ini",
                     *         "status": "active",
                     *         "amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "total_amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "max_usage": 2,
                     *         "current_usage": 0,
                     *         "payment_url": "http://127.0.0.1:27046/pay/PL01M82PTEGMZTX0VG0J2J71MXHT",
                     *         "required_customer_detail": false,
                     *         "success_redirect_url": "https://toko.example/selesai",
                     *         "payment_methods": [
                     *           "VA_BCA",
                     *           "QRIS"
                     *         ],
                     *         "expired_at": "2100-01-01T00:00:00.000Z",
                     *         "created_at": "2026-11-22T22:42:54.100Z",
                     *         "updated_at": "2026-11-22T22:42:54.100Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreatePaymentLinkAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - A request with this Idempotency-Key is still running. Send it again after Retry-After. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            /**
             * @description - A field or header is missing or wrong; `errors` has the messages by field.
             *     - The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showPaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                payment_link_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": 1,
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reff_no": "PL01M82PTE8DJNF7MQS5ZSWRFSGS",
                     *         "title": "Kopi Susu Gula Aren",
                     *         "description": "Pesanan #1042, diantar hari ini",
                     *         "status": "active",
                     *         "amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "total_amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "max_usage": 2,
                     *         "current_usage": 1,
                     *         "payment_url": "http://127.0.0.1:27046/pay/PL01M82PTE8DJNF7MQS5ZSWRFSGS",
                     *         "required_customer_detail": false,
                     *         "success_redirect_url": "https://toko.example/selesai",
                     *         "payment_methods": [
                     *           "VA_BCA",
                     *           "QRIS"
                     *         ],
                     *         "expired_at": "2100-01-01T00:00:00.000Z",
                     *         "created_at": "2026-11-22T22:42:53.837Z",
                     *         "updated_at": "2026-11-22T22:42:54.024Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowPaymentLinkAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    updatePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                payment_link_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "title": "Kopi Susu Gula Aren, besar",
                 *       "amount": 35000
                 *     }
                 */
                "application/json": components["schemas"]["UpdatePaymentLinkRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": 2,
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reff_no": "PL01M82PTEGMZTX0VG0J2J71MXHT",
                     *         "title": "Kopi Susu Gula Aren, besar",
                     *         "description": "Pesanan #1042, diantar hari ini",
                     *         "status": "active",
                     *         "amount": {
                     *           "value": "35000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "total_amount": {
                     *           "value": "35000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "max_usage": 2,
                     *         "current_usage": 0,
                     *         "payment_url": "http://127.0.0.1:27046/pay/PL01M82PTEGMZTX0VG0J2J71MXHT",
                     *         "required_customer_detail": false,
                     *         "success_redirect_url": "https://toko.example/selesai",
                     *         "payment_methods": [
                     *           "VA_BCA",
                     *           "QRIS"
                     *         ],
                     *         "expired_at": "2100-01-01T00:00:00.000Z",
                     *         "created_at": "2026-11-22T22:42:54.100Z",
                     *         "updated_at": "2026-11-22T22:42:54.116Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UpdatePaymentLinkAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    deletePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                payment_link_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": 2,
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reff_no": "PL01M82PTEGMZTX0VG0J2J71MXHT",
                     *         "title": "Kopi Susu Gula Aren, besar",
                     *         "description": "Pesanan #1042, diantar hari ini",
                     *         "status": "inactive",
                     *         "amount": {
                     *           "value": "35000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "total_amount": {
                     *           "value": "35000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "max_usage": 2,
                     *         "current_usage": 0,
                     *         "payment_url": "http://127.0.0.1:27046/pay/PL01M82PTEGMZTX0VG0J2J71MXHT",
                     *         "required_customer_detail": false,
                     *         "success_redirect_url": "https://toko.example/selesai",
                     *         "payment_methods": [
                     *           "VA_BCA",
                     *           "QRIS"
                     *         ],
                     *         "expired_at": "2100-01-01T00:00:00.000Z",
                     *         "created_at": "2026-11-22T22:42:54.100Z",
                     *         "updated_at": "2026-11-22T22:42:54.126Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeletePaymentLinkAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showPaymentLinkV2: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                payment_link_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": 1,
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reff_no": "PL01M82PTE8DJNF7MQS5ZSWRFSGS",
                     *         "title": "Kopi Susu Gula Aren",
                     *         "description": "Pesanan #1042, diantar hari ini",
                     *         "status": "active",
                     *         "amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "total_amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "max_usage": 2,
                     *         "current_usage": 1,
                     *         "payment_url": "http://127.0.0.1:27046/pay/PL01M82PTE8DJNF7MQS5ZSWRFSGS",
                     *         "required_customer_detail": false,
                     *         "success_redirect_url": "https://toko.example/selesai",
                     *         "payment_methods": [
                     *           "VA_BCA",
                     *           "QRIS"
                     *         ],
                     *         "expired_at": "2100-01-01T00:00:00.000Z",
                     *         "created_at": "2026-11-22T22:42:53.837Z",
                     *         "updated_at": "2026-11-22T22:42:54.024Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowPaymentLinkV2Answer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listPaymentLinkHistories: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                merchant_reff_no?: string;
                status?: "pending" | "paid" | "expired" | "failed";
                payment_link_id?: number;
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": 1,
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "payment_link_id": 1,
                     *             "reff_no": "PH01M82PTEA0JFCYG76CRBQR7WV1",
                     *             "status": "pending",
                     *             "amount": {
                     *               "value": "30000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "vendor_fee": null,
                     *             "our_margin": null,
                     *             "fee": null,
                     *             "net_amount": null,
                     *             "payment_method_name": "VA_BCA",
                     *             "payment_method_value": "7001447392943575",
                     *             "payment_method_additional": null,
                     *             "customer_name": null,
                     *             "customer_email": null,
                     *             "customer_phone": null,
                     *             "ip_address": "127.0.0.1",
                     *             "paid_at": null,
                     *             "has_settle": false,
                     *             "settle_at": null,
                     *             "expired_at": "2026-11-22T22:57:53.888Z",
                     *             "created_at": "2026-11-22T22:42:53.888Z",
                     *             "updated_at": "2026-11-22T22:42:53.942Z"
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListPaymentLinkHistoriesAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showPaymentLinkHistory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                history_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "id": 1,
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "payment_link_id": 1,
                     *         "reff_no": "PH01M82PTEA0JFCYG76CRBQR7WV1",
                     *         "status": "paid",
                     *         "amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "vendor_fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "our_margin": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "payment_method_name": "VA_BCA",
                     *         "payment_method_value": "7001447392943575",
                     *         "payment_method_additional": null,
                     *         "customer_name": null,
                     *         "customer_email": null,
                     *         "customer_phone": null,
                     *         "ip_address": "127.0.0.1",
                     *         "paid_at": "2026-11-22T22:42:53.995Z",
                     *         "has_settle": false,
                     *         "settle_at": "2026-11-22T22:42:58.995Z",
                     *         "expired_at": "2026-11-22T22:57:53.888Z",
                     *         "created_at": "2026-11-22T22:42:53.888Z",
                     *         "updated_at": "2026-11-22T22:42:54.027Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowPaymentLinkHistoryAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    checkBeneficiary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bank_code": "014",
                 *       "bank_account_number": "1234567890"
                 *     }
                 */
                "application/json": components["schemas"]["CheckBeneficiaryRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "bank_code": "014",
                     *         "bank_account_number": "1234567890",
                     *         "status": "valid",
                     *         "bank_account_name": "TEST 7890",
                     *         "bank_name": "Bank Central Asia"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CheckBeneficiaryAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP014: There is no such path; or the beneficiary could not be verified. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP014",
                     *       "response_message": "Not found",
                     *       "data": {
                     *         "bank_code": "014",
                     *         "bank_account_number": "1234560404",
                     *         "message": "The beneficiary account could not be verified"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            /**
             * @description - SP019: Too much is under way. Nothing was done: send the request again after Retry-After.
             *     - SP011: The rail cannot be asked at the moment.
             */
            503: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            504: components["responses"]["V2Error504"];
        };
    };
    transferDisbursement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *       "reference_number": "gaji-2026-11-001",
                 *       "bank_code": "014",
                 *       "bank_account_number": "1234567890",
                 *       "description": "Gaji November",
                 *       "amount": {
                 *         "value": "150000.00",
                 *         "currency": "IDR"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransferDisbursementRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "transaction_id": "01M82PTEN80QQHZ5HCKT8C24J8",
                     *         "reference_number": "gaji-2026-11-001",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "gross_amount": {
                     *           "value": "152500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "2500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "150000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99847500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "post_timestamp": "2026-11-22T22:42:54.249Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.298Z",
                     *         "bank_code": "014",
                     *         "bank_name": "Bank Central Asia",
                     *         "bank_account_number": "1234567890",
                     *         "bank_account_name": null,
                     *         "description": "Gaji November"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TransferDisbursementAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP003: The available balance is less than amount and fee. Nothing is recorded; the reference stays free.
             *     - SP007: The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             *     - SP006: The amount is over a limit of the beneficiary's account.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "transaction_id": "01M82PTERB53BH713NYGXTFCKA",
                     *         "reference_number": "gaji-2026-11-001-x",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "06",
                     *           "desc": "Failed"
                     *         },
                     *         "gross_amount": {
                     *           "value": "152500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "2500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "150000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": null,
                     *           "currency": null
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "post_timestamp": "2026-11-22T22:42:54.347Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.370Z",
                     *         "failed_code": "4031805",
                     *         "failed_reason": "Do Not Honor",
                     *         "bank_code": "014",
                     *         "bank_name": "Bank Central Asia",
                     *         "bank_account_number": "1234560001",
                     *         "bank_account_name": null,
                     *         "description": "Gaji November",
                     *         "message": "Do Not Honor"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TransferDisbursementError"];
                };
            };
            /**
             * @description - SP013: The access token is missing, expired, revoked or of another merchant; or the client could not prove itself.
             *     - SP016: X-Signature is not that of this request, or X-Timestamp is more than 300 seconds off.
             */
            401: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP010: The bank does not know the beneficiary account.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferDisbursementError"];
                };
            };
            /**
             * @description - SP004: A request with this Idempotency-Key is still running. Send it again after Retry-After.
             *     - SP004: The reference number was used for another order of this account.
             */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP004",
                     *       "response_message": "Duplicate reference number",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reference_number": "gaji-2026-11-001",
                     *         "bank_code": "014",
                     *         "bank_account_number": "1234567890",
                     *         "message": "Duplicate reference number"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /**
             * @description - SP018: A field or header is missing or wrong; `errors` has the messages by field.
             *     - SP018: The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            /**
             * @description - SP019: Too much is under way. Nothing was done: send the request again after Retry-After.
             *     - SP011: The rail cannot be asked at the moment.
             */
            503: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            504: components["responses"]["V2Error504"];
        };
    };
    showDisbursementFee: {
        parameters: {
            query: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A bank by its three-digit national code or its eight-character SWIFT code. */
                bank_code: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "bank_code": "014",
                     *         "fee": {
                     *           "value": "2500.00",
                     *           "currency": "IDR"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowDisbursementFeeAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    listDisbursements: {
        parameters: {
            query: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                reference_number?: string;
                status?: "00" | "01" | "02" | "03" | "04" | "05" | "06";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "transaction_id": "01M82PTEN80QQHZ5HCKT8C24J8",
                     *             "reference_number": "gaji-2026-11-001",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "transaction_status": {
                     *               "code": "00",
                     *               "desc": "Success"
                     *             },
                     *             "gross_amount": {
                     *               "value": "152500.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "2500.00",
                     *               "currency": "IDR"
                     *             },
                     *             "net_amount": {
                     *               "value": "150000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "balance_after": {
                     *               "value": "99847500.00",
                     *               "currency": "IDR"
                     *             },
                     *             "possible_duplicate_of": null,
                     *             "post_timestamp": "2026-11-22T22:42:54.249Z",
                     *             "processed_timestamp": "2026-11-22T22:42:54.298Z",
                     *             "bank_code": "014",
                     *             "bank_name": "Bank Central Asia",
                     *             "bank_account_number": "1234567890",
                     *             "bank_account_name": null,
                     *             "description": "Gaji November"
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListDisbursementsAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    inquireDisbursementStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *       "reference_number": "gaji-2026-11-001"
                 *     }
                 */
                "application/json": components["schemas"]["InquireDisbursementStatusRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "transaction_id": "01M82PTEN80QQHZ5HCKT8C24J8",
                     *         "reference_number": "gaji-2026-11-001",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "gross_amount": {
                     *           "value": "152500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "2500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "150000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99847500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "post_timestamp": "2026-11-22T22:42:54.249Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.298Z",
                     *         "bank_code": "014",
                     *         "bank_name": "Bank Central Asia",
                     *         "bank_account_number": "1234567890",
                     *         "bank_account_name": null,
                     *         "description": "Gaji November"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InquireDisbursementStatusAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP009",
                     *       "response_message": "Transaction not found",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reference_number": "nothing",
                     *         "message": "Transaction not found"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    checkBeneficiaryV1: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bank_code": "014",
                 *       "bank_account_number": "1234567890"
                 *     }
                 */
                "application/json": components["schemas"]["CheckBeneficiaryV1Request"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "bank_code": "014",
                     *         "bank_account_number": "1234567890",
                     *         "status": "valid",
                     *         "bank_account_name": "TEST 7890",
                     *         "bank_name": "Bank Central Asia"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CheckBeneficiaryV1Answer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such path; or the beneficiary could not be verified. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 404,
                     *       "success": false,
                     *       "error": {
                     *         "code": 404,
                     *         "message": "The beneficiary account could not be verified"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            /**
             * @description - A part of the gateway does not answer at the moment. Send the same request again.
             *     - Too much is under way. Nothing was done: send the request again after Retry-After.
             *     - The rail cannot be asked at the moment.
             */
            503: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            504: components["responses"]["V1Error504"];
        };
    };
    transferDisbursementV1: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *       "reference_number": "gaji-2026-11-001V1",
                 *       "bank_code": "014",
                 *       "bank_account_number": "1234567890",
                 *       "description": "Gaji November",
                 *       "amount": 150000
                 *     }
                 */
                "application/json": components["schemas"]["TransferDisbursementV1Request"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "01M82PTEV04WQY2TMJ0S4291PB",
                     *         "reference_number": "gaji-2026-11-001V1",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "gross_amount": {
                     *           "value": "152500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "2500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "150000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99695000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": "gaji-2026-11-001",
                     *         "post_timestamp": "2026-11-22T22:42:54.432Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.452Z",
                     *         "bank_code": "014",
                     *         "bank_name": "Bank Central Asia",
                     *         "bank_account_number": "1234567890",
                     *         "bank_account_name": null,
                     *         "description": "Gaji November"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TransferDisbursementV1Answer"];
                };
            };
            /**
             * @description - The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - The available balance is less than amount and fee. Nothing is recorded; the reference stays free.
             *     - The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             *     - The transaction was executed and has failed, or the rail refused it.
             *     - The amount is over a limit of the beneficiary's account.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 400,
                     *       "success": false,
                     *       "error": {
                     *         "code": 400,
                     *         "message": "Do Not Honor"
                     *       },
                     *       "data": {
                     *         "transaction_id": "01M82PTEX4Z4T1NNMREEDDA7X8",
                     *         "reference_number": "gaji-2026-11-001V1-x",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "06",
                     *           "desc": "Failed"
                     *         },
                     *         "gross_amount": {
                     *           "value": "152500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "2500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "150000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": null,
                     *           "currency": null
                     *         },
                     *         "possible_duplicate_of": "gaji-2026-11-001-x",
                     *         "post_timestamp": "2026-11-22T22:42:54.500Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.522Z",
                     *         "failed_code": "4031805",
                     *         "failed_reason": "Do Not Honor",
                     *         "bank_code": "014",
                     *         "bank_name": "Bank Central Asia",
                     *         "bank_account_number": "1234560001",
                     *         "bank_account_name": null,
                     *         "description": "Gaji November"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TransferDisbursementV1Error"];
                };
            };
            /**
             * @description - The access token is missing, expired, revoked or of another merchant; or the client could not prove itself.
             *     - X-Signature is not that of this request, or X-Timestamp is more than 300 seconds off.
             */
            401: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - The bank does not know the beneficiary account.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferDisbursementV1Error"];
                };
            };
            /**
             * @description - A request with this Idempotency-Key is still running. Send it again after Retry-After.
             *     - The reference number was used for another order of this account.
             */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 409,
                     *       "success": false,
                     *       "error": {
                     *         "code": 409,
                     *         "message": "Duplicate reference number"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            /**
             * @description - A field or header is missing or wrong; `errors` has the messages by field.
             *     - The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            /**
             * @description - A part of the gateway does not answer at the moment. Send the same request again.
             *     - Too much is under way. Nothing was done: send the request again after Retry-After.
             *     - The rail cannot be asked at the moment.
             */
            503: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            504: components["responses"]["V1Error504"];
        };
    };
    showDisbursementFeeV1: {
        parameters: {
            query: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A bank by its three-digit national code or its eight-character SWIFT code. */
                bank_code: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "bank_code": "014",
                     *         "fee": {
                     *           "value": "2500.00",
                     *           "currency": "IDR"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowDisbursementFeeV1Answer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    listDisbursementsV1: {
        parameters: {
            query: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                reference_number?: string;
                status?: "00" | "01" | "02" | "03" | "04" | "05" | "06";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "transaction_id": "01M82PTEV04WQY2TMJ0S4291PB",
                     *             "reference_number": "gaji-2026-11-001V1",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "transaction_status": {
                     *               "code": "00",
                     *               "desc": "Success"
                     *             },
                     *             "gross_amount": {
                     *               "value": "152500.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "2500.00",
                     *               "currency": "IDR"
                     *             },
                     *             "net_amount": {
                     *               "value": "150000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "balance_after": {
                     *               "value": "99695000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "possible_duplicate_of": "gaji-2026-11-001",
                     *             "post_timestamp": "2026-11-22T22:42:54.432Z",
                     *             "processed_timestamp": "2026-11-22T22:42:54.452Z",
                     *             "bank_code": "014",
                     *             "bank_name": "Bank Central Asia",
                     *             "bank_account_number": "1234567890",
                     *             "bank_account_name": null,
                     *             "description": "Gaji November"
                     *           },
                     *           {
                     *             "transaction_id": "01M82PTERB53BH713NYGXTFCKA",
                     *             "reference_number": "gaji-2026-11-001-x",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "transaction_status": {
                     *               "code": "06",
                     *               "desc": "Failed"
                     *             },
                     *             "gross_amount": {
                     *               "value": "152500.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "2500.00",
                     *               "currency": "IDR"
                     *             },
                     *             "net_amount": {
                     *               "value": "150000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "balance_after": {
                     *               "value": null,
                     *               "currency": null
                     *             },
                     *             "possible_duplicate_of": null,
                     *             "post_timestamp": "2026-11-22T22:42:54.347Z",
                     *             "processed_timestamp": "2026-11-22T22:42:54.370Z",
                     *             "failed_code": "4031805",
                     *             "failed_reason": "Do Not Honor",
                     *             "bank_code": "014",
                     *             "bank_name": "Bank Central Asia",
                     *             "bank_account_number": "1234560001",
                     *             "bank_account_name": null,
                     *             "description": "Gaji November"
                     *           }
                     *         ],
                     *         "next_cursor": "MTowMU04MlBURVJCNTNCSDcxM05ZR1hURkNLQQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListDisbursementsV1Answer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showDisbursementV1: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description `transaction_id` of the disbursement. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "01M82PTEV04WQY2TMJ0S4291PB",
                     *         "reference_number": "gaji-2026-11-001V1",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "gross_amount": {
                     *           "value": "152500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "2500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "150000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99695000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": "gaji-2026-11-001",
                     *         "post_timestamp": "2026-11-22T22:42:54.432Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.452Z",
                     *         "bank_code": "014",
                     *         "bank_name": "Bank Central Asia",
                     *         "bank_account_number": "1234567890",
                     *         "bank_account_name": null,
                     *         "description": "Gaji November"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowDisbursementV1Answer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    inquireDisbursementStatusV1: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *       "reference_number": "gaji-2026-11-001V1"
                 *     }
                 */
                "application/json": components["schemas"]["InquireDisbursementStatusV1Request"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "transaction_id": "01M82PTEV04WQY2TMJ0S4291PB",
                     *         "reference_number": "gaji-2026-11-001V1",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "gross_amount": {
                     *           "value": "152500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "2500.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "150000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99695000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": "gaji-2026-11-001",
                     *         "post_timestamp": "2026-11-22T22:42:54.432Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.452Z",
                     *         "bank_code": "014",
                     *         "bank_name": "Bank Central Asia",
                     *         "bank_account_number": "1234567890",
                     *         "bank_account_name": null,
                     *         "description": "Gaji November"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InquireDisbursementStatusV1Answer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP009",
                     *       "response_message": "Transaction not found",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reference_number": "nothing",
                     *         "message": "Transaction not found"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    checkWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "GOPAY",
                 *       "phone_number": "081234567890"
                 *     }
                 */
                "application/json": components["schemas"]["CheckWalletRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "channel": "GOPAY",
                     *         "phone_number": "081234567890",
                     *         "status": "valid",
                     *         "name": "TEST 7890"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CheckWalletAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP006: The amount is over a limit of the beneficiary's account.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP014: There is no such path; or the beneficiary could not be verified. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP014",
                     *       "response_message": "Not found",
                     *       "data": {
                     *         "channel": "GOPAY",
                     *         "phone_number": "081234560404",
                     *         "message": "The e-wallet could not be verified"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            /**
             * @description - SP019: Too much is under way. Nothing was done: send the request again after Retry-After.
             *     - SP011: The rail cannot be asked at the moment.
             */
            503: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            504: components["responses"]["V2Error504"];
        };
    };
    triggerEwalletTopup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *       "reference_number": "hadiah-2026-11-001",
                 *       "channel": "GOPAY",
                 *       "phone_number": "081234567890",
                 *       "amount": {
                 *         "value": "50000.00",
                 *         "currency": "IDR"
                 *       },
                 *       "note": "Hadiah undian"
                 *     }
                 */
                "application/json": components["schemas"]["TriggerEwalletTopupRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "transaction_id": "8801M82PTF21HX0H569EXGQXECCS",
                     *         "reference_number": "hadiah-2026-11-001",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "gross_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99595000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "post_timestamp": "2026-11-22T22:42:54.657Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.690Z",
                     *         "channel": "GOPAY",
                     *         "phone_number": "081234567890",
                     *         "name": "TEST 7890",
                     *         "note": "Hadiah undian"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TriggerEwalletTopupAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP003: The available balance is less than amount and fee. Nothing is recorded; the reference stays free.
             *     - SP007: The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             *     - SP006: The amount is over a limit of the beneficiary's account.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "transaction_id": "8801M82PTF3HBZHNHP248W08RHWK",
                     *         "reference_number": "hadiah-2026-11-001-x",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "06",
                     *           "desc": "Failed"
                     *         },
                     *         "gross_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": null,
                     *           "currency": null
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "post_timestamp": "2026-11-22T22:42:54.706Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.734Z",
                     *         "failed_code": "4033805",
                     *         "failed_reason": "Do Not Honor",
                     *         "channel": "GOPAY",
                     *         "phone_number": "081234560001",
                     *         "name": null,
                     *         "note": "Hadiah undian",
                     *         "message": "Do Not Honor"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TriggerEwalletTopupError"];
                };
            };
            /**
             * @description - SP013: The access token is missing, expired, revoked or of another merchant; or the client could not prove itself.
             *     - SP016: X-Signature is not that of this request, or X-Timestamp is more than 300 seconds off.
             */
            401: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP010: The bank does not know the beneficiary account.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerEwalletTopupError"];
                };
            };
            /**
             * @description - SP004: A request with this Idempotency-Key is still running. Send it again after Retry-After.
             *     - SP004: The reference number was used for another order of this account.
             */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP004",
                     *       "response_message": "Duplicate reference number",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reference_number": "hadiah-2026-11-001",
                     *         "channel": "GOPAY",
                     *         "phone_number": "081234567890",
                     *         "message": "Duplicate reference number"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /**
             * @description - SP018: A field or header is missing or wrong; `errors` has the messages by field.
             *     - SP018: The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    inquireEwalletTopupStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *       "reference_number": "hadiah-2026-11-001"
                 *     }
                 */
                "application/json": components["schemas"]["InquireEwalletTopupStatusRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "transaction_id": "8801M82PTF21HX0H569EXGQXECCS",
                     *         "reference_number": "hadiah-2026-11-001",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "gross_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "50000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99595000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "post_timestamp": "2026-11-22T22:42:54.657Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.690Z",
                     *         "channel": "GOPAY",
                     *         "phone_number": "081234567890",
                     *         "name": "TEST 7890",
                     *         "note": "Hadiah undian"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InquireEwalletTopupStatusAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP009",
                     *       "response_message": "Transaction not found",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reference_number": "nothing",
                     *         "message": "Transaction not found"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    listCardlessWithdrawals: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                reference_number?: string;
                status?: "pending" | "active" | "withdrawn" | "expired" | "canceled" | "failed";
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "transaction_id": "01M82PTF5NVYE1M5XVCJDE9TAM",
                     *             "reference_number": "tunai-1",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "transaction_status": {
                     *               "code": "00",
                     *               "desc": "Success"
                     *             },
                     *             "gross_amount": {
                     *               "value": "100000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "net_amount": {
                     *               "value": "100000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "balance_after": {
                     *               "value": "99495000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "possible_duplicate_of": null,
                     *             "post_timestamp": "2026-11-22T22:42:54.773Z",
                     *             "processed_timestamp": "2026-11-22T22:42:54.843Z",
                     *             "status": "withdrawn",
                     *             "bank_code": "BCA",
                     *             "bank_name": "Bank Central Asia",
                     *             "phone_number": "081234567890",
                     *             "expired_at": "2100-01-01T00:00:00.000Z"
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListCardlessWithdrawalsAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /** @description - There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    createCardlessWithdrawal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference_number": "tunai-2",
                 *       "bank_code": "BCA",
                 *       "phone_number": "081234567890",
                 *       "amount": 100000
                 *     }
                 */
                "application/json": components["schemas"]["CreateCardlessWithdrawalRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 201,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "01M82PTF95D0E52YQBEHWAS22K",
                     *         "reference_number": "tunai-2",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "03",
                     *           "desc": "Pending"
                     *         },
                     *         "gross_amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99395000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": "tunai-1",
                     *         "post_timestamp": "2026-11-22T22:42:54.885Z",
                     *         "processed_timestamp": null,
                     *         "status": "active",
                     *         "bank_code": "BCA",
                     *         "bank_name": "Bank Central Asia",
                     *         "phone_number": "081234567890",
                     *         "expired_at": "2026-11-23T00:42:54.885Z",
                     *         "withdrawal_code": "106432581421"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreateCardlessWithdrawalAnswer"];
                };
            };
            /**
             * @description - The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - The available balance is less than amount and fee. Nothing is recorded; the reference stays free.
             *     - The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             *     - The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateCardlessWithdrawalError"];
                };
            };
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - The bank does not know the beneficiary account.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateCardlessWithdrawalError"];
                };
            };
            /**
             * @description - A request with this Idempotency-Key is still running. Send it again after Retry-After.
             *     - The reference number was used for another order of this account.
             */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 409,
                     *       "success": false,
                     *       "error": {
                     *         "code": 409,
                     *         "message": "Duplicate reference number"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            /**
             * @description - A field or header is missing or wrong; `errors` has the messages by field.
             *     - The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 422,
                     *       "success": false,
                     *       "error": {
                     *         "code": 422,
                     *         "message": "amount: must be a multiple of 50000, at most 5000000",
                     *         "errors": {
                     *           "amount": [
                     *             "must be a multiple of 50000, at most 5000000"
                     *           ]
                     *         }
                     *       },
                     *       "data": {
                     *         "errors": {
                     *           "amount": [
                     *             "must be a multiple of 50000, at most 5000000"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    showCardlessWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description `transaction_id` of the withdrawal. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "01M82PTF5NVYE1M5XVCJDE9TAM",
                     *         "reference_number": "tunai-1",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "03",
                     *           "desc": "Pending"
                     *         },
                     *         "gross_amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99495000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "post_timestamp": "2026-11-22T22:42:54.773Z",
                     *         "processed_timestamp": null,
                     *         "status": "active",
                     *         "bank_code": "BCA",
                     *         "bank_name": "Bank Central Asia",
                     *         "phone_number": "081234567890",
                     *         "expired_at": "2100-01-01T00:00:00.000Z",
                     *         "withdrawal_code": "584290319077"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowCardlessWithdrawalAnswer"];
                };
            };
            400: components["responses"]["V1Error400"];
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    cancelCardlessWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description `transaction_id` of the withdrawal. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "success": true,
                     *       "data": {
                     *         "transaction_id": "01M82PTF95D0E52YQBEHWAS22K",
                     *         "reference_number": "tunai-2",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "05",
                     *           "desc": "Canceled"
                     *         },
                     *         "gross_amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": null,
                     *           "currency": null
                     *         },
                     *         "possible_duplicate_of": "tunai-1",
                     *         "post_timestamp": "2026-11-22T22:42:54.885Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.938Z",
                     *         "status": "canceled",
                     *         "bank_code": "BCA",
                     *         "bank_name": "Bank Central Asia",
                     *         "phone_number": "081234567890",
                     *         "expired_at": "2026-11-23T00:42:54.885Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CancelCardlessWithdrawalAnswer"];
                };
            };
            /**
             * @description - The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 400,
                     *       "success": false,
                     *       "error": {
                     *         "code": 400,
                     *         "message": "The cash has been drawn already"
                     *       },
                     *       "data": {
                     *         "transaction_id": "01M82PTF5NVYE1M5XVCJDE9TAM",
                     *         "reference_number": "tunai-1",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "gross_amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99495000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "post_timestamp": "2026-11-22T22:42:54.773Z",
                     *         "processed_timestamp": "2026-11-22T22:42:54.843Z",
                     *         "status": "withdrawn",
                     *         "bank_code": "BCA",
                     *         "bank_name": "Bank Central Asia",
                     *         "phone_number": "081234567890",
                     *         "expired_at": "2100-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CancelCardlessWithdrawalError"];
                };
            };
            401: components["responses"]["V1Error401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - The merchant does not have this product.
             *     - The account is of another merchant.
             *     - The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - There is no such account.
             *     - No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            413: components["responses"]["V1Error413"];
            422: components["responses"]["V1Error422"];
            429: components["responses"]["V1Error429"];
            500: components["responses"]["V1Error500"];
            503: components["responses"]["V1Error503"];
            504: components["responses"]["V1Error504"];
        };
    };
    inquireQrisPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference_number": "qris-2026-11-042",
                 *       "qr_data": "00020101021226530014ID.CO.BANK.WWW01189360000915000000120202M10303UMI51440014ID.CO.QRIS.WWW0215ID10200000000340303UMI5204581253033605405250005802ID5913Warung Bu Sri6010Kab. Demak6105595676304E5E1"
                 *     }
                 */
                "application/json": components["schemas"]["InquireQrisPaymentRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "transaction_id": "6601M82PTFBNJB143ZH9P0M2ARR9",
                     *         "reference_number": "qris-2026-11-042",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "01",
                     *           "desc": "Initiated"
                     *         },
                     *         "qr_data": "00020101021226530014ID.CO.BANK.WWW01189360000915000000120202M10303UMI51440014ID.CO.QRIS.WWW0215ID10200000000340303UMI5204581253033605405250005802ID5913Warung Bu Sri6010Kab. Demak6105595676304E5E1",
                     *         "type": "mpm-dynamic",
                     *         "scope": "issuer",
                     *         "gross_amount": {
                     *           "value": "25000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "25000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": null,
                     *           "currency": null
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "merchant_name": "Warung Bu Sri",
                     *         "merchant_city": "Kab. Demak",
                     *         "amount": {
                     *           "value": "25000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "tip_indicator": "",
                     *         "tip_value": 0,
                     *         "tip_amount": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "post_timestamp": "2026-11-22T22:42:54.965Z",
                     *         "processed_timestamp": "",
                     *         "rrn": ""
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InquireQrisPaymentAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP010: The bank does not know the beneficiary account.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP004: The reference number was used for another order of this account. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /** @description - SP018: A field or header is missing or wrong; `errors` has the messages by field. */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP018",
                     *       "response_message": "Validation error",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reference_number": "qris-x",
                     *         "message": "qr_data: tag 63 is not the checksum of the code",
                     *         "errors": {
                     *           "qr_data": [
                     *             "tag 63 is not the checksum of the code"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            /**
             * @description - SP019: Too much is under way. Nothing was done: send the request again after Retry-After.
             *     - SP011: The rail cannot be asked at the moment.
             */
            503: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            504: components["responses"]["V2Error504"];
        };
    };
    creditQris: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference_number": "qris-2026-11-042"
                 *     }
                 */
                "application/json": components["schemas"]["CreditQrisRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "transaction_id": "6601M82PTFBNJB143ZH9P0M2ARR9",
                     *         "reference_number": "qris-2026-11-042",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "qr_data": "00020101021226530014ID.CO.BANK.WWW01189360000915000000120202M10303UMI51440014ID.CO.QRIS.WWW0215ID10200000000340303UMI5204581253033605405250005802ID5913Warung Bu Sri6010Kab. Demak6105595676304E5E1",
                     *         "type": "mpm-dynamic",
                     *         "scope": "issuer",
                     *         "gross_amount": {
                     *           "value": "25000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "25000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99470000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "merchant_name": "Warung Bu Sri",
                     *         "merchant_city": "Kab. Demak",
                     *         "amount": {
                     *           "value": "25000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "tip_indicator": "",
                     *         "tip_value": 0,
                     *         "tip_amount": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "post_timestamp": "2026-11-22T22:42:55.005Z",
                     *         "processed_timestamp": "2026-11-22T22:42:55.058Z",
                     *         "rrn": "CTNWC5QWFW5R"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreditQrisAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP003: The available balance is less than amount and fee. Nothing is recorded; the reference stays free.
             *     - SP007: The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             *     - SP006: The amount is over a limit of the beneficiary's account.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditQrisError"];
                };
            };
            /**
             * @description - SP013: The access token is missing, expired, revoked or of another merchant; or the client could not prove itself.
             *     - SP016: X-Signature is not that of this request, or X-Timestamp is more than 300 seconds off.
             */
            401: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP010: The bank does not know the beneficiary account.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditQrisError"];
                };
            };
            /**
             * @description - SP004: A request with this Idempotency-Key is still running. Send it again after Retry-After.
             *     - SP004: The reference number was used for another order of this account.
             */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP004",
                     *       "response_message": "Duplicate reference number",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "reference_number": "qris-2026-11-042",
                     *         "message": "Duplicate reference number"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /**
             * @description - SP018: A field or header is missing or wrong; `errors` has the messages by field.
             *     - SP018: The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            /**
             * @description - SP019: Too much is under way. Nothing was done: send the request again after Retry-After.
             *     - SP011: The rail cannot be asked at the moment.
             */
            503: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            504: components["responses"]["V2Error504"];
        };
    };
    inquireQrisPaymentStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference_number": "qris-2026-11-042",
                 *       "scope": "issuer"
                 *     }
                 */
                "application/json": components["schemas"]["InquireQrisPaymentStatusRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "transaction_id": "6601M82PTFBNJB143ZH9P0M2ARR9",
                     *         "reference_number": "qris-2026-11-042",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "transaction_status": {
                     *           "code": "00",
                     *           "desc": "Success"
                     *         },
                     *         "qr_data": "00020101021226530014ID.CO.BANK.WWW01189360000915000000120202M10303UMI51440014ID.CO.QRIS.WWW0215ID10200000000340303UMI5204581253033605405250005802ID5913Warung Bu Sri6010Kab. Demak6105595676304E5E1",
                     *         "type": "mpm-dynamic",
                     *         "scope": "issuer",
                     *         "gross_amount": {
                     *           "value": "25000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "25000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "balance_after": {
                     *           "value": "99470000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "possible_duplicate_of": null,
                     *         "merchant_name": "Warung Bu Sri",
                     *         "merchant_city": "Kab. Demak",
                     *         "amount": {
                     *           "value": "25000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "tip_indicator": "",
                     *         "tip_value": 0,
                     *         "tip_amount": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "post_timestamp": "2026-11-22T22:42:55.005Z",
                     *         "processed_timestamp": "2026-11-22T22:42:55.058Z",
                     *         "rrn": "CTNWC5QWFW5R"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InquireQrisPaymentStatusAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP009",
                     *       "response_message": "Transaction not found",
                     *       "data": {
                     *         "reference_number": "nothing",
                     *         "scope": "issuer",
                     *         "transaction_status": {
                     *           "code": "07",
                     *           "desc": "Not Found"
                     *         },
                     *         "message": "Transaction not found"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InquireQrisPaymentStatusError"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    listDirectDebitBindings: {
        parameters: {
            query: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description Only those of this customer. */
                customer_id?: string;
                status?: "PENDING" | "ACTIVE" | "FAILED" | "EXPIRED" | "UNBOUND";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "bank_code": "BRI",
                     *             "customer_id": "pelanggan-42",
                     *             "customer_name": "Ani Lestari",
                     *             "customer_phone": "****7890",
                     *             "status": "ACTIVE",
                     *             "failed_reason": null,
                     *             "unbound_by": null,
                     *             "bank_account_number": "****7890",
                     *             "bank_account_name": "TEST 7890",
                     *             "redirect_url": "https://toko.example/terhubung",
                     *             "handover_code": "E2ifQlzd11EyEEoe1ZZODr4bVIr2nj7Z2upkVQPysxs",
                     *             "created_at": "2026-11-22T22:42:55.378Z",
                     *             "expired_at": "2026-11-22T23:12:55.378Z",
                     *             "bound_at": "2026-11-22T22:42:55.563Z",
                     *             "unbound_at": null
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListDirectDebitBindingsAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    createDirectDebitBinding: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *       "bank_code": "BRI",
                 *       "customer_id": "pelanggan-43",
                 *       "customer_name": "Ani Lestari",
                 *       "customer_phone": "081234567890",
                 *       "redirect_url": "https://toko.example/terhubung"
                 *     }
                 */
                "application/json": components["schemas"]["CreateDirectDebitBindingRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "binding_id": "d24e60ff-9d8f-4f9c-b387-5da34ece1c8a",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "bank_code": "BRI",
                     *         "customer_id": "pelanggan-43",
                     *         "customer_name": "Ani Lestari",
                     *         "customer_phone": "****7890",
                     *         "status": "PENDING",
                     *         "failed_reason": null,
                     *         "unbound_by": null,
                     *         "bank_account_number": null,
                     *         "bank_account_name": null,
                     *         "redirect_url": "https://toko.example/terhubung",
                     *         "handover_code": null,
                     *         "created_at": "2026-11-22T23:17:58.451Z",
                     *         "expired_at": "2026-11-22T23:47:58.451Z",
                     *         "bound_at": null,
                     *         "unbound_at": null,
                     *         "webview_url": "http://127.0.0.1:27046/bind/d24e60ff9d8f4f9cb3875da34ece1c8aEbhV2ZCq5ISqlRgMmmjGi2MfkhlaUAp-XpQ7MDhDB5c"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreateDirectDebitBindingAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP004: A request with this Idempotency-Key is still running. Send it again after Retry-After. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /**
             * @description - SP018: A field or header is missing or wrong; `errors` has the messages by field.
             *     - SP018: The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP018",
                     *       "response_message": "Validation error",
                     *       "data": {
                     *         "bank_code": "CITI",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "message": "bank_code: must be one of BCA, BNI, BRI, MANDIRI, PERMATA, MAYBANK, CIMB, BSI, MUAMALAT, BNC, OCBC, DANAMON",
                     *         "errors": {
                     *           "bank_code": [
                     *             "must be one of BCA, BNI, BRI, MANDIRI, PERMATA, MAYBANK, CIMB, BSI, MUAMALAT, BNC, OCBC, DANAMON"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    showDirectDebitBinding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A binding. */
                binding_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "binding_id": "d24e60ff-9d8f-4f9c-b387-5da34ece1c8a",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "bank_code": "BRI",
                     *         "customer_id": "pelanggan-43",
                     *         "customer_name": "Ani Lestari",
                     *         "customer_phone": "****7890",
                     *         "status": "ACTIVE",
                     *         "failed_reason": null,
                     *         "unbound_by": null,
                     *         "bank_account_number": "****7890",
                     *         "bank_account_name": "TEST 7890",
                     *         "redirect_url": "https://toko.example/terhubung",
                     *         "handover_code": "B4RQZigqr7QUZQpXy_ePM_ZpAFu_6SVnmRGvgOl25Z0",
                     *         "created_at": "2026-11-22T23:17:58.451Z",
                     *         "expired_at": "2026-11-22T23:47:58.451Z",
                     *         "bound_at": "2026-11-22T23:17:58.673Z",
                     *         "unbound_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowDirectDebitBindingAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP009: No resource has this id or reference number. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    unbindDirectDebit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A binding. */
                binding_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "bank_code": "BRI",
                     *         "customer_id": "pelanggan-42",
                     *         "customer_name": "Ani Lestari",
                     *         "customer_phone": "****7890",
                     *         "status": "ACTIVE",
                     *         "failed_reason": null,
                     *         "unbound_by": null,
                     *         "bank_account_number": "****7890",
                     *         "bank_account_name": "TEST 7890",
                     *         "redirect_url": "https://toko.example/terhubung",
                     *         "handover_code": "E2ifQlzd11EyEEoe1ZZODr4bVIr2nj7Z2upkVQPysxs",
                     *         "created_at": "2026-11-22T22:42:55.378Z",
                     *         "expired_at": "2026-11-22T23:12:55.378Z",
                     *         "bound_at": "2026-11-22T22:42:55.563Z",
                     *         "unbound_at": null,
                     *         "otp_required": true,
                     *         "otp_handoff": {
                     *           "token": "v2:env:k1:2dHV+MGowSCuxx8XNOsXbiAl5gvvma2QL44cGpntu2uTqTz++EvssztLjvtg+uHp3SNZzGapGjI2I2aR:0EmG20iP2nZs1aNA:veIq46FIL5qlIk+7xLX+VIWAAazO6S6dNDm6hO5RNMn2JY8HAV3aW+CI03ZlfpzPQYHTsXIgQpmy0B+G4eE=:BF5b/hC+0xtNmhtQ8WiUSQ==",
                     *           "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *           "expired_at": "2026-11-22T22:52:57.157Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UnbindDirectDebitAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *         "message": "The binding is not active"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP009: No resource has this id or reference number. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    chargeDirectDebit: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *       "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                 *       "reference_number": "tagihan-3",
                 *       "amount": {
                 *         "value": "900000.00",
                 *         "currency": "IDR"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ChargeDirectDebitRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "transaction_id": "ecd5b7e2-b579-8001-998f-56fee801dee7",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *         "reference_number": "tagihan-3",
                     *         "bank_code": "BRI",
                     *         "customer_id": "pelanggan-42",
                     *         "amount": {
                     *           "value": "900000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": null,
                     *         "net_amount": null,
                     *         "description": null,
                     *         "status": "PENDING_OTP",
                     *         "requires_otp": true,
                     *         "otp_attempts_left": 3,
                     *         "otp_expired_at": "2026-11-22T22:47:55.917Z",
                     *         "failed_code": null,
                     *         "failed_reason": null,
                     *         "has_settle": false,
                     *         "settle_at": null,
                     *         "refunded_amount": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "refunds": [],
                     *         "created_at": "2026-11-22T22:42:55.915Z",
                     *         "processed_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ChargeDirectDebitAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP007: The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChargeDirectDebitError"];
                };
            };
            /**
             * @description - SP013: The access token is missing, expired, revoked or of another merchant; or the client could not prove itself.
             *     - SP016: X-Signature is not that of this request, or X-Timestamp is more than 300 seconds off.
             */
            401: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP004: A request with this Idempotency-Key is still running. Send it again after Retry-After.
             *     - SP004: The reference number was used for another order of this account.
             */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP004",
                     *       "response_message": "Duplicate reference number",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *         "reference_number": "tagihan-1",
                     *         "message": "Duplicate reference number"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /**
             * @description - SP018: A field or header is missing or wrong; `errors` has the messages by field.
             *     - SP018: The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    verifyDirectDebitOtp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "otp": "123456",
                 *       "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                 *       "unbind_context": {
                 *         "token": "v2:env:k1:2dHV+MGowSCuxx8XNOsXbiAl5gvvma2QL44cGpntu2uTqTz++EvssztLjvtg+uHp3SNZzGapGjI2I2aR:0EmG20iP2nZs1aNA:veIq46FIL5qlIk+7xLX+VIWAAazO6S6dNDm6hO5RNMn2JY8HAV3aW+CI03ZlfpzPQYHTsXIgQpmy0B+G4eE=:BF5b/hC+0xtNmhtQ8WiUSQ==",
                 *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                 *         "expired_at": "2026-11-22T22:52:57.157Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["VerifyDirectDebitOtpRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "bank_code": "BRI",
                     *         "customer_id": "pelanggan-42",
                     *         "customer_name": "Ani Lestari",
                     *         "customer_phone": "****7890",
                     *         "status": "ACTIVE",
                     *         "failed_reason": null,
                     *         "unbound_by": null,
                     *         "bank_account_number": "****7890",
                     *         "bank_account_name": "TEST 7890",
                     *         "redirect_url": "https://toko.example/terhubung",
                     *         "handover_code": "E2ifQlzd11EyEEoe1ZZODr4bVIr2nj7Z2upkVQPysxs",
                     *         "created_at": "2026-11-22T22:42:55.378Z",
                     *         "expired_at": "2026-11-22T23:12:55.378Z",
                     *         "bound_at": "2026-11-22T22:42:55.563Z",
                     *         "unbound_at": null,
                     *         "attempts_left": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["VerifyDirectDebitOtpAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "transaction_id": "f0adbcd2-6f44-86a1-9a8b-cfb1ce8f061d",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *         "reference_number": "tagihan-2",
                     *         "bank_code": "BRI",
                     *         "customer_id": "pelanggan-42",
                     *         "amount": {
                     *           "value": "900000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": null,
                     *         "net_amount": null,
                     *         "description": null,
                     *         "status": "PENDING_OTP",
                     *         "requires_otp": true,
                     *         "otp_attempts_left": 2,
                     *         "otp_expired_at": "2026-11-22T22:47:55.841Z",
                     *         "failed_code": null,
                     *         "failed_reason": null,
                     *         "has_settle": false,
                     *         "settle_at": null,
                     *         "refunded_amount": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "refunds": [],
                     *         "created_at": "2026-11-22T22:42:55.839Z",
                     *         "processed_at": null,
                     *         "attempts_left": 2,
                     *         "message": "The OTP is wrong"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["VerifyDirectDebitOtpError"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP009: No resource has this id or reference number. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /** @description - SP018: A field or header is missing or wrong; `errors` has the messages by field. */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP018",
                     *       "response_message": "Validation error",
                     *       "data": {
                     *         "message": "transaction_id: is required, or binding_id and unbind_context",
                     *         "errors": {
                     *           "transaction_id": [
                     *             "is required, or binding_id and unbind_context"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    listDirectDebitTransactions: {
        parameters: {
            query: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description Only those of this binding. */
                binding_id?: string;
                reference_number?: string;
                status?: "PENDING_OTP" | "PENDING" | "SUCCESS" | "FAILED" | "EXPIRED";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "transaction_id": "ecd5b7e2-b579-8001-998f-56fee801dee7",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *             "reference_number": "tagihan-3",
                     *             "bank_code": "BRI",
                     *             "customer_id": "pelanggan-42",
                     *             "amount": {
                     *               "value": "900000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": null,
                     *             "net_amount": null,
                     *             "description": null,
                     *             "status": "PENDING_OTP",
                     *             "requires_otp": true,
                     *             "otp_attempts_left": 3,
                     *             "otp_expired_at": "2026-11-22T22:47:55.917Z",
                     *             "failed_code": null,
                     *             "failed_reason": null,
                     *             "has_settle": false,
                     *             "settle_at": null,
                     *             "refunded_amount": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "refunds": [],
                     *             "created_at": "2026-11-22T22:42:55.915Z",
                     *             "processed_at": null
                     *           },
                     *           {
                     *             "transaction_id": "f0adbcd2-6f44-86a1-9a8b-cfb1ce8f061d",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *             "reference_number": "tagihan-2",
                     *             "bank_code": "BRI",
                     *             "customer_id": "pelanggan-42",
                     *             "amount": {
                     *               "value": "900000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "net_amount": {
                     *               "value": "900000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "description": null,
                     *             "status": "SUCCESS",
                     *             "requires_otp": true,
                     *             "otp_attempts_left": null,
                     *             "otp_expired_at": null,
                     *             "failed_code": null,
                     *             "failed_reason": null,
                     *             "has_settle": false,
                     *             "settle_at": "2026-11-22T22:43:00.920Z",
                     *             "refunded_amount": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "refunds": [],
                     *             "created_at": "2026-11-22T22:42:55.839Z",
                     *             "processed_at": "2026-11-22T22:42:55.920Z"
                     *           }
                     *         ],
                     *         "next_cursor": "MToxNzk1Mzg3Mzc1ODM5OmYwYWRiY2QyLTZmNDQtODZhMS05YThiLWNmYjFjZThmMDYxZA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListDirectDebitTransactionsAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    showDirectDebitTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A charge. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "transaction_id": "95c42407-476f-8bd1-8fd7-8f629fe895fe",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                     *         "reference_number": "tagihan-1",
                     *         "bank_code": "BRI",
                     *         "customer_id": "pelanggan-42",
                     *         "amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "description": "Langganan November",
                     *         "status": "SUCCESS",
                     *         "requires_otp": false,
                     *         "otp_attempts_left": null,
                     *         "otp_expired_at": null,
                     *         "failed_code": null,
                     *         "failed_reason": null,
                     *         "has_settle": false,
                     *         "settle_at": "2026-11-22T22:43:00.654Z",
                     *         "refunded_amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "refunds": [
                     *           {
                     *             "refund_id": "afe391a9-7065-47d8-8c4e-9057258860ee",
                     *             "reference_number": "retur-1",
                     *             "amount": {
                     *               "value": "30000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "status": "SUCCESS",
                     *             "failed_code": null,
                     *             "failed_reason": null,
                     *             "created_at": "2026-11-22T22:42:55.720Z",
                     *             "processed_at": "2026-11-22T22:42:55.741Z"
                     *           },
                     *           {
                     *             "refund_id": "d43c04d6-3518-4d1c-aeee-bf401d82cebd",
                     *             "reference_number": "retur-3",
                     *             "amount": {
                     *               "value": "70000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "status": "FAILED",
                     *             "failed_code": "4035815",
                     *             "failed_reason": "Transaction Not Permitted",
                     *             "created_at": "2026-11-22T22:42:55.782Z",
                     *             "processed_at": "2026-11-22T22:42:55.811Z"
                     *           }
                     *         ],
                     *         "created_at": "2026-11-22T22:42:55.632Z",
                     *         "processed_at": "2026-11-22T22:42:55.654Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowDirectDebitTransactionAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP009: No resource has this id or reference number. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    refundDirectDebit: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A charge. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference_number": "retur-1",
                 *       "amount": {
                 *         "value": "30000.00",
                 *         "currency": "IDR"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RefundDirectDebitRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "refund_id": "afe391a9-7065-47d8-8c4e-9057258860ee",
                     *         "reference_number": "retur-1",
                     *         "amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "status": "SUCCESS",
                     *         "failed_code": null,
                     *         "failed_reason": null,
                     *         "created_at": "2026-11-22T22:42:55.720Z",
                     *         "processed_at": "2026-11-22T22:42:55.741Z",
                     *         "transaction_id": "95c42407-476f-8bd1-8fd7-8f629fe895fe",
                     *         "refunded_amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RefundDirectDebitAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP003: The available balance is less than amount and fee. Nothing is recorded; the reference stays free.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "refund_id": "d43c04d6-3518-4d1c-aeee-bf401d82cebd",
                     *         "reference_number": "retur-3",
                     *         "amount": {
                     *           "value": "70000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "status": "FAILED",
                     *         "failed_code": "4035815",
                     *         "failed_reason": "Transaction Not Permitted",
                     *         "created_at": "2026-11-22T22:42:55.782Z",
                     *         "processed_at": "2026-11-22T22:42:55.811Z",
                     *         "transaction_id": "95c42407-476f-8bd1-8fd7-8f629fe895fe",
                     *         "refunded_amount": {
                     *           "value": "30000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "message": "Transaction Not Permitted"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RefundDirectDebitError"];
                };
            };
            /**
             * @description - SP013: The access token is missing, expired, revoked or of another merchant; or the client could not prove itself.
             *     - SP016: X-Signature is not that of this request, or X-Timestamp is more than 300 seconds off.
             */
            401: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP009: No resource has this id or reference number. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP004: A request with this Idempotency-Key is still running. Send it again after Retry-After.
             *     - SP004: The reference number was used for another order of this account.
             */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /**
             * @description - SP018: A field or header is missing or wrong; `errors` has the messages by field.
             *     - SP018: The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP018",
                     *       "response_message": "Validation error",
                     *       "data": {
                     *         "transaction_id": "95c42407-476f-8bd1-8fd7-8f629fe895fe",
                     *         "reference_number": "retur-2",
                     *         "message": "amount: is more than is left of the charge",
                     *         "errors": {
                     *           "amount": [
                     *             "is more than is left of the charge"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    payByCard: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "card_number": "4811111111111114",
                 *       "card_expiry": "12/39",
                 *       "card_cvv": "123",
                 *       "card_holder_name": "BUDI SANTOSO",
                 *       "installment": 1,
                 *       "installment_month": 1,
                 *       "amount": {
                 *         "value": "250000.00",
                 *         "currency": "IDR"
                 *       },
                 *       "customer": {
                 *         "name": "Budi Santoso",
                 *         "email": "budi@example.com",
                 *         "phone": "081234567890"
                 *       },
                 *       "merchant_reff_no": "INV-1042"
                 *     }
                 */
                "application/json": components["schemas"]["PayByCardRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "id": "9901M82RVX71SVR1AMGW1YDV063A",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "status": "pending",
                     *         "amount": {
                     *           "value": "250000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "masked_card": "481111******1114",
                     *         "brand": "VISA",
                     *         "card_holder_name": "BUDI SANTOSO",
                     *         "installment": 1,
                     *         "installment_month": 1,
                     *         "customer": {
                     *           "name": "Budi Santoso",
                     *           "email": "budi@example.com",
                     *           "phone": "081234567890"
                     *         },
                     *         "merchant_reff_no": "INV-1042",
                     *         "redirect_url": null,
                     *         "action": "redirect",
                     *         "payment_url": "http://127.0.0.1:31869/card/acs/challenge?creq=eyJtZXNzYWdlVHlwZSI6IkNSZXEiLCJtZXNzYWdlVmVyc2lvbiI6IjIuMi4wIiwidGhyZWVEU1NlcnZlclRyYW5zSUQiOiI0OTcxOWY1OC00ZjExLTQzYjUtOTBiNC04NGYyZWE0NjIxMTgiLCJhY3NUcmFuc0lEIjoiNmI3OTdiODgtOGJiNy00ZTZiLWIxZDYtNzdkNGI1NzllNWY5IiwiY2hhbGxlbmdlV2luZG93U2l6ZSI6IjA1In0",
                     *         "html_form": null,
                     *         "fee": null,
                     *         "net_amount": null,
                     *         "mdr_percentage": null,
                     *         "failed_code": null,
                     *         "failed_reason": null,
                     *         "cancel_type": null,
                     *         "has_settle": false,
                     *         "settle_at": null,
                     *         "created_at": "2026-11-22T23:18:39.073Z",
                     *         "processed_at": null,
                     *         "captured_at": null,
                     *         "cancelled_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PayByCardAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP007: The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "id": "9901M82RVX5ZCJ4ZZX7W95KHB2ZR",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "status": "failed",
                     *         "amount": {
                     *           "value": "250000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "masked_card": "447242******6670",
                     *         "brand": "VISA",
                     *         "card_holder_name": "BUDI SANTOSO",
                     *         "installment": 1,
                     *         "installment_month": 1,
                     *         "customer": {
                     *           "name": "Budi Santoso",
                     *           "email": "budi@example.com",
                     *           "phone": "081234567890"
                     *         },
                     *         "merchant_reff_no": "INV-1042",
                     *         "redirect_url": null,
                     *         "action": null,
                     *         "payment_url": null,
                     *         "html_form": null,
                     *         "fee": null,
                     *         "net_amount": null,
                     *         "mdr_percentage": null,
                     *         "failed_code": "51",
                     *         "failed_reason": "Insufficient funds",
                     *         "cancel_type": null,
                     *         "has_settle": false,
                     *         "settle_at": null,
                     *         "created_at": "2026-11-22T23:18:39.039Z",
                     *         "processed_at": "2026-11-22T23:18:39.053Z",
                     *         "captured_at": null,
                     *         "cancelled_at": null,
                     *         "message": "Insufficient funds"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PayByCardError"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP004: A request with this Idempotency-Key is still running. Send it again after Retry-After. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /**
             * @description - SP018: A field or header is missing or wrong; `errors` has the messages by field.
             *     - SP018: The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP018",
                     *       "response_message": "Validation error",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "message": "card_cvv: must have 3 or 4 digits, must have 3 digits for this card",
                     *         "errors": {
                     *           "card_cvv": [
                     *             "must have 3 or 4 digits",
                     *             "must have 3 digits for this card"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    cancelCardPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A payment by card. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "id": "9901M82RTNST2KWMJB8HNPWSP61R",
                     *         "status": "success",
                     *         "cancel_type": "refund"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CancelCardPaymentAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             *     - SP003: The available balance is less than amount and fee. Nothing is recorded; the reference stays free.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "message": "The payment has no outcome yet"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    showCardPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A payment by card. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "id": "9901M82RTNST2KWMJB8HNPWSP61R",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "status": "success",
                     *         "amount": {
                     *           "value": "250000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "masked_card": "441111******1118",
                     *         "brand": "VISA",
                     *         "card_holder_name": "BUDI SANTOSO",
                     *         "installment": 1,
                     *         "installment_month": 1,
                     *         "customer": {
                     *           "name": "Budi Santoso",
                     *           "email": "budi@example.com",
                     *           "phone": "081234567890"
                     *         },
                     *         "merchant_reff_no": "INV-1042",
                     *         "redirect_url": null,
                     *         "action": null,
                     *         "payment_url": null,
                     *         "html_form": null,
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "net_amount": {
                     *           "value": "250000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "mdr_percentage": 0,
                     *         "failed_code": null,
                     *         "failed_reason": null,
                     *         "cancel_type": null,
                     *         "has_settle": false,
                     *         "settle_at": "2026-11-22T23:18:43.849Z",
                     *         "created_at": "2026-11-22T23:17:58.724Z",
                     *         "processed_at": "2026-11-22T23:17:58.750Z",
                     *         "captured_at": "2026-11-22T23:18:38.849Z",
                     *         "cancelled_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowCardPaymentAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    listCardChargebacks: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                status?: "open" | "won" | "lost";
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "01M82RTNT4G58EH1G0VDWG6SK1",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "card_transaction_id": "9901M82RTNST2KWMJB8HNPWSP61R",
                     *             "status": "open",
                     *             "stage": "chargeback",
                     *             "amount": {
                     *               "value": "100000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "reserved_amount": {
                     *               "value": "100000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "fee": {
                     *               "value": "0.00",
                     *               "currency": "IDR"
                     *             },
                     *             "reason_code": "13.1",
                     *             "reason": "Merchandise not received",
                     *             "respond_by": "2026-12-06T23:18:38.872Z",
                     *             "merchant_reff_no": "INV-1042",
                     *             "created_at": "2026-11-22T23:18:38.895Z",
                     *             "ended_at": null
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListCardChargebacksAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /** @description - SP018: A field or header is missing or wrong; `errors` has the messages by field. */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP018",
                     *       "response_message": "Validation error",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "message": "status: must be a status of a chargeback",
                     *         "errors": {
                     *           "status": [
                     *             "must be a status of a chargeback"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    showCardChargeback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A chargeback. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "id": "01M82RTNT4G58EH1G0VDWG6SK1",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "card_transaction_id": "9901M82RTNST2KWMJB8HNPWSP61R",
                     *         "status": "won",
                     *         "stage": "chargeback",
                     *         "amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "reserved_amount": {
                     *           "value": "100000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "fee": {
                     *           "value": "0.00",
                     *           "currency": "IDR"
                     *         },
                     *         "reason_code": "13.1",
                     *         "reason": "Merchandise not received",
                     *         "respond_by": "2026-12-06T23:18:38.872Z",
                     *         "merchant_reff_no": "INV-1042",
                     *         "created_at": "2026-11-22T23:18:38.895Z",
                     *         "ended_at": "2026-11-22T23:18:38.975Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowCardChargebackAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    listPlans: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                status?: "pending" | "active" | "paused" | "past_due" | "cancelled" | "completed";
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "plan_id": "01M82RVXAGKV528BEZCK695PRG",
                     *             "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *             "name": "Gym",
                     *             "status": "active",
                     *             "amount": {
                     *               "value": "99000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "interval": "month",
                     *             "interval_count": 1,
                     *             "total_cycles": null,
                     *             "paid_cycles": 1,
                     *             "start_at": "2026-11-22T23:18:39.185Z",
                     *             "next_charge_at": "2026-12-22T23:18:39.185Z",
                     *             "masked_card": "441111******1118",
                     *             "brand": "VISA",
                     *             "card_holder_name": "BUDI SANTOSO",
                     *             "card_expiry": "12/39",
                     *             "customer": {
                     *               "name": "Budi Santoso",
                     *               "email": "budi@example.com",
                     *               "phone": "081234567890"
                     *             },
                     *             "redirect_url": null,
                     *             "action": null,
                     *             "payment_url": null,
                     *             "html_form": null,
                     *             "created_at": "2026-11-22T23:18:39.185Z",
                     *             "ended_at": null,
                     *             "ended_reason": null
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListPlansAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    createPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "card_number": "4411111111111118",
                 *       "card_expiry": "12/39",
                 *       "card_cvv": "123",
                 *       "card_holder_name": "BUDI SANTOSO",
                 *       "name": "Gym",
                 *       "amount": {
                 *         "value": "99000.00",
                 *         "currency": "IDR"
                 *       },
                 *       "interval": "day",
                 *       "interval_count": 1,
                 *       "customer": {
                 *         "name": "Budi Santoso",
                 *         "email": "budi@example.com",
                 *         "phone": "081234567890"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreatePlanRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "plan_id": "01M82RVXNCFXXACV5XQKY3P29F",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "name": "Gym",
                     *         "status": "active",
                     *         "amount": {
                     *           "value": "99000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "interval": "day",
                     *         "interval_count": 1,
                     *         "total_cycles": null,
                     *         "paid_cycles": 1,
                     *         "start_at": "2026-11-22T23:18:39.532Z",
                     *         "next_charge_at": "2026-11-23T23:18:39.532Z",
                     *         "masked_card": "441111******1118",
                     *         "brand": "VISA",
                     *         "card_holder_name": "BUDI SANTOSO",
                     *         "card_expiry": "12/39",
                     *         "customer": {
                     *           "name": "Budi Santoso",
                     *           "email": "budi@example.com",
                     *           "phone": "081234567890"
                     *         },
                     *         "redirect_url": null,
                     *         "action": null,
                     *         "payment_url": null,
                     *         "html_form": null,
                     *         "created_at": "2026-11-22T23:18:39.532Z",
                     *         "ended_at": null,
                     *         "ended_reason": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreatePlanAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP007: The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "plan_id": "01M85B8WBMS062F1KJAVPETF4R",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "name": "Gym",
                     *         "status": "cancelled",
                     *         "amount": {
                     *           "value": "99000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "interval": "month",
                     *         "interval_count": 1,
                     *         "total_cycles": null,
                     *         "paid_cycles": 0,
                     *         "start_at": "2026-11-23T23:18:47.412Z",
                     *         "next_charge_at": null,
                     *         "masked_card": "447242******6670",
                     *         "brand": "VISA",
                     *         "card_holder_name": "BUDI SANTOSO",
                     *         "card_expiry": "12/39",
                     *         "customer": {
                     *           "name": "Budi Santoso",
                     *           "email": "budi@example.com",
                     *           "phone": "081234567890"
                     *         },
                     *         "redirect_url": null,
                     *         "action": null,
                     *         "payment_url": null,
                     *         "html_form": null,
                     *         "created_at": "2026-11-23T23:18:47.412Z",
                     *         "ended_at": "2026-11-23T23:18:47.450Z",
                     *         "ended_reason": "declined",
                     *         "message": "Insufficient funds"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreatePlanError"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /** @description - SP004: A request with this Idempotency-Key is still running. Send it again after Retry-After. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /**
             * @description - SP018: A field or header is missing or wrong; `errors` has the messages by field.
             *     - SP018: The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP018",
                     *       "response_message": "Validation error",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "message": "interval: must be one of day, week, month",
                     *         "errors": {
                     *           "interval": [
                     *             "must be one of day, week, month"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    showPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A plan. */
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "plan_id": "01M82RVXNCFXXACV5XQKY3P29F",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "name": "Gym",
                     *         "status": "past_due",
                     *         "amount": {
                     *           "value": "99000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "interval": "day",
                     *         "interval_count": 1,
                     *         "total_cycles": null,
                     *         "paid_cycles": 1,
                     *         "start_at": "2026-11-22T23:18:39.532Z",
                     *         "next_charge_at": null,
                     *         "masked_card": "447242******6670",
                     *         "brand": "VISA",
                     *         "card_holder_name": "BUDI SANTOSO",
                     *         "card_expiry": "12/39",
                     *         "customer": {
                     *           "name": "Budi Santoso",
                     *           "email": "budi@example.com",
                     *           "phone": "081234567890"
                     *         },
                     *         "redirect_url": null,
                     *         "action": null,
                     *         "payment_url": null,
                     *         "html_form": null,
                     *         "created_at": "2026-11-22T23:18:39.532Z",
                     *         "ended_at": null,
                     *         "ended_reason": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShowPlanAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    pausePlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A plan. */
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "plan_id": "01M82RVXAGKV528BEZCK695PRG",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "name": "Gym",
                     *         "status": "paused",
                     *         "amount": {
                     *           "value": "99000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "interval": "month",
                     *         "interval_count": 1,
                     *         "total_cycles": null,
                     *         "paid_cycles": 1,
                     *         "start_at": "2026-11-22T23:18:39.185Z",
                     *         "next_charge_at": null,
                     *         "masked_card": "441111******1118",
                     *         "brand": "VISA",
                     *         "card_holder_name": "BUDI SANTOSO",
                     *         "card_expiry": "12/39",
                     *         "customer": {
                     *           "name": "Budi Santoso",
                     *           "email": "budi@example.com",
                     *           "phone": "081234567890"
                     *         },
                     *         "redirect_url": null,
                     *         "action": null,
                     *         "payment_url": null,
                     *         "html_form": null,
                     *         "created_at": "2026-11-22T23:18:39.185Z",
                     *         "ended_at": null,
                     *         "ended_reason": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PausePlanAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "message": "The plan is paused"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    resumePlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A plan. */
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "plan_id": "01M82RVXAGKV528BEZCK695PRG",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "name": "Gym",
                     *         "status": "active",
                     *         "amount": {
                     *           "value": "99000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "interval": "month",
                     *         "interval_count": 1,
                     *         "total_cycles": null,
                     *         "paid_cycles": 1,
                     *         "start_at": "2026-11-22T23:18:39.185Z",
                     *         "next_charge_at": "2026-12-22T23:18:39.185Z",
                     *         "masked_card": "441111******1118",
                     *         "brand": "VISA",
                     *         "card_holder_name": "BUDI SANTOSO",
                     *         "card_expiry": "12/39",
                     *         "customer": {
                     *           "name": "Budi Santoso",
                     *           "email": "budi@example.com",
                     *           "phone": "081234567890"
                     *         },
                     *         "redirect_url": null,
                     *         "action": null,
                     *         "payment_url": null,
                     *         "html_form": null,
                     *         "created_at": "2026-11-22T23:18:39.185Z",
                     *         "ended_at": null,
                     *         "ended_reason": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResumePlanAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "message": "The plan is active"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    cancelPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A plan. */
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "plan_id": "01M82RVXAGKV528BEZCK695PRG",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "name": "Gym",
                     *         "status": "cancelled",
                     *         "amount": {
                     *           "value": "99000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "interval": "month",
                     *         "interval_count": 1,
                     *         "total_cycles": null,
                     *         "paid_cycles": 1,
                     *         "start_at": "2026-11-22T23:18:39.185Z",
                     *         "next_charge_at": null,
                     *         "masked_card": "441111******1118",
                     *         "brand": "VISA",
                     *         "card_holder_name": "BUDI SANTOSO",
                     *         "card_expiry": "01/40",
                     *         "customer": {
                     *           "name": "Budi Santoso",
                     *           "email": "budi@example.com",
                     *           "phone": "081234567890"
                     *         },
                     *         "redirect_url": null,
                     *         "action": null,
                     *         "payment_url": null,
                     *         "html_form": null,
                     *         "created_at": "2026-11-22T23:18:39.185Z",
                     *         "ended_at": "2026-11-22T23:18:39.357Z",
                     *         "ended_reason": "merchant"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CancelPlanAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP001",
                     *       "response_message": "Transaction failure",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "message": "The plan is cancelled"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    replacePlanCard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A plan. */
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "card_number": "4411111111111118",
                 *       "card_expiry": "12/39",
                 *       "card_cvv": "123",
                 *       "card_holder_name": "BUDI SANTOSO"
                 *     }
                 */
                "application/json": components["schemas"]["ReplacePlanCardRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "plan_id": "01M82RVXNCFXXACV5XQKY3P29F",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "name": "Gym",
                     *         "status": "active",
                     *         "amount": {
                     *           "value": "99000.00",
                     *           "currency": "IDR"
                     *         },
                     *         "interval": "day",
                     *         "interval_count": 1,
                     *         "total_cycles": null,
                     *         "paid_cycles": 2,
                     *         "start_at": "2026-11-22T23:18:39.532Z",
                     *         "next_charge_at": "2026-11-24T23:18:39.532Z",
                     *         "masked_card": "441111******1118",
                     *         "brand": "VISA",
                     *         "card_holder_name": "BUDI SANTOSO",
                     *         "card_expiry": "12/39",
                     *         "customer": {
                     *           "name": "Budi Santoso",
                     *           "email": "budi@example.com",
                     *           "phone": "081234567890"
                     *         },
                     *         "redirect_url": null,
                     *         "action": null,
                     *         "payment_url": null,
                     *         "html_form": null,
                     *         "created_at": "2026-11-22T23:18:39.532Z",
                     *         "ended_at": null,
                     *         "ended_reason": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReplacePlanCardAnswer"];
                };
            };
            /**
             * @description - SP012: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - SP007: The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             *     - SP001: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplacePlanCardError"];
                };
            };
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             *     - SP015: The merchant or the account is frozen or inactive.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            /** @description - SP018: A field or header is missing or wrong; `errors` has the messages by field. */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP018",
                     *       "response_message": "Validation error",
                     *       "data": {
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "message": "card_cvv: must have 3 or 4 digits, must have 3 digits for this card",
                     *         "errors": {
                     *           "card_cvv": [
                     *             "must have 3 or 4 digits",
                     *             "must have 3 digits for this card"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    listPlanCycles: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description An account of the merchant, as `id` of it. */
                account_id: components["schemas"]["AccountId"];
                /** @description A plan. */
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response_code": "SP000",
                     *       "response_message": "Success",
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "plan_id": "01M82RVXAGKV528BEZCK695PRG",
                     *             "cycle": 2,
                     *             "status": "scheduled",
                     *             "amount": {
                     *               "value": "99000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "due_at": "2026-12-22T23:18:39.185Z",
                     *             "card_transaction_id": null,
                     *             "attempts": 0,
                     *             "next_retry_at": null,
                     *             "failed_code": null,
                     *             "failed_reason": null,
                     *             "processed_at": null
                     *           },
                     *           {
                     *             "plan_id": "01M82RVXAGKV528BEZCK695PRG",
                     *             "cycle": 1,
                     *             "status": "success",
                     *             "amount": {
                     *               "value": "99000.00",
                     *               "currency": "IDR"
                     *             },
                     *             "due_at": "2026-11-22T23:18:39.185Z",
                     *             "card_transaction_id": "9901M82RVXB21MVH7D5TQN4GVBSP",
                     *             "attempts": 1,
                     *             "next_retry_at": null,
                     *             "failed_code": null,
                     *             "failed_reason": null,
                     *             "processed_at": "2026-11-22T23:18:39.226Z"
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListPlanCyclesAnswer"];
                };
            };
            400: components["responses"]["V2Error400"];
            401: components["responses"]["V2Error401"];
            /**
             * @description - SP017: The caller's address is not on the merchant's whitelist.
             *     - SP015: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            /**
             * @description - SP020: There is no such account.
             *     - SP020: The account is of another merchant.
             *     - SP009: No resource has this id or reference number.
             */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV2"];
                };
            };
            413: components["responses"]["V2Error413"];
            422: components["responses"]["V2Error422"];
            429: components["responses"]["V2Error429"];
            500: components["responses"]["V2Error500"];
            503: components["responses"]["V2Error503"];
            504: components["responses"]["V2Error504"];
        };
    };
    inquirePrepaid: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": "plntok",
                 *       "data": {
                 *         "customer_id": "12345678901",
                 *         "product_code": "PLN50"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["InquirePrepaidRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command": "plntok",
                     *       "response_code": "00",
                     *       "response_text": "Success",
                     *       "data": {
                     *         "amount": "50000",
                     *         "customer_name": "TEST 8901",
                     *         "customer_id": "12345678901",
                     *         "reference_number": "01M82PTFQJJRE2GJYW06CWHVTH",
                     *         "price": "52500",
                     *         "created_at": "2026-11-23 05:42:55"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InquirePrepaidAnswer"];
                };
            };
            400: components["responses"]["LegacyError400"];
            401: components["responses"]["LegacyError401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - 04: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyOrV1Error"];
                };
            };
            413: components["responses"]["LegacyError413"];
            /** @description - 04: A field or header is missing or wrong; `errors` has the messages by field. */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command": "plntok",
                     *       "response_code": "04",
                     *       "response_text": "customer_id: is not known to the biller",
                     *       "data": {
                     *         "customer_id": [
                     *           "is not known to the biller"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LegacyOrV1Error"];
                };
            };
            429: components["responses"]["LegacyError429"];
            500: components["responses"]["LegacyError500"];
            /**
             * @description - 99: A part of the gateway does not answer at the moment. Send the same request again.
             *     - 99: Too much is under way. Nothing was done: send the request again after Retry-After.
             *     - 99: The rail cannot be asked at the moment.
             */
            503: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command": "plntok",
                     *       "response_code": "99",
                     *       "response_text": "The product is not sold at the moment; try again later",
                     *       "data": {}
                     *     }
                     */
                    "application/json": components["schemas"]["LegacyError"];
                };
            };
            504: components["responses"]["LegacyError504"];
        };
    };
    payPrepaid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": "plntok",
                 *       "data": {
                 *         "reference_number": "01M82PTFGPTYW8HYYWCS3CKWTH",
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PayPrepaidRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description This is the answer to an earlier request with the same Idempotency-Key. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command": "plntok",
                     *       "response_code": "00",
                     *       "response_text": "Success",
                     *       "data": {
                     *         "reference_number": "01M82PTFGPTYW8HYYWCS3CKWTH",
                     *         "transaction_id": "01M82PTFJDFW9Q3GC1V5QPAA4W",
                     *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                     *         "product_code": "PLN50",
                     *         "customer_id": "12345678901",
                     *         "customer_name": "TEST 8901",
                     *         "amount": "50000",
                     *         "admin_fee": "2500",
                     *         "price": "52500",
                     *         "token": "09837932185427290465",
                     *         "serial_number": "PFMY1WTSQ181XTE0",
                     *         "status": "success",
                     *         "created_at": "2026-11-23 05:42:55",
                     *         "processed_at": "2026-11-23 05:42:55"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PayPrepaidAnswer"];
                };
            };
            /**
             * @description - 04: The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.
             *     - 04: The available balance is less than amount and fee. Nothing is recorded; the reference stays free.
             *     - 04: The amount is over a limit of the merchant or the account, for a transaction, a day or a month.
             *     - 04: The transaction was executed and has failed, or the rail refused it.
             */
            400: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command": "plntok",
                     *       "response_code": "04",
                     *       "response_text": "Do Not Honor",
                     *       "data": {
                     *         "reference_number": [
                     *           "Do Not Honor"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LegacyError"];
                };
            };
            /**
             * @description - The access token is missing, expired, revoked or of another merchant; or the client could not prove itself.
             *     - X-Signature is not that of this request, or X-Timestamp is more than 300 seconds off.
             */
            401: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorV1"];
                };
            };
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - 04: The merchant does not have this product.
             *     - 04: The merchant or the account is frozen or inactive.
             *     - 04: The account is of another merchant.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyOrV1Error"];
                };
            };
            /** @description - 04: There is no such account. */
            404: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyError"];
                };
            };
            /** @description - 99: A request with this Idempotency-Key is still running. Send it again after Retry-After. */
            409: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyError"];
                };
            };
            413: components["responses"]["LegacyError413"];
            /**
             * @description - 04: A field or header is missing or wrong; `errors` has the messages by field.
             *     - 04: The Idempotency-Key was used with another body.
             */
            422: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command": "plntok",
                     *       "response_code": "04",
                     *       "response_text": "reference_number: is not known",
                     *       "data": {
                     *         "reference_number": [
                     *           "is not known"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LegacyOrV1Error"];
                };
            };
            429: components["responses"]["LegacyError429"];
            500: components["responses"]["LegacyError500"];
            /**
             * @description - 99: A part of the gateway does not answer at the moment. Send the same request again.
             *     - 99: Too much is under way. Nothing was done: send the request again after Retry-After.
             *     - 99: The rail cannot be asked at the moment.
             */
            503: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    /** @description Seconds after which the same request may be sent again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyError"];
                };
            };
            504: components["responses"]["LegacyError504"];
        };
    };
    listPrepaidProducts: {
        parameters: {
            query?: {
                command?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command": "plntok",
                     *       "response_code": "00",
                     *       "response_text": "Success",
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "command": "plntok",
                     *             "product_code": "PLN20",
                     *             "name": "PLN token 20.000",
                     *             "amount": "20000",
                     *             "admin_fee": "2500",
                     *             "price": "22500",
                     *             "customer_id_min_length": 11,
                     *             "customer_id_max_length": 12,
                     *             "customer_id_prefix": ""
                     *           },
                     *           {
                     *             "command": "plntok",
                     *             "product_code": "PLN50",
                     *             "name": "PLN token 50.000",
                     *             "amount": "50000",
                     *             "admin_fee": "2500",
                     *             "price": "52500",
                     *             "customer_id_min_length": 11,
                     *             "customer_id_max_length": 12,
                     *             "customer_id_prefix": ""
                     *           },
                     *           {
                     *             "command": "plntok",
                     *             "product_code": "PLN100",
                     *             "name": "PLN token 100.000",
                     *             "amount": "100000",
                     *             "admin_fee": "2500",
                     *             "price": "102500",
                     *             "customer_id_min_length": 11,
                     *             "customer_id_max_length": 12,
                     *             "customer_id_prefix": ""
                     *           },
                     *           {
                     *             "command": "plntok",
                     *             "product_code": "PLN200",
                     *             "name": "PLN token 200.000",
                     *             "amount": "200000",
                     *             "admin_fee": "2500",
                     *             "price": "202500",
                     *             "customer_id_min_length": 11,
                     *             "customer_id_max_length": 12,
                     *             "customer_id_prefix": ""
                     *           },
                     *           {
                     *             "command": "plntok",
                     *             "product_code": "PLN500",
                     *             "name": "PLN token 500.000",
                     *             "amount": "500000",
                     *             "admin_fee": "2500",
                     *             "price": "502500",
                     *             "customer_id_min_length": 11,
                     *             "customer_id_max_length": 12,
                     *             "customer_id_prefix": ""
                     *           },
                     *           {
                     *             "command": "plntok",
                     *             "product_code": "PLN1000",
                     *             "name": "PLN token 1000.000",
                     *             "amount": "1000000",
                     *             "admin_fee": "2500",
                     *             "price": "1002500",
                     *             "customer_id_min_length": 11,
                     *             "customer_id_max_length": 12,
                     *             "customer_id_prefix": ""
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ListPrepaidProductsAnswer"];
                };
            };
            400: components["responses"]["LegacyError400"];
            401: components["responses"]["LegacyError401"];
            /**
             * @description - The caller's address is not on the merchant's whitelist.
             *     - 04: The merchant does not have this product.
             */
            403: {
                headers: {
                    /** @description The id of the request and of its trace: name it when you ask for support. */
                    "X-Request-Id": components["schemas"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyOrV1Error"];
                };
            };
            413: components["responses"]["LegacyError413"];
            422: components["responses"]["LegacyError422"];
            429: components["responses"]["LegacyError429"];
            500: components["responses"]["LegacyError500"];
            503: components["responses"]["LegacyError503"];
            504: components["responses"]["LegacyError504"];
        };
    };
    onMoneyInExpiration: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "product": "qris",
                 *         "transaction": {
                 *           "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *           "acquirer_name": "Gerbang Sandbox",
                 *           "acquirer_nns": "93600999",
                 *           "amount": 25000,
                 *           "created_at": "2026-11-22T22:42:53.596Z",
                 *           "customer_account_type": "UNSPECIFIED",
                 *           "customer_data": {
                 *             "account_type": "UNSPECIFIED",
                 *             "name": "",
                 *             "pan": ""
                 *           },
                 *           "customer_name": "",
                 *           "customer_pan": "",
                 *           "deleted_at": null,
                 *           "events_count": 1,
                 *           "expired_at": "2026-11-22T23:12:53.596Z",
                 *           "had_settled_to_merchant": false,
                 *           "has_reconcile": false,
                 *           "has_settle": false,
                 *           "id": 2,
                 *           "is_expired": true,
                 *           "issuer_name": "",
                 *           "issuer_nns": "",
                 *           "kind": null,
                 *           "mdr_cost": 0,
                 *           "mdr_percentage": 0,
                 *           "merchant_reff_no": "meja-4",
                 *           "our_margin": 0,
                 *           "paid_at": null,
                 *           "qr_data": "00020101021226470014ID.SANDBOX.WWW01189360099900000000170303UMI51440014ID.CO.QRIS.WWW0215ID10200300400550303UMI520459995303360540525000550203570155802ID5909Toko Demo6007Jakarta622905251M82PTE0WGBBNCPRZMR0Y9G4M6304E649",
                 *           "reconcile_at": null,
                 *           "reconcile_by": "",
                 *           "reff_no": "6601M82PTE0WGBBNCPRZMR0Y9G4M",
                 *           "rrn": "",
                 *           "settle_at": null,
                 *           "settle_eligible_at": null,
                 *           "settled_to_merchant_amount": 0,
                 *           "settled_to_merchant_at": null,
                 *           "status": "expired",
                 *           "status_computed": "expired",
                 *           "tip_amount": 0,
                 *           "tip_indicator": "percentage",
                 *           "tip_value": 5,
                 *           "total_amount": 25000,
                 *           "type": "mpm-dynamic",
                 *           "updated_at": "2026-11-22T23:17:58.532Z",
                 *           "vendor_fee": 0
                 *         }
                 *       },
                 *       "event": "money-in-expiration",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 06:17:58"
                 *     }
                 */
                "application/json": components["schemas"]["MoneyInExpirationWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onVaTransaction: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "50000.00"
                 *         },
                 *         "bank": {
                 *           "number": "014",
                 *           "short_name": "BCA",
                 *           "swift_code": "CENAIDJA"
                 *         },
                 *         "fee": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "has_settle": false,
                 *         "id": "01M82PTDNP84VESPA5XP45V5WA",
                 *         "merchant_reff_no": "INV-1042",
                 *         "net_amount": {
                 *           "currency": "IDR",
                 *           "value": "50000.00"
                 *         },
                 *         "number": "7001455475528418",
                 *         "paid_at": "2026-11-22T22:42:53.221Z",
                 *         "settle_at": "2026-11-22T22:42:58.221Z",
                 *         "status": "success",
                 *         "virtual_account_id": "01M82PTDK3GSG05BNZ3SK433NX"
                 *       },
                 *       "event": "va-transaction",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 05:42:53"
                 *     }
                 */
                "application/json": components["schemas"]["VaTransactionWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onQrisTransaction: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "acquirer_name": "Gerbang Sandbox",
                 *         "acquirer_nns": "93600999",
                 *         "amount": 25000,
                 *         "created_at": "2026-11-22T22:42:53.428Z",
                 *         "customer_account_type": "SAVING",
                 *         "customer_data": {
                 *           "account_type": "SAVING",
                 *           "name": "PELANGGAN SANDBOX",
                 *           "pan": "9360099900000012346"
                 *         },
                 *         "customer_name": "PELANGGAN SANDBOX",
                 *         "customer_pan": "9360099900000012346",
                 *         "deleted_at": null,
                 *         "events_count": 1,
                 *         "expired_at": "2026-11-22T23:12:53.428Z",
                 *         "had_settled_to_merchant": false,
                 *         "has_reconcile": false,
                 *         "has_settle": false,
                 *         "id": 1,
                 *         "is_expired": false,
                 *         "issuer_name": "Bank Sandbox",
                 *         "issuer_nns": "93600999",
                 *         "kind": "off-us",
                 *         "mdr_cost": 184,
                 *         "mdr_percentage": 0.7,
                 *         "merchant_reff_no": "meja-4",
                 *         "our_margin": 184,
                 *         "paid_at": "2026-11-22T22:42:53.518Z",
                 *         "qr_data": "00020101021226470014ID.SANDBOX.WWW01189360099900000000170303UMI51440014ID.CO.QRIS.WWW0215ID10200300400550303UMI520459995303360540525000550203570155802ID5909Toko Demo6007Jakarta622905251M82PTDVMGSZA8ZQ7ZQN0GKJ2630433E8",
                 *         "reconcile_at": null,
                 *         "reconcile_by": "",
                 *         "reff_no": "6601M82PTDVMGSZA8ZQ7ZQN0GKJ2",
                 *         "rrn": "W9MJF7Q5QR2R",
                 *         "settle_at": null,
                 *         "settle_eligible_at": "2026-11-22T22:42:58.518Z",
                 *         "settled_to_merchant_amount": 26066,
                 *         "settled_to_merchant_at": null,
                 *         "status": "success",
                 *         "status_computed": "success",
                 *         "tip_amount": 1250,
                 *         "tip_indicator": "percentage",
                 *         "tip_value": 5,
                 *         "total_amount": 26250,
                 *         "type": "mpm-dynamic",
                 *         "updated_at": "2026-11-22T22:42:53.555Z",
                 *         "vendor_fee": 0
                 *       },
                 *       "event": "qris-transaction",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 05:42:53"
                 *     }
                 */
                "application/json": components["schemas"]["QrisTransactionWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onEwalletTransaction: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "45000.00"
                 *         },
                 *         "channel": "DANA",
                 *         "checkout_url": "http://127.0.0.1:27046/ewallet/8801M82PTE1JBDD2PRJMGJFE6E2J",
                 *         "created_at": "2026-11-22T22:42:53.619Z",
                 *         "customer_phone": null,
                 *         "expired_at": "2026-11-22T23:12:53.619Z",
                 *         "fee": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "has_settle": false,
                 *         "merchant_reff_no": "INV-1043",
                 *         "net_amount": {
                 *           "currency": "IDR",
                 *           "value": "45000.00"
                 *         },
                 *         "paid_at": "2026-11-22T22:42:53.648Z",
                 *         "settle_at": "2026-11-22T22:42:58.648Z",
                 *         "status": "success",
                 *         "success_redirect_url": "https://toko.example/selesai",
                 *         "transaction_id": "8801M82PTE1JBDD2PRJMGJFE6E2J",
                 *         "updated_at": "2026-11-22T22:42:53.677Z"
                 *       },
                 *       "event": "ewallet-transaction",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 05:42:53"
                 *     }
                 */
                "application/json": components["schemas"]["EwalletTransactionWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onRetailTransaction: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account": {
                 *           "id": "01M82PTD5JEVQDPSE61EQF86NJ"
                 *         },
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "75000.00"
                 *         },
                 *         "customer_name": "Budi Santoso",
                 *         "expired_at": 4102444800000,
                 *         "fees": {
                 *           "amount": {
                 *             "currency": "IDR",
                 *             "value": "0.00"
                 *           }
                 *         },
                 *         "has_settle": false,
                 *         "merchant_reff_no": "INV-1044",
                 *         "net_amount": {
                 *           "currency": "IDR",
                 *           "value": "75000.00"
                 *         },
                 *         "payment_code": "8610211987059720",
                 *         "post_timestamp": 1795387373724,
                 *         "processed_timestamp": 1795387373755,
                 *         "retail_code": "ALFAMART",
                 *         "settle_at": null,
                 *         "status": "paid",
                 *         "transaction_id": "01M82PTE4VJMDP8F17472TT84Z"
                 *       },
                 *       "event": "retail-transaction",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 05:42:53"
                 *     }
                 */
                "application/json": components["schemas"]["RetailTransactionWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPaymentLinkInquiry: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "payment_link": {
                 *           "created_at": "2026-11-23 05:42:53",
                 *           "current_usage": 0,
                 *           "description": "Pesanan #1042, diantar hari ini",
                 *           "expired_at": "2100-01-01 07:00:00",
                 *           "id": 1,
                 *           "max_usage": 2,
                 *           "payment_url": "http://127.0.0.1:27046/pay/PL01M82PTE8DJNF7MQS5ZSWRFSGS",
                 *           "reff_no": "PL01M82PTE8DJNF7MQS5ZSWRFSGS",
                 *           "required_customer_detail": false,
                 *           "status": "active",
                 *           "title": "Kopi Susu Gula Aren",
                 *           "total_amount": {
                 *             "currency": "IDR",
                 *             "value": 30000
                 *           },
                 *           "updated_at": "2026-11-23 05:42:53"
                 *         },
                 *         "payment_link_history": {
                 *           "amount": {
                 *             "currency": "IDR",
                 *             "value": 30000
                 *           },
                 *           "created_at": "2026-11-23 05:42:53",
                 *           "customer_email": null,
                 *           "customer_name": null,
                 *           "customer_phone": null,
                 *           "expired_at": "2026-11-23 05:57:53",
                 *           "id": 1,
                 *           "ip_address": "127.0.0.1",
                 *           "net_amount": null,
                 *           "our_margin": null,
                 *           "payment_method_additional": null,
                 *           "payment_method_name": null,
                 *           "payment_method_value": null,
                 *           "reff_no": "PH01M82PTEA0JFCYG76CRBQR7WV1",
                 *           "status": "pending",
                 *           "updated_at": "2026-11-23 05:42:53",
                 *           "vendor_fee": null
                 *         }
                 *       },
                 *       "event": "payment_link.inquiry",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 05:42:53"
                 *     }
                 */
                "application/json": components["schemas"]["PaymentLinkInquiryWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPaymentLinkTransaction: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "30000.00"
                 *         },
                 *         "created_at": "2026-11-22T22:42:53.888Z",
                 *         "customer_email": null,
                 *         "customer_name": null,
                 *         "customer_phone": null,
                 *         "expired_at": "2026-11-22T22:57:53.888Z",
                 *         "fee": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "has_settle": false,
                 *         "id": 1,
                 *         "ip_address": "127.0.0.1",
                 *         "net_amount": {
                 *           "currency": "IDR",
                 *           "value": "30000.00"
                 *         },
                 *         "our_margin": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "paid_at": "2026-11-22T22:42:53.995Z",
                 *         "payment_link_id": 1,
                 *         "payment_method_additional": null,
                 *         "payment_method_name": "VA_BCA",
                 *         "payment_method_value": "7001447392943575",
                 *         "reff_no": "PH01M82PTEA0JFCYG76CRBQR7WV1",
                 *         "settle_at": "2026-11-22T22:42:58.995Z",
                 *         "status": "paid",
                 *         "updated_at": "2026-11-22T22:42:54.027Z",
                 *         "vendor_fee": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         }
                 *       },
                 *       "event": "payment-link-transaction",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 05:42:54"
                 *     }
                 */
                "application/json": components["schemas"]["PaymentLinkTransactionWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPaymentLinkInquiryExpired: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "payment_link": {
                 *           "created_at": "2026-11-23 05:42:53",
                 *           "current_usage": 1,
                 *           "description": "Pesanan #1042, diantar hari ini",
                 *           "expired_at": "2100-01-01 07:00:00",
                 *           "id": 1,
                 *           "max_usage": 2,
                 *           "payment_url": "http://127.0.0.1:27046/pay/PL01M82PTE8DJNF7MQS5ZSWRFSGS",
                 *           "reff_no": "PL01M82PTE8DJNF7MQS5ZSWRFSGS",
                 *           "required_customer_detail": false,
                 *           "status": "active",
                 *           "title": "Kopi Susu Gula Aren",
                 *           "total_amount": {
                 *             "currency": "IDR",
                 *             "value": 30000
                 *           },
                 *           "updated_at": "2026-11-23 05:42:54"
                 *         },
                 *         "payment_link_history": {
                 *           "amount": {
                 *             "currency": "IDR",
                 *             "value": 30000
                 *           },
                 *           "created_at": "2026-11-23 05:42:54",
                 *           "customer_email": null,
                 *           "customer_name": null,
                 *           "customer_phone": null,
                 *           "expired_at": "2026-11-23 05:57:54",
                 *           "id": 2,
                 *           "ip_address": "127.0.0.1",
                 *           "net_amount": null,
                 *           "our_margin": null,
                 *           "payment_method_additional": null,
                 *           "payment_method_name": null,
                 *           "payment_method_value": null,
                 *           "reff_no": "PH01M82PTEFKH2TFKAYEYC4YZ9DS",
                 *           "status": "expired",
                 *           "updated_at": "2026-11-23 06:17:58",
                 *           "vendor_fee": null
                 *         }
                 *       },
                 *       "event": "payment_link.inquiry.expired",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 06:17:58"
                 *     }
                 */
                "application/json": components["schemas"]["PaymentLinkInquiryExpiredWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDisbursement: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "balance_after": {
                 *           "currency": "IDR",
                 *           "value": "99847500.00"
                 *         },
                 *         "bank_account_name": null,
                 *         "bank_account_number": "1234567890",
                 *         "bank_code": "014",
                 *         "bank_name": "Bank Central Asia",
                 *         "description": "Gaji November",
                 *         "fee": {
                 *           "currency": "IDR",
                 *           "value": "2500.00"
                 *         },
                 *         "gross_amount": {
                 *           "currency": "IDR",
                 *           "value": "152500.00"
                 *         },
                 *         "net_amount": {
                 *           "currency": "IDR",
                 *           "value": "150000.00"
                 *         },
                 *         "possible_duplicate_of": null,
                 *         "post_timestamp": "1795387374249",
                 *         "processed_timestamp": "1795387374298",
                 *         "reference_number": "gaji-2026-11-001",
                 *         "transaction_id": "01M82PTEN80QQHZ5HCKT8C24J8",
                 *         "transaction_status": {
                 *           "code": "00",
                 *           "desc": "Success"
                 *         }
                 *       },
                 *       "event": "disbursement",
                 *       "response_code": "SP000",
                 *       "response_message": "Success"
                 *     }
                 */
                "application/json": components["schemas"]["DisbursementWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onEwalletTopup: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "balance_after": {
                 *           "currency": "IDR",
                 *           "value": "99595000.00"
                 *         },
                 *         "channel": "GOPAY",
                 *         "fee": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "gross_amount": {
                 *           "currency": "IDR",
                 *           "value": "50000.00"
                 *         },
                 *         "name": "TEST 7890",
                 *         "net_amount": {
                 *           "currency": "IDR",
                 *           "value": "50000.00"
                 *         },
                 *         "note": "Hadiah undian",
                 *         "phone_number": "081234567890",
                 *         "possible_duplicate_of": null,
                 *         "post_timestamp": "1795387374657",
                 *         "processed_timestamp": "1795387374690",
                 *         "reference_number": "hadiah-2026-11-001",
                 *         "transaction_id": "8801M82PTF21HX0H569EXGQXECCS",
                 *         "transaction_status": {
                 *           "code": "00",
                 *           "desc": "Success"
                 *         }
                 *       },
                 *       "event": "ewallet-topup",
                 *       "response_code": "SP000",
                 *       "response_message": "Success"
                 *     }
                 */
                "application/json": components["schemas"]["EwalletTopupWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardlessWithdrawal: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "balance_after": {
                 *           "currency": "IDR",
                 *           "value": "99495000.00"
                 *         },
                 *         "bank_code": "BCA",
                 *         "bank_name": "Bank Central Asia",
                 *         "expired_at": "4102444800000",
                 *         "fee": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "gross_amount": {
                 *           "currency": "IDR",
                 *           "value": "100000.00"
                 *         },
                 *         "net_amount": {
                 *           "currency": "IDR",
                 *           "value": "100000.00"
                 *         },
                 *         "phone_number": "081234567890",
                 *         "possible_duplicate_of": null,
                 *         "post_timestamp": "1795387374773",
                 *         "processed_timestamp": "1795387374843",
                 *         "reference_number": "tunai-1",
                 *         "status": "withdrawn",
                 *         "transaction_id": "01M82PTF5NVYE1M5XVCJDE9TAM",
                 *         "transaction_status": {
                 *           "code": "00",
                 *           "desc": "Success"
                 *         }
                 *       },
                 *       "event": "cardless-withdrawal",
                 *       "response_code": "SP000",
                 *       "response_message": "Success"
                 *     }
                 */
                "application/json": components["schemas"]["CardlessWithdrawalWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onQrisIssuer: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "25000.00"
                 *         },
                 *         "balance_after": {
                 *           "currency": "IDR",
                 *           "value": "99470000.00"
                 *         },
                 *         "fee": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "gross_amount": {
                 *           "currency": "IDR",
                 *           "value": "25000.00"
                 *         },
                 *         "merchant_city": "Kab. Demak",
                 *         "merchant_name": "Warung Bu Sri",
                 *         "net_amount": {
                 *           "currency": "IDR",
                 *           "value": "25000.00"
                 *         },
                 *         "possible_duplicate_of": null,
                 *         "post_timestamp": "1795387375005",
                 *         "processed_timestamp": "1795387375058",
                 *         "qr_data": "00020101021226530014ID.CO.BANK.WWW01189360000915000000120202M10303UMI51440014ID.CO.QRIS.WWW0215ID10200000000340303UMI5204581253033605405250005802ID5913Warung Bu Sri6010Kab. Demak6105595676304E5E1",
                 *         "reference_number": "qris-2026-11-042",
                 *         "scope": "issuer",
                 *         "tip_amount": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "tip_indicator": "",
                 *         "tip_value": 0,
                 *         "transaction_id": "6601M82PTFBNJB143ZH9P0M2ARR9",
                 *         "transaction_status": {
                 *           "code": "00",
                 *           "desc": "Success"
                 *         },
                 *         "type": "mpm-dynamic"
                 *       },
                 *       "event": "qris-issuer",
                 *       "response_code": "SP000",
                 *       "response_message": "Success"
                 *     }
                 */
                "application/json": components["schemas"]["QrisIssuerWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onBillerPayment: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "admin_fee": "2500",
                 *         "amount": "50000",
                 *         "created_at": "2026-11-23 05:42:55",
                 *         "customer_id": "12345678901",
                 *         "customer_name": "TEST 8901",
                 *         "price": "52500",
                 *         "processed_at": "2026-11-23 05:42:55",
                 *         "product_code": "PLN50",
                 *         "reference_number": "01M82PTFGPTYW8HYYWCS3CKWTH",
                 *         "serial_number": "PFMY1WTSQ181XTE0",
                 *         "status": "success",
                 *         "token": "09837932185427290465",
                 *         "transaction_id": "01M82PTFJDFW9Q3GC1V5QPAA4W"
                 *       },
                 *       "event": "biller-payment",
                 *       "response_code": "SP000",
                 *       "response_message": "Success"
                 *     }
                 */
                "application/json": components["schemas"]["BillerPaymentWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDirectDebitBindingSucceeded: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "bank_account_name": "TEST 7890",
                 *         "bank_account_number": "****7890",
                 *         "bank_code": "BRI",
                 *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                 *         "bound_at": "2026-11-22T22:42:55.563Z",
                 *         "created_at": "2026-11-22T22:42:55.378Z",
                 *         "customer_id": "pelanggan-42",
                 *         "customer_name": "Ani Lestari",
                 *         "customer_phone": "****7890",
                 *         "expired_at": "2026-11-22T23:12:55.378Z",
                 *         "failed_reason": null,
                 *         "handover_code": null,
                 *         "redirect_url": "https://toko.example/terhubung",
                 *         "status": "ACTIVE",
                 *         "unbound_at": null,
                 *         "unbound_by": null
                 *       },
                 *       "event": "direct-debit.binding.succeeded",
                 *       "response_code": "SP000",
                 *       "response_message": "Success"
                 *     }
                 */
                "application/json": components["schemas"]["DirectDebitBindingSucceededWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDirectDebitBindingFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "bank_account_name": null,
                 *         "bank_account_number": null,
                 *         "bank_code": "BRI",
                 *         "binding_id": "09e5c4a4-427b-4b48-9543-24c4cd04c555",
                 *         "bound_at": null,
                 *         "created_at": "2026-11-22T22:47:57.245Z",
                 *         "customer_id": "pelanggan-42",
                 *         "customer_name": "Ani Lestari",
                 *         "customer_phone": "****7890",
                 *         "expired_at": "2026-11-22T23:17:57.245Z",
                 *         "failed_reason": "declined",
                 *         "handover_code": null,
                 *         "redirect_url": "https://toko.example/terhubung",
                 *         "status": "FAILED",
                 *         "unbound_at": null,
                 *         "unbound_by": null
                 *       },
                 *       "event": "direct-debit.binding.failed",
                 *       "response_code": "SP001",
                 *       "response_message": "Transaction failure"
                 *     }
                 */
                "application/json": components["schemas"]["DirectDebitBindingFailedWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDirectDebitBindingExpired: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "bank_account_name": null,
                 *         "bank_account_number": null,
                 *         "bank_code": "BRI",
                 *         "binding_id": "199bcb9e-5572-4b29-8c94-287553836ca8",
                 *         "bound_at": null,
                 *         "created_at": "2026-11-22T22:47:57.267Z",
                 *         "customer_id": "pelanggan-42",
                 *         "customer_name": "Ani Lestari",
                 *         "customer_phone": "****7890",
                 *         "expired_at": "2026-11-22T23:17:57.267Z",
                 *         "failed_reason": null,
                 *         "handover_code": null,
                 *         "redirect_url": "https://toko.example/terhubung",
                 *         "status": "EXPIRED",
                 *         "unbound_at": null,
                 *         "unbound_by": null
                 *       },
                 *       "event": "direct-debit.binding.expired",
                 *       "response_code": "SP001",
                 *       "response_message": "Transaction failure"
                 *     }
                 */
                "application/json": components["schemas"]["DirectDebitBindingExpiredWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDirectDebitUnbindingSucceeded: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "bank_account_name": "TEST 7890",
                 *         "bank_account_number": "****7890",
                 *         "bank_code": "BRI",
                 *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                 *         "bound_at": "2026-11-22T22:42:55.563Z",
                 *         "created_at": "2026-11-22T22:42:55.378Z",
                 *         "customer_id": "pelanggan-42",
                 *         "customer_name": "Ani Lestari",
                 *         "customer_phone": "****7890",
                 *         "expired_at": "2026-11-22T23:12:55.378Z",
                 *         "failed_reason": null,
                 *         "handover_code": "E2ifQlzd11EyEEoe1ZZODr4bVIr2nj7Z2upkVQPysxs",
                 *         "redirect_url": "https://toko.example/terhubung",
                 *         "status": "UNBOUND",
                 *         "unbound_at": "2026-11-22T22:47:57.204Z",
                 *         "unbound_by": "merchant"
                 *       },
                 *       "event": "direct-debit.unbinding.succeeded",
                 *       "response_code": "SP000",
                 *       "response_message": "Success"
                 *     }
                 */
                "application/json": components["schemas"]["DirectDebitUnbindingSucceededWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDirectDebitUnbindingFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "bank_account_name": "TEST 7890",
                 *         "bank_account_number": "****7890",
                 *         "bank_code": "BRI",
                 *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                 *         "bound_at": "2026-11-22T22:42:55.563Z",
                 *         "created_at": "2026-11-22T22:42:55.378Z",
                 *         "customer_id": "pelanggan-42",
                 *         "customer_name": "Ani Lestari",
                 *         "customer_phone": "****7890",
                 *         "expired_at": "2026-11-22T23:12:55.378Z",
                 *         "failed_reason": null,
                 *         "handover_code": "E2ifQlzd11EyEEoe1ZZODr4bVIr2nj7Z2upkVQPysxs",
                 *         "redirect_url": "https://toko.example/terhubung",
                 *         "status": "ACTIVE",
                 *         "unbound_at": null,
                 *         "unbound_by": null
                 *       },
                 *       "event": "direct-debit.unbinding.failed",
                 *       "response_code": "SP001",
                 *       "response_message": "Transaction failure"
                 *     }
                 */
                "application/json": components["schemas"]["DirectDebitUnbindingFailedWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDirectDebitChargeSucceeded: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "100000.00"
                 *         },
                 *         "bank_code": "BRI",
                 *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                 *         "created_at": "2026-11-22T22:42:55.632Z",
                 *         "customer_id": "pelanggan-42",
                 *         "description": "Langganan November",
                 *         "failed_code": null,
                 *         "failed_reason": null,
                 *         "fee": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "has_settle": false,
                 *         "net_amount": {
                 *           "currency": "IDR",
                 *           "value": "100000.00"
                 *         },
                 *         "otp_attempts_left": null,
                 *         "otp_expired_at": null,
                 *         "processed_at": "2026-11-22T22:42:55.654Z",
                 *         "reference_number": "tagihan-1",
                 *         "refunded_amount": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "refunds": [],
                 *         "requires_otp": false,
                 *         "settle_at": "2026-11-22T22:43:00.654Z",
                 *         "status": "SUCCESS",
                 *         "transaction_id": "95c42407-476f-8bd1-8fd7-8f629fe895fe"
                 *       },
                 *       "event": "direct-debit.charge.succeeded",
                 *       "response_code": "SP000",
                 *       "response_message": "Success"
                 *     }
                 */
                "application/json": components["schemas"]["DirectDebitChargeSucceededWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDirectDebitChargeFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "900000.00"
                 *         },
                 *         "bank_code": "BRI",
                 *         "binding_id": "8a747dfa-44df-4b73-8c29-e6c3e1a97be2",
                 *         "created_at": "2026-11-22T22:42:55.915Z",
                 *         "customer_id": "pelanggan-42",
                 *         "description": null,
                 *         "failed_code": null,
                 *         "failed_reason": "The OTP was not given in time",
                 *         "fee": null,
                 *         "has_settle": false,
                 *         "net_amount": null,
                 *         "otp_attempts_left": null,
                 *         "otp_expired_at": null,
                 *         "processed_at": "2026-11-22T22:47:57.006Z",
                 *         "reference_number": "tagihan-3",
                 *         "refunded_amount": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "refunds": [],
                 *         "requires_otp": true,
                 *         "settle_at": null,
                 *         "status": "EXPIRED",
                 *         "transaction_id": "ecd5b7e2-b579-8001-998f-56fee801dee7"
                 *       },
                 *       "event": "direct-debit.charge.failed",
                 *       "response_code": "SP001",
                 *       "response_message": "Transaction failure"
                 *     }
                 */
                "application/json": components["schemas"]["DirectDebitChargeFailedWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDirectDebitRefundSucceeded: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "30000.00"
                 *         },
                 *         "created_at": "2026-11-22T22:42:55.720Z",
                 *         "failed_code": null,
                 *         "failed_reason": null,
                 *         "processed_at": "2026-11-22T22:42:55.741Z",
                 *         "reference_number": "retur-1",
                 *         "refund_id": "afe391a9-7065-47d8-8c4e-9057258860ee",
                 *         "refunded_amount": {
                 *           "currency": "IDR",
                 *           "value": "30000.00"
                 *         },
                 *         "status": "SUCCESS",
                 *         "transaction_id": "95c42407-476f-8bd1-8fd7-8f629fe895fe"
                 *       },
                 *       "event": "direct-debit.refund.succeeded",
                 *       "response_code": "SP000",
                 *       "response_message": "Success"
                 *     }
                 */
                "application/json": components["schemas"]["DirectDebitRefundSucceededWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDirectDebitRefundFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "70000.00"
                 *         },
                 *         "created_at": "2026-11-22T22:42:55.782Z",
                 *         "failed_code": "4035815",
                 *         "failed_reason": "Transaction Not Permitted",
                 *         "processed_at": "2026-11-22T22:42:55.811Z",
                 *         "reference_number": "retur-3",
                 *         "refund_id": "d43c04d6-3518-4d1c-aeee-bf401d82cebd",
                 *         "refunded_amount": {
                 *           "currency": "IDR",
                 *           "value": "30000.00"
                 *         },
                 *         "status": "FAILED",
                 *         "transaction_id": "95c42407-476f-8bd1-8fd7-8f629fe895fe"
                 *       },
                 *       "event": "direct-debit.refund.failed",
                 *       "response_code": "SP001",
                 *       "response_message": "Transaction failure"
                 *     }
                 */
                "application/json": components["schemas"]["DirectDebitRefundFailedWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardTransaction: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "action": null,
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "250000.00"
                 *         },
                 *         "brand": "VISA",
                 *         "cancel_type": null,
                 *         "cancelled_at": null,
                 *         "captured_at": null,
                 *         "card_holder_name": "BUDI SANTOSO",
                 *         "created_at": "2026-11-22T23:17:58.724Z",
                 *         "customer": {
                 *           "email": "budi@example.com",
                 *           "name": "Budi Santoso",
                 *           "phone": "081234567890"
                 *         },
                 *         "failed_code": null,
                 *         "failed_reason": null,
                 *         "fee": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "has_settle": false,
                 *         "html_form": null,
                 *         "id": "9901M82RTNST2KWMJB8HNPWSP61R",
                 *         "installment": 1,
                 *         "installment_month": 1,
                 *         "masked_card": "441111******1118",
                 *         "mdr_percentage": 0,
                 *         "merchant_reff_no": "INV-1042",
                 *         "net_amount": {
                 *           "currency": "IDR",
                 *           "value": "250000.00"
                 *         },
                 *         "payment_url": null,
                 *         "processed_at": "2026-11-22T23:17:58.750Z",
                 *         "redirect_url": null,
                 *         "settle_at": null,
                 *         "status": "success"
                 *       },
                 *       "event": "card-transaction",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 06:17:58"
                 *     }
                 */
                "application/json": components["schemas"]["CardTransactionWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionActivated: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "action": null,
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "99000.00"
                 *         },
                 *         "brand": "VISA",
                 *         "card_expiry": "12/39",
                 *         "card_holder_name": "BUDI SANTOSO",
                 *         "created_at": "2026-11-22T23:18:39.185Z",
                 *         "customer": {
                 *           "email": "budi@example.com",
                 *           "name": "Budi Santoso",
                 *           "phone": "081234567890"
                 *         },
                 *         "ended_at": null,
                 *         "ended_reason": null,
                 *         "html_form": null,
                 *         "interval": "month",
                 *         "interval_count": 1,
                 *         "masked_card": "441111******1118",
                 *         "name": "Gym",
                 *         "next_charge_at": "2026-12-22T23:18:39.185Z",
                 *         "paid_cycles": 1,
                 *         "payment_url": null,
                 *         "plan_id": "01M82RVXAGKV528BEZCK695PRG",
                 *         "redirect_url": null,
                 *         "start_at": "2026-11-22T23:18:39.185Z",
                 *         "status": "active",
                 *         "total_cycles": null
                 *       },
                 *       "event": "subscription.activated",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 06:18:39"
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionActivatedWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionChargeSucceeded: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "99000.00"
                 *         },
                 *         "attempts": 1,
                 *         "card_transaction_id": "9901M82RVXB21MVH7D5TQN4GVBSP",
                 *         "cycle": 1,
                 *         "due_at": "2026-11-22T23:18:39.185Z",
                 *         "failed_code": null,
                 *         "failed_reason": null,
                 *         "next_retry_at": null,
                 *         "plan_id": "01M82RVXAGKV528BEZCK695PRG",
                 *         "processed_at": "2026-11-22T23:18:39.226Z",
                 *         "status": "success"
                 *       },
                 *       "event": "subscription.charge.succeeded",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 06:18:39"
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionChargeSucceededWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionChargeFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "99000.00"
                 *         },
                 *         "attempts": 1,
                 *         "card_transaction_id": "9901M85B8MYRFZ0PBQX198N1T0KD",
                 *         "cycle": 2,
                 *         "due_at": "2026-11-23T23:18:39.532Z",
                 *         "failed_code": "51",
                 *         "failed_reason": "Insufficient funds",
                 *         "next_retry_at": "2026-11-23T23:18:41.958Z",
                 *         "plan_id": "01M82RVXNCFXXACV5XQKY3P29F",
                 *         "processed_at": null,
                 *         "status": "retrying"
                 *       },
                 *       "event": "subscription.charge.failed",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "24 Nov 2026 06:18:39"
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionChargeFailedWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionPastDue: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "action": null,
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "99000.00"
                 *         },
                 *         "brand": "VISA",
                 *         "card_expiry": "12/39",
                 *         "card_holder_name": "BUDI SANTOSO",
                 *         "created_at": "2026-11-22T23:18:39.532Z",
                 *         "customer": {
                 *           "email": "budi@example.com",
                 *           "name": "Budi Santoso",
                 *           "phone": "081234567890"
                 *         },
                 *         "ended_at": null,
                 *         "ended_reason": null,
                 *         "html_form": null,
                 *         "interval": "day",
                 *         "interval_count": 1,
                 *         "masked_card": "447242******6670",
                 *         "name": "Gym",
                 *         "next_charge_at": null,
                 *         "paid_cycles": 1,
                 *         "payment_url": null,
                 *         "plan_id": "01M82RVXNCFXXACV5XQKY3P29F",
                 *         "redirect_url": null,
                 *         "start_at": "2026-11-22T23:18:39.532Z",
                 *         "status": "past_due",
                 *         "total_cycles": null
                 *       },
                 *       "event": "subscription.past_due",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "24 Nov 2026 06:18:47"
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionPastDueWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionCancelled: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "action": null,
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "99000.00"
                 *         },
                 *         "brand": "VISA",
                 *         "card_expiry": "01/40",
                 *         "card_holder_name": "BUDI SANTOSO",
                 *         "created_at": "2026-11-22T23:18:39.185Z",
                 *         "customer": {
                 *           "email": "budi@example.com",
                 *           "name": "Budi Santoso",
                 *           "phone": "081234567890"
                 *         },
                 *         "ended_at": "2026-11-22T23:18:39.357Z",
                 *         "ended_reason": "merchant",
                 *         "html_form": null,
                 *         "interval": "month",
                 *         "interval_count": 1,
                 *         "masked_card": "441111******1118",
                 *         "name": "Gym",
                 *         "next_charge_at": null,
                 *         "paid_cycles": 1,
                 *         "payment_url": null,
                 *         "plan_id": "01M82RVXAGKV528BEZCK695PRG",
                 *         "redirect_url": null,
                 *         "start_at": "2026-11-22T23:18:39.185Z",
                 *         "status": "cancelled",
                 *         "total_cycles": null
                 *       },
                 *       "event": "subscription.cancelled",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 06:18:39"
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionCancelledWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionCompleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "action": null,
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "99000.00"
                 *         },
                 *         "brand": "VISA",
                 *         "card_expiry": "12/39",
                 *         "card_holder_name": "BUDI SANTOSO",
                 *         "created_at": "2026-11-22T23:18:39.436Z",
                 *         "customer": {
                 *           "email": "budi@example.com",
                 *           "name": "Budi Santoso",
                 *           "phone": "081234567890"
                 *         },
                 *         "ended_at": "2026-11-22T23:18:39.491Z",
                 *         "ended_reason": "completed",
                 *         "html_form": null,
                 *         "interval": "month",
                 *         "interval_count": 1,
                 *         "masked_card": "441111******1118",
                 *         "name": "Gym",
                 *         "next_charge_at": null,
                 *         "paid_cycles": 1,
                 *         "payment_url": null,
                 *         "plan_id": "01M82RVXJCR4S9QTS35MBE69TR",
                 *         "redirect_url": null,
                 *         "start_at": "2026-11-22T23:18:39.436Z",
                 *         "status": "completed",
                 *         "total_cycles": 1
                 *       },
                 *       "event": "subscription.completed",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 06:18:39"
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionCompletedWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionCardExpiring: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "action": null,
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "99000.00"
                 *         },
                 *         "brand": "VISA",
                 *         "card_expiry": "11/26",
                 *         "card_holder_name": "BUDI SANTOSO",
                 *         "created_at": "2026-11-22T23:18:39.382Z",
                 *         "customer": {
                 *           "email": "budi@example.com",
                 *           "name": "Budi Santoso",
                 *           "phone": "081234567890"
                 *         },
                 *         "ended_at": null,
                 *         "ended_reason": null,
                 *         "html_form": null,
                 *         "interval": "month",
                 *         "interval_count": 1,
                 *         "masked_card": "441111******1118",
                 *         "name": "Gym",
                 *         "next_charge_at": "2026-12-22T23:18:39.382Z",
                 *         "paid_cycles": 1,
                 *         "payment_url": null,
                 *         "plan_id": "01M82RVXGP8XYVST6BFQFP5C9E",
                 *         "redirect_url": null,
                 *         "start_at": "2026-11-22T23:18:39.382Z",
                 *         "status": "active",
                 *         "total_cycles": null
                 *       },
                 *       "event": "subscription.card_expiring",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 06:18:39"
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionCardExpiringWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardChargeback: {
        parameters: {
            query?: never;
            header: {
                /** @description The same on every attempt and redelivery of one event. */
                "X-Event-Id": string;
                /** @description The merchant's API key. */
                "X-PARTNER-ID": string;
                /** @description `Bearer` and a random token, which is a part of the string to sign. */
                Authorization: string;
                /** @description Unix seconds of real time. */
                "X-Timestamp": string;
                /** @description Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp. */
                "X-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "account_id": "01M82PTD5JEVQDPSE61EQF86NJ",
                 *         "amount": {
                 *           "currency": "IDR",
                 *           "value": "100000.00"
                 *         },
                 *         "card_transaction_id": "9901M82RTNST2KWMJB8HNPWSP61R",
                 *         "created_at": "2026-11-22T23:18:38.895Z",
                 *         "ended_at": null,
                 *         "fee": {
                 *           "currency": "IDR",
                 *           "value": "0.00"
                 *         },
                 *         "id": "01M82RTNT4G58EH1G0VDWG6SK1",
                 *         "merchant_reff_no": "INV-1042",
                 *         "reason": "Merchandise not received",
                 *         "reason_code": "13.1",
                 *         "reserved_amount": {
                 *           "currency": "IDR",
                 *           "value": "100000.00"
                 *         },
                 *         "respond_by": "2026-12-06T23:18:38.872Z",
                 *         "stage": "chargeback",
                 *         "status": "open"
                 *       },
                 *       "event": "card-chargeback",
                 *       "status": 200,
                 *       "success": true,
                 *       "timestamp": "23 Nov 2026 06:18:38"
                 *     }
                 */
                "application/json": components["schemas"]["CardChargebackWebhook"];
            };
        };
        responses: {
            /** @description Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
