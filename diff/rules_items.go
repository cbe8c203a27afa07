package diff

// itemRules are the rules about prompts, resources and resource templates.
var itemRules = []Rule{
	{
		ID: "prompt-added", Severity: Safe, Consumer: Risky,
		Summary: "a prompt was added",
		Doc:     "Old callers do not know it.",
		Example: Example{
			Base: `{"prompts":{}}`,
			Rev:  `{"prompts":{"review":{}}}`,
		},
	},
	{
		ID: "prompt-removed", Severity: Breaking,
		Summary: "a prompt was removed",
		Doc:     "Whoever uses it gets an error.",
		Example: Example{
			Base: `{"prompts":{"review":{}}}`,
			Rev:  `{"prompts":{}}`,
		},
	},
	{
		ID: "prompt-description-changed", Severity: Risky, Consumer: Breaking,
		Summary: "the wording of a prompt's description changed",
		Doc:     "The model reads this text and acts on it. Read the new wording as an instruction, and lock it when it is meant.",
		Example: Example{
			Base: `{"prompts":{"review":{"description":"Review a change."}}}`,
			Rev:  `{"prompts":{"review":{"description":"Review a change in depth."}}}`,
		},
	},
	{
		ID: "prompt-description-respelled", Severity: Cosmetic,
		Summary: "only white space, letter case or punctuation of a description changed",
		Doc:     "The words are the same.",
		Example: Example{
			Base: `{"prompts":{"review":{"description":"Review a change."}}}`,
			Rev:  `{"prompts":{"review":{"description":"Review a change"}}}`,
		},
	},
	{
		ID: "prompt-hidden-characters-added", Severity: Risky, Consumer: Breaking,
		Summary: "a text gained characters that a person does not see",
		Doc:     "Control, direction, zero width and tag characters are read by a model and not by a reviewer. They are shown as code points.",
		Example: Example{
			Base: `{"prompts":{"review":{"description":"Review."}}}`,
			Rev:  `{"prompts":{"review":{"description":"Re\u200bview."}}}`,
		},
	},
	{
		ID: "prompt-respelled", Severity: Cosmetic,
		Summary: "a definition is written otherwise, which no other rule gives a meaning",
		Doc:     "Told so that a digest never moves in silence: an empty member that came or went, a value of a kind that is not read.",
		Example: Example{
			Base: `{"prompts":{"review":{}}}`,
			Rev:  `{"prompts":{"review":{"description":""}}}`,
		},
	},
	{
		ID: "prompt-title-changed", Severity: Cosmetic,
		Summary: "the title changed",
		Doc:     "A title is for display.",
		Example: Example{
			Base: `{"prompts":{"review":{"title":"A"}}}`,
			Rev:  `{"prompts":{"review":{"title":"B"}}}`,
		},
	},
	{
		ID: "prompt-display-changed", Severity: Cosmetic,
		Summary: "a member for display changed",
		Doc:     "Icons, size, display name, annotations and _meta change no request.",
		Example: Example{
			Base: `{"prompts":{"review":{"icons":[]}}}`,
			Rev:  `{"prompts":{"review":{"icons":[{"src":"https://example.test/a.png"}]}}}`,
		},
	},
	{
		ID: "prompt-field-changed", Severity: Risky,
		Summary: "a member that fusionctl does not know changed",
		Doc:     "A newer protocol may give it a meaning.",
		Example: Example{
			Base: `{"prompts":{"review":{"priority":1}}}`,
			Rev:  `{"prompts":{"review":{"priority":2}}}`,
		},
	},
	{
		ID: "resource-added", Severity: Safe, Consumer: Risky,
		Summary: "a resource was added",
		Doc:     "Old callers do not know it.",
		Example: Example{
			Base: `{"resources":{}}`,
			Rev:  `{"resources":{"file:///a":{}}}`,
		},
	},
	{
		ID: "resource-removed", Severity: Breaking,
		Summary: "a resource was removed",
		Doc:     "Reading it fails.",
		Example: Example{
			Base: `{"resources":{"file:///a":{}}}`,
			Rev:  `{"resources":{}}`,
		},
	},
	{
		ID: "resource-description-changed", Severity: Risky, Consumer: Breaking,
		Summary: "the wording of a resource's description changed",
		Doc:     "The model reads this text and acts on it. Read the new wording as an instruction, and lock it when it is meant.",
		Example: Example{
			Base: `{"resources":{"file:///a":{"description":"Review a change."}}}`,
			Rev:  `{"resources":{"file:///a":{"description":"Review a change in depth."}}}`,
		},
	},
	{
		ID: "resource-description-respelled", Severity: Cosmetic,
		Summary: "only white space, letter case or punctuation of a description changed",
		Doc:     "The words are the same.",
		Example: Example{
			Base: `{"resources":{"file:///a":{"description":"Review a change."}}}`,
			Rev:  `{"resources":{"file:///a":{"description":"Review a change"}}}`,
		},
	},
	{
		ID: "resource-hidden-characters-added", Severity: Risky, Consumer: Breaking,
		Summary: "a text gained characters that a person does not see",
		Doc:     "Control, direction, zero width and tag characters are read by a model and not by a reviewer. They are shown as code points.",
		Example: Example{
			Base: `{"resources":{"file:///a":{"description":"Review."}}}`,
			Rev:  `{"resources":{"file:///a":{"description":"Re\u200bview."}}}`,
		},
	},
	{
		ID: "resource-respelled", Severity: Cosmetic,
		Summary: "a definition is written otherwise, which no other rule gives a meaning",
		Doc:     "Told so that a digest never moves in silence: an empty member that came or went, a value of a kind that is not read.",
		Example: Example{
			Base: `{"resources":{"a:b":{}}}`,
			Rev:  `{"resources":{"a:b":{"description":""}}}`,
		},
	},
	{
		ID: "resource-title-changed", Severity: Cosmetic,
		Summary: "the title changed",
		Doc:     "A title is for display.",
		Example: Example{
			Base: `{"resources":{"file:///a":{"title":"A"}}}`,
			Rev:  `{"resources":{"file:///a":{"title":"B"}}}`,
		},
	},
	{
		ID: "resource-display-changed", Severity: Cosmetic,
		Summary: "a member for display changed",
		Doc:     "Icons, size, display name, annotations and _meta change no request.",
		Example: Example{
			Base: `{"resources":{"file:///a":{"icons":[]}}}`,
			Rev:  `{"resources":{"file:///a":{"icons":[{"src":"https://example.test/a.png"}]}}}`,
		},
	},
	{
		ID: "resource-field-changed", Severity: Risky,
		Summary: "a member that fusionctl does not know changed",
		Doc:     "A newer protocol may give it a meaning.",
		Example: Example{
			Base: `{"resources":{"file:///a":{"priority":1}}}`,
			Rev:  `{"resources":{"file:///a":{"priority":2}}}`,
		},
	},
	{
		ID: "resource-mime-type-changed", Severity: Risky,
		Summary: "the MIME type changed",
		Doc:     "Readers that chose a parser by it may fail.",
		Example: Example{
			Base: `{"resources":{"file:///a":{"mimeType":"text/plain"}}}`,
			Rev:  `{"resources":{"file:///a":{"mimeType":"text/html"}}}`,
		},
	},
	{
		ID: "template-added", Severity: Safe, Consumer: Risky,
		Summary: "a resource template was added",
		Doc:     "Old callers do not know it.",
		Example: Example{
			Base: `{"resourceTemplates":{}}`,
			Rev:  `{"resourceTemplates":{"file:///{path}":{}}}`,
		},
	},
	{
		ID: "template-removed", Severity: Breaking,
		Summary: "a resource template was removed",
		Doc:     "URIs that were made from it lead nowhere.",
		Example: Example{
			Base: `{"resourceTemplates":{"file:///{path}":{}}}`,
			Rev:  `{"resourceTemplates":{}}`,
		},
	},
	{
		ID: "template-description-changed", Severity: Risky, Consumer: Breaking,
		Summary: "the wording of a resource template's description changed",
		Doc:     "The model reads this text and acts on it. Read the new wording as an instruction, and lock it when it is meant.",
		Example: Example{
			Base: `{"resourceTemplates":{"file:///{path}":{"description":"Review a change."}}}`,
			Rev:  `{"resourceTemplates":{"file:///{path}":{"description":"Review a change in depth."}}}`,
		},
	},
	{
		ID: "template-description-respelled", Severity: Cosmetic,
		Summary: "only white space, letter case or punctuation of a description changed",
		Doc:     "The words are the same.",
		Example: Example{
			Base: `{"resourceTemplates":{"file:///{path}":{"description":"Review a change."}}}`,
			Rev:  `{"resourceTemplates":{"file:///{path}":{"description":"Review a change"}}}`,
		},
	},
	{
		ID: "template-hidden-characters-added", Severity: Risky, Consumer: Breaking,
		Summary: "a text gained characters that a person does not see",
		Doc:     "Control, direction, zero width and tag characters are read by a model and not by a reviewer. They are shown as code points.",
		Example: Example{
			Base: `{"resourceTemplates":{"file:///{path}":{"description":"Review."}}}`,
			Rev:  `{"resourceTemplates":{"file:///{path}":{"description":"Re\u200bview."}}}`,
		},
	},
	{
		ID: "template-respelled", Severity: Cosmetic,
		Summary: "a definition is written otherwise, which no other rule gives a meaning",
		Doc:     "Told so that a digest never moves in silence: an empty member that came or went, a value of a kind that is not read.",
		Example: Example{
			Base: `{"resourceTemplates":{"a:{b}":{}}}`,
			Rev:  `{"resourceTemplates":{"a:{b}":{"description":""}}}`,
		},
	},
	{
		ID: "template-title-changed", Severity: Cosmetic,
		Summary: "the title changed",
		Doc:     "A title is for display.",
		Example: Example{
			Base: `{"resourceTemplates":{"file:///{path}":{"title":"A"}}}`,
			Rev:  `{"resourceTemplates":{"file:///{path}":{"title":"B"}}}`,
		},
	},
	{
		ID: "template-display-changed", Severity: Cosmetic,
		Summary: "a member for display changed",
		Doc:     "Icons, size, display name, annotations and _meta change no request.",
		Example: Example{
			Base: `{"resourceTemplates":{"file:///{path}":{"icons":[]}}}`,
			Rev:  `{"resourceTemplates":{"file:///{path}":{"icons":[{"src":"https://example.test/a.png"}]}}}`,
		},
	},
	{
		ID: "template-field-changed", Severity: Risky,
		Summary: "a member that fusionctl does not know changed",
		Doc:     "A newer protocol may give it a meaning.",
		Example: Example{
			Base: `{"resourceTemplates":{"file:///{path}":{"priority":1}}}`,
			Rev:  `{"resourceTemplates":{"file:///{path}":{"priority":2}}}`,
		},
	},
	{
		ID: "template-mime-type-changed", Severity: Risky,
		Summary: "the MIME type changed",
		Doc:     "Readers that chose a parser by it may fail.",
		Example: Example{
			Base: `{"resourceTemplates":{"file:///{path}":{"mimeType":"text/plain"}}}`,
			Rev:  `{"resourceTemplates":{"file:///{path}":{"mimeType":"text/html"}}}`,
		},
	},
	{
		ID: "prompt-argument-removed", Severity: Breaking,
		Summary: "an argument of a prompt was removed",
		Doc:     "Saved requests that carry it fail or lose it.",
		Example: Example{
			Base: `{"prompts":{"review":{"arguments":[{"name":"url"},{"name":"style"}]}}}`,
			Rev:  `{"prompts":{"review":{"arguments":[{"name":"url"}]}}}`,
		},
	},
	{
		ID: "prompt-argument-required", Severity: Breaking,
		Summary: "a prompt needs an argument that it did not need",
		Doc:     "Saved requests without it fail. Make it optional.",
		Example: Example{
			Base: `{"prompts":{"review":{"arguments":[{"name":"url"}]}}}`,
			Rev:  `{"prompts":{"review":{"arguments":[{"name":"url","required":true}]}}}`,
		},
	},
	{
		ID: "prompt-argument-added", Severity: Safe,
		Summary: "an optional argument was added to a prompt",
		Doc:     "Old requests leave it out.",
		Example: Example{
			Base: `{"prompts":{"review":{"arguments":[{"name":"url"}]}}}`,
			Rev:  `{"prompts":{"review":{"arguments":[{"name":"url"},{"name":"style"}]}}}`,
		},
	},
	{
		ID: "prompt-argument-optional", Severity: Safe,
		Summary: "an argument of a prompt is no longer required",
		Doc:     "Old requests carry it still.",
		Example: Example{
			Base: `{"prompts":{"review":{"arguments":[{"name":"url","required":true}]}}}`,
			Rev:  `{"prompts":{"review":{"arguments":[{"name":"url"}]}}}`,
		},
	},
	{
		ID: "prompt-arguments-respelled", Severity: Cosmetic,
		Summary: "the arguments of a prompt are listed in another order or spelled otherwise",
		Doc:     "Arguments are given by name.",
		Example: Example{
			Base: `{"prompts":{"review":{"arguments":[{"name":"url"},{"name":"style"}]}}}`,
			Rev:  `{"prompts":{"review":{"arguments":[{"name":"style"},{"name":"url"}]}}}`,
		},
	},
	{
		ID: "template-variables-changed", Severity: Breaking,
		Summary: "the variables of a resource template changed",
		Doc:     "URIs that were made from the old variables lead nowhere.",
		Example: Example{
			Base: `{"resourceTemplates":{"file:///{path}":{"name":"files"}}}`,
			Rev:  `{"resourceTemplates":{"file:///{folder}/{name}":{"name":"files"}}}`,
		},
	},
}
