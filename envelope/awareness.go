package envelope

// ContractAwareness is the section of an envelope that says what changed in the contract since the caller learned it. The
// package only carries and encodes it; which changes belong there is decided by whoever compares the contracts.
type ContractAwareness struct {
	Note         string           // one sentence: whose contract changed, and whether the call follows the old one
	Instructions string           // what to do about it, such as to list the tools again; left out when empty
	ChangeCount  int              // all changes that concern the call, shown or not; at least shown + NotShown is written
	MaxSeverity  string           // the worst severity of all of them: BREAKING, RISKY, …
	Changes      []ContractChange // those shown, the most important first
	NotShown     int              // how many more there are
}

// A ContractChange is one difference between the contract that the caller learned and the present one.
type ContractChange struct {
	Severity    string // BREAKING, RISKY, SAFE or COSMETIC
	Field       string // JSON pointer into the schema
	Description string
	Before      string // left out when empty
	After       string // left out when empty
}

// normal returns a copy of a that is safe to store and to write.
func (a *ContractAwareness) normal() *ContractAwareness {
	if a == nil {
		return nil
	}
	c := &ContractAwareness{
		Note: clean(a.Note, maxText), Instructions: clean(a.Instructions, maxText),
		ChangeCount: max(a.ChangeCount, 0), MaxSeverity: clean(a.MaxSeverity, maxCode), NotShown: max(a.NotShown, 0),
	}
	shown := a.Changes
	if len(shown) > maxEntries {
		c.NotShown += len(shown) - maxEntries
		shown = shown[:maxEntries]
	}
	for _, ch := range shown {
		c.Changes = append(c.Changes, ContractChange{
			Severity: clean(ch.Severity, maxCode), Field: clean(ch.Field, 2*maxName), Description: clean(ch.Description, maxFieldLen),
			Before: clean(ch.Before, maxFieldLen), After: clean(ch.After, maxFieldLen),
		})
	}
	c.ChangeCount = max(c.ChangeCount, len(c.Changes)+c.NotShown)
	return c
}

// shrink drops the last change, then the lesser texts. It reports whether there was anything left to drop.
func (a *ContractAwareness) shrink() (*ContractAwareness, bool) {
	if a == nil {
		return nil, false
	}
	c := *a
	switch n := len(a.Changes); {
	case n > 1:
		c.Changes = a.Changes[:n-1]
		c.NotShown++
	case n == 1 && longest(a.Changes[0]) > 80:
		ch := a.Changes[0]
		ch.Description, ch.Before, ch.After = cut(ch.Description, 80), cut(ch.Before, 80), cut(ch.After, 80)
		c.Changes = []ContractChange{ch}
	case n == 1:
		c.Changes = nil
		c.NotShown++
	case len(a.Note) > 240 || len(a.Instructions) > 240:
		c.Note, c.Instructions = cut(a.Note, 80), cut(a.Instructions, 80)
		if len(c.Note) > 240 || len(c.Instructions) > 240 {
			return nil, true
		}
	default:
		return nil, true
	}
	return &c, true
}

// longest is in runes, as cut is.
func longest(c ContractChange) int {
	return max(len([]rune(c.Description)), len([]rune(c.Before)), len([]rune(c.After)))
}

func (w *writer) awareness(a *ContractAwareness) {
	if a == nil {
		return
	}
	w.open("contract_awareness")
	w.leaf("system_note", a.Note)
	w.leaf("instructions", a.Instructions)
	w.number("change_count", a.ChangeCount)
	w.leaf("max_severity", a.MaxSeverity)
	if len(a.Changes) > 0 {
		w.open("contract_changes")
		for _, c := range a.Changes {
			w.start("change")
			w.attr("severity", c.Severity)
			w.attr("field", c.Field)
			w.enter()
			w.leaf("description", c.Description)
			w.leaf("before", c.Before)
			w.leaf("after", c.After)
			w.close("change")
		}
		w.close("contract_changes")
	}
	w.notShown(a.NotShown, " more not shown")
	w.close("contract_awareness")
}

func (a *ContractAwareness) clone() *ContractAwareness {
	if a == nil {
		return nil
	}
	c := *a
	c.Changes = append([]ContractChange(nil), a.Changes...)
	return &c
}
