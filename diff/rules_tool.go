package diff

// toolRules are the rules about a tool beside its schemas.
var toolRules = []Rule{
	{
		ID: "tool-added", Severity: Safe, Consumer: Risky,
		Summary: "a tool was added",
		Doc:     "Old callers do not know it. Whoever pins this server should decide whether its agents may use it.",
		Example: Example{
			Base: `{"tools":{}}`,
			Rev:  `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-removed", Severity: Breaking,
		Summary: "a tool was removed",
		Doc:     "Every call of it fails, and allow and deny rules that name it match nothing. Keep it for a release, mark it deprecated and name the replacement. Names are case-sensitive: another letter case is another tool.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{}}`,
		},
	},
	{
		ID: "tool-description-changed", Severity: Risky, Consumer: Breaking,
		Summary: "the wording of a tool's description changed",
		Doc:     "The model reads this text and acts on it. Read the new wording as an instruction, and lock it when it is meant.",
		Example: Example{
			Base: `{"tools":{"search":{"description":"Search the web.","inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"description":"Search the web and the archive.","inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-description-respelled", Severity: Cosmetic,
		Summary: "only white space, letter case or punctuation of a description changed",
		Doc:     "The words are the same. Signs with a meaning (a minus, a decimal point, a slash) count as words.",
		Example: Example{
			Base: `{"tools":{"search":{"description":"Search the web","inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"description":"Search the web.","inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-hidden-characters-added", Severity: Risky, Consumer: Breaking,
		Summary: "a text gained characters that a person does not see",
		Doc:     "Control, direction, zero width and tag characters are read by a model and not by a reviewer. They are shown as code points. Take them out unless the script of the language needs them.",
		Example: Example{
			Base: `{"tools":{"search":{"description":"Search.","inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"description":"Sear\u200bch.","inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-title-changed", Severity: Cosmetic,
		Summary: "the title changed",
		Doc:     "A title is for display; calls use the name.",
		Example: Example{
			Base: `{"tools":{"search":{"title":"Search","inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"title":"Web search","inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-icons-changed", Severity: Cosmetic,
		Summary: "the icons changed",
		Doc:     "Icons are for display.",
		Example: Example{
			Base: `{"tools":{"search":{"icons":[{"src":"https://example.test/a.png"}],"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"icons":[{"src":"https://example.test/b.png"}],"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-meta-changed", Severity: Cosmetic,
		Summary: "a member of _meta changed",
		Doc:     "_meta is for clients that know its keys; no call depends on it. Declared behaviour in it has rules of its own.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"vendor/x":1},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"vendor/x":2},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-field-changed", Severity: Risky,
		Summary: "a member that fusionctl does not know changed",
		Doc:     "A newer protocol may give it a meaning. Look it up, and upgrade fusionctl when it knows the member by now.",
		Example: Example{
			Base: `{"tools":{"search":{"priority":1,"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"priority":2,"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-deprecated", Severity: Risky,
		Summary: "a tool was marked deprecated",
		Doc:     "It still works. Callers should move to the replacement before it is removed.",
		Example: Example{
			Base: `{"tools":{"search":{"deprecated":false,"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"deprecated":true,"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-deprecation-removed", Severity: Safe,
		Summary: "a tool is no longer marked deprecated",
		Doc:     "It is here to stay.",
		Example: Example{
			Base: `{"tools":{"search":{"deprecated":true,"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-read-only-gained", Severity: Risky,
		Summary: "a tool became read-only by its effective annotations",
		Doc:     "Clients may now call it without asking. Make sure that it really changes nothing.",
		Example: Example{
			Base: `{"tools":{"search":{"annotations":{"readOnlyHint":false},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-read-only-lost", Severity: Breaking,
		Summary: "a tool is no longer read-only by its effective annotations",
		Doc:     "Clients that let read-only tools run without asking now let this one write. Publish the writing part as a tool of its own.",
		Example: Example{
			Base: `{"tools":{"search":{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"annotations":{"readOnlyHint":false},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-destructive-gained", Severity: Breaking,
		Summary: "a tool became destructive by its effective annotations",
		Doc:     "A safety promise is gone: the tool may now overwrite or delete. Absent means true for a tool that writes. Publish the destructive part as a tool of its own.",
		Example: Example{
			Base: `{"tools":{"search":{"annotations":{"readOnlyHint":false,"destructiveHint":false},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"annotations":{"readOnlyHint":false,"destructiveHint":true},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-destructive-lost", Severity: Risky,
		Summary: "a tool is no longer destructive by its effective annotations",
		Doc:     "Clients may now ask less before they call it. Make sure that it only adds.",
		Example: Example{
			Base: `{"tools":{"search":{"annotations":{"readOnlyHint":false,"destructiveHint":true},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"annotations":{"readOnlyHint":false,"destructiveHint":false},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-idempotent-gained", Severity: Safe,
		Summary: "a tool became idempotent by its effective annotations",
		Doc:     "A call may be repeated.",
		Example: Example{
			Base: `{"tools":{"search":{"annotations":{"readOnlyHint":false,"idempotentHint":false},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"annotations":{"readOnlyHint":false,"idempotentHint":true},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-idempotent-lost", Severity: Risky,
		Summary: "a tool is no longer idempotent by its effective annotations",
		Doc:     "Clients that repeat a call after a time-out may now do the thing twice.",
		Example: Example{
			Base: `{"tools":{"search":{"annotations":{"readOnlyHint":false,"idempotentHint":true},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"annotations":{"readOnlyHint":false,"idempotentHint":false},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-open-world-gained", Severity: Risky, Consumer: Breaking,
		Summary: "a tool became open to the outside world by its effective annotations",
		Doc:     "The tool may now reach external systems, and its results may carry text from strangers. Absent means true.",
		Example: Example{
			Base: `{"tools":{"search":{"annotations":{"openWorldHint":false},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"annotations":{"openWorldHint":true},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-open-world-lost", Severity: Safe,
		Summary: "a tool is no longer open to the outside world by its effective annotations",
		Doc:     "The tool promises to stay in its own domain.",
		Example: Example{
			Base: `{"tools":{"search":{"annotations":{"openWorldHint":true},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"annotations":{"openWorldHint":false},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-annotations-respelled", Severity: Cosmetic,
		Summary: "annotations were spelled out or left out; their effective values are equal",
		Doc:     "An absent hint has the default of the protocol: readOnly false, destructive true, idempotent false, openWorld true. The middle two mean nothing on a read-only tool.",
		Example: Example{
			Base: `{"tools":{"search":{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"annotations":{"readOnlyHint":true,"destructiveHint":false},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-task-support-required", Severity: Breaking,
		Summary: "execution.taskSupport became required",
		Doc:     "A plain call is refused now. Keep plain calls working, or add a second tool.",
		Example: Example{
			Base: `{"tools":{"search":{"execution":{"taskSupport":"optional"},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"execution":{"taskSupport":"required"},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-task-support-forbidden", Severity: Breaking,
		Summary: "execution.taskSupport became forbidden",
		Doc:     "A call that runs as a task is refused now. Absent means forbidden.",
		Example: Example{
			Base: `{"tools":{"search":{"execution":{"taskSupport":"optional"},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"execution":{"taskSupport":"forbidden"},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-task-support-optional", Severity: Safe,
		Summary: "execution.taskSupport became optional",
		Doc:     "The tool can now be called plainly and as a task.",
		Example: Example{
			Base: `{"tools":{"search":{"execution":{"taskSupport":"forbidden"},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"execution":{"taskSupport":"optional"},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-task-support-respelled", Severity: Cosmetic,
		Summary: "execution was spelled out or left out; its effective value is equal",
		Doc:     "Absent means forbidden.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"execution":{"taskSupport":"forbidden"},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-respelled", Severity: Cosmetic,
		Summary: "a definition is written otherwise, which no other rule gives a meaning",
		Doc:     "Told so that a digest never moves in silence: an empty member that came or went, a value of a kind that is not read.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"annotations":{},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-size-grew", Severity: Risky,
		Summary: "a definition takes half as many tokens again, or more",
		Doc:     "Every conversation pays for it, and models pick tools worse from long lists. Counted as the bytes of the canonical definition divided by four; growth below 100 tokens is not reported.",
		Example: Example{
			Base: `{"tools":{"search":{"description":"Search.","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"description":"Search.","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"state":{"enum":["state-00","state-01","state-02","state-03","state-04","state-05","state-06","state-07","state-08","state-09","state-10","state-11","state-12","state-13","state-14","state-15","state-16","state-17","state-18","state-19","state-20","state-21","state-22","state-23","state-24","state-25","state-26","state-27","state-28","state-29","state-30","state-31","state-32","state-33","state-34","state-35","state-36","state-37","state-38","state-39"]}}}}}}`,
		},
	},
	{
		ID: "tool-size-shrank", Severity: Safe,
		Summary: "a definition takes a third fewer tokens, or better",
		Doc:     "Every conversation pays less.",
		Example: Example{
			Base: `{"tools":{"search":{"description":"Search.","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"state":{"enum":["state-00","state-01","state-02","state-03","state-04","state-05","state-06","state-07","state-08","state-09","state-10","state-11","state-12","state-13","state-14","state-15","state-16","state-17","state-18","state-19","state-20","state-21","state-22","state-23","state-24","state-25","state-26","state-27","state-28","state-29","state-30","state-31","state-32","state-33","state-34","state-35","state-36","state-37","state-38","state-39"]}}}}}}`,
			Rev:  `{"tools":{"search":{"description":"Search.","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"state":{"enum":["state-00"]}}}}}}`,
		},
	},
	{
		ID: "tool-size-limit-passed", Severity: Risky,
		Summary: "a definition grew past the limit of the policy",
		Doc:     "The limit is set in the policy file. Shorten descriptions, or split the tool.",
	},
	{
		ID: "tool-output-schema-added", Severity: Safe,
		Summary: "an output schema was added",
		Doc:     "Old readers do not look at it; whoever validates results now can.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-output-schema-removed", Severity: Breaking,
		Summary: "the output schema was removed",
		Doc:     "Readers of structured content lose their contract, and gateways that cached it keep refusing results. Keep it.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-input-schema-broken", Severity: Breaking,
		Summary: "the input schema is not legal any more",
		Doc:     "Its root is not an object, a reference leads nowhere, or a keyword has a value that it cannot have. Clients drop the tool, or the whole list.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"inputSchema":{}}}}`,
		},
	},
	{
		ID: "tool-input-schema-repaired", Severity: Risky,
		Summary: "the input schema is legal now and was not before",
		Doc:     "What old callers took it to mean cannot be known.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{}}}}`,
			Rev:  `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-output-schema-broken", Severity: Breaking,
		Summary: "the output schema is not legal any more",
		Doc:     "A reference leads nowhere, or a keyword has a value that it cannot have. Clients that validate results refuse all of them.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"inputSchema":{"type":"object"},"outputSchema":{"type":"thing"}}}}`,
		},
	},
	{
		ID: "tool-output-schema-repaired", Severity: Risky,
		Summary: "the output schema is legal now and was not before",
		Doc:     "What old readers took it to mean cannot be known.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{"type":"object"},"outputSchema":{"type":"thing"}}}}`,
			Rev:  `{"tools":{"search":{"inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-provider-shape-added", Severity: Risky,
		Summary: "the input schema got a shape that model providers refuse",
		Doc:     "A property name that is no plain name of at most 64 characters, or a definition that refers to itself: legal, but several model providers refuse the tool, and often the whole list with it.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"inputSchema":{"type":"object","properties":{"user name":{"type":"string"}}}}}}`,
		},
	},
	{
		ID: "tool-root-combinator-added", Severity: Risky,
		Summary: "a choice was put at the root of the input schema",
		Doc:     "Several model providers refuse a tool whose arguments are described by oneOf, anyOf or allOf at the root, and often the whole list with it. Check at run time instead, or move the choice into a property.",
		Example: Example{
			Base: `{"tools":{"search":{"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"inputSchema":{"type":"object","anyOf":[{}]}}}}`,
		},
	},
}
