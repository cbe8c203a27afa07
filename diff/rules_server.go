package diff

// serverRules are the rules about a server itself.
var serverRules = []Rule{
	{
		ID: "server-added", Severity: Safe, Consumer: Risky,
		Summary: "a server was added",
		Doc:     "Its tools are listed by fusionctl show.",
	},
	{
		ID: "server-removed", Severity: Breaking,
		Summary: "a server was removed",
		Doc:     "All its tools, prompts and resources are gone.",
	},
	{
		ID: "server-instructions-changed", Severity: Risky, Consumer: Breaking,
		Summary: "the wording of the instructions changed",
		Doc:     "The model reads this text and acts on it. Read the new wording as an instruction, and lock it when it is meant.",
		Example: Example{
			Base: `{"instructions":"Search first."}`,
			Rev:  `{"instructions":"Search first, then read."}`,
		},
	},
	{
		ID: "server-instructions-respelled", Severity: Cosmetic,
		Summary: "only white space, letter case or punctuation of the instructions changed",
		Doc:     "The words are the same.",
		Example: Example{
			Base: `{"instructions":"Search first"}`,
			Rev:  `{"instructions":"Search first."}`,
		},
	},
	{
		ID: "server-hidden-characters-added", Severity: Risky, Consumer: Breaking,
		Summary: "the instructions gained characters that a person does not see",
		Doc:     "Control, direction, zero width and tag characters are read by a model and not by a reviewer. They are shown as code points.",
		Example: Example{
			Base: `{"instructions":"Search first."}`,
			Rev:  `{"instructions":"Search\u200b first."}`,
		},
	},
	{
		ID: "server-capability-removed", Severity: Breaking,
		Summary: "a capability was removed",
		Doc:     "Requests of that kind are refused now.",
		Example: Example{
			Base: `{"capabilities":{"logging":{},"tools":{}}}`,
			Rev:  `{"capabilities":{"tools":{}}}`,
		},
	},
	{
		ID: "server-capability-added", Severity: Safe, Consumer: Risky,
		Summary: "a capability was added",
		Doc:     "Old clients do not use it.",
		Example: Example{
			Base: `{"capabilities":{"tools":{}}}`,
			Rev:  `{"capabilities":{"logging":{},"tools":{}}}`,
		},
	},
	{
		ID: "server-capability-changed", Severity: Risky,
		Summary: "a part of a capability changed",
		Doc:     "A client that reads it may act otherwise.",
		Example: Example{
			Base: `{"capabilities":{"experimental":{"x":{"level":1}}}}`,
			Rev:  `{"capabilities":{"experimental":{"x":{"level":2}}}}`,
		},
	},
	{
		ID: "server-capability-respelled", Severity: Cosmetic,
		Summary: "a capability is spelled otherwise",
		Doc:     "A flag that is false and one that is absent mean the same.",
		Example: Example{
			Base: `{"capabilities":{"resources":{}}}`,
			Rev:  `{"capabilities":{"resources":{"subscribe":false}}}`,
		},
	},
	{
		ID: "server-notification-removed", Severity: Risky,
		Summary: "the server no longer says when a list changes",
		Doc:     "Clients keep the old list until they ask again.",
		Example: Example{
			Base: `{"capabilities":{"tools":{"listChanged":true}}}`,
			Rev:  `{"capabilities":{"tools":{}}}`,
		},
	},
	{
		ID: "server-notification-added", Severity: Safe,
		Summary: "the server says when a list changes",
		Doc:     "Nothing to do.",
		Example: Example{
			Base: `{"capabilities":{"tools":{}}}`,
			Rev:  `{"capabilities":{"tools":{"listChanged":true}}}`,
		},
	},
	{
		ID: "server-protocol-changed", Severity: Cosmetic,
		Summary: "another protocol version was negotiated",
		Doc:     "It depends on the client as well as on the server. A server may publish another form of the same contract to clients of another version.",
		Example: Example{
			Base: `{"protocolVersion":"2025-06-18"}`,
			Rev:  `{"protocolVersion":"2025-11-25"}`,
		},
	},
	{
		ID: "server-version-changed", Severity: Cosmetic,
		Summary: "the server version changed",
		Doc:     "Nothing to do.",
		Example: Example{
			Base: `{"server":{"name":"s","version":"1.0.0"}}`,
			Rev:  `{"server":{"name":"s","version":"1.1.0"}}`,
		},
	},
	{
		ID: "server-version-not-raised", Severity: Risky,
		Summary: "the contract broke, but the server version stayed",
		Doc:     "Clients that watch the version learn of the break by a failing call. Raise the version; the advice in the report says how far.",
		Example: Example{
			Base: `{"server":{"name":"s","version":"1.0.0"},"prompts":{"p":{}}}`,
			Rev:  `{"server":{"name":"s","version":"1.0.0"}}`,
		},
	},
	{
		ID: "server-info-changed", Severity: Cosmetic,
		Summary: "what the server says about itself changed",
		Doc:     "Name, title, icons and web site are for display.",
		Example: Example{
			Base: `{"server":{"name":"s","title":"A"}}`,
			Rev:  `{"server":{"name":"s","title":"B"}}`,
		},
	},
}
