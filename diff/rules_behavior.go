package diff

// behaviorRules are the rules about declared behaviour.
var behaviorRules = []Rule{
	{
		ID: "tool-behavior-changed", Severity: Risky,
		Summary: "a declared behaviour that fusionctl does not know changed",
		Doc:     "The part has no rule of its own.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"color":"red"}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"color":"blue"}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-behavior-respelled", Severity: Cosmetic,
		Summary: "a declared behaviour is the same in another order or spelling",
		Doc:     "The order of a set means nothing.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"tags":["a","b"]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"tags":["b","a"]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-tag-removed", Severity: Risky,
		Summary: "a tag was removed",
		Doc:     "Clients that choose tools by tag no longer see it.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"tags":["billing","admin"]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"tags":["billing"]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-tag-added", Severity: Cosmetic,
		Summary: "a tag was added",
		Doc:     "Nothing to do.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"tags":["billing"]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"tags":["billing","admin"]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-system-rule-removed", Severity: Breaking,
		Summary: "a system rule was removed",
		Doc:     "A rule that the model was bound to is gone. Restore it, or have the change approved like code.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"systemRules":["Never show card numbers.","Be brief."]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"systemRules":["Be brief."]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-system-rule-changed", Severity: Breaking,
		Summary: "the wording of a system rule changed",
		Doc:     "Each word of a rule counts. Have the change approved like code.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"systemRules":["Never show card numbers."]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"systemRules":["Avoid card numbers."]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-system-rule-added", Severity: Risky,
		Summary: "a system rule was added",
		Doc:     "The model is bound to more than before.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"systemRules":["Be brief."]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"systemRules":["Be brief.","Never show card numbers."]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-middleware-removed", Severity: Breaking,
		Summary: "a middleware was removed",
		Doc:     "It may have guarded the tool: checked rights, limited the rate, kept a log.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"middleware":["auth","log"]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"middleware":["log"]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-middleware-added", Severity: Risky,
		Summary: "a middleware was added",
		Doc:     "Calls that went through may be refused or slowed.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"middleware":["log"]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"middleware":["log","auth"]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-middleware-renamed", Severity: Risky,
		Summary: "a middleware was renamed",
		Doc:     "The names are nearly equal and the place is the same; make sure that the thing is too.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"middleware":["rate-limit"]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"middleware":["rateLimit"]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-middleware-reordered", Severity: Risky,
		Summary: "the middleware runs in another order",
		Doc:     "What runs before a guard is not guarded by it.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"middleware":["auth","log"]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"middleware":["log","auth"]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-guardrail-raised", Severity: Risky,
		Summary: "a guardrail was raised",
		Doc:     "More gets through than before.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"guardrails":{"maxItems":50}}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"guardrails":{"maxItems":500}}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-guardrail-removed", Severity: Risky,
		Summary: "a guardrail was removed",
		Doc:     "Nothing limits it any more.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"guardrails":{"maxItems":50,"maxBytes":9}}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"guardrails":{"maxBytes":9}}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-guardrail-lowered", Severity: Safe,
		Summary: "a guardrail was lowered",
		Doc:     "Less gets through than before.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"guardrails":{"maxItems":50}}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"guardrails":{"maxItems":5}}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-guardrail-added", Severity: Safe,
		Summary: "a guardrail was added",
		Doc:     "Less gets through than before.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"guardrails":{"maxBytes":9}}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"guardrails":{"maxItems":50,"maxBytes":9}}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-affordances-changed", Severity: Risky,
		Summary: "the declared affordances changed",
		Doc:     "What a client offers as the next step changed.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"affordances":["billing.refund"]}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"affordances":["billing.void"]}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-concurrency-changed", Severity: Risky,
		Summary: "the declared concurrency changed",
		Doc:     "Calls may wait longer, or run beside one another where they did not.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"concurrency":{"max":4}}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"concurrency":{"max":8}}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-state-sync-changed", Severity: Risky,
		Summary: "the declared state synchronisation changed",
		Doc:     "Clients may keep what is stale, or drop what is not.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"stateSync":{"invalidates":["billing.*"]}}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"stateSync":{"invalidates":[]}}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-entitlement-gained", Severity: Breaking,
		Summary: "a tool may use more of the machine than before",
		Doc:     "File system, network, processes, cryptography, code evaluation: a safety promise is gone.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"entitlements":{"network":false}}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"entitlements":{"network":true}}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-entitlement-lost", Severity: Safe,
		Summary: "a tool uses less of the machine than before",
		Doc:     "Nothing to do.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"entitlements":{"network":true}}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"entitlements":{"network":false}}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-entitlements-declared", Severity: Safe,
		Summary: "a tool declares its entitlements for the first time",
		Doc:     "Nothing was promised before, so nothing was gained.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"concurrency":{"max":1}}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"concurrency":{"max":1},"entitlements":{"network":true}}},"inputSchema":{"type":"object"}}}}`,
		},
	},
	{
		ID: "tool-entitlements-undeclared", Severity: Breaking,
		Summary: "a tool no longer declares its entitlements",
		Doc:     "It may use anything now.",
		Example: Example{
			Base: `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"concurrency":{"max":1},"entitlements":{"network":false}}},"inputSchema":{"type":"object"}}}}`,
			Rev:  `{"tools":{"search":{"_meta":{"fusionctl/behavior":{"concurrency":{"max":1}}},"inputSchema":{"type":"object"}}}}`,
		},
	},
}
