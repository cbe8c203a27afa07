package envelope

import (
	"errors"
	"strings"
	"testing"
)

func TestSecretName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"password", "Password", "PASSWORD", "user_password", "userPassword", "newPassword2", "passwordHash", "passwd", "pwd", "db-pwd", "passphrase", "userpassword",
		"token", "accessToken", "access_token", "ACCESS_TOKEN", "refreshToken", "authtoken", "id_token", "accessTokens", "tokens", "x-csrf-token", "bearer", "Bearer_Token",
		"secret", "clientSecret", "client-secret", "CLIENT SECRET", "secretKey", "clientsecret", "secrets", "apiKey", "api_key", "API-KEY", "APIKey", "X-API-Key", "apikey", "api key", "openaiApiKey",
		"xApiKey", "authorization", "Authorization", "Proxy-Authorization", "cookie", "Set-Cookie", "sessionCookie", "session_id", "credentials", "credential", "privateKey", "private_key",
		"ssh-key", "accessKey", "signingKey", "jwt", "otp", "cvv", "ssn", "card_number", "cardNumber", "connectionString", "key", "auth", "pin", "seed_phrase", "contraseña", "Passwort", "dsn",
	} {
		if !secretName(name) {
			t.Errorf("secretName(%q) = false", name)
		}
	}
	for _, name := range []string{
		"", "max_tokens", "maxTokens", "MAX_TOKENS", "total_tokens", "tokenizer", "tokenize", "tokenCount", "token_count", "token_type", "tokenLimit", "secretary", "secretariat", "secretion",
		"keyword", "monkey", "issue_key", "primaryKey", "publicKey", "public_key", "sortKey", "keys", "author", "authors", "passport", "passenger", "compass", "passwordless", "bypass", "pinned",
		"spin", "id", "name", "email", "cookiecutter", "authority", "cardinality", "sessions", "description", "apiVersion", "keyboard",
	} {
		if secretName(name) {
			t.Errorf("secretName(%q) = true", name)
		}
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	// Put together here, so that no scanner takes this file for a leak.
	aws, gh, jwt := "AKIA"+"ABCDEFGHIJKLMNOP", "ghp_"+strings.Repeat("a1", 18), "eyJ"+"hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig-part"
	for in, want := range map[string]string{
		"dial postgres://ann:s3cr3t@db:5432/x failed":        "dial postgres://[hidden]@db:5432/x failed",
		"GET https://x.test/?api_key=abc123&limit=5":         "GET https://x.test/?api_key=[hidden]&limit=5",
		"Authorization: Bearer abc.def.ghi\nnext":            "Authorization: [hidden]\nnext",
		"authorization=Basic YWxhZGRpbg==":                   "authorization=[hidden]",
		"Cookie: sid=1; theme=dark":                          "Cookie: [hidden]",
		`body {"password": "hun ter2", "user": "ann"}`:       `body {"password": [hidden], "user": "ann"}`,
		`{\"client_secret\":\"abc\",\"a\":1}`:                `{\"client_secret\":[hidden],\"a\":1}`,
		"password = 'hunter2'":                               "password = [hidden]",
		"mysql --password hunter2 --user ann":                "mysql --password [hidden] --user ann",
		"sent bearer abcdefgh12345678 to x":                  "sent bearer [hidden] to x",
		"key " + aws + " denied":                             "key [hidden] denied",
		"push with " + gh:                                    "push with [hidden]",
		"jwt " + jwt + " expired":                            "jwt [hidden] expired",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIB\n":            hiddenMark,
		"dsn: user:pw@tcp(db)/x":                             "dsn: [hidden])/x",
		"open config.yaml: no such file or directory":        "open config.yaml: no such file or directory",
		"bearer authentication is required":                  "bearer authentication is required",
		"max_tokens=5 exceeds limit: 4":                      "max_tokens=5 exceeds limit: 4",
		`say "api key: abc", 'client secret' => "x y", a:=1`: `say "api key: [hidden]", 'client secret' => [hidden], a:=1`,
		"duplicate key: 5, ?key=abc":                         "duplicate key: 5, ?key=[hidden]",
		"password: 'it":                                      "password: [hidden]",
		"contraseña=geheim":                                  "contraseña=[hidden]",
		"mysql -u ann --token=abc -p x":                      "mysql -u ann --token=[hidden] -p x",
		"a=b=token=xyz12345":                                 "a=b=token=[hidden]",
	} {
		if got := scrub(in); got != want {
			t.Errorf("scrub(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestValueThatLooksLikeASecret(t *testing.T) {
	t.Parallel()
	jwt := "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig-part"
	for _, want := range []string{`"integer"`, `"array"`} {
		is := failed("/note", "type", `{"type":`+want+`}`, `"`+jwt+`"`)
		if text := lines(is); strings.Contains(text, "sig-part") {
			t.Errorf("%s: %s", want, text)
		}
	}
	if text := From(errors.New("token=abc" + strings.Repeat("x", 9000))).(Envelope).Format(); strings.Contains(text, "xxx") {
		t.Error(text)
	}
}

// Half an example misleads: one that cannot be shown as a whole is left out.
func TestExampleIsWhole(t *testing.T) {
	t.Parallel()
	var long []any
	for range 51 {
		long = append(long, true)
	}
	var deep any = "x"
	for range 9 {
		deep = map[string]any{"a": deep}
	}
	for _, v := range []any{long, deep} {
		if text := Fields("a").WithExample(map[string]any{"v": v}).Example(); text != "" {
			t.Errorf("shown in part: %s", text)
		}
	}
	if text := Fields("a").WithExample(map[string]any{"v": long[:50]}).Example(); text == "" {
		t.Error("an example that is whole is missing")
	}
}

// The names inside a hidden object may be what must not be shown: a wrapper, or names in the place of values.
func TestHiddenNames(t *testing.T) {
	t.Parallel()
	object := map[string]any{"CANARY": "x"}
	for _, is := range []Issue{
		{Path: "/password", Keyword: "type", Expected: "string", Received: object, Sent: true},
		{Path: "/password", Keyword: "additionalProperties", Expected: false, Received: object, Sent: true},
	} {
		if text := Validation("a", is).Format(); strings.Contains(text, "CANARY") || !strings.Contains(text, "an object (hidden)") {
			t.Errorf("%s:\n%s", is.Keyword, text)
		}
	}
}
