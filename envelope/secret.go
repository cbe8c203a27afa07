package envelope

import (
	"strings"
	"unicode"
)

// SecretName reports whether a value under this name may be a secret and is not shown in envelopes: password, api_key or
// authToken, but not token_count.
func SecretName(name string) bool { return secretName(name) }

// SecretSchema reports whether a schema marks its values as secret: writeOnly, format password, x-secret or x-sensitive.
func SecretSchema(schema map[string]any) bool { return secretSchema(schema) }

// secretName reports whether a value under this name must not be shown. The name is split into words at case changes and
// separators (apiKey, api_key, API-KEY and "API key" are the words api and key), because a plain substring test would also
// hide max_tokens, tokenizer and secretary.
func secretName(name string) bool {
	if len(name) > 256 {
		name = name[:256]
	}
	words := nameWords(name)
	return secretIn(words) || len(words) == 1 && secretAlone(words[0])
}

// secretIn reports whether a secret is named among words.
func secretIn(words []string) bool {
	for i, w := range words {
		if secretWord(w) || w == "token" && !plainToken(words, i) {
			return true
		}
		if i+1 < len(words) && secretPair(w, words[i+1]) {
			return true
		}
	}
	return false
}

func secretWord(w string) bool {
	switch w {
	case "passwordless", "passwordlessly":
		return false
	case "pwd", "pw", "passwd", "passphrase", "passcode", "secret", "secrets", "authorization", "bearer", "cookie", "cookies",
		"credential", "credentials", "creds", "jwt", "otp", "totp", "cvv", "cvc", "cvv2", "ssn", "dsn", "mnemonic", "apikeys",
		"sessionid", "cardnumber", "xsrf", "csrf", "passwort", "kennwort", "contraseña", "contrasena", "senha", "motdepasse":
		return true
	}
	for _, part := range []string{"password", "passwd", "passphrase"} {
		if strings.Contains(w, part) {
			return true
		}
	}
	for _, end := range []string{"secret", "apikey", "accesskey", "secretkey", "privatekey", "authorization", "cookie", "cookies"} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return len(w) > len("token") && strings.HasSuffix(w, "token")
}

// secretAlone holds words that mean a secret only when they are the whole name: a "key" is, an "issue key" is not.
func secretAlone(w string) bool {
	switch w {
	case "key", "auth", "authentication", "pass", "pin", "tokens", "signature":
		return true
	}
	return false
}

func secretPair(a, b string) bool {
	switch b {
	case "key", "keys":
		switch a {
		case "api", "access", "private", "secret", "signing", "encryption", "auth", "session", "master", "shared", "service", "ssh", "license":
			return true
		}
	case "tokens":
		switch a {
		case "access", "refresh", "auth", "api", "bearer", "session", "id", "oauth", "device", "security":
			return true
		}
	case "id":
		return a == "session"
	case "number":
		return a == "card" || a == "ssn"
	case "string":
		return a == "connection"
	case "phrase":
		return a == "seed" || a == "pass" || a == "recovery"
	case "word":
		return a == "pass"
	case "pin":
		return a == "card" || a == "user"
	case "header":
		return a == "auth"
	}
	return false
}

// plainToken reports whether the word "token" at i is about counting or describing tokens: token_count, tokenLimit, token_type.
func plainToken(words []string, i int) bool {
	if i+1 == len(words) {
		return false
	}
	switch words[i+1] {
	case "count", "counts", "limit", "limits", "budget", "usage", "type", "length", "size", "url", "uri", "endpoint", "expiry", "ttl", "rate":
		return true
	}
	return false
}

// nameWords splits a name at separators, digits and case changes and lowers it.
func nameWords(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(string(runes[start:end])))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]),
			i > start && unicode.IsUpper(r) && i+1 < len(runes) && unicode.IsLower(runes[i+1]): // APIKey: the K begins a word
			flush(i)
			start = i
		}
	}
	flush(len(runes))
	return words
}

// secretPath reports whether a pointer leads through a secret-looking name.
func secretPath(pointer string) bool {
	for _, t := range tokens(pointer) {
		if secretName(t) {
			return true
		}
	}
	return false
}

// secretSchema reports whether a schema marks its values as secret.
func secretSchema(s map[string]any) bool {
	return s["writeOnly"] == true || s["format"] == "password" || s["x-secret"] == true || s["x-sensitive"] == true
}
